"""The rows of a table grouped by class: weights, means, and the rows around their class means, in double."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ClassGroups:
    """Rows sorted by class.

    Attributes
    ----------
    centered : ndarray of shape (n_samples, n_features)
        Rows minus the mean of their class, class after class.
    weights : ndarray of shape (n_samples,)
        Their weights, in the same order.
    ends : ndarray of shape (n_classes + 1,)
        Class c has the rows ends[c] .. ends[c + 1].
    means : ndarray of shape (n_classes, n_features)
        Class means.
    totals : ndarray of shape (n_classes,)
        Total weight of each class.
    """

    centered: Array
    weights: Array
    ends: NDArray[np.intp]
    means: Array
    totals: Array

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        """Centered rows and weights, class by class."""
        for first, last in pairwise(self.ends):
            yield self.centered[first:last], self.weights[first:last]

    @property
    def total(self) -> float:
        """Total weight of all rows."""
        return float(self.totals.sum())


def group_by_class(X: NDArray[Any], codes: NDArray[np.intp], classes: int, weights: Array | None) -> ClassGroups:
    """Sort the rows by class and centre them; rows of weight 0 are left out."""
    order = np.argsort(codes, kind="stable")
    if weights is not None:
        order = order[weights[order] > 0.0]
    rows = X[order].astype(np.float64, copy=False)
    weight = np.ones(len(order)) if weights is None else weights[order]
    ends = np.searchsorted(codes[order], np.arange(classes + 1))
    totals = np.add.reduceat(weight, ends[:-1])
    # Twice: the mean of rows that are centered already removes what rounding left of a large offset.
    means = _means(rows, weight, ends, totals)
    rows = rows - np.repeat(means, np.diff(ends), axis=0)
    correction = _means(rows, weight, ends, totals)
    rows -= np.repeat(correction, np.diff(ends), axis=0)
    return ClassGroups(rows, weight, ends, means + correction, totals)


def _means(rows: Array, weight: Array, ends: NDArray[np.intp], totals: Array) -> Array:
    sums = [weight[first:last] @ rows[first:last] for first, last in pairwise(ends)]
    return np.stack(sums) / totals[:, np.newaxis]
