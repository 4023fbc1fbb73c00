"""Tables with missing cells: rows that lack the same columns are treated together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.mixture import _native_calls
from certus.mixture.learning.gaussians import Gaussians, has_matrices

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Expected sums over rows: the shares of components, and first and second moments around centers."""

    weight: Floats  # (k,)
    first: Floats  # (k, p)
    second: Floats  # (k, p, p), or (k, p) of diagonal kinds
    centers: Floats  # (k, p)


@dataclass(frozen=True)
class Pattern:
    """Rows that lack the same columns."""

    places: NDArray[np.intp] | slice  # of these rows in the table
    columns: NDArray[np.intp] | None  # that they have; None: all
    cells: NDArray[Any]
    weights: Floats


class ObservedCells:
    """A table as mixtures read it.

    Parameters
    ----------
    rows : array of shape (n, p)
        The rows; NaN where a cell is missing.
    weights : array of shape (n,)
        Their weights.
    """

    def __init__(self, rows: NDArray[Any], weights: Floats | None = None) -> None:
        self.rows = rows
        self.weights = np.ones(len(rows)) if weights is None else weights
        self.total = float(self.weights.sum())
        missing = np.isnan(rows)
        self.complete = not missing.any()
        self.patterns = [Pattern(slice(None), None, rows, self.weights)] if self.complete else self._split(missing)

    def _split(self, missing: NDArray[np.bool_]) -> list[Pattern]:
        kinds, which = np.unique(missing, axis=0, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        ends = np.searchsorted(which.ravel()[order], np.arange(len(kinds) + 1))
        found = []
        for kind, lacks in enumerate(kinds):
            places = order[ends[kind] : ends[kind + 1]]
            columns = np.flatnonzero(~lacks)
            cells = np.ascontiguousarray(self.rows[places[:, None], columns])
            found.append(Pattern(places, None if not lacks.any() else columns, cells, self.weights[places]))
        return found

    def moments(self, model: Gaussians, centers: Floats) -> tuple[float, Moments]:
        """The log-likelihood per row, and the expected moments around the centers."""
        likelihood, sums = 0.0, []
        for pattern in self.patterns:
            if pattern.columns is None:
                found = _native_calls.expected_moments(pattern.cells, pattern.weights, model.components, centers)
            else:
                found = _incomplete(pattern, pattern.columns, model, centers)
            likelihood += found[0]
            sums.append(found[1:])
        weight, first, second = (np.sum(parts, axis=0) for parts in zip(*sums, strict=True))
        return likelihood / self.total, Moments(weight, first, second, centers)

    def log_joint(self, model: Gaussians) -> Floats:
        """ln(weight_k p_k(x)) for every row and component, of the cells that are there."""
        out = np.empty((len(self.rows), len(model.weights)))
        for pattern in self.patterns:
            out[pattern.places] = _joint_of(pattern, model)
        return out

    def imputed(self, model: Gaussians) -> Floats:
        """The rows with the conditional mean where a cell is missing."""
        filled = np.array(self.rows, dtype=np.float64)
        for pattern in self.patterns:
            if pattern.columns is None:
                continue
            joint = _joint_of(pattern, model)
            shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
            lost = np.setdiff1d(np.arange(self.rows.shape[1]), pattern.columns)
            parts = [_expected_rows(pattern, model, component)[:, lost] for component in range(len(model.weights))]
            filled[np.ix_(pattern.places, lost)] = np.einsum("nk,knj->nj", shares, np.stack(parts))  # type: ignore[arg-type]
        return filled


def _joint_of(pattern: Pattern, model: Gaussians) -> Floats:
    if pattern.columns is None:
        return _native_calls.log_joint(pattern.cells, model.components)
    if len(pattern.columns) == 0:
        with np.errstate(divide="ignore"):
            return np.tile(np.log(model.weights), (len(pattern.cells), 1))
    return _native_calls.log_joint(pattern.cells, model.marginal(pattern.columns))


def _expected_rows(pattern: Pattern, model: Gaussians, component: int) -> Floats:
    """E[x | what is there, component] of every row."""
    columns, mean = pattern.columns, model.means[component]
    if columns is None or len(columns) == 0 or not has_matrices(model.kind):
        return np.tile(mean, (len(pattern.cells), 1))
    slopes, _ = model.regression(columns)
    return mean + (pattern.cells - mean[columns]) @ slopes[component].T


def _incomplete(pattern: Pattern, columns: NDArray[np.intp], model: Gaussians, centers: Floats) -> tuple[Any, ...]:
    """The sum of log-densities and the moments of rows that lack cells.

    What is there gives the shares; what is missing has its conditional mean, m + A (x_o - m_o), and adds its
    conditional covariance. Both are linear in the moments of what is there.
    """
    components, width = model.size
    if len(columns) == 0:
        likelihood, weight = 0.0, model.weights * pattern.weights.sum()
        first_there = np.zeros((components, 0))
        second_there = np.zeros((components, 0, 0) if has_matrices(model.kind) else (components, 0))
    else:
        likelihood, weight, first_there, second_there = _native_calls.expected_moments(
            pattern.cells, pattern.weights, model.marginal(columns), centers[:, columns]
        )
    offset = model.means - centers
    if not has_matrices(model.kind):
        first, second = weight[:, None] * offset, weight[:, None] * (offset**2 + model.spread)
        first[:, columns], second[:, columns] = first_there, second_there
        return likelihood, weight, first, second
    slopes, rest = (
        model.regression(columns) if len(columns) else (np.zeros((components, width, 0)), np.array(model.spread))
    )
    shift = offset - np.einsum("kpo,ko->kp", slopes, offset[:, columns])
    moved = np.einsum("kpo,ko->kp", slopes, first_there)
    cross = moved[:, :, None] * shift[:, None, :]
    second = slopes @ second_there @ np.swapaxes(slopes, 1, 2) + cross + np.swapaxes(cross, 1, 2)
    second += weight[:, None, None] * (shift[:, :, None] * shift[:, None, :] + rest)
    return likelihood, weight, moved + weight[:, None] * shift, second
