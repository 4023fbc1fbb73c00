"""Structure from tests of independence: the stable PC algorithm (Spirtes, Glymour 1991; Colombo, Maathuis 2014).

Of every level the tests use the adjacencies that the level began with, so that the order of columns does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from certus.graphical.knowledge import ArcRules
from certus.graphical.learning.structures.family_scores import FamilyScores
from certus.graphical.learning.structures.partly_directed import PartlyDirected

Pair = tuple[int, int]


@dataclass(frozen=True)
class SkeletonSearch:
    """What the tests decided.

    Parameters
    ----------
    adjacent : ndarray of bool
        Which nodes stay linked.
    separators : dict of pair to tuple of nodes
        For every pair that does not, a set given which it tested as independent.
    tests : int
        How many tests were made.
    """

    adjacent: NDArray[np.bool_]
    separators: dict[Pair, tuple[int, ...]]
    tests: int


def independence_tests(
    scores: FamilyScores, a: int, b: int, conditions: Sequence[Sequence[int]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``G = 2 N I(a; b | condition)`` and its p-value by the chi-squared law, for every condition."""
    sets = [part for given in conditions for part in ([a, b, *given], [a, *given], [b, *given], [*given])]
    sums = scores.entropies(sets).reshape(-1, 4)
    statistics = np.maximum(0.0, 2.0 * (sums @ np.array([1.0, -1.0, -1.0, 1.0])))
    states = scores.columns.arities
    freedom = [
        float((states[a] - 1) * (states[b] - 1)) * float(np.prod([float(states[c]) for c in given]))
        for given in conditions
    ]
    degrees = np.array(freedom)
    known = np.where(degrees > 0, degrees, 1.0)
    return statistics, np.where(degrees > 0, gammaincc(0.5 * known, 0.5 * statistics), 1.0)


def search_constraints(scores: FamilyScores, rules: ArcRules, alpha: float) -> list[list[int]]:
    """The parents of every node in a network with the tested independences."""
    found = search_skeleton(scores, rules, alpha)
    graph = PartlyDirected(found.adjacent)
    graph.direct_known(rules)
    graph.direct_colliders(found.separators)
    graph.complete()
    return graph.extension()


def search_skeleton(scores: FamilyScores, rules: ArcRules, alpha: float) -> SkeletonSearch:
    """Unlink pairs that some set of neighbors makes independent, by growing size of the set."""
    either = (rules.allowed | rules.allowed.T).astype(bool)
    must = (rules.required | rules.required.T).astype(bool)
    adjacent = either.copy()
    separators: dict[Pair, tuple[int, ...]] = {}
    tests, size = 0, 0
    while True:
        before = adjacent.copy()
        if not (before.sum(axis=1) - 1 >= size).any():
            return SkeletonSearch(adjacent, separators, tests)
        for a, b in zip(*np.nonzero(np.triu(before & ~must)), strict=True):
            conditions = list(_conditions(before, int(a), int(b), size))
            if not conditions:
                continue
            _, chances = independence_tests(scores, int(a), int(b), conditions)
            tests += len(conditions)
            best = int(np.argmax(chances))  # the most independent, whatever the order of columns
            if chances[best] > alpha:
                adjacent[a, b] = adjacent[b, a] = False
                separators[(int(a), int(b))] = tuple(conditions[best])
        size += 1


def _conditions(adjacent: NDArray[np.bool_], a: int, b: int, size: int) -> Iterator[tuple[int, ...]]:
    """Sets of that many neighbors of one of the two, without the other."""
    seen: set[tuple[int, ...]] = set()
    for node, other in ((a, b), (b, a)):
        near = [int(v) for v in np.flatnonzero(adjacent[node]) if v != other]
        for chosen in combinations(near, size):
            if chosen not in seen:
                seen.add(chosen)
                yield chosen
