"""The rows of a sparse table, as k-means works on them: distances by products, |x|^2 - 2 x.c + |c|^2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import TableLike
from certus.cluster.solvers.row_order import direction, order_along

Floats = NDArray[np.float64]
ROWS_AT_ONCE = 4096


def nearest_sparse(X: sparse.csr_array, centers: Floats) -> tuple[NDArray[np.int32], Floats]:
    """The nearest center of every row, and the squared distance to it."""
    labels, squared = np.empty(X.shape[0], dtype=np.int32), np.empty(X.shape[0])
    for first in range(0, X.shape[0], ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        found = squared_distances(X[part], centers)
        labels[part] = np.argmin(found, axis=1)
        squared[part] = np.take_along_axis(found, labels[part, None].astype(np.intp), axis=1)[:, 0]
    return labels, squared


def squared_distances(X: sparse.csr_array, centers: Floats) -> Floats:
    """Squared distances between all rows and all centers."""
    rows = X.astype(np.float64)
    norms = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    found = norms[:, None] - 2.0 * (rows @ centers.T) + (centers * centers).sum(axis=1)
    return np.maximum(found, 0.0)


class SparseRows:
    """A sparse table with weights; see `certus.cluster.solvers.dense_rows.DenseRows` for what the methods do."""

    def __init__(self, X: TableLike, weights: Floats) -> None:
        self._X = sparse.csr_array(X).astype(np.float64)
        self._weights = weights
        self.mean = np.asarray(weights @ self._X).ravel() / weights.sum()

    def variance(self) -> float:
        second = np.asarray(self._weights @ self._X.multiply(self._X)).ravel() / self._weights.sum()
        return float(np.mean(np.maximum(second - self.mean**2, 0.0)))

    def order(self) -> NDArray[np.int64]:
        return order_along(np.asarray(self._X @ direction(self._X.shape[1])))

    def take(self, rows: NDArray[np.int64]) -> Floats:
        return np.asarray(self._X[rows].toarray())

    def spread(self, order: NDArray[np.int64], uniforms: Floats) -> NDArray[np.int64]:
        chosen = np.empty(len(uniforms), dtype=np.int64)
        closest = np.full(self._X.shape[0], np.inf)
        for step, draws in enumerate(uniforms):
            chances = self._weights if step == 0 else self._weights * closest
            sums = np.cumsum((chances if chances.any() else self._weights)[order])
            drawn = order[np.searchsorted(sums, draws[: 1 if step == 0 else None] * sums[-1], side="right")]
            found = np.minimum(closest[:, None], squared_distances(self._X, self.take(drawn)))
            best = int(np.argmin(self._weights @ found))
            chosen[step], closest = drawn[best], found[:, best]
        return chosen

    def improve(self, centers: Floats, most: int, tolerance: float) -> tuple[int, bool]:
        before = None
        for round_number in range(1, most + 1):
            labels, squared = nearest_sparse(self._X, centers)
            moved = self._means(labels, squared, centers)
            distance = float(np.sum((moved - centers) ** 2))
            centers[:] = moved
            if before is not None and np.array_equal(labels, before):
                return round_number, True
            if distance <= tolerance:
                return round_number, False
            before = labels
        return most, False

    def _means(self, labels: NDArray[np.int32], squared: Floats, centers: Floats) -> Floats:
        """The means of the clusters; an empty one gets the row that is farthest from its center."""
        rows, count = len(labels), len(centers)
        shares = sparse.csr_array((self._weights, (labels, np.arange(rows))), shape=(count, rows))
        totals, weights = (shares @ self._X).toarray(), np.bincount(labels, self._weights, minlength=count)
        empty = np.flatnonzero(np.bincount(labels, minlength=count) == 0)
        for cluster, row in zip(empty, np.argsort(-squared, kind="stable"), strict=False):
            if squared[row] == 0.0:
                break
            part = self._weights[row] * self.take(np.array([row]))[0]
            totals[labels[row]] -= part
            weights[labels[row]] -= self._weights[row]
            totals[cluster], weights[cluster] = part, self._weights[row]
        means = totals / np.where(weights > 0.0, weights, 1.0)[:, None]
        means[weights <= 0.0] = means[np.argmax(weights)]
        return np.asarray(means)

    def nearest(self, centers: Floats) -> tuple[NDArray[np.int32], Floats]:
        return nearest_sparse(self._X, centers)

    def cost(self, centers: Floats) -> float:
        return float(self._weights @ self.nearest(centers)[1])

    def scatter(self) -> tuple[Floats, float]:
        """Eigenvalues of the scatter as X'WX - W m m', or of its Gram matrix if there are fewer rows than columns.

        The parts cancel, so that the error bound is about the first.
        """
        roots, total = np.sqrt(self._weights), float(self._weights.sum())
        scaled = sparse.csr_array(self._X.multiply(roots[:, None]))
        rows, columns = self._X.shape
        trace = float((scaled.data**2).sum())
        if columns <= rows:
            matrix = (scaled.T @ scaled).toarray() - total * np.outer(self.mean, self.mean)
        else:
            along = np.outer(scaled @ self.mean, roots)
            matrix = (scaled @ scaled.T).toarray() - along - along.T
            matrix += float(self.mean @ self.mean) * np.outer(roots, roots)
        return np.linalg.eigvalsh(matrix), 8.0 * (rows + 10 * columns) * np.finfo(np.float64).eps * trace
