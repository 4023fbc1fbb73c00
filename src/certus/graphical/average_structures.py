"""Exact Bayesian averaging over all structures of a few variables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.base import check_parameters
from certus.base.params import Constraints, Interval
from certus.distributions import Factor
from certus.graphical.equivalent_dags import enumerate_dags
from certus.graphical.learning.structures.family_scores import FamilyScores
from certus.graphical.learning.structures.state_columns import StateColumns, state_columns

Floats = NDArray[np.float64]
MOST = 5
MOST_CELLS = 100_000
RULES: Constraints = {"equivalent_sample_size": [Interval(0, None, closed="neither")]}


class AveragedStructures:
    """All networks over some columns, weighted by their posterior probabilities.

    Attributes
    ----------
    log_evidence : float
        ``ln P(table)``: the mean of the networks' marginal likelihoods, each as probable before.
    adjacency : dict of (str, str) to float
        For every pair of columns the posterior probability that an arc links them.
    arcs : dict of (str, str) to float
        For every ordered pair the probability of the arc from the first to the second.
    """

    log_evidence: float
    adjacency: dict[tuple[str, str], float]
    arcs: dict[tuple[str, str], float]

    def __init__(self, columns: StateColumns, sample_size: float) -> None:
        self._columns, self._size = columns, sample_size
        names = columns.names
        place = {f"x{node + 1}": node for node in range(len(names))}
        self._networks = [
            [tuple(sorted(place[parent] for parent in own)) for own in graph.values()]
            for graph in enumerate_dags(len(names))
        ]
        scores = FamilyScores(columns, "bdeu", sample_size)
        self._families = sorted({(child, own) for graph in self._networks for child, own in enumerate(graph)})
        values = scores.families([child for child, _ in self._families], [own for _, own in self._families])
        number = {family: k for k, family in enumerate(self._families)}
        self._used = np.array([[number[(child, own)] for child, own in enumerate(graph)] for graph in self._networks])
        logs = values[self._used].sum(axis=1)
        self.log_evidence = float(logsumexp(logs) - np.log(len(logs)))
        self._weights: Floats = np.exp(logs - logsumexp(logs))
        self.arcs = {(a, b): 0.0 for a in names for b in names if a != b}
        for graph, weight in zip(self._networks, self._weights.tolist(), strict=True):
            for child, own in enumerate(graph):
                for parent in own:
                    self.arcs[(names[parent], names[child])] += weight
        self.adjacency = {
            (a, b): self.arcs[(a, b)] + self.arcs[(b, a)] for k, a in enumerate(names) for b in names[k + 1 :]
        }

    def query(self, targets: str | Sequence[str], evidence: Mapping[str, Any] | None = None) -> Factor:
        """Predict: P(targets | evidence) of the next row, averaged over networks and tables.

        Parameters
        ----------
        targets : str or sequence of str
            Columns.
        evidence : dict of column to label, default=None
            What is known of the next row.
        """
        wanted = (targets,) if isinstance(targets, str) else tuple(targets)
        given: dict[Any, Any] = dict(evidence or {})
        self._columns.places([*wanted, *given], "targets and evidence")
        if both := set(wanted) & set(given):
            raise ValueError(f"targets must not be part of the evidence, got {sorted(both)[0]!r} in both.")
        return self._predictive.given(given).marginal(*wanted).normalized()

    @cached_property
    def _predictive(self) -> Factor:
        """P(next row): the mean over networks, each with the mean of its tables' posterior."""
        cells = math.prod(self._columns.arities)
        if cells > MOST_CELLS:
            raise MemoryError(f"The joint table must have at most {MOST_CELLS:,} cells, got {cells:,}.")
        tables = np.stack([self._table(child, own).ravel() for child, own in self._families])
        joint = np.zeros(cells)
        for used, weight in zip(self._used, self._weights.tolist(), strict=True):
            joint += weight * np.prod(tables[used], axis=0)
        return Factor(dict(zip(self._columns.names, self._columns.labels, strict=True)), joint)

    def _table(self, child: int, own: tuple[int, ...]) -> Floats:
        """P(child | parents) by the mean of the posterior, in the shape of the joint table."""
        columns = self._columns
        members = [*own, child]
        shape = [columns.arities[member] for member in members]
        counts = np.full(shape, self._size / np.prod(shape))
        np.add.at(counts, tuple(columns.codes[member] for member in members), 1.0)
        shares = counts / counts.sum(axis=-1, keepdims=True)
        order = np.argsort(members)
        wide = [arity if node in members else 1 for node, arity in enumerate(columns.arities)]
        return np.broadcast_to(shares.transpose(order).reshape(wide), columns.arities)


def average_structures(table: Any, *, equivalent_sample_size: float = 1.0) -> AveragedStructures:
    """Average over all networks of up to five columns.

    Before the table, all networks are as probable; tables have the prior of "bdeu". Networks of more columns are too
    many: 1, 3, 25, 543, 29281, and 3781503 of six.

    Parameters
    ----------
    table : polars or pandas frame, or dict of columns
        Complete rows of labels.
    equivalent_sample_size : float, default=1.0
        Imaginary rows of the prior.

    Returns
    -------
    AveragedStructures
        ``log_evidence``, ``adjacency``, ``arcs``, ``query``.

    Examples
    --------
    >>> from certus.graphical import average_structures
    >>> found = average_structures({"a": [0, 0, 1, 1] * 3, "b": [0, 0, 1, 1] * 3})
    >>> round(found.adjacency[("a", "b")], 3), round(found.query("a", {"b": 1}).value({"a": 1}), 3)
    (1.0, 0.961)
    """
    check_parameters("average_structures", RULES, {"equivalent_sample_size": equivalent_sample_size})
    columns = state_columns(table)
    if len(columns.names) > MOST:
        raise ValueError(
            f"The table must have at most {MOST} columns to average over all networks, got {len(columns.names)}.\n"
            "Hint: choose columns, or learn_structure(table), whose report bounds all other networks."
        )
    return AveragedStructures(columns, float(equivalent_sample_size))
