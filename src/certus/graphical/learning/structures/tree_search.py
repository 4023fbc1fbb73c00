"""The most likely tree: a spanning tree of largest mutual information (Chow, Liu 1968), and the best branching.

With a class, the information is conditional on it and the class is a parent of every node (Friedman, Geiger and
Goldszmidt 1997). Where knowledge restricts the arcs, the best branching is found by Edmonds' method (1967).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

from certus.graphical.knowledge import ArcRules
from certus.graphical.learning.structures.family_scores import FamilyScores

Floats = NDArray[np.float64]


def pair_information(scores: FamilyScores, given: int | None = None) -> Floats:
    """``N I(X; Y | given)`` for all pairs of columns: what an arc adds to the log-likelihood; 0 with ``given``."""
    nodes, behind = scores.nodes, [] if given is None else [given]
    inside = [node for node in range(nodes) if node != given]
    pairs = list(combinations(inside, 2))
    single = dict(zip(inside, scores.entropies([[node, *behind] for node in inside]), strict=True))
    both = scores.entropies([[*pair, *behind] for pair in pairs])
    alone = scores.entropies([behind])[0]
    found = np.zeros((nodes, nodes))
    for (a, b), joint in zip(pairs, both, strict=True):
        found[a, b] = found[b, a] = max(0.0, joint - single[a] - single[b] + alone)
    return found


def search_tree(scores: FamilyScores, rules: ArcRules, target: int | None = None) -> list[list[int]]:
    """The parents of every node in the most likely tree over all nodes but the target, which is parent of all."""
    information = pair_information(scores, target)
    inside = [node for node in range(scores.nodes) if node != target]
    gains = information[np.ix_(inside, inside)]
    allowed = rules.allowed[np.ix_(inside, inside)].astype(bool)
    free = allowed | np.eye(len(inside), dtype=bool)
    if free.all() and not rules.required[np.ix_(inside, inside)].any():
        own = _spanning_tree(gains)
    else:
        own = _branching(gains, allowed, rules.required[np.ix_(inside, inside)].astype(bool))
    parents: list[list[int]] = [[] for _ in range(scores.nodes)]
    for place, node in enumerate(inside):
        arcs = [] if own[place] < 0 else [inside[own[place]]]
        parents[node] = arcs if target is None else sorted([*arcs, target])
    if not rules.fits(parents):
        kind = "tree" if target is None else "tree with the target as parent of all nodes"
        raise ValueError(f"The knowledge must leave room for a {kind}, got arcs or limits that none keeps.")
    return parents


def _spanning_tree(gains: Floats) -> list[int]:
    """The parent of every node, -1 for the first, in a spanning tree of largest weight."""
    if len(gains) < 2:
        return [-1] * len(gains)
    costs = gains.max() - gains + 1.0  # positive: a zero would be no edge
    tree = minimum_spanning_tree(np.triu(costs, 1))
    _, before = breadth_first_order(tree, 0, directed=False)
    return [int(parent) if parent >= 0 else -1 for parent in before]


def _branching(gains: Floats, allowed: NDArray[np.bool_], required: NDArray[np.bool_]) -> list[int]:
    """The same over allowed arcs with all required ones: a best branching, which may have several roots."""
    nodes = len(gains)
    arcs = {}
    for child in range(nodes):
        must = np.flatnonzero(required[:, child])
        if len(must) > 1:
            raise ValueError("A tree must have at most one parent per node, got more that are required.")
        for parent in must if len(must) else np.flatnonzero(allowed[:, child]):
            arcs[(int(parent), child)] = float(gains[parent, child])
        if not len(must):
            arcs[(nodes, child)] = 0.0  # a root hangs from a node above all
    found = best_arborescence(range(nodes + 1), nodes, arcs)
    return [-1 if found[child] == nodes else found[child] for child in range(nodes)]


def best_arborescence(nodes: Sequence[int], root: int, arcs: Mapping[tuple[int, int], float]) -> dict[int, int]:
    """The parent of every node but the root in the tree of arcs away from the root with the largest sum (Edmonds 1967).

    Every node takes its best arc; a circle becomes one node, whose arcs count what they gain over the one they replace.
    """
    best: dict[int, int] = {}
    for (parent, child), gain in sorted(arcs.items()):
        if child != root and parent != child and (child not in best or gain > arcs[(best[child], child)]):
            best[child] = parent
    circle = _circle(best, root)
    if not circle:
        return best
    merged = max(nodes) + 1
    inside = set(circle)
    outer: dict[tuple[int, int], float] = {}
    origin: dict[tuple[int, int], tuple[int, int]] = {}
    for (parent, child), gain in sorted(arcs.items()):
        if parent in inside and child in inside:
            continue
        arc = (merged if parent in inside else parent, merged if child in inside else child)
        worth = gain - arcs[(best[child], child)] if child in inside else gain
        if arc not in outer or worth > outer[arc]:
            outer[arc], origin[arc] = worth, (parent, child)
    found = best_arborescence([*(node for node in nodes if node not in inside), merged], root, outer)
    parents = {node: best[node] for node in circle}
    for child, parent in found.items():
        real_parent, real_child = origin[(parent, child)]
        parents[real_child] = real_parent
    return parents


def _circle(best: Mapping[int, int], root: int) -> list[int]:
    """The nodes of a circle of these arcs, if there is one."""
    done: set[int] = {root}
    for start in best:
        walk: list[int] = []
        node = start
        while node not in done and node not in walk:
            walk.append(node)
            node = best.get(node, root)
        if node in walk:
            return walk[walk.index(node) :]
        done.update(walk)
    return []
