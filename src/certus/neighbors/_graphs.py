"""Graphs of neighbors, as functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import EfficiencyWarning

from certus.base import warn_user
from certus.geometry.search import check_format, rows_are_sorted, sorted_by_distance
from certus.neighbors.nearest_neighbors import NearestNeighbors


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | str = False,
    n_jobs: int | None = None,
) -> Any:
    """The graph of the k nearest rows of every row.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or fitted neighbor learner
        The rows.
    n_neighbors : int
        How many neighbors each row gets.
    mode : {'connectivity', 'distance'}, default='connectivity'
        Whether entries are ones or distances.
    metric, p, metric_params
        The distance, as for `NearestNeighbors`; those of the learner if one is given.
    include_self : bool or 'auto', default=False
        Whether a row is its own first neighbor; ``'auto'``: with ``mode='connectivity'``.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    sparse matrix of shape (n_samples, n_samples)
        In CSR format; row i has an entry for each neighbor of row i.

    Examples
    --------
    >>> from certus.neighbors import kneighbors_graph
    >>> print(kneighbors_graph([[0.0], [2.0], [5.0]], 1).toarray())
    [[0. 1. 0.]
     [1. 0. 0.]
     [0. 1. 0.]]
    """
    searched = {"metric": metric, "p": p, "metric_params": metric_params}
    learner = _fitted(X, "kneighbors", searched, n_neighbors=n_neighbors, n_jobs=n_jobs)
    return learner.kneighbors_graph(_queries(learner, include_self, mode), n_neighbors=n_neighbors, mode=mode)


def radius_neighbors_graph(
    X: Any,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: Any = "minkowski",
    p: float | None = 2,
    metric_params: dict[str, Any] | None = None,
    include_self: bool | str = False,
    n_jobs: int | None = None,
) -> Any:
    """The graph of the rows within a radius of every row.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or fitted neighbor learner
        The rows.
    radius : float
        How far neighbors may be.
    mode : {'connectivity', 'distance'}, default='connectivity'
        Whether entries are ones or distances.
    metric, p, metric_params
        The distance, as for `NearestNeighbors`; those of the learner if one is given.
    include_self : bool or 'auto', default=False
        Whether a row is its own neighbor; ``'auto'``: with ``mode='connectivity'``.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    sparse matrix of shape (n_samples, n_samples)
        In CSR format; row i has an entry for each neighbor of row i.

    Examples
    --------
    >>> from certus.neighbors import radius_neighbors_graph
    >>> print(radius_neighbors_graph([[0.0], [2.0], [5.0]], 2.0).toarray())
    [[0. 1. 0.]
     [1. 0. 0.]
     [0. 0. 0.]]
    """
    searched = {"metric": metric, "p": p, "metric_params": metric_params}
    learner = _fitted(X, "radius_neighbors", searched, radius=radius, n_jobs=n_jobs)
    return learner.radius_neighbors_graph(_queries(learner, include_self, mode), radius, mode)


def sort_graph_by_row_values(graph: Any, copy: bool = False, warn_when_not_sorted: bool = True) -> Any:
    """The same graph with the entries of every row by increasing distance.

    Parameters
    ----------
    graph : sparse matrix of shape (n_samples, n_samples)
        Distances to neighbors, CSR unless ``copy=True``.
    copy : bool, default=False
        Whether the graph may not be changed.
    warn_when_not_sorted : bool, default=True
        Whether to warn if there was something to do.

    Returns
    -------
    sparse matrix of shape (n_samples, n_samples)
        In CSR format.
    """
    if not sparse.issparse(graph):
        raise TypeError(f"graph must be a sparse matrix, got {type(graph).__name__}.")
    if graph.format == "csr" and rows_are_sorted(graph):
        return graph
    if warn_when_not_sorted:
        warn_user(
            "Precomputed sparse input was not sorted by row values.\n"
            "Hint: sort it once with sort_graph_by_row_values(graph, warn_when_not_sorted=False).",
            EfficiencyWarning,
        )
    check_format(graph)
    if graph.format != "csr" and not copy:
        raise ValueError("The input graph is not in CSR format. Use copy=True to allow the conversion to CSR format.")
    ordered = sorted_by_distance(graph.tocsr())
    if graph.format == "csr" and not copy:  # the caller gave the matrix away
        graph.data, graph.indices = ordered.data, ordered.indices
        return graph
    return ordered


def _fitted(X: Any, method: str, searched: dict[str, Any], **wanted: Any) -> Any:
    """The learner that was given, if it searches in this way, or one fitted on the rows."""
    if not (hasattr(X, method) and hasattr(X, "_fit_X")):
        return NearestNeighbors(**searched, **wanted).fit(X)
    own = X.get_params()
    for name, value in searched.items():
        if value != own[name]:
            raise ValueError(f"Got {value} for {name}, while the estimator has {own[name]} for the same parameter.")
    return X


def _queries(learner: Any, include_self: bool | str, mode: str) -> Any:
    """None, which leaves rows out of their own neighbors, or the rows themselves."""
    if not (isinstance(include_self, bool | np.bool_) or include_self == "auto"):
        raise ValueError(f"include_self must be True, False or 'auto', got {include_self!r}.")
    included = mode == "connectivity" if include_self == "auto" else include_self
    return learner._fit_X if included else None
