"""Lower bounds by mean field: the best product of independent distributions that coordinate ascent finds.

For every q(x) = prod_v q_v(x_v), Jensen's inequality gives

    log P(e)  >=  sum_f E_q[log f]  +  sum_v H(q_v),

and the best q_v for fixed others is proportional to exp(sum over factors of v of E[log f | x_v]).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.networks.bounds.log_factors import Scoped, log_factors

Floats = NDArray[np.float64]


class MeanField:
    """Coordinate ascent on the lower bound.

    Parameters
    ----------
    plain : mapping
        What `plain_factors` gave.
    start : list of ndarray
        A distribution per variable.

    Attributes
    ----------
    q : list of ndarray
        The distributions now.
    history : list of float
        The bound at the start and after every round; -inf while q reaches impossible assignments.
    """

    def __init__(self, plain: Any, start: list[Floats]) -> None:
        self._factors = log_factors(plain)
        self._of: list[list[int]] = [[] for _ in start]
        for place, (scope, _table) in enumerate(self._factors):
            for variable in scope:
                self._of[variable].append(place)
        self.q = [np.array(found) for found in start]
        self.history = [self.bound()]

    def run(self, rounds: int = 200, tol: float = 1e-9) -> MeanField:
        """Rounds of updates until one gains less than ``tol``."""
        for _ in range(rounds):
            for variable in range(len(self.q)):
                self._update(variable)
            self.history.append(self.bound())
            before, now = self.history[-2:]
            if now - before <= tol * (1.0 + abs(now)) and np.isfinite(before):
                break
        return self

    def _update(self, variable: int) -> None:
        score = np.zeros(len(self.q[variable]))
        for place in self._of[variable]:
            score = score + self._expected(self._factors[place], variable)
        if score.max() > -np.inf:
            share = np.exp(score - score.max())
            self.q[variable] = share / share.sum()

    def _expected(self, entry: Scoped, variable: int) -> Floats:
        """E[log f | x_v] per state; -inf where q reaches a zero of the factor."""
        scope, table = entry
        bad, finite = np.isneginf(table), np.where(np.isneginf(table), 0.0, table)
        lost = bad.astype(np.float64)
        for axis in range(len(scope) - 1, -1, -1):
            if scope[axis] != variable:
                finite = np.tensordot(finite, self.q[scope[axis]], axes=(axis, 0))
                lost = np.tensordot(lost, self.q[scope[axis]], axes=(axis, 0))
        return np.where(lost > 0.0, -np.inf, finite)

    def bound(self) -> float:
        """The lower bound on log P(e) by the present q."""
        return lower_bound(self._factors, self.q)


def lower_bound(factors: list[Scoped], q: list[Floats]) -> float:
    """The sum of expected logarithms and entropies."""
    total = 0.0
    for scope, table in factors:
        weights = np.ones(())
        for variable in scope:
            weights = np.multiply.outer(weights, q[variable])
        reached = weights > 0.0
        if np.isneginf(table[reached]).any():
            return -np.inf
        total += float(weights[reached] @ table[reached])
    return total - sum(float(found[found > 0] @ np.log(found[found > 0])) for found in q)


def bound_rounding(factors: list[Scoped], q: list[Floats]) -> float:
    """What rounding can amount to in `lower_bound`: its terms may be far larger than their sum."""
    size, steps = 10.0, len(factors) + len(q) + 10
    for scope, table in factors:
        weights = np.ones(())
        for variable in scope:
            weights = np.multiply.outer(weights, q[variable])
        size += float(weights[weights > 0.0] @ np.abs(table[weights > 0.0]))
        steps += table.size + len(scope)
    size += sum(float(found[found > 0] @ -np.log(found[found > 0])) + len(found) for found in q)
    return 4.0 * float(np.finfo(float).eps) * steps * size if np.isfinite(size) else 0.0
