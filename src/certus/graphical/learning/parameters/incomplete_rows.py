"""Tables of a network from rows with missing cells: expectation and maximization (Lauritzen 1995).

Complete rows are counted once. Of the others, every distinct one is completed in all ways that matter, weighted by
their probabilities under the tables of the moment.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from certus.graphical.learning import _native_calls
from certus.graphical.learning.parameters.row_sums import RowSums
from certus.graphical.learning.parameters.table_shapes import TableShapes

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


class ImpossibleRowError(ValueError):
    """A row that the tables of a start say cannot occur."""


class IncompleteRows:
    """The model that `certus.base.em.climbing` climbs: parameters are all tables in one array.

    Parameters
    ----------
    shapes : TableShapes
        The structure.
    codes : ndarray of shape (rows, nodes)
        Places of states, -1 for missing cells.
    weights : ndarray of shape (rows,)
        Weights of the rows.
    alpha : ndarray of shape (cells,)
        Imaginary counts.
    """

    ascends = True

    def __init__(self, shapes: TableShapes, codes: Codes, weights: Floats, alpha: Floats) -> None:
        self.shapes, self.alpha = shapes, alpha
        self.total = float(weights.sum())
        complete: Any = slice(None)  # of tables without gaps no copy is made
        others: Any = slice(0)
        if len(codes) and codes.min() < 0:
            complete = (codes >= 0).all(axis=1)
            others = ~complete
        native = shapes.native(shapes.uniform())
        _, self.counted = _native_calls.expected_counts(
            native, np.ascontiguousarray(codes[complete]), weights[complete], shapes.cells
        )
        self.rows, self.weights = distinct_rows(codes[others], weights[others])
        self._sums = RowSums(shapes, self.rows)

    def expect(self, parameters: Floats) -> tuple[float, Floats]:
        """The objective per row, and expected counts."""
        likelihoods, counts = self._sums.counts(parameters, self.weights)
        if np.isneginf(likelihoods).any():
            row = {
                name: self.shapes.labels[node][code]
                for node, (name, code) in enumerate(
                    zip(self.shapes.nodes, self.rows[int(np.argmin(likelihoods))].tolist(), strict=True)
                )
                if code >= 0
            }
            raise ImpossibleRowError(
                f"The start must give every row a positive probability, got 0 for {row!r}.\n"
                "Hint: alpha > 0, or another start."
            )
        fixed = xlogy(self.counted + self.alpha, parameters).sum()
        return float(likelihoods @ self.weights + fixed) / self.total, counts + self.counted

    def maximize(self, statistics: Floats, parameters: Floats) -> Floats:
        """Counts divided by their sums, imaginary ones included; rows without counts stay as they are."""
        return shares(self.shapes, statistics + self.alpha, parameters)

    def log_likelihood(self, parameters: Floats) -> float:
        return self.expect(parameters)[0]

    def expected_log_likelihood(self, new: Floats, old: Floats) -> float:
        return float(xlogy(self.expect(old)[1] + self.alpha, new).sum()) / self.total

    def describe(self, parameters: Floats) -> dict[str, Any]:
        return self.shapes.split(parameters)


def shares(shapes: TableShapes, counts: Floats, otherwise: Floats) -> Floats:
    """Every row of counts divided by its sum, or what it is otherwise if nothing was counted."""
    sums = shapes.row_sums(counts)
    return np.divide(counts, sums, out=otherwise.copy(), where=sums > 0.0)


def distinct_rows(codes: Codes, weights: Floats) -> tuple[Codes, Floats]:
    """Rows that differ, in ascending order, and the weight of each."""
    if not len(codes):
        return np.ascontiguousarray(codes), np.empty(0)
    rows = np.ascontiguousarray(codes)
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return np.ascontiguousarray(rows[first]), np.bincount(inverse, weights=weights).astype(np.float64)
