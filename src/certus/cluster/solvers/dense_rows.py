"""The rows of a dense table, as k-means works on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.cluster import _native_calls
from certus.cluster.solvers.row_order import direction, order_along

Floats = NDArray[np.float64]
ROWS_AT_ONCE = 4096


class DenseRows:
    """A dense table with weights, grouped for the compiled loops.

    Parameters
    ----------
    X : array of float or double
        The table, row by row in memory.
    weights : array
        Positive weights.
    threads : int
        How many threads to use.
    """

    def __init__(self, X: NDArray[Any], weights: Floats, threads: int) -> None:
        self._X, self._weights, self._threads = X, weights, threads
        self._alike = bool((weights == 1.0).all())
        if self._alike and X.dtype == np.float64:
            self.mean = np.asarray(X.sum(axis=0) / len(X))
        else:
            self.mean = np.average(X, axis=0, weights=weights) if X.dtype == np.float64 else _mean(X, weights)
        self._grouped: Any = None

    def variance(self) -> float:
        """The mean of the columns' weighted variances."""
        total, columns = float(self._weights.sum()), self._X.shape[1]
        _, squared = _native_calls.nearest_centers(self._X, self.mean[None, :], self._threads)
        return float(self._weights @ squared) / (total * columns)

    def order(self) -> NDArray[np.int64]:
        """The rows in an order that depends on their values alone."""
        return order_along(_product(self._X, direction(self._X.shape[1])))

    def take(self, rows: NDArray[np.int64]) -> Floats:
        """Some rows as centers."""
        return self._X[rows].astype(np.float64)

    def spread(self, order: NDArray[np.int64], uniforms: Floats) -> NDArray[np.int64]:
        """Rows for first centers by k-means++, one per line of uniform numbers."""
        return _native_calls.seed(self._groups(), self._weights, order, uniforms, self._threads)

    def improve(self, centers: Floats, most: int, tolerance: float) -> tuple[int, bool]:
        """Lloyd's rounds on the centers, in place: how many, and whether no row changed its center in the last."""
        return _native_calls.lloyd(
            self._groups(), self._X, self.mean, self._weights, centers, most, tolerance, self._threads
        )

    def nearest(self, centers: Floats) -> tuple[NDArray[np.int32], Floats]:
        """The nearest center of every row, and the squared distance to it."""
        return _native_calls.nearest_centers(self._X, centers, self._threads)

    def cost(self, centers: Floats) -> float:
        """The weighted sum of squared distances to the nearest center."""
        return float(self._weights @ self.nearest(centers)[1])

    def scatter(self) -> tuple[Floats, float]:
        """Eigenvalues, ascending, of the weighted scatter matrix around the mean, and a bound on their errors."""
        rows, columns = self._X.shape
        matrix = self._scatter_matrix() if columns <= rows else self._gram_matrix()
        values = np.asarray(np.linalg.eigvalsh(matrix), dtype=np.float64)
        epsilon, trace = np.finfo(np.float64).eps, float(np.trace(matrix))
        offset = float(self._weights.sum()) * columns * (8.0 * epsilon * float(np.abs(self.mean).max(initial=0.0))) ** 2
        return values, float(4.0 * (rows + 10 * columns) * epsilon * trace + offset)

    def _scatter_matrix(self) -> Floats:
        total = np.zeros((self._X.shape[1], self._X.shape[1]))
        for first in range(0, len(self._X), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            centered = self._X[part] - self.mean
            if not self._alike:
                centered *= np.sqrt(self._weights[part, None])
            total += centered.T @ centered  # half the cost of a product of two matrices
        return total

    def _gram_matrix(self) -> Floats:
        centered = (self._X - self.mean) * np.sqrt(self._weights)[:, None]
        return np.asarray(centered @ centered.T)

    def _groups(self) -> Any:
        if self._grouped is None:
            self._grouped = _native_calls.group_rows(self._X, self.mean, self._threads)
        return self._grouped


def _product(X: NDArray[Any], vector: Floats) -> Floats:
    """X times a vector in double, single-precision rows a part at a time."""
    if X.dtype == np.float64:
        return np.asarray(X @ vector)
    parts = [X[first : first + ROWS_AT_ONCE].astype(np.float64) @ vector for first in range(0, len(X), ROWS_AT_ONCE)]
    return np.concatenate(parts)


def _mean(X: NDArray[Any], weights: Floats) -> Floats:
    """The weighted mean of single-precision rows, summed in double a part at a time."""
    total = np.zeros(X.shape[1])
    for first in range(0, len(X), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        total += weights[part] @ X[part].astype(np.float64)
    return np.asarray(total / weights.sum())
