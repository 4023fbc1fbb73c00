"""Two-sided bounds on the optimal values of a discounted process from one Bellman sweep.

With m <= T V - V <= M on all states that are not terminal (whose residual is 0), and e the rounding of a sweep,

    L = T V + (gamma min(m, 0) - 4 e) / (1 - gamma) <= U* <= T V + (gamma max(M, 0) + 4 e) / (1 - gamma)

(MacQueen 1966, Porteus 1971), where 0 enters if there are terminal states: without it the bounds are false. Both ends
pass the test by which anybody can check them, L <= T L and U >= T U, with e to spare. The policy that is greedy for
V has values of at least L as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce._native_calls import LivePairs, Swept
from certus.reinforce.processes.pair_table import PairTable

Floats = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)


class Bounds(NamedTuple):
    """Two vectors between which the optimal values lie, and a policy (its pairs) worth at least the lower one."""

    lower: Floats
    upper: Floats
    pairs: NDArray[np.int32]

    @property
    def gap(self) -> float:
        """The largest distance of the ends."""
        apart = self.lower != self.upper  # equal infinities have no distance
        return float(np.max(self.upper[apart] - self.lower[apart], initial=0.0))

    @property
    def middle(self) -> Floats:
        """Values half way."""
        apart = self.lower != self.upper
        middle = self.lower.copy()
        middle[apart] = self.lower[apart] / 2.0 + self.upper[apart] / 2.0
        return middle


def rounding(table: PairTable, discount: float, size: float) -> float:
    """How far the computed backup of values of at most this size can be from the exact one."""
    return (2 * table.longest_row + 8) * EPS * (table.reward_size + discount * size)


def shifts(table: PairTable, discount: float, swept: Swept) -> tuple[float, float, float]:
    """By how much T V is moved for the lower and the upper end, and the rounding that this pays for."""
    least, most = swept.least, swept.most
    if least > most:  # all states are terminal
        return 0.0, 0.0, 0.0
    if table.terminal.any():
        least, most = min(least, 0.0), max(most, 0.0)
    left = 1.0 - discount
    size = float(np.max(np.abs(swept.values), initial=0.0))
    reach = size + max(abs(least), abs(most)) / left
    error = rounding(table, discount, reach) + 4.0 * EPS * reach
    outward = 1.0 + 8.0 * EPS
    lower = (discount * (least - error) - 4.0 * error) / left
    upper = (discount * (most + error) + 4.0 * error) / left
    return lower * (outward if lower < 0 else 1 / outward), upper * (outward if upper > 0 else 1 / outward), error


def discounted_bounds(table: PairTable, held: Any, discount: float, values: Floats, threads: int = 1) -> Bounds:
    """Bounds from one sweep over all pairs."""
    return shifted_bounds(table, discount, _native_calls.sweep(held, values, LivePairs(table.starts), threads))


def shifted_bounds(table: PairTable, discount: float, swept: Swept) -> Bounds:
    """Bounds from what one sweep over all pairs found."""
    lower, upper, _ = shifts(table, discount, swept)
    return Bounds(
        np.where(table.terminal, table.fixed, swept.values + lower),
        np.where(table.terminal, table.fixed, swept.values + upper),
        swept.best,
    )
