"""Gower's distance (1971): the mean difference over the columns that are there in both rows.

d(x, y) = sum_j w_j s_j(x_j, y_j) / sum_j w_j     over the columns j that are missing in neither row,
s_j     = min(1, |x_j - y_j| / range_j)           for numbers (where range_j = 0: 0 if equal, else 1),
s_j     = 1[x_j != y_j]                           for categories.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GowerMetric:
    """The distance for columns of these kinds, ranges and weights.

    Parameters
    ----------
    categorical : ndarray of bool of shape (n_features,)
        Which columns are compared by equality alone.
    ranges : ndarray of shape (n_features,)
        Largest minus smallest number of each of the others.
    weights : ndarray of shape (n_features,)
        How much each column counts; those of weight 0 are as if they were not there.
    """

    categorical: NDArray[np.bool_]
    ranges: Floats
    weights: Floats

    @classmethod
    def of(cls, rows: Floats, categorical: Any, weights: Any = None, ranges: Any = None) -> GowerMetric:
        """The distance whose ranges are those of the rows, unless they are given."""
        columns = rows.shape[1]
        mask = np.asarray(categorical, dtype=bool)
        weighed = np.ones(columns) if weights is None else _checked("weights", weights, columns)
        if not (weighed > 0).any():
            raise ValueError("The weights must hold a positive number, got only zeros.")
        spans = _spans(rows, mask) if ranges is None else _checked("ranges", ranges, columns)
        return cls(mask, spans, weighed)

    def distances(self, queries: Floats, rows: Floats, first: int = 0) -> Floats:
        """All distances between queries, whose numbers begin with ``first``, and rows."""
        total, weight = np.zeros((len(queries), len(rows))), np.zeros((len(queries), len(rows)))
        for j in np.flatnonzero(self.weights > 0):
            x, y = queries[:, j, None], rows[None, :, j]
            both = ~np.isnan(x) & ~np.isnan(y)
            total += np.where(both, self.weights[j] * self._differences(x, y, int(j)), 0.0)
            weight += self.weights[j] * both
        if not weight.all():
            query, row = (int(place) for place in np.argwhere(weight == 0)[0])
            raise ValueError(
                f"Row {first + query} of the queries and row {row} of the known rows have no column that is there in "
                "both, so their Gower distance is not defined.\nHint: leave out rows that are nearly empty, or fill in "
                "a column."
            )
        return total / weight

    def _differences(self, x: Floats, y: Floats, column: int) -> Any:
        if self.categorical[column] or self.ranges[column] == 0.0:
            return x != y
        with np.errstate(over="ignore"):  # a query far outside differs by 1
            return np.minimum(np.abs(x - y) / self.ranges[column], 1.0)


def _spans(rows: Floats, categorical: NDArray[np.bool_]) -> Floats:
    """Largest minus smallest number of each column of numbers; 0 where there is none."""
    there = ~np.isnan(rows)
    high = np.max(rows, axis=0, where=there, initial=-np.inf)
    low = np.min(rows, axis=0, where=there, initial=np.inf)
    measured = there.any(axis=0) & ~categorical
    with np.errstate(over="ignore", invalid="ignore"):
        spans = np.where(measured, high - low, 0.0)
    if not np.isfinite(spans).all():
        column = int(np.flatnonzero(~np.isfinite(spans))[0])
        raise ValueError(f"Column {column} of X must have a finite range, got {low[column]:g} to {high[column]:g}.")
    return spans


def _checked(name: str, given: Any, columns: int) -> Floats:
    values = np.array(given, dtype=np.float64)
    if values.shape != (columns,) or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(f"The {name} must be {columns} finite numbers >= 0, one per column; got {given!r}.")
    return values
