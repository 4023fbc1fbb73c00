"""The order in which rows are reached from one another, without stored neighborhoods. Ankerst and others (1999)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import resolve_threads
from certus.geometry import _native_calls
from certus.geometry.metrics.distance_metric import native_metric, other_distances
from certus.geometry.search.neighbor_index import dense

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class ReachOrder(NamedTuple):
    """Rows in the order of visits; of every row its reachability and the row that it was reached from, -1 for none."""

    order: Rows
    reachability: Floats
    predecessor: Rows


def reach_order(
    rows: Any, core_distances: Floats, metric: Any, params: dict[str, Any], limit: float, n_jobs: int | None
) -> ReachOrder:
    """Visit the row with the least reachability, of equal ones the first, again and again.

    A visited row with a finite core distance c reaches the others that are at most ``limit`` away at max(c, distance).
    ``rows`` are finite rows, or distances if the metric is 'precomputed' (of a sparse graph those it stores), and the
    metric is what `effective_metric` returns.
    """
    if isinstance(metric, str) and metric == "precomputed":
        return _visited(len(core_distances), core_distances, _given(rows), limit)
    table = dense(rows)
    compiled = native_metric(metric, params, columns=table.shape[1])
    if compiled is None:
        everything = np.arange(len(table))

        def distances_from(row: int) -> tuple[Rows, Floats]:
            return everything, other_distances(table[row : row + 1], table, metric, params)[0]

        return _visited(len(table), core_distances, distances_from, limit)
    compiled = compiled.suited_to(table)
    prepared = np.ascontiguousarray(compiled.prepare(table, queries=False))
    cores = np.ascontiguousarray(core_distances, dtype=np.float64) * compiled.unit
    found = _native_calls.reach_order(prepared, cores, compiled, limit * compiled.unit, resolve_threads(n_jobs))
    return ReachOrder(found[0], found[1] / compiled.unit, found[2])


def _given(distances: Any) -> Callable[[int], tuple[Rows, Floats]]:
    if not sparse.issparse(distances):
        everything = np.arange(len(distances))
        return lambda row: (everything, np.asarray(distances[row], dtype=np.float64))
    starts, columns, values = distances.indptr, distances.indices, distances.data
    return lambda row: (
        columns[starts[row] : starts[row + 1]],
        values[starts[row] : starts[row + 1]].astype(np.float64),
    )


def _visited(
    count: int, cores: Floats, distances_from: Callable[[int], tuple[Rows, Floats]], limit: float
) -> ReachOrder:
    """The same with one row of distances at a time."""
    left = np.ones(count, dtype=bool)
    order, predecessor = np.empty(count, dtype=np.intp), np.full(count, -1, dtype=np.intp)
    reachability = np.full(count, np.inf)
    waiting = reachability.copy()
    for step in range(count):
        row = int(np.argmin(waiting)) if np.isfinite(waiting).any() else int(np.argmax(left))
        left[row], waiting[row], order[step] = False, np.inf, row
        if np.isinf(cores[row]):
            continue
        others, distances = distances_from(row)
        reach = np.maximum(distances, cores[row])
        better = left[others] & (distances <= limit) & (reach < reachability[others])
        nearer = others[better]
        reachability[nearer] = waiting[nearer] = reach[better]
        predecessor[nearer] = row
    return ReachOrder(order, reachability, predecessor)
