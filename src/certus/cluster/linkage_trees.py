"""Trees of merged clusters as functions, in scikit-learn's form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from certus.base import warn_user
from certus.cluster.fitting.merged_clusters import checked_rows, is_table_function
from certus.cluster.solvers.connected_rows import connected_graph
from certus.cluster.solvers.merge_tree import LINKAGES, merge_tree


def ward_tree(
    X: Any, *, connectivity: Any = None, n_clusters: int | None = None, return_distance: bool = False
) -> tuple[Any, ...]:
    """The tree of Ward's linkage.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    connectivity : array-like or sparse matrix, default=None
        Which rows may merge.
    n_clusters : int, default=None
        With a connectivity, merging stops at this many clusters.
    return_distance : bool, default=False
        Whether distances are returned.

    Returns
    -------
    children : ndarray of shape (n_merges, 2)
        The two clusters that each merge joins.
    n_connected_components : int
        Components of the connectivity.
    n_leaves : int
        Number of rows.
    parents : ndarray of shape (n_nodes,) or None
        With a connectivity the cluster that each one is part of, itself at the top.
    distances : ndarray of shape (n_merges,)
        sqrt(2 rise of the sum of squares) of each merge, if asked for.
    """
    return _tree(X, connectivity, n_clusters, "ward", "euclidean", return_distance)


def linkage_tree(
    X: Any,
    connectivity: Any = None,
    n_clusters: int | None = None,
    linkage: str = "complete",
    affinity: Any = "euclidean",
    return_distance: bool = False,
) -> tuple[Any, ...]:
    """The tree of a linkage.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows, or distances if ``affinity="precomputed"``.
    connectivity : array-like or sparse matrix, default=None
        Which rows may merge.
    n_clusters : int, default=None
        With a connectivity, merging stops at this many clusters.
    linkage : {"complete", "average", "single", "weighted"}, default="complete"
        The distance of two clusters.
    affinity : str or callable, default="euclidean"
        The distance of two rows, as `AgglomerativeClustering` takes it.
    return_distance : bool, default=False
        Whether distances are returned.

    Returns
    -------
    tuple
        What `ward_tree` returns.
    """
    known = [name for name in LINKAGES if name not in ("ward", "centroid", "median")]
    if linkage not in known:
        raise ValueError(f"Unknown linkage option, linkage should be one of {known}, but {linkage} was given.")
    return _tree(X, connectivity, n_clusters, linkage, affinity, return_distance)


def _tree(
    X: Any, connectivity: Any, n_clusters: int | None, linkage: str, metric: Any, return_distance: bool
) -> tuple[Any, ...]:
    table = np.asarray(X)
    rows = np.ascontiguousarray(check_array(table[:, None] if table.ndim == 1 else table), dtype=np.float64)
    if is_table_function(metric):
        rows, metric = np.array(metric(rows), dtype=np.float64), "precomputed"
    rows = checked_rows(rows, metric)
    if n_clusters is not None and not 1 <= n_clusters <= len(rows):
        raise ValueError(f"n_clusters must be between 1 and the {len(rows)} rows, got {n_clusters}.")
    if connectivity is None:
        if n_clusters is not None:
            warn_user("n_clusters has no effect without a connectivity: the full tree is built.", UserWarning)
        tree = merge_tree(rows, linkage, metric, np.ones(len(rows)), None, 1)
        found: tuple[Any, ...] = (tree.children, 1, len(rows), None)
    else:
        given = check_array(connectivity, accept_sparse=["csr", "coo", "lil"], input_name="connectivity")
        graph = connected_graph(rows, given, metric)
        tree = merge_tree(rows, linkage, metric, np.ones(len(rows)), graph, n_clusters or 1)
        found = (tree.children, graph.components, len(rows), _parents(tree.children, len(rows)))
    return (*found, tree.heights) if return_distance else found


def _parents(children: NDArray[np.intp], rows: int) -> NDArray[np.intp]:
    parents = np.arange(rows + len(children), dtype=np.intp)
    parents[children] = rows + np.arange(len(children))[:, None]
    return parents
