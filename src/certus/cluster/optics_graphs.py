"""The order of OPTICS and the clusters that it shows, as functions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.base import warn_user
from certus.cluster.solvers.steep_regions import Valleys, innermost_labels
from certus.geometry import reach_order
from certus.geometry.search import build_index, check_method, effective_metric, has_kernel, sorted_by_distance

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def compute_optics_graph(
    X: Any,
    *,
    min_samples: float = 5,
    max_eps: float = np.inf,
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: dict[str, Any] | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    n_jobs: int | None = None,
) -> tuple[Rows, Floats, Floats, Rows]:
    """The order in which OPTICS visits the rows.

    Neighborhoods are never stored: memory grows with the rows alone, for any ``max_eps``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows; with ``metric="precomputed"`` their distances, dense or a sparse graph.
    min_samples : int or float, default=5
        Rows in the neighborhood of a core row, itself counted; below 1 a share of all, at least 2.
    max_eps : float, default=float("inf")
        Largest distance of neighbors.
    metric : str or callable, default="minkowski"
        The distance.
    p : float, default=2
        Power of the Minkowski metric.
    metric_params : dict, default=None
        Other parameters of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How core distances are found.
    leaf_size : int, default=30
        Most rows in a leaf of a tree.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    ordering : ndarray of shape (n_samples,)
        The rows in the order of visits.
    core_distances : ndarray of shape (n_samples,)
        The distance to the ``min_samples``-th row; infinite above ``max_eps``.
    reachability : ndarray of shape (n_samples,)
        At which distance each row was reached.
    predecessor : ndarray of shape (n_samples,)
        The row that it was reached from, -1 for none.

    Examples
    --------
    >>> from certus.cluster import compute_optics_graph
    >>> ordering, *_ = compute_optics_graph([[1, 2], [2, 5], [3, 6], [8, 7], [8, 8], [7, 3]], min_samples=2)
    >>> print(ordering)
    [0 1 2 5 3 4]
    """
    check_method(metric, algorithm, metric_params, None)
    metric, params = effective_metric(metric, metric_params, p)
    precomputed = isinstance(metric, str) and metric == "precomputed"
    table = _graph_of(X) if precomputed and sparse.issparse(X) else _checked(X, metric)
    if precomputed and table.shape[0] != table.shape[1]:
        raise ValueError(f"X must be a square matrix of distances for metric='precomputed', got {table.shape}.")
    count = _as_count(min_samples, table.shape[0], "min_samples")
    index = build_index(
        table, metric, params, algorithm=algorithm, leaf_size=leaf_size, n_neighbors=count, n_jobs=n_jobs
    )
    cores = np.ascontiguousarray(index.query(table, count, n_jobs)[0][:, -1])
    cores[cores > max_eps] = np.inf
    found = reach_order(table, cores, metric, params, max_eps, n_jobs)
    if np.isinf(found.reachability).all():
        warn_user(
            "All reachability values are inf. Set a larger max_eps or all data will be considered outliers.",
            UserWarning,
        )
    return found.order, cores, found.reachability, found.predecessor


def cluster_optics_dbscan(*, reachability: Floats, core_distances: Floats, ordering: Rows, eps: float) -> Rows:
    """The clusters of DBSCAN for a radius, from the order of OPTICS; rows at their border may be noise.

    Parameters
    ----------
    reachability : ndarray of shape (n_samples,)
        Reachabilities.
    core_distances : ndarray of shape (n_samples,)
        Core distances.
    ordering : ndarray of shape (n_samples,)
        The rows in the order of visits.
    eps : float
        The radius, at most the ``max_eps`` of the order.

    Returns
    -------
    ndarray of shape (n_samples,)
        Labels, -1 for noise.
    """
    begins = (reachability > eps) & (core_distances <= eps)
    labels = np.empty(len(ordering), dtype=np.intp)
    labels[ordering] = np.cumsum(begins[ordering]) - 1
    labels[(reachability > eps) & (core_distances > eps)] = -1
    return labels


def cluster_optics_xi(
    *,
    reachability: Floats,
    predecessor: Rows,
    ordering: Rows,
    min_samples: float,
    min_cluster_size: float | None = None,
    xi: float = 0.05,
    predecessor_correction: bool = True,
) -> tuple[Rows, NDArray[np.intp]]:
    """The clusters that begin and end with a steep step of the reachability plot.

    Parameters
    ----------
    reachability : ndarray of shape (n_samples,)
        Reachabilities.
    predecessor : ndarray of shape (n_samples,)
        The rows that rows were reached from.
    ordering : ndarray of shape (n_samples,)
        The rows in the order of visits.
    min_samples : int or float
        Most rows in a row of a steep area that are not steep.
    min_cluster_size : int or float, default=None
        Fewest rows of a cluster; below 1 a share of all; None stands for ``min_samples``.
    xi : float, default=0.05
        Least steepness, as a share.
    predecessor_correction : bool, default=True
        Whether clusters end before rows that were reached from outside.

    Returns
    -------
    labels : ndarray of shape (n_samples,)
        The innermost cluster of every row, -1 for none.
    clusters : ndarray of shape (n_clusters, 2)
        First and last place of each cluster in the order, smaller ones before those around them.
    """
    least = _as_count(min_samples, len(ordering), "min_samples")
    smallest = _as_count(least if min_cluster_size is None else min_cluster_size, len(ordering), "min_cluster_size")
    place = np.empty(len(ordering), dtype=np.intp)
    place[ordering] = np.arange(len(ordering))
    origin = np.where(predecessor >= 0, place[predecessor], -1)[ordering]
    valleys = Valleys(reachability[ordering], origin, xi, least, smallest, predecessor_correction).find()
    return innermost_labels(ordering, valleys), valleys


def _as_count(size: float, rows: int, name: str) -> int:
    """A number of rows; up to 1 a share of all."""
    if size > rows:
        raise ValueError(
            f"{name} must be no greater than the number of samples ({rows}). Got {size:g}\n"
            f"Hint: X has n_samples={rows}."
        )
    return max(2, int(size * rows)) if size <= 1 else int(size)


def _checked(X: Any, metric: Any) -> Any:
    types = (np.float64, np.float32) if has_kernel(metric) else np.float64
    table = check_array(X, accept_sparse="csr", dtype=types, order="C")
    return sparse.csr_array(table) if sparse.issparse(table) else table


def _graph_of(X: Any) -> sparse.csr_array:
    """A sparse graph of distances with those of rows to themselves, sorted by distance."""
    graph = sparse.csr_array(X, dtype=np.float64, copy=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
        graph.setdiag(graph.diagonal())
    return sparse.csr_array(sorted_by_distance(graph))
