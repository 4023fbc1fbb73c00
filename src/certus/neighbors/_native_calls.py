"""The one place of this family that calls compiled code.

Searches return reduced distances (see `certus.neighbors.search.distance_metric`) and row numbers, one line per query,
ordered by (distance, row number).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.neighbors.search.distance_metric import NativeMetric

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Nearest = tuple[Floats, Rows]


def build_kd_tree(rows: NDArray[Any], leaf_size: int, threads: int) -> Any:
    """A kd-tree that holds its own copy of the rows."""
    return _native.build_kd_tree(rows, leaf_size, threads)


def query_kd_tree(tree: Any, queries: Floats, k: int, metric: NativeMetric, threads: int) -> tuple[Nearest, int]:
    """The k nearest rows, and how many points were compared with a query in all."""
    found = _empty(len(queries), k)
    compared = tree.query(queries, metric.kind, metric.power, metric.weights, threads, *found)
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
    _native.scan_neighbors(rows, queries, metric.kind, metric.power, metric.weights, threads, *found)
    return found


def scan_sparse(
    rows: sparse.csr_array, queries: sparse.csr_array, k: int, metric: NativeMetric, threads: int
) -> Nearest:
    """The k nearest sparse rows by comparing every pair; both with sorted indices and the same dtype."""
    found = _empty(queries.shape[0], k)
    _native.scan_sparse_neighbors(
        *_compressed(rows), *_compressed(queries), metric.kind, metric.power, metric.weights, threads, *found
    )
    return found


def select_smallest(distances: Floats, k: int, threads: int) -> Nearest:
    """The k smallest entries of each row of a distance matrix."""
    found = _empty(len(distances), k)
    _native.select_smallest(distances, threads, *found)
    return found


def vote_winners(neighbors: Rows, weights: Floats | None, codes: Rows, classes: int, threads: int) -> Rows:
    """The class with the greatest total weight among each query's neighbors, the first of equals."""
    winner = np.empty(len(neighbors), dtype=np.intp)
    _native.vote_winners(neighbors, weights, codes, classes, threads, winner)
    return winner


def vote_shares(neighbors: Rows, weights: Floats | None, codes: Rows, classes: int, threads: int) -> Floats:
    """Each class's share of the total weight of each query's neighbors."""
    shares = np.empty((len(neighbors), classes))
    _native.vote_shares(neighbors, weights, codes, threads, shares)
    return shares


def _empty(queries: int, k: int) -> Nearest:
    return np.empty((queries, k)), np.empty((queries, k), dtype=np.intp)


def _compressed(table: sparse.csr_array) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    return table.data, table.indices.astype(np.int64, copy=False), table.indptr.astype(np.int64, copy=False)
