"""Spanning trees of mutual reachability: the length of an edge is max(c_i, c_j, d_ij / alpha).

The core distance c of a row is the distance to its k-th nearest row, itself counted. No matrix of distances is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from certus.geometry import SpanningTree, minimum_spanning_tree
from certus.geometry.search import Index

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class ReachabilityTree(NamedTuple):
    """Core distances, and the edges of the tree by increasing length."""

    cores: Floats
    edges: Rows
    lengths: Floats


def tree_of_rows(
    rows: Any, index: Index, k: int, alpha: float, metric: Any, params: dict[str, Any], n_jobs: int | None
) -> ReachabilityTree:
    """The tree of rows that an index searches."""
    cores = np.ascontiguousarray(index.query(rows, k, n_jobs)[0][:, -1])
    tree = minimum_spanning_tree(
        rows, metric=metric, metric_params=params or None, core_distances=cores * alpha, n_jobs=n_jobs
    )
    return _scaled_back(tree, cores, alpha)


def tree_of_distances(distances: Floats, k: int, alpha: float) -> ReachabilityTree:
    """The tree of rows whose distances are given; infinite ones are allowed."""
    cores = np.partition(distances, k - 1, axis=1)[:, k - 1].copy()
    tree = minimum_spanning_tree(distances, metric="precomputed", core_distances=cores * alpha)
    return _scaled_back(tree, cores, alpha)


def tree_of_graph(graph: sparse.csr_array, k: int, alpha: float, largest: float) -> ReachabilityTree:
    """The tree of a sparse graph of distances: only those that it stores count, and none of a row to itself.

    ``largest`` stands for reachabilities that are infinite, since a row has fewer than k distances; 0 allows none.
    """
    rows = graph.shape[0]
    counts = np.diff(graph.indptr)
    if counts.min() < k and not largest > 0.0:
        raise ValueError(
            f"There exists points with fewer than {k} neighbors. Ensure your distance matrix has non-zero values for "
            f"at least `min_samples`={k} neighbors for each points (i.e. K-nn graph), or specify a `max_distance` in "
            "`metric_params` to use when distances are missing."
        )
    parts = csgraph.connected_components(graph, directed=False, return_labels=False)
    if parts > 1:
        raise ValueError(
            f"Sparse mutual reachability matrix has {parts} connected components. HDBSCAN cannot be performed on a "
            "disconnected graph. Ensure that the sparse distance matrix has only one connected component."
        )
    owner = np.repeat(np.arange(rows), counts)
    by_length = np.lexsort((graph.data, owner))
    cores = np.full(rows, np.inf)
    enough = counts >= k
    cores[enough] = graph.data[by_length[graph.indptr[:-1][enough] + k - 1]]
    reach = np.maximum(np.maximum(cores[owner], cores[graph.indices]), graph.data / alpha)
    reach[np.isinf(reach)] = largest if largest > 0.0 else np.inf
    # Ranks instead of lengths: an edge of length 0 is an edge too.
    values, ranks = np.unique(reach, return_inverse=True)
    ranked = sparse.csr_array((ranks + 1.0, graph.indices, graph.indptr), shape=graph.shape)
    tree = sparse.coo_array(csgraph.minimum_spanning_tree(ranked))
    order = np.argsort(tree.data, kind="stable")
    edges = np.stack([tree.row, tree.col], axis=1)[order].astype(np.intp)
    return ReachabilityTree(cores, edges, values[tree.data[order].astype(np.intp) - 1])


def nearest_by_reach(
    index: Index, queries: Any, cores: Floats, k: int, alpha: float, n_jobs: int | None, limit: float = np.inf
) -> tuple[Rows, Floats]:
    """The row that each query reaches at the least height, of equal ones the nearest, and that height.

    The core distance of a query is its distance to the k-th row; for k = 0 it has none. Rows beyond those looked at are
    at least as far as the last of them: the search widens until that is too far, or farther than ``limit``.
    """
    found, heights = np.empty(queries.shape[0], dtype=np.intp), np.empty(queries.shape[0])
    left = np.arange(queries.shape[0])
    width = min(len(cores), max(k, 8))
    while len(left):
        distances, rows = index.query(queries[left], width, n_jobs)
        reach = np.maximum(distances / alpha, cores[rows])
        if k > 0:
            reach = np.maximum(reach, distances[:, k - 1 : k])
        best = reach.argmin(axis=1)
        lines = np.arange(len(left))
        found[left], heights[left] = rows[lines, best], reach[lines, best]
        open_ends = (heights[left] > distances[:, -1] / alpha) & (distances[:, -1] <= limit)
        left = left[open_ends] if width < len(cores) else left[:0]
        width = min(len(cores), 4 * width)
    return found, heights


def without_gaps(distances: Any) -> Floats:
    """A matrix of distances; those that a sparse one does not store are infinite."""
    if not sparse.issparse(distances):
        return np.asarray(distances)
    filled = np.full(distances.shape, np.inf)
    stored = sparse.coo_array(distances)
    filled[stored.row, stored.col] = stored.data
    return filled


def _scaled_back(tree: SpanningTree, cores: Floats, alpha: float) -> ReachabilityTree:
    """Lengths divided by alpha; multiplied by it before, core distances may be a last digit away from themselves."""
    if alpha == 1.0:
        return ReachabilityTree(cores, tree.edges, tree.lengths)
    ends = cores[tree.edges].max(axis=1)
    lengths = np.maximum(tree.lengths / alpha, ends)
    order = np.argsort(lengths, kind="stable")
    return ReachabilityTree(cores, tree.edges[order], lengths[order])
