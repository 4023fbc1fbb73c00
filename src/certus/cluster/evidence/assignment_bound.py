"""A lower bound on the cost of any k medoids, by relaxing that every row belongs to one medoid.

For every lambda, one number a row::

    L(lambda) = sum_i w_i lambda_i + (sum of the k least rho_j) <= least cost,
    rho_j = sum_i w_i min(0, d_ij - lambda_i).

L is concave. Ascent by Polyak's steps towards the cost that was found, with a share of the last direction, halved after
stalls, from the distances to the second nearest of the found medoids (Beasley 1985).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.cluster import _native_calls

Floats = NDArray[np.float64]
FIRST_STEP = 2.0
STALLED = (10, 30)  # rounds without progress after which steps are halved: a thirtieth of all, within these
CARRIED = 0.8  # share of the last direction that goes into the next
SMALL, MOST_TIMES = 1_000, 10  # rows below which effort buys more rounds for the same time, and how many times as many
LEAST_STEP = 1e-4
MATCHED = 1e-6  # of the cost: no closer meeting of cost and bound is looked for
LEAST_PARALLEL_WORK = 1_000_000


class AssignmentBound:
    """The bound for one matrix of distances.

    Parameters
    ----------
    distances : array of shape (n, n)
        What a row costs at a medoid.
    weights : array
        Positive weights of the rows.
    clusters : int
        Number of medoids.
    """

    def __init__(self, distances: Floats, weights: Floats, clusters: int) -> None:
        self._distances, self._weights, self._clusters = distances, weights, clusters
        self._threads = resolve_threads() if distances.size > LEAST_PARALLEL_WORK else 1
        self.value, self.error = 0.0, 0.0
        self.prices = np.zeros(len(weights))

    def evaluate(self, prices: Floats) -> tuple[float, float, NDArray[np.intp]]:
        """L, what rounding may have added to it, and the columns with the least rho."""
        rho = _native_calls.medoid_savings(self._distances, self._weights, prices, self._threads)
        chosen = np.argpartition(rho, self._clusters - 1)[: self._clusters]
        paid = float(self._weights @ prices)
        size = float(self._weights @ np.abs(prices)) + float(np.abs(rho[chosen]).sum())
        return paid + float(rho[chosen].sum()), 4.0 * len(prices) * np.finfo(np.float64).eps * size, chosen

    def ascend(self, cost: float, effort: int, medoids: NDArray[np.int64]) -> None:
        """Improve the prices for so many rounds, on few rows up to ten times as many, or until bound and cost meet."""
        rounds = int(effort * min(MOST_TIMES, max(1.0, (SMALL / len(self._weights)) ** 2)))
        patience = min(max(STALLED[0], rounds // 33), STALLED[1])
        count = min(2, len(medoids))
        prices = np.partition(self._distances[:, medoids], count - 1, axis=1)[:, count - 1]
        step, stalled, best, last = FIRST_STEP, 0, -np.inf, np.zeros(len(prices))
        for _ in range(rounds):
            value, error, chosen = self.evaluate(prices)
            stalled = 0 if value > best + 1e-6 * cost else stalled + 1
            best = max(best, value)
            if value - error > self.value - self.error:
                self.value, self.error, self.prices = value, error, prices
            if stalled >= patience:
                step, stalled, prices, last = step / 2.0, 0, self.prices, np.zeros(len(prices))
                value, error, chosen = self.evaluate(prices)
            slope = 1.0 - (self._distances[:, chosen] < prices[:, None]).sum(axis=1) + CARRIED * last
            size = float(self._weights @ slope**2)
            if size == 0.0 or step < LEAST_STEP or self.value - self.error >= cost * (1.0 - MATCHED):
                break
            last = slope
            prices = np.maximum(0.0, prices + step * max(cost - value, 0.0) / size * slope)
