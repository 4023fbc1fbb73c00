"""Steps of k-means on batches of rows.

A batch with weights w moves every center c to (N c + sum of w x) / (N + sum of w) over its rows in the batch, N being
the weight that has moved it before: the center is the mean of all rows that were ever assigned to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.cluster import _native_calls
from certus.cluster.solvers.sparse_rows import nearest_sparse

Floats = NDArray[np.float64]
ROWS_BETWEEN = 10  # rows per center after which centers with few rows are looked for


class BatchRounds:
    """Centers, and what decides when to end.

    Parameters
    ----------
    centers : array
        First centers.
    ratio : float
        Centers with fewer rows than this share of the largest number are moved to rows of the batch.
    tolerance : float
        Smoothed squared moves at which steps end; 0 for never.
    patience : int or None
        Steps without a lower smoothed cost after which steps end.
    smoothing : float
        Rows of a batch over rows of the table: twice that is the weight of a batch in smoothed values.
    """

    def __init__(self, centers: Floats, ratio: float, tolerance: float, patience: int | None, smoothing: float) -> None:
        self.centers, self.counts = np.array(centers, dtype=np.float64), np.zeros(len(centers))
        self.mean_cost, self.ended = 0.0, False
        self._ratio, self._tolerance, self._patience = ratio, tolerance, patience
        self._share = min(1.0, 2.0 * smoothing)
        self._smooth_cost = self._least = np.inf
        self._smooth_move = np.inf
        self._steps = self._since_last = self._idle = 0

    def step(self, batch: Any, weights: Floats, rng: np.random.Generator) -> NDArray[np.int32]:
        """Move the centers by one batch; the labels of its rows before that."""
        if sparse.issparse(batch):
            labels, squared = nearest_sparse(batch, self.centers)
        else:
            labels, squared = _native_calls.nearest_centers(np.ascontiguousarray(batch), self.centers, 1)
        before = self.centers.copy()
        self._move(batch, weights, labels)
        self._reassign(batch, weights, rng)
        self._watch(float(weights @ squared), float(weights.sum()), float(np.sum((self.centers - before) ** 2)))
        return labels

    def _move(self, batch: Any, weights: Floats, labels: NDArray[np.int32]) -> None:
        shares = sparse.csr_array((weights, (labels, np.arange(len(labels)))), shape=(len(self.centers), len(labels)))
        added = np.bincount(labels, weights, minlength=len(self.centers))
        totals = shares @ (batch.astype(np.float64))
        totals = totals.toarray() if sparse.issparse(totals) else totals
        moved = added > 0.0
        counts = self.counts[moved, None]
        self.centers[moved] = (self.centers[moved] * counts + totals[moved]) / (counts + added[moved, None])
        self.counts += added

    def _reassign(self, batch: Any, weights: Floats, rng: np.random.Generator) -> None:
        """Move centers with very few rows, at most half as many as the batch has, to rows of the batch."""
        self._since_last += batch.shape[0]
        if self._ratio <= 0.0 or (self.counts.all() and self._since_last < ROWS_BETWEEN * len(self.centers)):
            return
        self._since_last = 0
        few = np.flatnonzero(self.counts < self._ratio * self.counts.max())
        candidates = np.flatnonzero(weights > 0.0)
        few = few[np.argsort(self.counts[few], kind="stable")][: len(candidates) // 2]
        if not len(few) or len(few) == len(self.counts):
            return
        rows = rng.choice(candidates, len(few), replace=False)
        taken = batch[rows]
        self.centers[few] = taken.toarray() if sparse.issparse(taken) else taken
        # Not so few that they would move again at once.
        self.counts[few] = np.delete(self.counts, few).min()

    def _watch(self, cost: float, weight: float, moved: float) -> None:
        self.mean_cost = cost / weight if weight > 0.0 else 0.0
        self._steps += 1
        if self._steps == 1:  # what the first centers cost
            return
        if not np.isfinite(self._smooth_cost):
            self._smooth_cost = self.mean_cost
        else:
            self._smooth_cost += self._share * (self.mean_cost - self._smooth_cost)
        self._idle = 0 if self._smooth_cost < self._least else self._idle + 1
        self._least = min(self._least, self._smooth_cost)
        still = self._tolerance > 0.0 and moved <= self._tolerance
        self.ended = still or (self._patience is not None and self._idle >= self._patience)
