"""All parent sets that an optimal network could have, and what no other one can exceed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from certus.graphical.knowledge import ArcRules
from certus.graphical.learning.structures.family_scores import FamilyScores

Floats = NDArray[np.float64]
Sets = list[tuple[int, ...]]
BUDGET = 500_000  # families to score for a bound: some seconds


@dataclass(frozen=True)
class Candidates:
    """Parent sets of one node.

    Parameters
    ----------
    sets : list of tuples
        Those that no set within them beats, the best first.
    scores : ndarray
        Their scores.
    ceiling : float
        What no larger set can exceed; -inf if all sets were scored.
    """

    sets: Sets
    scores: Floats
    ceiling: float


def without_useless(scores: FamilyScores, rules: ArcRules) -> ArcRules:
    """The rules with lower limits of parents where larger sets cannot be part of a best network.

    A penalized likelihood gains at most ``-N H(node)`` by parents; sets whose penalty is larger lose to no parents at
    all (de Campos and Ji 2011), which earn every price, too.
    """
    if scores.penalty <= 0.0:
        return rules
    found, states = copy(rules), scores.columns.arities
    sums = scores.entropies([[node] for node in range(scores.nodes)])
    found.most = list(rules.most)
    for node, must in enumerate(rules.required_parents()):
        free = sorted(states[parent] for parent in rules.free_parents(node))
        gain = scores.total * math.log(scores.total) - float(sums[node]) + scores.rounding()
        cells, size = 1.0, 0
        for arity in free:
            cells *= arity
            if scores.penalty * (states[node] - 1) * (cells - 1.0) > gain:
                break
            size += 1
        if not must and states[node] > 1:
            found.most[node] = min(found.most[node], size)
    return found


def candidate_families(scores: FamilyScores, rules: ArcRules, budget: float = math.inf) -> list[Candidates]:
    """Candidates of every node: sets of sizes up to the limits, or while the budget lasts."""
    rules = without_useless(scores, rules)
    return [_candidates(scores, rules, node, budget / scores.nodes) for node in range(scores.nodes)]


def enumerated(rules: ArcRules, node: int, budget: float = math.inf) -> tuple[Sets, bool]:
    """Parent sets by growing size, and whether these are all."""
    must, free = rules.required_parents()[node], rules.free_parents(node)
    most = min(rules.most[node] - len(must), len(free))
    found: Sets = []
    for size in range(most + 1):
        if size > 0 and len(found) + math.comb(len(free), size) > budget:
            return found, False
        found += [tuple(sorted((*must, *chosen))) for chosen in combinations(free, size)]
    return found, True


def _candidates(scores: FamilyScores, rules: ArcRules, node: int, budget: float) -> Candidates:
    sets, complete = enumerated(rules, node, budget)
    values = scores.families([node] * len(sets), sets)
    must = set(rules.required_parents()[node])
    best_within: dict[tuple[int, ...], float] = {}
    kept = []
    for place, (own, value) in enumerate(zip(sets, values.tolist(), strict=True)):
        within = max((best_within[smaller] for smaller in _smaller(own, must)), default=-math.inf)
        best_within[own] = max(value, within)
        if value > within:  # else the smaller set serves as well in every network
            kept.append(place)
    order = sorted(kept, key=lambda place: -values[place])
    ceiling = -math.inf if complete else _ceiling(scores, rules, node, len(sets[-1]) + 1)
    return Candidates([sets[place] for place in order], values[order], ceiling)


def _smaller(own: tuple[int, ...], must: set[int]) -> Iterator[tuple[int, ...]]:
    for place, member in enumerate(own):
        if member not in must:
            yield own[:place] + own[place + 1 :]


def _ceiling(scores: FamilyScores, rules: ArcRules, node: int, size: int) -> float:
    """What no set of at least ``size`` parents can exceed.

    A likelihood grows with every parent, and its penalty is at least that of the columns with fewest states. A marginal
    likelihood is a probability of the column in any order of rows, of which the first has 1 / states.
    """
    states = scores.columns.arities
    open_to = [*rules.required_parents()[node], *rules.free_parents(node)]
    if scores.score in ("bdeu", "k2"):
        return -math.log(states[node])
    joint, alone = scores.entropies([[node, *open_to], open_to])
    fewest = math.prod(float(arity) for arity in sorted(states[v] for v in open_to)[:size])
    return float(joint - alone) - scores.penalty * (states[node] - 1) * fewest
