"""The numbers of a network with continuous nodes, from complete rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import check_parameters
from certus.base.params import Constraints, InstanceOf, Interval, OneOf
from certus.graphical.conditional_gaussian_network import ConditionalGaussianNetwork
from certus.graphical.learn_tables import learn_tables
from certus.graphical.linear_normal import LinearNormal
from certus.graphical.networks.normals.mixed_rows import coded_states, number_columns, row_log_densities
from certus.graphical.networks.tables.coded_columns import columns_of

Floats = NDArray[np.float64]

RULES: Constraints = {
    "network": [InstanceOf(ConditionalGaussianNetwork)],
    "alpha": [Interval(0, None), InstanceOf(dict)],
    "min_variance": [Interval(0, None)],
    "too_few": [OneOf("refuse", "pool")],
}


@dataclass(frozen=True, eq=False)
class LearnedGaussians:
    """A network with continuous nodes whose numbers were learned from rows.

    Parameters
    ----------
    network : ConditionalGaussianNetwork
        The structure with its tables and normals.
    log_likelihood : float
        Of all rows. With ``alpha=0``, no pooled rows and no raised variance, no other numbers give a larger one.
    pooled : dict of node to list
        Configurations of discrete parents that had too few rows and took what all rows of the node give.
    raised : dict of node to int
        Variances that were raised to ``min_variance``.
    """

    network: ConditionalGaussianNetwork
    log_likelihood: float
    pooled: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    raised: dict[str, int] = field(default_factory=dict)


def learn_gaussians(
    network: ConditionalGaussianNetwork,
    table: Any,
    *,
    alpha: Any = 0.0,
    min_variance: float = 0.0,
    too_few: str = "refuse",
) -> LearnedGaussians:
    """Estimate tables and normals by maximum likelihood: counts, and least squares for all states of discrete parents.

    Parameters
    ----------
    network : ConditionalGaussianNetwork
        The structure; numbers it has are not used.
    table : polars or pandas frame, or dict of columns
        Complete rows: a column of labels for every discrete node, of numbers for every continuous one.
    alpha : float or dict of node to float or array-like, default=0.0
        Imaginary counts of the tables, as for `learn_tables`.
    min_variance : float, default=0.0
        Smaller variances are raised to it.
    too_few : {"refuse", "pool"}, default="refuse"
        What happens to configurations with no more rows than coefficients: an error, or they take the coefficients and
        the variance of all rows of the node.

    Returns
    -------
    LearnedGaussians
        ``network``, ``log_likelihood``, ``pooled``, ``raised``.

    Examples
    --------
    >>> from certus.graphical import ConditionalGaussianNetwork, learn_gaussians
    >>> structure = ConditionalGaussianNetwork({"weight": ["size"]}, {}, normals=["size", "weight"])
    >>> found = learn_gaussians(structure, {"size": [1.0, 2.0, 3.0, 4.0], "weight": [2.0, 5.0, 6.0, 9.0]})
    >>> print(found.network.normal("weight").coefficients.round(3), round(found.log_likelihood, 4))
    [2.2] -8.5789
    """
    given = {name: value for name, value in locals().items() if name in RULES}
    check_parameters("learn_gaussians", RULES, given)
    columns = columns_of(table)
    states, values = coded_states(network, columns), number_columns(network, columns)
    count = len(next(iter(values.values())))
    if not count:
        raise ValueError("The table must have at least one row, got none.")
    tables = None
    if network.discrete:
        learned = learn_tables(network.discrete_part, {name: columns[name] for name in states}, alpha=alpha).network
        tables = {name: learned.table(name) for name in states}
    normals: dict[str, LinearNormal] = {}
    pooled: dict[str, list[tuple[Any, ...]]] = {}
    raised: dict[str, int] = {}
    for name in network.continuous:
        fit = _NodeFit(network, name, states, values, pool=too_few == "pool")
        variance = np.maximum(fit.variance, min_variance)
        if not (variance > 0.0).all():
            raise ValueError(
                f"The rows of {name!r} must not lie on their line exactly, got a variance of 0{fit.at_zero()}.\n"
                "Hint: min_variance=... raises such variances."
            )
        normals[name] = LinearNormal(fit.intercept, fit.coefficients, variance)
        pooled |= {name: fit.pooled} if fit.pooled else {}
        raised |= {name: int((fit.variance < min_variance).sum())} if (fit.variance < min_variance).any() else {}
    labels = {name: network.states(name) for name in network.discrete}
    parents = {name: network.parents(name) for name in network.nodes}
    found = ConditionalGaussianNetwork(parents, labels, tables, normals)
    likelihood = float(row_log_densities(found, columns).sum())
    return LearnedGaussians(found, likelihood, pooled, raised)


class _NodeFit:
    """Least squares of one node on its continuous parents, for every configuration of the discrete ones."""

    def __init__(
        self, network: Any, name: str, states: dict[str, Any], values: dict[str, Floats], *, pool: bool
    ) -> None:
        parents = network.parents(name)
        self._causes = [parent for parent in parents if parent in states]
        self._labels = [network.states(parent) for parent in self._causes]
        self._name = name
        self.pooled: list[tuple[Any, ...]] = []
        cards = [len(found) for found in self._labels]
        y = values[name]
        X = np.column_stack([np.empty((len(y), 0)), *(values[parent] for parent in parents if parent in values)])
        which = np.zeros(len(y), dtype=np.int64)
        for parent, card in zip(self._causes, cards, strict=True):
            which = which * card + states[parent]
        rows = np.split(
            np.argsort(which, kind="stable"), np.cumsum(np.bincount(which, minlength=math.prod(cards)))[:-1]
        )
        self.intercept, self.variance = np.empty(cards), np.empty(cards)
        self.coefficients = np.empty((*cards, X.shape[1]))
        for cell, own in zip(itertools.product(*map(range, cards)), rows, strict=True):
            chosen = own
            if len(own) <= X.shape[1] + 1:
                self._too_few(cell, len(own), X.shape[1] + 2, pool=pool and len(y) > X.shape[1] + 1)
                chosen = np.arange(len(y))
            line = self._line(X[chosen], y[chosen], cell)
            self.intercept[cell], self.coefficients[cell], self.variance[cell] = line

    def _line(self, X: Floats, y: Floats, cell: Sequence[int]) -> tuple[float, Floats, float]:
        """Intercept, coefficients and mean squared residual."""
        center, middle = X.mean(axis=0), float(y.mean())
        spread = np.abs(X - center).max(axis=0)
        spread[spread == 0.0] = 1.0
        found, _squares, rank, _ = np.linalg.lstsq((X - center) / spread, y - middle, rcond=None)
        if rank < X.shape[1]:
            raise ValueError(
                f"The continuous parents of {self._name!r} must not follow from each other, got columns of rank {rank} "
                f"instead of {X.shape[1]}{self._where(cell)}.\nHint: leave a parent out, or give more rows."
            )
        coefficients = found / spread
        with np.errstate(over="ignore"):
            residuals = (y - middle) - (X - center) @ coefficients
            variance = float(np.mean(residuals**2))
            sizes = float(np.abs(y).max() + np.abs(X).max(axis=0) @ np.abs(coefficients))
            rounding = 4.0 * float(np.finfo(np.float64).eps) * sizes
        return middle - float(center @ coefficients), coefficients, 0.0 if variance <= rounding**2 else variance

    def _too_few(self, cell: Sequence[int], count: int, needed: int, *, pool: bool) -> None:
        if not pool:
            raise ValueError(
                f"{self._name!r} must have at least {needed} rows{self._where(cell)}, got {count}.\n"
                "Hint: too_few='pool' takes the line of all rows there; or give it fewer discrete parents."
            )
        self.pooled.append(tuple(own[place] for own, place in zip(self._labels, cell, strict=True)))

    def _where(self, cell: Sequence[int]) -> str:
        listed = [f"{n}={own[k]!r}" for n, own, k in zip(self._causes, self._labels, cell, strict=True)]
        return f" with {', '.join(listed)}" if listed else ""

    def at_zero(self) -> str:
        """Where a variance is 0, for a message."""
        cell = np.unravel_index(int(np.argmin(self.variance)), self.variance.shape)
        return self._where([int(place) for place in cell])
