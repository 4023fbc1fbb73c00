"""Exact search structures, one per kind of data. All answer ``query(queries, k, n_jobs)`` with the distances
to the k nearest rows and their numbers, ordered by (distance, row number).
"""

from __future__ import annotations

import threading
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Table, resolve_threads
from certus.neighbors import _native_calls
from certus.neighbors._native_calls import Nearest
from certus.neighbors.search import search_costs
from certus.neighbors.search.distance_metric import SQUARED_EUCLIDEAN, NativeMetric, other_distances

_PROBES = 64  # rows that are looked up to see how well a tree suits the data


class Index(Protocol):
    """What the learners ask of a search structure."""

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        ...


class DenseIndex:
    """Dense rows with a compiled metric: kd-tree, matrix products or plain comparison, whichever is cheapest.

    All three return the same bits, so the choice is one of speed alone.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        float32 or float64, C-contiguous.
    metric : NativeMetric
        The distance.
    algorithm : {'auto', 'ball_tree', 'kd_tree', 'brute'}
        ``'kd_tree'`` and ``'brute'`` are obeyed; for the others the tree is kept if it pays (see `costs`).
    leaf_size : int
        Most points in a leaf.
    k : int
        Number of neighbors that will usually be asked for.
    n_jobs : int or None
        Threads for building the tree.
    """

    def __init__(
        self, rows: NDArray[Any], metric: NativeMetric, algorithm: str, leaf_size: int, k: int, n_jobs: int | None
    ) -> None:
        self._metric = metric
        self._rows = np.ascontiguousarray(metric.prepare(rows, queries=False))
        self._filter: Any = None
        self._lock = threading.Lock()
        self._tree: Any = None
        wanted = algorithm == "kd_tree" and len(rows) <= search_costs.MOST_INDEXED_ROWS
        if wanted or (algorithm != "brute" and search_costs.tree_is_worth_trying(*self._rows.shape)):
            self._tree = _native_calls.build_kd_tree(self._rows, leaf_size, resolve_threads(n_jobs))
        if algorithm != "kd_tree" and self._tree is not None and not self._tree_pays(min(k, len(rows))):
            self._tree = None

    @property
    def uses_tree(self) -> bool:
        """Whether queries go through the kd-tree."""
        return self._tree is not None

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        table = self._metric.prepare(dense(queries), queries=True)
        prepared = np.ascontiguousarray(table, dtype=np.float64)
        reduced, found = self._search(prepared, k, _threads(prepared, self._rows, n_jobs))
        return self._metric.finish(reduced), found

    def _search(self, queries: NDArray[np.float64], k: int, threads: int) -> Nearest:
        if self._tree is not None:
            return _native_calls.query_kd_tree(self._tree, queries, k, self._metric, threads)[0]
        euclidean = self._metric.kind == SQUARED_EUCLIDEAN
        if euclidean and search_costs.products_pay(len(queries), len(self._rows), self._rows.shape[1], k):
            prepared = self._product_filter(threads)
            return _native_calls.query_product_filter(prepared, self._rows, queries, k, threads)[0]
        return _native_calls.scan(self._rows, queries, k, self._metric, threads)

    def _product_filter(self, threads: int) -> Any:
        with self._lock:
            if self._filter is None:
                self._filter = _native_calls.build_product_filter(self._rows, threads)
            return self._filter

    def _tree_pays(self, k: int) -> bool:
        rows, columns = self._rows.shape
        probes = np.linspace(0, rows - 1, min(rows, _PROBES)).astype(np.intp)
        queries = self._rows[probes].astype(np.float64)
        compared = _native_calls.query_kd_tree(self._tree, queries, k, self._metric, threads=1)[1]
        euclidean = self._metric.kind == SQUARED_EUCLIDEAN
        return search_costs.tree_pays(compared / len(probes), rows, columns, products=euclidean)


class SparseIndex:
    """Sparse rows with a compiled metric, compared pair by pair."""

    def __init__(self, rows: sparse.csr_array, metric: NativeMetric) -> None:
        self._metric = metric
        self._rows = _sorted_rows(metric.prepare(rows, queries=False))

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        prepared = self._metric.prepare(sparse.csr_array(queries), queries=True)
        same = _sorted_rows(prepared.astype(self._rows.dtype))
        reduced, found = _native_calls.scan_sparse(self._rows, same, k, self._metric, resolve_threads(n_jobs))
        return self._metric.finish(reduced), found


class PairwiseIndex:
    """Any other metric, by name, as a function or a DistanceMetric: distances in blocks of fixed size."""

    def __init__(self, rows: Any, metric: Any, params: dict[str, Any]) -> None:
        self._rows = rows
        self._metric = metric
        self._params = params

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        block = max(1, 2**22 // self._rows.shape[0])
        threads = resolve_threads(n_jobs)
        parts = []
        for first in range(0, queries.shape[0], block):
            some = queries[first : first + block]
            some = some if sparse.issparse(self._rows) else dense(some)
            distances = other_distances(some, self._rows, self._metric, self._params)
            parts.append(_native_calls.select_smallest(distances, k, threads))
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


class PrecomputedIndex:
    """Queries are themselves the distances to all rows; sparse ones hold only the distances worth knowing."""

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k smallest distances of each query."""
        if sparse.issparse(queries):
            return _from_graph(queries, k)
        distances = np.ascontiguousarray(queries, dtype=np.float64)
        return _native_calls.select_smallest(distances, k, resolve_threads(n_jobs))


def _threads(queries: NDArray[Any], rows: NDArray[Any], n_jobs: int | None) -> int:
    """One thread for small searches: counting the cores and waking a thread would cost more than the work."""
    return resolve_threads(n_jobs) if search_costs.threads_pay(len(queries), rows.size) else 1


def dense(table: Any) -> NDArray[Any]:
    """The table itself, or a sparse one as an array."""
    return table.toarray() if sparse.issparse(table) else table


def _from_graph(graph: sparse.csr_array, k: int) -> Nearest:
    """The first k entries of each row of a graph whose rows are sorted by distance."""
    counts = np.diff(graph.indptr)
    if len(counts) and counts.min() < k:
        row = int(np.argmax(counts < k))
        raise ValueError(
            f"{k} neighbors per samples are required, but some samples have only {counts.min()} neighbors in "
            f"precomputed graph matrix (row {row} has {counts[row]}).\n"
            "Hint: decrease n_neighbors or recompute the graph with more neighbors."
        )
    places = graph.indptr[:-1, None] + np.arange(k)
    return graph.data[places].astype(np.float64), graph.indices[places].astype(np.intp)


def _sorted_rows(table: sparse.csr_array) -> sparse.csr_array:
    """The same matrix with sorted column numbers and without duplicates."""
    if not table.has_canonical_format:
        table = table.copy()
        table.sum_duplicates()
    return table
