"""Minimum spanning trees of all pairs of rows, in O(n) memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from certus.base import resolve_threads
from certus.geometry import _native_calls
from certus.geometry.metrics.distance_metric import NativeMetric, native_metric, other_distances
from certus.geometry.row_distances import checked_table
from certus.geometry.search import search_costs
from certus.geometry.search.neighbor_index import dense
from certus.geometry.search.search_method import effective_metric

Floats = NDArray[np.float64]


class SpanningTree(NamedTuple):
    """The edges of a tree by increasing length; among equal lengths by their rows."""

    edges: NDArray[np.intp]  # (n - 1, 2), the lower row first
    lengths: Floats


def minimum_spanning_tree(
    X: Any,
    *,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    core_distances: NDArray[np.float64] | None = None,
    algorithm: str = "auto",
    n_jobs: int | None = None,
) -> SpanningTree:
    """The shortest tree that connects all rows, found without storing their distances.

    Edges of equal length are ordered by their rows, so the tree is unique and the same for every algorithm. Cutting
    its longest edges gives the clusters of single linkage.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows; if ``metric='precomputed'``, their distances, which may be infinite.
    metric : str, callable or DistanceMetric, default='euclidean'
        The distance.
    metric_params : dict, default=None
        Its parameters.
    core_distances : array-like of shape (n_samples,), default=None
        If given, the length of an edge is the mutual reachability max(c_i, c_j, d_ij) instead of d_ij.
    algorithm : {'auto', 'prim', 'boruvka'}, default='auto'
        ``'prim'``: O(n^2) comparisons, O(n) memory, any metric. ``'boruvka'``: by a kd-tree, for compiled metrics; much
        faster where there are many rows in few columns. ``'auto'``: whichever should be faster.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    SpanningTree
        ``edges`` of shape (n_samples - 1, 2) and their ``lengths``, the shortest first.

    Examples
    --------
    >>> from certus.geometry import minimum_spanning_tree
    >>> tree = minimum_spanning_tree([[0.0], [1.0], [5.0], [7.0]])
    >>> print(tree.edges.tolist(), tree.lengths)
    [[0, 1], [2, 3], [1, 2]] [1. 2. 4.]
    """
    if algorithm not in ("auto", "prim", "boruvka"):
        raise ValueError(f"algorithm must be 'auto', 'prim' or 'boruvka', got {algorithm!r}.")
    metric, params = effective_metric(metric, metric_params, None)
    precomputed = isinstance(metric, str) and metric == "precomputed"
    rows = _given_distances(X) if precomputed else dense(checked_table(X, metric))
    cores = _checked_cores(core_distances, len(rows))
    compiled = None if precomputed else native_metric(metric, params, columns=rows.shape[1])
    if compiled is None:
        if algorithm == "boruvka":
            raise ValueError("algorithm='boruvka' needs a compiled metric.\nHint: use algorithm='prim'.")
        return _sorted_tree(*_prim_by_rows(rows, metric, params, cores))
    compiled = compiled.suited_to(rows)
    low, high, reduced = _compiled_tree(rows, compiled, cores, algorithm, resolve_threads(n_jobs))
    # Through the reduced form a core distance may come back a last digit away from itself: the maximum restores it.
    lengths = compiled.finish(reduced)
    if len(cores):
        lengths = np.maximum(lengths, np.maximum(cores[low], cores[high]))
    return _sorted_tree(low, high, lengths)


def _compiled_tree(
    rows: NDArray[Any], metric: NativeMetric, cores: Floats, algorithm: str, threads: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    prepared = np.ascontiguousarray(metric.prepare(rows, queries=False))
    reduced = metric.limits(cores)
    if algorithm == "boruvka" or (algorithm == "auto" and search_costs.boruvka_pays(*prepared.shape)):
        tree = _native_calls.build_kd_tree(prepared, 16, threads)
        found = _native_calls.boruvka(tree, len(prepared), reduced, metric, threads)
        if found is not None:
            return found
    return _native_calls.prim(prepared, reduced, metric, threads)


def _prim_by_rows(
    rows: NDArray[Any], metric: Any, params: dict[str, Any], cores: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Prim's method with one row of distances at a time, for the metrics that have no kernel."""
    n = len(rows)
    outside = np.ones(n, dtype=bool)
    best, link = np.full(n, np.inf), np.zeros(n, dtype=np.intp)  # where nothing is nearer, row 0 it is
    low, high, lengths = np.empty(n - 1, dtype=np.intp), np.empty(n - 1, dtype=np.intp), np.empty(n - 1)
    joined = 0
    for step in range(n - 1):
        outside[joined] = False
        others = np.flatnonzero(outside)
        found = _distances_from(rows, joined, others, metric, params)
        if len(cores):
            found = np.maximum(found, np.maximum(cores[joined], cores[others]))
        known = best[others]
        equal = found == known
        smaller = (found < known) | (equal & _earlier(others, joined, link[others]))
        best[others[smaller]], link[others[smaller]] = found[smaller], joined
        ties = others[best[others] == best[others].min()]
        ends = np.sort(np.stack([ties, link[ties]], axis=1), axis=1)
        joined = int(ties[np.lexsort((ends[:, 1], ends[:, 0]))[0]])
        low[step], high[step], lengths[step] = link[joined], joined, best[joined]
    return low, high, lengths


def _earlier(rows: NDArray[np.intp], joined: int, links: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether the edge to ``joined`` comes before the edge to ``links``: by the lower row, then the higher."""
    low, other_low = np.minimum(rows, joined), np.minimum(rows, links)
    high, other_high = np.maximum(rows, joined), np.maximum(rows, links)
    return (low < other_low) | ((low == other_low) & (high < other_high))


def _distances_from(
    rows: NDArray[Any], row: int, others: NDArray[np.intp], metric: Any, params: dict[str, Any]
) -> Floats:
    if isinstance(metric, str) and metric == "precomputed":
        return np.asarray(rows[row, others], dtype=np.float64)
    return other_distances(rows[row : row + 1], rows[others], metric, params)[0]


def _given_distances(X: Any) -> Floats:
    distances: Floats = dense(check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False))
    if np.isnan(distances).any():
        raise ValueError("X must hold distances for metric='precomputed', got nan.")
    if distances.shape[0] != distances.shape[1]:
        raise ValueError(f"X must be a square matrix of distances for metric='precomputed', got {distances.shape}.")
    return distances


def _checked_cores(core_distances: Any, rows: int) -> Floats:
    if core_distances is None:
        return np.empty(0)
    cores = np.ascontiguousarray(core_distances, dtype=np.float64)
    if cores.shape != (rows,) or not (cores >= 0).all():
        raise ValueError(f"core_distances must be {rows} numbers >= 0, one per row; got an array of {cores.shape}.")
    return cores


def _sorted_tree(low: NDArray[np.intp], high: NDArray[np.intp], lengths: Floats) -> SpanningTree:
    edges = np.sort(np.stack([low, high], axis=1), axis=1)
    order = np.lexsort((edges[:, 1], edges[:, 0], lengths))
    return SpanningTree(edges[order], lengths[order])
