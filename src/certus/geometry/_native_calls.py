"""The one place of this family that calls compiled code.

Searches return reduced distances (see `certus.geometry.metrics.distance_metric`) and row numbers, one line per query,
ordered by (distance, row number).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.geometry.metrics.distance_metric import NativeMetric

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Nearest = tuple[Floats, Rows]


class Within(NamedTuple):
    """Lists of rows: those of query i are ``rows[starts[i] : starts[i + 1]]``, by increasing number."""

    starts: Rows
    rows: Rows
    distances: Floats


def build_kd_tree(rows: NDArray[Any], leaf_size: int, threads: int) -> Any:
    """A kd-tree that holds its own copy of the rows."""
    return _native.build_kd_tree(rows, leaf_size, threads)


def query_kd_tree(tree: Any, queries: Floats, k: int, metric: NativeMetric, threads: int) -> tuple[Nearest, int]:
    """The k nearest rows, and how many points were compared with a query in all."""
    found = _empty(len(queries), k)
    compared = tree.query(queries, *_arguments(metric), threads, *found)
    return found, compared


def build_product_filter(rows: NDArray[Any], threads: int) -> Any:
    """Rows prepared for Euclidean search by matrix products."""
    return _native.build_product_filter(rows, threads)


def query_product_filter(
    prepared: Any, rows: NDArray[Any], queries: Floats, k: int, threads: int
) -> tuple[Nearest, int]:
    """The k nearest rows by squared distance, and how many queries had to be compared with all rows."""
    found = _empty(len(queries), k)
    scanned = prepared.query(rows, queries, threads, *found)
    return found, scanned


def scan(rows: NDArray[Any], queries: Floats, k: int, metric: NativeMetric, threads: int) -> Nearest:
    """The k nearest rows by comparing every pair."""
    found = _empty(len(queries), k)
    _native.scan_neighbors(rows, queries, *_arguments(metric), threads, *found)
    return found


def scan_sparse(
    rows: sparse.csr_array, queries: sparse.csr_array, k: int, metric: NativeMetric, threads: int
) -> Nearest:
    """The k nearest sparse rows by comparing every pair; both with sorted indices and the same dtype."""
    found = _empty(queries.shape[0], k)
    _native.scan_sparse_neighbors(*_compressed(rows), *_compressed(queries), *_arguments(metric), threads, *found)
    return found


def select_smallest(distances: Floats, k: int, threads: int) -> Nearest:
    """The k smallest entries of each row of a distance matrix."""
    found = _empty(len(distances), k)
    _native.select_smallest(distances, threads, *found)
    return found


def query_within_kd_tree(tree: Any, queries: Floats, limits: Floats, metric: NativeMetric, threads: int) -> Within:
    """The rows whose reduced distance is at most a query's limit."""
    return _lists(len(queries), tree.within(queries, *_arguments(metric), limits, threads))


def count_within_kd_tree(
    tree: Any, queries: Floats, limits: Floats, metric: NativeMetric, threads: int, enough: int
) -> Rows:
    """How many rows have a reduced distance of at most a query's limit; counting ends as soon as there are enough."""
    counts = np.empty(len(queries), dtype=np.intp)
    tree.count_within(queries, *_arguments(metric), limits, enough, threads, counts)
    return counts


def scan_within(rows: NDArray[Any], queries: Floats, limits: Floats, metric: NativeMetric, threads: int) -> Within:
    """The same rows by comparing every pair."""
    found = _native.scan_within(rows, queries, *_arguments(metric), limits, threads)
    return _lists(len(queries), found)


def scan_counts(rows: NDArray[Any], queries: Floats, limits: Floats, metric: NativeMetric, threads: int) -> Rows:
    """The same numbers by comparing every pair."""
    counts = np.empty(len(queries), dtype=np.intp)
    _native.scan_counts(rows, queries, *_arguments(metric), limits, threads, counts)
    return counts


def pairwise(rows: NDArray[Any], queries: Floats, metric: NativeMetric, threads: int) -> Floats:
    """The reduced distances of all pairs, one line per query."""
    found = np.empty((len(queries), len(rows)))
    _native.pairwise(rows, queries, *_arguments(metric), threads, found)
    return found


def sparse_pairwise(rows: sparse.csr_array, queries: sparse.csr_array, metric: NativeMetric, threads: int) -> Floats:
    """The same for sparse rows with sorted indices and the same dtype."""
    found = np.empty((queries.shape[0], rows.shape[0]))
    _native.sparse_pairwise(*_compressed(rows), *_compressed(queries), *_arguments(metric), threads, found)
    return found


def label_sums(
    rows: NDArray[Any], labels: NDArray[np.int32], count: int, queries: Floats, metric: NativeMetric, threads: int
) -> Floats:
    """Sums of the distances between each query and the rows of each label; labels ascend."""
    sums = np.empty((len(queries), count))
    _native.label_sums(rows, labels, queries, *_arguments(metric), metric.root, threads, sums)
    return sums


def label_sums_among(
    rows: NDArray[Any], labels: NDArray[np.int32], count: int, metric: NativeMetric, threads: int
) -> Floats:
    """The same with the rows as queries, each pair compared once."""
    sums = np.empty((len(rows), count))
    same = rows.astype(np.float64, copy=False)
    _native.label_sums_among(rows, labels, same, *_arguments(metric), metric.root, threads, sums)
    return sums


def _arguments(metric: NativeMetric) -> tuple[int, float, Floats | None]:
    return metric.kind, metric.power, metric.weights


def _lists(queries: int, found: Any) -> Within:
    total = found.total()
    within = Within(np.empty(queries + 1, dtype=np.intp), np.empty(total, dtype=np.intp), np.empty(total))
    found.move_to(*within)
    return within


def _empty(queries: int, k: int) -> Nearest:
    return np.empty((queries, k)), np.empty((queries, k), dtype=np.intp)


def _compressed(table: sparse.csr_array) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    return table.data, table.indices.astype(np.int64, copy=False), table.indptr.astype(np.int64, copy=False)


def prim(rows: NDArray[Any], core: Floats, metric: NativeMetric, threads: int) -> tuple[Rows, Rows, Floats]:
    """Both ends and the reduced length of every edge of the minimum spanning tree, grown from row 0."""
    tree = _empty_tree(len(rows))
    _native.prim(rows, core, *_arguments(metric), threads, *tree)
    return tree


def boruvka(tree: Any, rows: int, core: Floats, metric: NativeMetric, threads: int) -> tuple[Rows, Rows, Floats] | None:
    """The same from a kd-tree; None if distances overflow."""
    edges = _empty_tree(rows)
    made = _native.boruvka(tree, core, *_arguments(metric), threads, *edges)
    return edges if made == rows - 1 else None


def _empty_tree(rows: int) -> tuple[Rows, Rows, Floats]:
    return np.empty(rows - 1, dtype=np.intp), np.empty(rows - 1, dtype=np.intp), np.empty(rows - 1)


def reach_order(
    rows: NDArray[Any], core: Floats, metric: NativeMetric, limit: float, threads: int
) -> tuple[Rows, Floats, Rows]:
    """The order in which rows are reached, how far away each then is, and from where (-1 for none)."""
    count = len(rows)
    found = np.empty(count, dtype=np.intp), np.empty(count), np.empty(count, dtype=np.intp)
    _native.reach_order(rows, core, *_arguments(metric), metric.root, limit, threads, *found)
    return found
