"""Policy iteration (Howard 1960): evaluate exactly, improve where a gain is proved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce.evidence.residual_bounds import rounding
from certus.reinforce.evidence.total_reward_bounds import ending_policy, sure_to_end
from certus.reinforce.solvers.linear_solves import policy_values
from certus.reinforce.solvers.policy_improvement import improved
from certus.reinforce.solvers.search import Search

Floats = NDArray[np.float64]
Pairs = NDArray[np.int32]


def policy_iteration(search: Search, values: Floats, pairs: Pairs | None = None) -> Floats:
    """Improve until no gain is proved and the bounds are close, or no policy is better."""
    table = search.table
    if pairs is None:
        pairs = _native_calls.sweep(search.held, values, search.live, search.threads).best
    if search.discount == 1.0:
        pairs = ending_policy(table, pairs)
    while not search.exhausted:
        search.rounds += 1
        values = policy_values(table, pairs, search.discount, values)
        worth = _native_calls.pair_values(search.held, values, len(table.rewards), search.threads)
        residual = np.max(np.abs(worth[pairs[pairs >= 0]] - values[pairs >= 0]), initial=0.0)
        size = float(np.max(np.abs(values), initial=0.0))
        proved = 4.0 * rounding(table, search.discount, size) + 2.0 * float(residual)
        changed, moved = improved(table, worth, pairs, proved)
        if not moved or (search.discount == 1.0 and not sure_to_end(table, changed).all()):
            break
        pairs = changed
    return values
