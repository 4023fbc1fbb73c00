"""Which clusters of a hierarchy to keep. Campello, Moulavi, Zimek, Sander (2015); Malzer, Baum (2020).

Density is 1 / height. A cluster is born where it parts from its siblings and loses rows as the density rises; its
stability, the sum over its rows of the density at which they leave less the density at its birth, is its excess of
mass. Sums run over sorted numbers, so that the order of the rows has no influence, not even by rounding.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.cluster import _native_calls
from certus.cluster._native_calls import CondensedTree
from certus.cluster.solvers.row_order import numbered_by_first_row

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Selection(NamedTuple):
    """How clusters are kept: "eom" or "leaf", whether all rows may be one, the least height, and the most rows."""

    method: str
    single: bool
    least_height: float
    most_rows: int | None


class ClusterTree:
    """The clusters of at least so many rows in a spanning tree.

    Parameters
    ----------
    edges : ndarray of shape (n - 1, 2)
        Edges of the spanning tree.
    lengths : ndarray of shape (n - 1,)
        Their lengths, ascending.
    least : int
        Fewest rows of a cluster.
    selection : Selection
        Which clusters are kept.
    """

    def __init__(self, edges: NDArray[Any], lengths: Floats, least: int, selection: Selection) -> None:
        merges = _native_calls.name_merges(np.ascontiguousarray(edges, dtype=np.int64))
        self._tree = _native_calls.condense(merges, np.ascontiguousarray(lengths), least)
        kept = _kept(self._tree, selection)
        self._owner = _owners(self._tree, kept)
        self._limit = _limit_of_all(self._tree, selection) if kept[0] else math.inf
        found = self._found(self._tree.row_cluster, densities(self._tree.row_height))
        self.labels = numbered_by_first_row(found)
        self._label_of = np.full(len(kept) + 1, -1, dtype=np.intp)  # the last place is that of no cluster, -1
        self._label_of[found] = self.labels

    def _found(self, clusters: NDArray[np.int64], density: Floats) -> Rows:
        """The kept cluster above each; of the one of all rows only what is dense enough."""
        found = self._owner[clusters]
        found[(found == 0) & (density < self._limit)] = -1
        return found

    def strengths(self) -> Floats:
        """The density at which each row leaves, as a share of the largest in its cluster."""
        tree = self._tree
        peak = np.zeros(len(tree.parent))
        density = densities(tree.row_height)
        np.maximum.at(peak, tree.row_cluster, density)
        np.maximum.at(peak, tree.parent[1:], densities(tree.birth[1:]))
        owner = self._owner[tree.row_cluster]
        inside = np.flatnonzero(self.labels >= 0)
        most, own = peak[owner[inside]], density[inside]
        strengths = np.zeros(len(self.labels))
        certain = (most == 0.0) | np.isinf(own)
        with np.errstate(invalid="ignore", divide="ignore"):
            strengths[inside] = np.where(certain, 1.0, np.minimum(own, most) / most)
        return strengths

    def labels_of(self, rows: Rows, heights: Floats) -> Rows:
        """The clusters of new rows that join the tree at these rows and heights."""
        tree = self._tree
        heights = np.maximum(heights, tree.row_height[rows])
        clusters = tree.row_cluster[rows].copy()
        while (above := (tree.birth[clusters] <= heights) & (clusters > 0)).any():
            clusters[above] = tree.parent[clusters[above]]
        return self._label_of[self._found(clusters, densities(heights))]


def densities(heights: Floats) -> Floats:
    """1 / height; infinite at height 0 alone."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(heights > 0.0, np.minimum(1.0 / heights, np.finfo(np.float64).max), np.inf)


def stabilities(tree: CondensedTree) -> Floats:
    """The excess of mass of every cluster."""
    count = len(tree.parent)
    density, birth = densities(tree.row_height), densities(tree.birth)
    order = np.lexsort((density, tree.row_cluster))
    where = tree.row_cluster[order]
    by_rows = np.bincount(where, density[order] - birth[where], minlength=count)
    parts = np.bincount(tree.parent[1:], tree.size[1:], minlength=count)  # rows that go on in clusters below
    split = np.zeros(count)
    split[tree.parent[1:]] = birth[1:]  # all parts of a cluster begin at one height
    return np.asarray(by_rows + np.where(parts > 0, parts * (split - birth), 0.0))


def _kept(tree: CondensedTree, selection: Selection) -> NDArray[np.bool_]:
    kept = _leaves(tree) if selection.method == "leaf" else _most_mass(tree, selection)
    if selection.least_height > 0.0 and len(tree.parent) > 1 and not kept[0]:
        kept = _merged_below(tree, kept, selection)
    return kept


def _leaves(tree: CondensedTree) -> NDArray[np.bool_]:
    leaves = np.ones(len(tree.parent), dtype=bool)
    leaves[tree.parent[1:]] = False
    leaves[0] = False
    return leaves


def _most_mass(tree: CondensedTree, selection: Selection) -> NDArray[np.bool_]:
    """The clusters, none within another, whose stabilities have the largest sum; equal sums: the larger cluster."""
    own = stabilities(tree).tolist()
    sizes = tree.size.tolist()
    below: list[list[float]] = [[] for _ in own]
    kept = np.zeros(len(own), dtype=bool)
    for cluster in range(len(own) - 1, -1, -1):
        inside = sum(sorted(below[cluster]))
        too_large = selection.most_rows is not None and sizes[cluster] > selection.most_rows
        kept[cluster] = not (inside > own[cluster] or too_large) and (cluster > 0 or selection.single)
        if cluster > 0:
            below[tree.parent[cluster]].append(own[cluster] if kept[cluster] else inside)
    return _outermost(tree, kept)


def _outermost(tree: CondensedTree, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those of the clusters that lie within no other of them."""
    covered = np.zeros(len(kept), dtype=bool)
    for cluster in range(1, len(kept)):
        above = tree.parent[cluster]
        covered[cluster] = covered[above] or kept[above]
    return kept & ~covered


def _merged_below(tree: CondensedTree, kept: NDArray[np.bool_], selection: Selection) -> NDArray[np.bool_]:
    """Instead of clusters that were born below the least height, the first ones above them that were not."""
    merged = np.zeros(len(kept), dtype=bool)
    for cluster in np.flatnonzero(kept).tolist():
        here = cluster
        if tree.birth[here] < selection.least_height:
            while tree.birth[here] <= selection.least_height:
                above = int(tree.parent[here])
                if above == 0 and not selection.single:
                    break
                here = above
        merged[here] = True
    return _outermost(tree, merged)


def _owners(tree: CondensedTree, kept: NDArray[np.bool_]) -> Rows:
    """The kept cluster that each cluster is or lies in, or -1."""
    owner = np.where(kept, np.arange(len(kept)), -1).astype(np.intp)
    for cluster in range(1, len(kept)):
        if not kept[cluster]:
            owner[cluster] = owner[tree.parent[cluster]]
    return owner


def _limit_of_all(tree: CondensedTree, selection: Selection) -> float:
    """The density that rows need where all are one cluster: that at the least height, else the root's largest."""
    if selection.least_height > 0.0:
        return 1.0 / selection.least_height
    heights = np.concatenate([tree.row_height[tree.row_cluster == 0], tree.birth[tree.parent == 0]])
    return float(densities(heights).max())
