"""A step of policy iteration: actions that are better by more than rounding explains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.reinforce.processes.pair_table import PairTable

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]


def improved(table: PairTable, worth: Floats, pairs: Pairs, least_gain: float) -> tuple[Pairs, int]:
    """The policy with an action changed where another is better by more than ``least_gain``; how many were changed.

    Ties and differences that rounding explains change nothing, so that no cycle of equal policies is possible.
    """
    acting = np.flatnonzero(pairs >= 0)
    best = np.maximum.reduceat(worth, table.starts[acting]) if len(acting) else np.zeros(0)
    better = best > worth[pairs[acting]] + least_gain
    moving = acting[better]
    changed = pairs.copy()
    if len(moving):
        is_best = worth == np.repeat(_spread(best, acting, table), np.diff(table.starts))
        first = np.flatnonzero(is_best)
        states = table.states[first]
        keep = np.concatenate(([True], states[1:] != states[:-1]))
        winner = np.full(table.n_states, -1, dtype=np.int32)
        winner[states[keep]] = first[keep]
        changed[moving] = winner[moving]
    return changed, len(moving)


def _spread(best: Floats, acting: NDArray[np.int64], table: PairTable) -> Floats:
    found = np.full(table.n_states, np.nan)
    found[acting] = best
    return found
