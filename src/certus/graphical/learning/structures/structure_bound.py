"""An upper bound on the score of every network, and the best network by integer programming.

Without the demand that there be no circle, every node takes its best parents. Any set C of nodes has a first one in a
network, with no parent in C; a price l_C >= 0 for that gives the bound

    sum_v max_P [score(v, P) + sum of l_C over C with v in C and P outside C] - sum_C l_C,

which holds for all prices. Those of the linear program over all such demands make it smallest (Jaakkola, Sontag,
Globerson and Meila 2010).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from certus.graphical.learning.structures.candidate_families import Candidates

Floats = NDArray[np.float64]
Cluster = tuple[int, ...]
ROUNDS = 60
VIOLATED = 1e-6


@dataclass(frozen=True)
class PricedClusters:
    """A bound and what proves it.

    Parameters
    ----------
    clusters : list of tuples
        Sets of nodes.
    prices : list of float
        What a parent set outside each costs; none is negative.
    best : list of float
        For every node the largest score with prices.
    value : float
        The bound: the sum of ``best`` less the prices.
    """

    clusters: list[Cluster]
    prices: list[float]
    best: list[float]

    @property
    def value(self) -> float:
        return math.fsum([*self.best, *(-price for price in self.prices)])


class ClusterProgram:
    """The linear program over the parent sets of all nodes, with demands that are added where they are broken."""

    def __init__(self, candidates: Sequence[Candidates]) -> None:
        self.candidates = candidates
        self.owner = np.concatenate([np.full(len(own.sets), node) for node, own in enumerate(candidates)])
        self.sets = [set(parents) for own in candidates for parents in own.sets]
        self.scores = np.concatenate([own.scores for own in candidates])
        self.clusters: list[Cluster] = []
        self._rows: list[NDArray[np.bool_]] = []

    def add(self, clusters: Sequence[Cluster]) -> bool:
        """Add demands; whether one is new."""
        fresh = [cluster for cluster in dict.fromkeys(clusters) if cluster not in self.clusters]
        for cluster in fresh:
            inside = set(cluster)
            outside = np.array([inside.isdisjoint(own) for own in self.sets])
            self._rows.append(outside & np.isin(self.owner, cluster))
            self.clusters.append(cluster)
        return bool(fresh)

    def tighten(self, rounds: int = ROUNDS) -> PricedClusters:
        """Solve and add broken demands in turn; the best bound on the way."""
        best = self.priced(np.zeros(0))
        for _ in range(rounds):
            shares, prices = self._relaxed()
            found = self.priced(prices)
            if found.value < best.value:
                best = found
            if not self.add(self._broken(shares)):
                break
        return best

    def priced(self, prices: Floats) -> PricedClusters:
        """The bound of these prices of the first clusters."""
        worth = self.scores.copy()
        for price, row in zip(prices, self._rows, strict=False):
            worth[row] += price
        best = []
        for node, own in enumerate(self.candidates):
            inside = sum(price for price, cluster in zip(prices, self.clusters, strict=False) if node in cluster)
            best.append(max(float(worth[self.owner == node].max()), own.ceiling + float(inside)))
        kept = [(cluster, float(price)) for cluster, price in zip(self.clusters, prices, strict=False) if price > 0.0]
        return PricedClusters([cluster for cluster, _ in kept], [price for _, price in kept], best)

    def _demands(self) -> tuple[sparse.csr_array, sparse.csr_array | None]:
        """One parent set per node, and at least one node of every cluster with parents outside it."""
        nodes, columns = len(self.candidates), len(self.scores)
        each = sparse.csr_array((np.ones(columns), (self.owner, np.arange(columns))), shape=(nodes, columns))
        rows = sparse.csr_array(np.array(self._rows, dtype=np.float64)) if self._rows else None
        return each, rows

    def _relaxed(self) -> tuple[Floats, Floats]:
        """Shares of the parent sets, and the prices of the demands."""
        each, rows = self._demands()
        ones = np.ones(len(self.candidates))
        limits = {} if rows is None else {"A_ub": -rows, "b_ub": -np.ones(rows.shape[0])}
        found = linprog(-self.scores, A_eq=each, b_eq=ones, bounds=(0, None), method="highs", **limits)
        if found.x is None:  # the solver gave up: the bound found so far holds
            return np.zeros(len(self.scores)), np.zeros(0)
        prices = np.zeros(0) if rows is None else np.maximum(0.0, -found.ineqlin.marginals)
        return np.asarray(found.x), prices

    def _broken(self, shares: Floats) -> list[Cluster]:
        """Clusters whose demand is broken: grown from pairs, and circles of each node's largest share."""
        used = np.flatnonzero(shares > VIOLATED)
        if not len(used):
            return []
        by_node: dict[int, list[tuple[set[int], float]]] = {}
        for place in used:
            by_node.setdefault(int(self.owner[place]), []).append((self.sets[place], float(shares[place])))
        main = {node: max(own, key=lambda entry: entry[1])[0] for node, own in by_node.items()}
        found = circles(main)
        for a, b in combinations(range(len(self.candidates)), 2):
            cluster, left = {a, b}, _outside(by_node, {a, b})
            while left >= 1.0 - VIOLATED and len(cluster) < min(8, len(self.candidates)) and left < 2.0:
                near = {v for node in cluster for parents, _ in by_node.get(node, []) for v in parents} - cluster
                best = min(((_outside(by_node, cluster | {v}), v) for v in near), default=(math.inf, -1))
                if best[0] >= left:
                    break
                left, cluster = best[0], cluster | {best[1]}
            if left < 1.0 - VIOLATED:
                found.append(tuple(sorted(cluster)))
        return found

    def solve(self) -> list[list[int]]:
        """The parents of the best network: whole parent sets, with a demand for every circle until none is left."""
        whole = np.ones(len(self.scores))
        while True:
            each, rows = self._demands()
            demands = [LinearConstraint(each, 1.0, 1.0)]
            if rows is not None:
                demands.append(LinearConstraint(rows, 1.0, np.inf))
            found = milp(
                -self.scores, constraints=demands, integrality=whole, bounds=Bounds(0, 1), options={"mip_rel_gap": 0.0}
            )
            if found.x is None:
                raise ArithmeticError(f"The integer program could not be solved: {found.message}")
            chosen = np.flatnonzero(found.x > 0.5)
            parents = {int(self.owner[place]): self.sets[place] for place in chosen}
            closed = circles(parents)
            if not closed:
                return [sorted(parents[node]) for node in range(len(self.candidates))]
            if not self.add(closed):
                raise ArithmeticError("the integer program broke a demand that it was given")


def _outside(by_node: dict[int, list[tuple[set[int], float]]], cluster: set[int]) -> float:
    """The shares of parent sets outside the cluster, over its nodes: at least 1 in a network."""
    return sum(share for node in cluster for parents, share in by_node.get(node, []) if cluster.isdisjoint(parents))


def circles(parents: dict[int, set[int]]) -> list[Cluster]:
    """The nodes of circles of arcs, one for every node that lies on a shortest one through it."""
    found = []
    for start in parents:
        before: dict[int, int] = {}
        waiting = [start]
        while waiting and start not in before:
            after = []
            for node in waiting:
                for parent in sorted(parents.get(node, ())):
                    if parent not in before:
                        before[parent] = node
                        after.append(parent)
            waiting = after
        if start in before:
            walk, node = [start], before[start]
            while node != start:
                walk.append(node)
                node = before[node]
            found.append(tuple(sorted(walk)))
    return list(dict.fromkeys(found))
