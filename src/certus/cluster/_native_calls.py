"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus import _native

Floats = NDArray[np.float64]


def group_rows(rows: NDArray[Any], offset: Floats, threads: int) -> Any:
    """Rows, moved by an offset, as `seed` and `lloyd` read them."""
    return _native.group_rows(rows, offset, threads)


def seed(grouped: Any, weights: Floats, order: NDArray[np.int64], uniforms: Floats, threads: int) -> NDArray[np.int64]:
    """The rows that k-means++ chooses as first centers."""
    chosen = np.empty(len(uniforms), dtype=np.int64)
    grouped.seed(weights, order, uniforms, threads, chosen)
    return chosen


def lloyd(
    grouped: Any,
    rows: NDArray[Any],
    offset: Floats,
    weights: Floats,
    centers: Floats,
    most: int,
    tolerance: float,
    threads: int,
) -> tuple[int, bool]:
    """Improve the centers in place; the rounds it took, and whether no row changed its center in the last."""
    rounds, settled = grouped.lloyd(rows, offset, weights, centers, most, tolerance, threads)
    return int(rounds), bool(settled)


def nearest_centers(rows: NDArray[Any], centers: Floats, threads: int) -> tuple[NDArray[np.int32], Floats]:
    """The nearest center of every row, and the squared distance to it."""
    labels, squared = np.empty(len(rows), dtype=np.int32), np.empty(len(rows))
    _native.nearest_centers(rows, centers, threads, labels, squared)
    return labels, squared


def center_distances(rows: NDArray[Any], centers: Floats, threads: int) -> Floats:
    """The distance between every row and every center."""
    found = np.empty((len(rows), len(centers)))
    _native.center_distances(rows, centers, threads, found)
    return found


def line_cost(values: Floats, weights: Floats, clusters: int) -> float:
    """The least k-means cost of ascending numbers with positive weights."""
    return float(_native.line_cost(values, weights, clusters))


def build_medoids(distances: Floats, weights: Floats, clusters: int) -> NDArray[np.int64]:
    """Medoids chosen one after the other, each the row that saves most."""
    medoids = np.empty(clusters, dtype=np.int64)
    _native.build_medoids(distances, weights, medoids)
    return medoids


def swap_medoids(distances: Floats, weights: Floats, medoids: NDArray[np.int64], most: int) -> tuple[float, int, bool]:
    """Swap medoids in place; the cost, the swaps, and whether no swap lowers the cost."""
    cost, swaps, settled = _native.swap_medoids(distances, weights, most, medoids)
    return float(cost), int(swaps), bool(settled)


def medoid_savings(distances: Floats, weights: Floats, prices: Floats, threads: int) -> Floats:
    """sum_i w_i min(0, d_ij - price_i) for every column j."""
    savings = np.empty(distances.shape[1])
    _native.medoid_savings(distances, weights, prices, threads, savings)
    return savings


LINKAGES = ("single", "complete", "average", "weighted", "ward", "centroid", "median")  # as numbered by the kernels


def link_distances(half: Floats, sizes: Floats, linkage: str) -> tuple[NDArray[np.int64], Floats]:
    """Merges of all rows, as a row of each part, and their heights; ``half`` is overwritten."""
    pairs, heights = np.zeros((len(sizes) - 1, 2), dtype=np.int64), np.zeros(len(sizes) - 1)
    _native.link_distances(half, sizes, LINKAGES.index(linkage), pairs, heights)
    return pairs, heights


def link_centers(centers: Floats, sizes: Floats, linkage: str) -> tuple[NDArray[np.int64], Floats]:
    """The same by centers, which are overwritten; heights are squared."""
    pairs, heights = np.zeros((len(sizes) - 1, 2), dtype=np.int64), np.zeros(len(sizes) - 1)
    _native.link_centers(centers, sizes, LINKAGES.index(linkage), pairs, heights)
    return pairs, heights


def link_graph(
    edges: NDArray[np.int64], lengths: Floats, centers: Floats, sizes: Floats, linkage: str, merges: int
) -> tuple[NDArray[np.int64], Floats]:
    """Merges of connected rows, as the clusters that they join, and their heights (squared for centers)."""
    children, heights = np.zeros((merges, 2), dtype=np.int64), np.zeros(merges)
    _native.link_graph(edges, lengths, centers, sizes, LINKAGES.index(linkage), children, heights)
    return children, heights


def name_merges(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The clusters that each merge joins: rows, then merges, by number."""
    children = np.empty_like(pairs)
    _native.name_merges(pairs, children)
    return children


class CondensedTree(NamedTuple):
    """Clusters, the root first and parents before children, and where rows leave them (see cluster/condense.hpp)."""

    row_cluster: NDArray[np.int64]  # the last cluster of each row
    row_height: Floats  # where it leaves that cluster
    parent: NDArray[np.int64]  # -1 for the root
    birth: Floats  # the height at which a cluster begins
    size: NDArray[np.int64]


def condense(children: NDArray[np.int64], heights: Floats, least: int) -> CondensedTree:
    """The clusters of at least so many rows in a hierarchy of merges of ascending heights."""
    rows = len(heights) + 1
    room = 1 + 2 * (rows // least)
    tree = CondensedTree(
        row_cluster=np.empty(rows, dtype=np.int64),
        row_height=np.empty(rows),
        parent=np.empty(room, dtype=np.int64),
        birth=np.empty(room),
        size=np.empty(room, dtype=np.int64),
    )
    count = _native.condense(children, heights, least, *tree)
    return tree._replace(parent=tree.parent[:count], birth=tree.birth[:count], size=tree.size[:count])
