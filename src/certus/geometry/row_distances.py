"""All distances at once, in blocks, or already summed: without an n x n matrix unless one is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.base import resolve_threads
from certus.geometry import _native_calls
from certus.geometry.metrics.distance_metric import has_kernel, native_metric, other_distances
from certus.geometry.search.neighbor_index import SparseIndex, dense
from certus.geometry.search.search_method import effective_metric

Floats = NDArray[np.float64]

_BLOCK_CELLS = 2**22  # distances held at a time


def pairwise_distances(
    X: Any,
    Y: Any = None,
    *,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """The distances between the rows of two tables, in double whatever their dtype.

    Differences are taken before they are squared, so that neither a far origin nor a small distance costs digits.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, n_features)
        The rows; if ``metric='precomputed'``, the distances themselves.
    Y : {array-like, sparse matrix} of shape (m, n_features), default=None
        The other rows; by default X.
    metric : str, callable or DistanceMetric, default='euclidean'
        The distance, one of those that the neighbor learners take.
    metric_params : dict, default=None
        Its parameters, such as ``{'p': 3}``.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    ndarray of shape (n, m)
        The distances.

    Examples
    --------
    >>> from certus.geometry import pairwise_distances
    >>> print(pairwise_distances([[0.0, 0.0], [3.0, 4.0]], metric="manhattan"))
    [[0. 7.]
     [7. 0.]]
    """
    blocks = distance_blocks(X, Y, metric=metric, metric_params=metric_params, n_jobs=n_jobs)
    return np.concatenate([block for _, block in blocks])


def distance_blocks(
    X: Any,
    Y: Any = None,
    *,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Iterator[tuple[int, Floats]]:
    """The same distances a few rows of X at a time: the number of the first of them, and their distances.

    A block holds about four million distances, whatever the number of rows, and belongs to the caller.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, n_features)
        The rows.
    Y : {array-like, sparse matrix} of shape (m, n_features), default=None
        The other rows; by default X.
    metric : str, callable or DistanceMetric, default='euclidean'
        The distance.
    metric_params : dict, default=None
        Its parameters.
    n_jobs : int, default=None
        Number of threads.

    Yields
    ------
    first : int
        Number of the first row of the block.
    distances : ndarray of shape (rows of the block, m)
        Their distances.
    """
    metric, params = effective_metric(metric, metric_params, None)
    rows = checked_table(X, metric)
    others = rows if Y is None else checked_table(Y, metric)
    if isinstance(metric, str) and metric == "precomputed":
        yield 0, np.array(dense(rows), dtype=np.float64)
        return
    compute = _block_function(rows, others, metric, params, n_jobs)
    block = max(1, _BLOCK_CELLS // max(1, others.shape[0]))
    for first in range(0, rows.shape[0], block):
        yield first, compute(rows[first : first + block])


def label_distance_sums(
    X: Any,
    labels: NDArray[np.integer[Any]],
    n_labels: int,
    *,
    queries: Any = None,
    metric: Any = "euclidean",
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Sums of the distances between each query and all the rows of each label, in memory O(queries x labels).

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, n_features)
        The rows; if ``metric='precomputed'``, the distances of the queries (rows) to the labeled rows (columns).
    labels : ndarray of shape (n,)
        Their labels, 0 to ``n_labels`` - 1.
    n_labels : int
        Number of labels.
    queries : array-like of shape (m, n_features), default=None
        The queries; None stands for the rows themselves, whose pairs are then compared once each.
    metric : str, callable or DistanceMetric, default='euclidean'
        The distance.
    metric_params : dict, default=None
        Its parameters.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    ndarray of shape (m, n_labels)
        The sums.
    """
    metric, params = effective_metric(metric, metric_params, None)
    rows = checked_table(X, metric)
    labels = np.asarray(labels)
    compiled = None if sparse.issparse(rows) else native_metric(metric, params, columns=rows.shape[1])
    if compiled is None:
        asked = rows if queries is None else queries
        return _summed_blocks(asked, rows, labels, n_labels, metric, params, n_jobs)
    asked = rows if queries is None else checked_table(queries, metric)
    compiled = compiled.suited_to(rows, asked)
    order = np.argsort(labels, kind="stable")
    ascending = labels[order].astype(np.int32)
    sorted_rows = np.ascontiguousarray(compiled.prepare(rows, queries=False)[order])
    threads = resolve_threads(n_jobs)
    if queries is None and compiled.name != "cosine":  # the zero row is no neighbor of itself under the cosine
        sums = np.empty((len(rows), n_labels))
        sums[order] = _native_calls.label_sums_among(sorted_rows, ascending, n_labels, compiled, threads)
        return sums / compiled.unit
    prepared = np.ascontiguousarray(compiled.prepare(dense(asked), queries=True), dtype=np.float64)
    return _native_calls.label_sums(sorted_rows, ascending, n_labels, prepared, compiled, threads) / compiled.unit


def _summed_blocks(
    queries: Any, rows: Any, labels: NDArray[Any], count: int, metric: Any, params: dict[str, Any], n_jobs: int | None
) -> Floats:
    members = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), count))
    blocks = distance_blocks(queries, rows, metric=metric, metric_params=params, n_jobs=n_jobs)
    return np.concatenate([distances @ members for _, distances in blocks])


def checked_table(table: Any, metric: Any) -> Any:
    """The table as the kernels read it: floats in C order or compressed rows; as it came for functions."""
    if isinstance(metric, str) and metric == "gower":
        raise ValueError(
            "metric='gower' needs the ranges of all rows, got a table without them.\n"
            "Hint: pass certus.geometry.gower_distances(X) with metric='precomputed'."
        )
    checked = check_array(
        table,
        accept_sparse="csr",
        dtype=(np.float64, np.float32) if has_kernel(metric) else "numeric",
        order="C",
        ensure_all_finite="allow-nan" if isinstance(metric, str) and metric == "nan_euclidean" else True,
    )
    return sparse.csr_array(checked) if sparse.issparse(checked) else checked


def _block_function(rows: Any, others: Any, metric: Any, params: dict[str, Any], n_jobs: int | None) -> Any:
    compiled = native_metric(metric, params, columns=others.shape[1])
    if compiled is None:
        return lambda some: other_distances(some, others, metric, params)
    if sparse.issparse(others):
        return lambda some: SparseIndex(others, compiled).distances(some, n_jobs)
    compiled = compiled.suited_to(rows, others)
    prepared = np.ascontiguousarray(compiled.prepare(others, queries=False))

    def compute(some: Any) -> Floats:
        asked = np.ascontiguousarray(compiled.prepare(dense(some), queries=True), dtype=np.float64)
        return compiled.finish(_native_calls.pairwise(prepared, asked, compiled, resolve_threads(n_jobs)))

    return compute
