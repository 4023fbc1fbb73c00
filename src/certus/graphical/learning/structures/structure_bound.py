"""An upper bound on the score of every network, and the best network by integer programming.

Without the demand that there be no circle, every node takes its best parents. Of any set C of nodes, the first k in an
order of a network have fewer than k parents in C each: at least k nodes of C do. A price l >= 0 for that gives the
bound

    sum_v max_P [score(v, P) + sum of l over (C, k, l) with v in C and |P in C| < k] - sum of k l,

which holds for all prices. Those of the linear program over all such demands make it smallest (Jaakkola, Sontag,
Globerson and Meila 2010; Cussens 2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from certus.graphical.learning.structures.broken_demands import VIOLATED, Demand, broken_demands, circles
from certus.graphical.learning.structures.candidate_families import Candidates

Floats = NDArray[np.float64]
ROUNDS = 60


@dataclass(frozen=True)
class PricedClusters:
    """A bound and what proves it.

    Parameters
    ----------
    demands : list of (tuple, int)
        Sets of nodes, and how many nodes of each have fewer parents in it.
    prices : list of float
        What each node that does so earns; none is negative.
    best : list of float
        For every node the largest score with prices.
    value : float
        The bound: the sum of ``best`` less the prices.
    """

    demands: list[Demand]
    prices: list[float]
    best: list[float]

    @property
    def value(self) -> float:
        paid = (-rank * price for (_, rank), price in zip(self.demands, self.prices, strict=True))
        return math.fsum([*self.best, *paid])


class ClusterProgram:
    """The linear program over the parent sets of all nodes, with demands that are added where they are broken."""

    def __init__(self, candidates: Sequence[Candidates]) -> None:
        self.candidates = candidates
        self.owner = np.concatenate([np.full(len(own.sets), node) for node, own in enumerate(candidates)])
        self.sets = [set(parents) for own in candidates for parents in own.sets]
        self.scores = np.concatenate([own.scores for own in candidates])
        self.demands: list[Demand] = []
        self._rows: list[NDArray[np.bool_]] = []

    def add(self, demands: Sequence[Demand]) -> bool:
        """Add demands; whether one is new."""
        fresh = [demand for demand in dict.fromkeys(demands) if demand not in self.demands]
        for cluster, rank in fresh:
            inside = set(cluster)
            few = np.array([len(inside & own) < rank for own in self.sets])
            self._rows.append(few & np.isin(self.owner, cluster))
            self.demands.append((cluster, rank))
        return bool(fresh)

    def tighten(self, rounds: int = ROUNDS) -> PricedClusters:
        """Solve and add broken demands in turn; the best bound on the way."""
        best = self.priced(np.zeros(0))
        for _ in range(rounds):
            shares, prices = self._relaxed()
            found = self.priced(prices)
            if found.value < best.value:
                best = found
            if not self.add(broken_demands(self._by_node(shares))):
                break
        return best

    def priced(self, prices: Floats) -> PricedClusters:
        """The bound of these prices of the first demands."""
        worth = self.scores.copy()
        for price, row in zip(prices, self._rows, strict=False):
            worth[row] += price
        best = []
        for node, own in enumerate(self.candidates):
            inside = sum(price for price, (cluster, _) in zip(prices, self.demands, strict=False) if node in cluster)
            best.append(max(float(worth[self.owner == node].max()), own.ceiling + float(inside)))
        kept = [(demand, float(price)) for demand, price in zip(self.demands, prices, strict=False) if price > 0.0]
        return PricedClusters([demand for demand, _ in kept], [price for _, price in kept], best)

    def _matrices(self) -> tuple[sparse.csr_array, sparse.csr_array | None]:
        """Which parent sets are whose, and which count for each demand."""
        nodes, columns = len(self.candidates), len(self.scores)
        each = sparse.csr_array((np.ones(columns), (self.owner, np.arange(columns))), shape=(nodes, columns))
        rows = sparse.csr_array(np.array(self._rows, dtype=np.float64)) if self._rows else None
        return each, rows

    def _ranks(self) -> Floats:
        return np.array([float(rank) for _, rank in self.demands])

    def _relaxed(self) -> tuple[Floats, Floats]:
        """Shares of the parent sets, and the prices of the demands."""
        each, rows = self._matrices()
        ones = np.ones(len(self.candidates))
        limits = {} if rows is None else {"A_ub": -rows, "b_ub": -self._ranks()}
        found = linprog(-self.scores, A_eq=each, b_eq=ones, bounds=(0, None), method="highs", **limits)
        if found.x is None:  # the solver gave up: the bound found so far holds
            return np.zeros(len(self.scores)), np.zeros(0)
        prices = np.zeros(0) if rows is None else np.maximum(0.0, -found.ineqlin.marginals)
        return np.asarray(found.x), prices

    def _by_node(self, shares: Floats) -> dict[int, list[tuple[set[int], float]]]:
        """The parent sets of every node that have a share."""
        found: dict[int, list[tuple[set[int], float]]] = {}
        for place in np.flatnonzero(shares > VIOLATED):
            found.setdefault(int(self.owner[place]), []).append((self.sets[place], float(shares[place])))
        return found

    def solve(self) -> list[list[int]]:
        """The parents of the best network: whole parent sets, with a demand for every circle until none is left."""
        whole = np.ones(len(self.scores))
        while True:
            each, rows = self._matrices()
            demands = [LinearConstraint(each, 1.0, 1.0)]
            if rows is not None:
                demands.append(LinearConstraint(rows, self._ranks(), np.inf))
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
            if not self.add([(circle, 1) for circle in closed]):
                raise ArithmeticError("the integer program broke a demand that it was given")
