"""The least cost of clusters of numbers, one column: exact, since every optimal cluster is a run of sorted numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.cluster import _native_calls

Floats = NDArray[np.float64]
SLOW_ROUTE = 2_000  # rows up to which all runs are compared


def least_cost_on_a_line(values: Floats, weights: Floats, clusters: int) -> tuple[float, float]:
    """The least cost, and what rounding may have added to it."""
    order = np.argsort(values, kind="stable")
    size = float(np.abs(values).max(initial=0.0))
    unit = 2.0 ** int(np.frexp(size)[1]) if size > 0.0 else 1.0  # a power of two: dividing by it is exact
    scaled = values[order] / unit
    cost = _native_calls.line_cost(np.ascontiguousarray(scaled), weights[order], clusters)
    epsilon = float(np.finfo(np.float64).eps)
    error = 8.0 * (clusters + 2) * epsilon * cost + 16.0 * len(values) * epsilon**2 * float(weights.sum())
    return cost * unit**2, error * unit**2


def least_cost_by_all_runs(values: Floats, weights: Floats, clusters: int) -> tuple[float, float]:
    """The same by comparing all runs of the sorted rows, each with its own mean: O(k n^2)."""
    order = np.argsort(values, kind="stable")
    x, w = values[order].astype(np.longdouble), weights[order].astype(np.longdouble)
    x = x - (w @ x) / w.sum()
    costs = np.empty((len(x), len(x)))  # of the run from one row to another
    for first in range(len(x)):
        total, weight = np.cumsum(w[first:] * x[first:]), np.cumsum(w[first:])
        costs[first, first:] = np.cumsum(w[first:] * x[first:] ** 2) - total**2 / weight
        costs[first, :first] = np.inf
    best = costs[0]
    for _ in range(min(clusters, len(x)) - 1):
        best = np.concatenate([best[:1], np.minimum(best[1:], (best[:-1, None] + costs[1:, 1:]).min(axis=0))])
    return float(best[-1]), 0.0
