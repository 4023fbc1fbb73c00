"""What every planner works on: the process, what is asked, and how far it came."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce._native_calls import LivePairs, Swept
from certus.reinforce.evidence.residual_bounds import Bounds, discounted_bounds, rounding, shifted_bounds, shifts
from certus.reinforce.evidence.total_reward_bounds import total_reward_bounds
from certus.reinforce.processes.pair_table import PairTable

Floats = NDArray[np.float64]
FIRST_CHANGE = 1e-3  # of the largest value: the change below which undiscounted values are first bounded


class Search:
    """One run of a planner.

    Parameters
    ----------
    table : PairTable
        The process; undiscounted ones with every end component taken away.
    discount : float
        Its discount.
    tol : float
        The gap at which to stop, as a share of max(1, largest value).
    most : int
        Largest number of rounds.
    threads : int
        How many threads sweeps may use.
    """

    def __init__(self, table: PairTable, discount: float, tol: float, most: int, threads: int) -> None:
        self.table, self.discount, self.tol, self.most, self.threads = table, discount, tol, most, threads
        self.held: Any = table.native(discount)
        self.live = LivePairs(table.starts)
        self.rounds = 0
        self.bounds: Bounds | None = None
        self._known: tuple[float, float] | None = None
        self._dropped = False  # whether sweeps may have left pairs out
        self._enough_change = FIRST_CHANGE

    @property
    def exhausted(self) -> bool:
        """Whether no further round is allowed."""
        return self.rounds >= self.most

    def allowed(self, values: Floats) -> float:
        """The gap that is small enough."""
        return self.tol * max(1.0, float(np.max(np.abs(values), initial=0.0)))

    def sweep(self, values: Floats) -> tuple[Swept, bool]:
        """One round: T U, and whether the search is over; pairs that are proved bad are dropped."""
        self.rounds += 1
        if self.discount == 1.0:
            swept = _native_calls.sweep(self.held, values, self.live, self.threads)
            return swept, self._settled(swept)
        size = float(np.max(np.abs(values), initial=0.0))
        margin = rounding(self.table, self.discount, size)
        self._dropped = self._dropped or self._known is not None
        swept = _native_calls.sweep(self.held, values, self.live, self.threads, between=self._known, margin=margin)
        lower, upper, _ = shifts(self.table, self.discount, swept)
        # U* - T U lies between the shifts, or is 0 where the state is terminal.
        self._known = (min(lower, 0.0), max(upper, 0.0))
        done = upper - lower <= 0.9 * self.allowed(swept.values)
        if done and not self._dropped:  # of all pairs: the bounds that `finish` would find by one more sweep
            self.bounds = shifted_bounds(self.table, self.discount, swept)
        return swept, done

    def forget(self) -> None:
        """Values are no longer those of the last sweep: what is known of their distance does not hold."""
        self._known = None

    def _settled(self, swept: Swept) -> bool:
        change = max(abs(swept.least), abs(swept.most)) if swept.least <= swept.most else 0.0
        scale = max(1.0, float(np.max(np.abs(swept.values), initial=0.0)))
        if change > self._enough_change * scale:
            return False
        self.finish(swept.values)
        if self.bounds is not None and self.bounds.gap <= self.allowed(swept.values):
            return True
        self._enough_change /= 10.0
        return change == 0.0

    def finish(self, values: Floats) -> Bounds:
        """The bounds that belong to these values; the best that were found are kept."""
        if self.discount < 1.0:
            found = discounted_bounds(self.table, self.held, self.discount, values, self.threads)
        else:
            found = total_reward_bounds(self.table, self.held, values)
        if self.bounds is None or found.gap < self.bounds.gap:
            self.bounds = found
        return self.bounds
