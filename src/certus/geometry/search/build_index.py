"""Which search structure suits which data."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from certus.geometry.metrics.distance_metric import native_metric
from certus.geometry.search.ball_tree_index import BallTreeIndex, is_for_balls
from certus.geometry.search.haversine_index import HaversineIndex
from certus.geometry.search.neighbor_index import (
    DenseIndex,
    GowerIndex,
    Index,
    PairwiseIndex,
    PrecomputedIndex,
    SparseIndex,
)


def build_index(
    rows: Any,
    metric: Any,
    params: dict[str, Any] | None = None,
    *,
    algorithm: str = "auto",
    leaf_size: int = 30,
    n_neighbors: int = 1,
    n_jobs: int | None = None,
) -> Index:
    """The fastest exact search structure for rows (finite, C-contiguous or CSR) under a metric.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n_samples, n_features)
        The rows that are searched; with ``metric='precomputed'`` they are not needed, as the queries hold distances.
    metric : str, callable or DistanceMetric
        The distance, as `effective_metric` returns it.
    params : dict, optional
        Its parameters.
    algorithm : {'auto', 'ball_tree', 'kd_tree', 'brute'}
        How to search.
    leaf_size : int
        Most points in a leaf of a tree.
    n_neighbors : int
        Number of neighbors that will usually be asked for.
    n_jobs : int, optional
        Threads for building.
    """
    if isinstance(metric, str) and metric == "precomputed":
        return PrecomputedIndex()
    if isinstance(metric, str) and metric == "gower":
        return GowerIndex(rows, params or {})
    on_a_sphere = isinstance(metric, str) and metric == "haversine" and rows.shape[1] == 2
    if on_a_sphere and not sparse.issparse(rows) and not params:
        return HaversineIndex(rows, algorithm, leaf_size, n_neighbors, n_jobs)
    compiled = native_metric(metric, params or {}, columns=rows.shape[1])
    if compiled is None and algorithm == "ball_tree" and is_for_balls(metric) and not sparse.issparse(rows):
        return BallTreeIndex(rows, metric, params or {}, leaf_size)
    if compiled is None:
        return PairwiseIndex(rows, metric, params or {})
    if sparse.issparse(rows):
        return SparseIndex(rows, compiled)
    return DenseIndex(rows, compiled, algorithm, leaf_size, n_neighbors, n_jobs)
