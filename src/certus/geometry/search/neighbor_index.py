"""Exact search structures, one per kind of data; `build_index` chooses among them.

All answer ``query(queries, k, n_jobs)`` with the distances to the k nearest rows and their numbers, ordered by
(distance, row number), ``within(queries, radius, n_jobs)`` with the rows at most a radius away, by row number, and
``count_within(queries, radius, n_jobs)`` with how many those are, and ``have_within(queries, radius, least, n_jobs)``
with whether there are so many at least. A radius is one number, or one per query.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Table, resolve_threads
from certus.geometry import _native_calls
from certus.geometry._native_calls import Floats, Nearest, Rows, Within
from certus.geometry.metrics.distance_metric import SQUARED_EUCLIDEAN, NativeMetric, other_distances
from certus.geometry.metrics.gower_metric import GowerMetric
from certus.geometry.search import search_costs

_BLOCK_CELLS = 2**22  # distances held at a time where all pairs are compared
_PROBES = 64  # rows that are looked up to see how well a tree suits the data


class Index(Protocol):
    """What the learners ask of a search structure."""

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        ...

    def within(self, queries: Table, radius: Any, n_jobs: int | None) -> Within:
        """The rows at most a radius away from each query."""
        ...

    def count_within(self, queries: Table, radius: Any, n_jobs: int | None) -> Rows:
        """How many rows are at most a radius away from each query."""
        ...

    def have_within(self, queries: Table, radius: Any, least: int, n_jobs: int | None) -> NDArray[np.bool_]:
        """Whether at least so many rows are at most a radius away from each query."""
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
        ``'kd_tree'`` and ``'brute'`` are obeyed; for the others the tree is kept if it pays (see `search_costs`).
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
        self._metric = metric.suited_to(rows)
        self._rows = np.ascontiguousarray(self._metric.prepare(rows, queries=False))
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

    def within(self, queries: Table, radius: Any, n_jobs: int | None) -> Within:
        """The rows at most a radius away from each query."""
        prepared, limits, threads = self._radius_query(queries, radius, n_jobs)
        if self._tree is not None:
            found = _native_calls.query_within_kd_tree(self._tree, prepared, limits, self._metric, threads)
        else:
            found = _native_calls.scan_within(self._rows, prepared, limits, self._metric, threads)
        self._metric.finish(found.distances)
        return found

    def count_within(self, queries: Table, radius: Any, n_jobs: int | None) -> Rows:
        """How many rows are at most a radius away from each query."""
        return self._count(queries, radius, n_jobs, len(self._rows))

    def have_within(self, queries: Table, radius: Any, least: int, n_jobs: int | None) -> NDArray[np.bool_]:
        """Whether at least so many rows are at most a radius away from each query."""
        return self._count(queries, radius, n_jobs, least) >= least

    def _count(self, queries: Table, radius: Any, n_jobs: int | None, enough: int) -> Rows:
        prepared, limits, threads = self._radius_query(queries, radius, n_jobs)
        if self._tree is not None:
            return _native_calls.count_within_kd_tree(self._tree, prepared, limits, self._metric, threads, enough)
        return _native_calls.scan_counts(self._rows, prepared, limits, self._metric, threads)

    def _radius_query(self, queries: Table, radius: Any, n_jobs: int | None) -> tuple[Floats, Floats, int]:
        prepared = np.ascontiguousarray(self._metric.prepare(dense(queries), queries=True), dtype=np.float64)
        limits = radii_of(self._metric.limits(np.atleast_1d(np.asarray(radius, dtype=np.float64))), len(prepared))
        return prepared, limits, _threads(prepared, self._rows, n_jobs)

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


class Blockwise:
    """Radius queries of the structures that compare all pairs, a block of queries at a time."""

    def _block_rows(self) -> int:
        """How many rows a query is compared with."""
        raise NotImplementedError

    def distances(self, queries: Any, n_jobs: int | None) -> Floats:
        """All distances between some queries and the rows."""
        raise NotImplementedError

    def _blocks(self, queries: Any, n_jobs: int | None) -> Iterator[tuple[int, Floats]]:
        block = max(1, _BLOCK_CELLS // max(1, self._block_rows()))
        for first in range(0, queries.shape[0], block):
            yield first, self.distances(queries[first : first + block], n_jobs)

    def within(self, queries: Table, radius: Any, n_jobs: int | None) -> Within:
        """The rows at most a radius away from each query."""
        radii = radii_of(radius, queries.shape[0])
        counts, rows, found = [np.zeros(1, dtype=np.intp)], [], []
        for first, distances in self._blocks(queries, n_jobs):
            inside = distances <= radii[first : first + len(distances), None]
            counts.append(np.count_nonzero(inside, axis=1))
            rows.append(np.nonzero(inside)[1])
            found.append(distances[inside])
        empty: list[Any] = [] if rows else [np.empty(0)]
        return Within(
            np.cumsum(np.concatenate(counts)).astype(np.intp),
            np.concatenate([*rows, *empty]).astype(np.intp),
            np.concatenate([*found, *empty]),
        )

    def count_within(self, queries: Table, radius: Any, n_jobs: int | None) -> Rows:
        """How many rows are at most a radius away from each query."""
        radii = radii_of(radius, queries.shape[0])
        counts = [
            np.count_nonzero(distances <= radii[first : first + len(distances), None], axis=1)
            for first, distances in self._blocks(queries, n_jobs)
        ]
        return np.concatenate([*counts, np.zeros(0)]).astype(np.intp)

    def have_within(self, queries: Table, radius: Any, least: int, n_jobs: int | None) -> NDArray[np.bool_]:
        """Whether at least so many rows are at most a radius away from each query."""
        return self.count_within(queries, radius, n_jobs) >= least


class SparseIndex(Blockwise):
    """Sparse rows with a compiled metric, compared pair by pair."""

    def __init__(self, rows: sparse.csr_array, metric: NativeMetric) -> None:
        self._metric = metric.suited_to(rows)
        self._rows = _sorted_rows(self._metric.prepare(rows, queries=False))

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        same = self._prepared(queries)
        reduced, found = _native_calls.scan_sparse(self._rows, same, k, self._metric, resolve_threads(n_jobs))
        return self._metric.finish(reduced), found

    def _prepared(self, queries: Any) -> sparse.csr_array:
        prepared = self._metric.prepare(sparse.csr_array(queries), queries=True)
        return _sorted_rows(prepared.astype(self._rows.dtype))

    def _block_rows(self) -> int:
        return int(self._rows.shape[0])

    def distances(self, queries: Any, n_jobs: int | None) -> Floats:
        """All distances between some queries and the rows."""
        same = self._prepared(queries)
        threads = resolve_threads(n_jobs)
        return self._metric.finish(_native_calls.sparse_pairwise(self._rows, same, self._metric, threads))


class PairwiseIndex(Blockwise):
    """Any other metric, by name, as a function or a DistanceMetric: distances in blocks of fixed size."""

    def __init__(self, rows: Any, metric: Any, params: dict[str, Any]) -> None:
        self._rows = rows
        self._metric = metric
        self._params = params

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k nearest rows of each query."""
        threads = resolve_threads(n_jobs)
        parts = [_native_calls.select_smallest(distances, k, threads) for _, distances in self._blocks(queries, n_jobs)]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _block_rows(self) -> int:
        return int(self._rows.shape[0])

    def distances(self, queries: Any, n_jobs: int | None) -> Floats:
        """All distances between some queries and the rows."""
        some = queries if sparse.issparse(self._rows) else dense(queries)
        return other_distances(some, self._rows, self._metric, self._params)


class GowerIndex(PairwiseIndex):
    """Rows of numbers and codes of categories, cells of which may be missing, under Gower's distance."""

    def __init__(self, rows: Floats, params: dict[str, Any]) -> None:
        self._rows = rows
        self._gower = GowerMetric.of(rows, **params)

    def _blocks(self, queries: Any, n_jobs: int | None) -> Iterator[tuple[int, Floats]]:
        block = max(1, _BLOCK_CELLS // len(self._rows))
        for first in range(0, len(queries), block):
            yield first, self._gower.distances(queries[first : first + block], self._rows, first)


class PrecomputedIndex(Blockwise):
    """Queries are themselves the distances to all rows; sparse ones hold only the distances worth knowing."""

    def query(self, queries: Table, k: int, n_jobs: int | None) -> Nearest:
        """The k smallest distances of each query."""
        if sparse.issparse(queries):
            return _from_graph(queries, k)
        distances = np.ascontiguousarray(queries, dtype=np.float64)
        return _native_calls.select_smallest(distances, k, resolve_threads(n_jobs))

    def within(self, queries: Table, radius: Any, n_jobs: int | None) -> Within:
        """The rows at most a radius away from each query; of a graph, those it stores."""
        if not sparse.issparse(queries):
            return super().within(queries, radius, n_jobs)
        graph = sparse.csr_array(queries)
        inside = graph.data <= np.repeat(radii_of(radius, graph.shape[0]), np.diff(graph.indptr))
        starts = np.concatenate([[0], np.cumsum(inside)])[graph.indptr]
        return Within(starts.astype(np.intp), graph.indices[inside].astype(np.intp), graph.data[inside].astype(float))

    def count_within(self, queries: Table, radius: Any, n_jobs: int | None) -> Rows:
        """How many rows are at most a radius away from each query."""
        if not sparse.issparse(queries):
            return super().count_within(queries, radius, n_jobs)
        return np.diff(self.within(queries, radius, n_jobs).starts)

    def _block_rows(self) -> int:
        return 1

    def distances(self, queries: Any, n_jobs: int | None) -> Floats:
        """All distances between some queries and the rows."""
        return np.asarray(queries, dtype=np.float64)


def radii_of(radius: Any, queries: int) -> Floats:
    """One radius per query."""
    return np.ascontiguousarray(np.broadcast_to(np.asarray(radius, dtype=np.float64), (queries,)))


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
