"""Networks by a walk over orders of the nodes (Friedman and Koller 2003).

Given an order, nodes choose their parents among those before them independently, so that sums over all networks of an
order are products over nodes. Two nodes of the order are exchanged at a time, by the rule of Metropolis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from certus.graphical.knowledge import ArcRules
from certus.graphical.learning.structures.candidate_families import enumerated
from certus.graphical.learning.structures.family_scores import FamilyScores
from certus.graphical.networks.graphs.dag import Dag

Floats = NDArray[np.float64]
MOST_FAMILIES = 300_000
STEPS = 400  # per node, of which the first fifth is not counted


@dataclass(frozen=True)
class OrderWalk:
    """What a walk over orders saw.

    Parameters
    ----------
    parents : list of lists
        The network of highest score that any visited order allows.
    arcs : ndarray of shape (nodes, nodes)
        For every arc, from row to column, the mean of its probability given the visited orders.
    """

    parents: list[list[int]]
    arcs: Floats


class _Node:
    """The families of a node, and what an order leaves of them."""

    def __init__(self, scores: FamilyScores, rules: ArcRules, node: int) -> None:
        self.sets, _ = enumerated(rules, node)
        self.values = scores.families([node] * len(self.sets), self.sets)
        self.node, width = node, max(map(len, self.sets), default=0)
        self.members = np.full((len(self.sets), max(width, 1)), scores.nodes, dtype=np.intp)
        for row, own in enumerate(self.sets):
            self.members[row, : len(own)] = own

    def allowed(self, places: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which families have all parents before the node; ``places`` ends with -1 for no parent."""
        found: NDArray[np.bool_] = (places[self.members] < places[self.node]).all(axis=1)
        return found

    def total(self, places: NDArray[np.intp]) -> float:
        """The log of the sum over these families, -inf if there is none."""
        left = self.values[self.allowed(places)]
        return float(logsumexp(left)) if len(left) else -math.inf


def walk_orders(scores: FamilyScores, rules: ArcRules, seed: int) -> OrderWalk:
    """Walk, and keep the best network and the mean probability of every arc."""
    count = sum(math.comb(len(rules.free_parents(v)), k) for v in range(scores.nodes) for k in range(rules.most[v] + 1))
    if count > MOST_FAMILIES:
        raise ValueError(
            f"max_parents must leave at most {MOST_FAMILIES:,} sets of parents for 'order_mcmc', got {count:,}.\n"
            "Hint: max_parents=2 or 3."
        )
    rng, n = np.random.default_rng(seed), scores.nodes
    nodes = [_Node(scores, rules, node) for node in range(n)]
    order = np.array(Dag(scores.columns.names, rules.required_parents()).order, dtype=np.intp)
    places = np.append(np.argsort(order), -1)
    totals = np.array([node.total(places) for node in nodes])
    best, parents = _best(nodes, places)
    arcs, counted, steps = np.zeros((n + 1, n)), 0, STEPS * n
    for step in range(steps if n > 1 else 0):
        first, last = np.sort(rng.choice(n, size=2, replace=False))
        moved = places.copy()
        moved[order[[first, last]]] = last, first
        changed = order[first : last + 1]
        after = totals.copy()
        after[changed] = [nodes[node].total(moved) for node in changed]
        if math.log(1.0 - rng.random()) < after.sum() - totals.sum():
            places, totals = moved, after
            order[[first, last]] = order[[last, first]]
            value, found = _best(nodes, places)
            if value > best:
                best, parents = value, found
        if step >= steps // 5 and step % n == 0:
            counted += 1
            _add_arcs(nodes, places, totals, arcs)
    return OrderWalk(parents, arcs[:n] / max(counted, 1))


def _best(nodes: list[_Node], places: NDArray[np.intp]) -> tuple[float, list[list[int]]]:
    """The best network of an order."""
    value, parents = 0.0, []
    for node in nodes:
        left = np.where(node.allowed(places), node.values, -math.inf)
        place = int(np.argmax(left))
        value += float(left[place])
        parents.append(list(node.sets[place]))
    return value, parents


def _add_arcs(nodes: list[_Node], places: NDArray[np.intp], totals: Floats, arcs: Floats) -> None:
    """Add the probability of every arc given the order; the last row takes what stands for no parent."""
    for node, total in zip(nodes, totals, strict=True):
        shares = np.where(node.allowed(places), np.exp(np.minimum(node.values - total, 0.0)), 0.0)
        np.add.at(arcs[:, node.node], node.members, shares[:, None])
