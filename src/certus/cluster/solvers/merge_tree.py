"""Trees of merged clusters: how they are built under each linkage, and cut."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.cluster import _native_calls
from certus.cluster.solvers.connected_rows import Graph, edge_lengths
from certus.geometry import minimum_spanning_tree, pairwise_distances

Floats = NDArray[np.float64]
CENTER_LINKAGES = ("ward", "centroid", "median")  # known by a center: Euclidean only
LINKAGES = ("ward", "complete", "average", "single", "centroid", "median", "weighted")
_BLOCK_CELLS = 2**22  # distances held at a time beside the half of the matrix


class MergeTree(NamedTuple):
    """Merges in their order: merge i joins the clusters ``children[i]`` at ``heights[i]`` to cluster ``rows + i``."""

    children: NDArray[np.intp]
    heights: Floats
    rows: int

    def matrix(self) -> Floats:
        """The tree in scipy's form: both parts, height, and number of rows."""
        counts = np.ones(self.rows + len(self.children))
        for merge, (one, other) in enumerate(self.children.tolist(), start=self.rows):
            counts[merge] = counts[one] + counts[other]
        return np.column_stack([self.children.astype(np.float64), self.heights, counts[self.rows :]])

    def labels(self, n_clusters: int) -> NDArray[np.intp]:
        """The cluster of each row before the last merges, numbered as in scikit-learn."""
        merges = self.children.tolist()
        if len(merges) == self.rows - 1:
            heads = [-(self.rows + len(merges) - 1)]  # a heap: the latest cluster is first, and is undone
            for _ in range(n_clusters - 1):
                one, other = merges[-heads[0] - self.rows]
                heapq.heappush(heads, -one)
                heapq.heappushpop(heads, -other)
            tops = [-head for head in heads]
        else:
            joined = set(self.children.ravel().tolist())
            tops = [node for node in range(self.rows + len(merges)) if node not in joined]
        owner = np.full(self.rows + len(merges), -1, dtype=np.intp)
        owner[tops] = np.arange(len(tops))
        for merge in range(len(merges) - 1, -1, -1):
            if owner[self.rows + merge] >= 0:
                owner[merges[merge]] = owner[self.rows + merge]
        return owner[: self.rows].copy()


def merge_tree(
    table: Floats,
    linkage: str | Callable[[Any, Any], float],
    metric: Any,
    weights: Floats,
    graph: Graph | None,
    left: int,
) -> MergeTree:
    """Merge the rows of a table (distances if ``metric='precomputed'``) until ``left`` clusters of a graph are left.

    Without a graph all are merged.
    """
    if callable(linkage):
        return _by_function(table, linkage, graph, left)
    unit = 4.0 ** (math.frexp(float(weights.max()))[1] // 2)  # so that no product of weights vanishes or overflows
    tree = _of_weighted_rows(table, linkage, metric, weights / unit, graph, left)
    return tree._replace(heights=tree.heights * math.sqrt(unit)) if linkage == "ward" and unit != 1.0 else tree


def _of_weighted_rows(
    table: Floats, linkage: str, metric: Any, weights: Floats, graph: Graph | None, left: int
) -> MergeTree:
    rows = len(table)
    if graph is not None:
        lines = rows + rows - left
        by_center = linkage in CENTER_LINKAGES
        centers = np.zeros((lines, table.shape[1] if by_center else 0))
        if by_center:
            centers[:rows] = table - table.mean(axis=0)
        lengths = np.zeros(len(graph.edges)) if by_center else edge_lengths(table, graph.edges, metric)
        children, heights = _native_calls.link_graph(graph.edges, lengths, centers, weights, linkage, rows - left)
        return MergeTree(children.astype(np.intp), np.sqrt(heights) if by_center else heights, rows)
    pairs, heights = _all_merges(table, linkage, metric, weights)
    return MergeTree(_native_calls.name_merges(pairs).astype(np.intp), heights, rows)


def _all_merges(table: Floats, linkage: str, metric: Any, weights: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Merges in their order, as a row of each part."""
    if len(table) == 1:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    if linkage == "single":
        tree = minimum_spanning_tree(table, metric=metric)
        return np.ascontiguousarray(tree.edges, dtype=np.int64), tree.lengths
    if linkage in CENTER_LINKAGES:
        pairs, squared = _native_calls.link_centers(table - table.mean(axis=0), weights, linkage)
        heights = np.sqrt(squared)
        if linkage != "ward":
            return pairs, heights  # in the order of merging: heights may fall
    else:
        pairs, heights = _native_calls.link_distances(half_distances(table, metric), weights, linkage)
    order = np.argsort(heights, kind="stable")
    return np.ascontiguousarray(pairs[order]), heights[order]


def half_distances(table: Floats, metric: Any) -> Floats:
    """The distances of rows (0, 1), (0, 2), ... (n-2, n-1)."""
    rows = len(table)
    half = np.empty(rows * (rows - 1) // 2)
    place = 0
    step = max(1, _BLOCK_CELLS // rows)
    for first in range(0, rows, step):
        stop = min(first + step, rows)
        if isinstance(metric, str) and metric == "precomputed":
            block = table[first:stop, first:]
        else:
            block = pairwise_distances(table[first:stop], table[first:], metric=metric)
        for row in range(stop - first):
            distances = block[row, row + 1 :]
            half[place : place + len(distances)] = distances
            place += len(distances)
    if not np.isfinite(half).all():
        raise ValueError(f"Distances must be finite, got {half[~np.isfinite(half)][0]} with metric={metric!r}.")
    return half


def _by_function(table: Floats, linkage: Callable[[Any, Any], float], graph: Graph | None, left: int) -> MergeTree:
    """Merge the nearest pair by a function of two groups of rows, as long as ``left`` clusters are there or more."""
    rows = len(table)
    merges = rows - (1 if graph is None else left)
    groups = [[row] for row in range(rows)]
    names = list(range(rows))
    allowed = ~np.eye(rows, dtype=bool)
    if graph is not None:
        allowed[:] = False
        allowed[graph.edges[:, 0], graph.edges[:, 1]] = allowed[graph.edges[:, 1], graph.edges[:, 0]] = True
    distances = np.full((rows, rows), np.inf)

    def measure(one: int, other: int) -> None:
        value = float(linkage(table[groups[one]], table[groups[other]]))
        if np.isnan(value) or value == np.inf:
            raise ValueError(f"linkage must return a finite number for two groups of rows, got {value}.")
        distances[one, other] = distances[other, one] = value

    for one, other in np.argwhere(np.triu(allowed)).tolist():
        measure(one, other)
    children, heights = np.zeros((merges, 2), dtype=np.intp), np.zeros(merges)
    for merge in range(merges):
        kept, gone = divmod(int(np.argmin(distances)), rows)  # the first of the least: kept < gone
        children[merge] = sorted((names[kept], names[gone]))
        heights[merge] = distances[kept, gone]
        groups[kept] = sorted(groups[kept] + groups[gone])
        names[kept] = rows + merge
        allowed[kept] |= allowed[gone]
        allowed[:, kept] = allowed[kept]
        allowed[gone] = allowed[:, gone] = False
        allowed[kept, kept] = False
        distances[gone] = distances[:, gone] = np.inf
        for other in np.flatnonzero(allowed[kept]).tolist():
            measure(kept, other)
    return MergeTree(children, heights, rows)
