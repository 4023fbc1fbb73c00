"""Planning for a known number of steps, by backward induction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce._native_calls import LivePairs
from certus.reinforce.mdp import MDP


@dataclass(frozen=True, eq=False)
class FinitePlan:
    """The best plan for a number of steps.

    Parameters
    ----------
    values : array of shape (horizon + 1, S)
        ``values[t]``: what the steps from t on are worth; the last is 0 but for terminal states.
    policy : array of shape (horizon, S)
        The action at every time, -1 in terminal states.
    """

    values: NDArray[np.float64]
    policy: NDArray[np.int64]


def solve_finite(mdp: MDP, horizon: int) -> FinitePlan:
    """Find the best actions when exactly so many steps are left: U_t = T U_{t+1}.

    Parameters
    ----------
    mdp : MDP
        The process.
    horizon : int
        Number of steps.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, solve_finite
    >>> world = GridWorld()
    >>> plan = solve_finite(world, 5)
    >>> round(float(plan.values[0, world.state(3, 3)]), 3), world.action_names[plan.policy[4, world.state(3, 3)]]
    (0.914, 'R')
    """
    if isinstance(horizon, bool) or not isinstance(horizon, (int, np.integer)) or horizon < 0:
        raise ValueError(f"horizon must be a whole number of at least 0, got {horizon!r}.")
    table, held = mdp.pairs, mdp.pairs.native(mdp.discount)
    values = np.zeros((horizon + 1, mdp.n_states))
    policy = np.full((horizon, mdp.n_states), -1, dtype=np.int64)
    values[horizon] = table.fixed
    acting = ~mdp.terminal
    for time in range(horizon - 1, -1, -1):
        swept = _native_calls.sweep(held, values[time + 1], LivePairs(table.starts), 1)
        values[time] = swept.values
        policy[time, acting] = table.actions[swept.best[acting]]
    return FinitePlan(values, policy)
