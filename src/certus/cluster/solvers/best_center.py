"""The point with the least sum of distances to some rows, for distances whose best point is found column by column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
HALVINGS = 100


def best_center(X: Floats, weights: Floats, metric: str, p: float, now: Floats) -> Floats:
    """The best center of rows; `now` where every center is as good as another."""
    if metric == "manhattan" or (metric == "minkowski" and p == 1.0):
        return weighted_median(X, weights)
    if metric == "minkowski":
        return np.average(X, axis=0, weights=weights) if p == 2.0 else _power_center(X, weights, p)
    largest_one = X / np.abs(X).max(axis=1, keepdims=True)  # so that no square vanishes or overflows
    total = weights @ (largest_one / np.linalg.norm(largest_one, axis=1, keepdims=True))
    length = float(np.linalg.norm(total))
    return total / length if length > 1e-12 * float(weights.sum()) else now  # opposite directions cancel


def weighted_median(X: Floats, weights: Floats) -> Floats:
    """The median of every column; of two middle values their mean."""
    order = np.argsort(X, axis=0, kind="stable")
    values, sums = np.take_along_axis(X, order, axis=0), np.cumsum(weights[order], axis=0)
    half = sums[-1] / 2.0
    columns = np.arange(X.shape[1])
    low = values[np.argmax(sums >= half * (1.0 - 1e-12), axis=0), columns]
    high = values[np.argmax(sums > half * (1.0 + 1e-12), axis=0), columns]
    return np.asarray((low + high) / 2.0)


def _power_center(X: Floats, weights: Floats, p: float) -> Floats:
    """Where the slope sum_i w_i sign(c - x_i) |c - x_i|^(p - 1) of every column changes its sign."""
    low, high = X.min(axis=0), X.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        away = (middle - X) / spread
        slope = weights @ (np.sign(away) * np.abs(away) ** (p - 1.0))
        low, high = np.where(slope < 0.0, middle, low), np.where(slope < 0.0, high, middle)
    return np.asarray((low + high) / 2.0)
