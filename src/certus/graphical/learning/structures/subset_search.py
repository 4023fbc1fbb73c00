"""The network of highest score among all, by dynamic programming over sets of nodes (Silander, Myllymaki 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.graphical.knowledge import ArcRules
from certus.graphical.learning import _native_calls
from certus.graphical.learning.structures.candidate_families import without_useless
from certus.graphical.learning.structures.family_scores import FamilyScores

MOST_NODES = 20  # n 2^(n-1) best parents are kept: 12 bytes each


def search_subsets(scores: FamilyScores, rules: ArcRules) -> tuple[float, list[list[int]]]:
    """The best score and the parents that reach it."""
    nodes, rules = scores.nodes, without_useless(scores, rules)
    most = max(rules.most)
    sums = scores.sums
    joint = _native_calls.all_sums(sums, nodes, min(nodes, most + 1), -1, scores.threads)
    by_arity = {}
    best = np.empty((nodes, 2 ** (nodes - 1)))
    which = np.empty(best.shape, dtype=np.uint32)
    for child, arity in enumerate(scores.columns.arities):
        if scores.score == "k2" and arity not in by_arity:  # only there do sums of parents depend on the child
            by_arity[arity] = _native_calls.all_sums(sums, nodes, most, arity, scores.threads)
        allowed, required = bits(rules.allowed[:, child]), bits(rules.required[:, child])
        limits = (allowed, required, rules.most[child])
        best[child], which[child] = _native_calls.best_parents(sums, child, *limits, joint, by_arity.get(arity, joint))
    score, parents = _native_calls.best_network(best, which)
    return score, [members(own, nodes) for own in parents]


def bits(flags: NDArray[np.uint8]) -> int:
    """Flags as the bits of a whole number, the first one lowest."""
    return sum(1 << int(place) for place in np.flatnonzero(flags))


def members(found: int, nodes: int) -> list[int]:
    """The places of the bits of a whole number."""
    return [node for node in range(nodes) if found >> node & 1]
