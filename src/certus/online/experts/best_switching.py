"""The best sequence of experts with a limited number of switches, by dynamic programming."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.guarantees.records import check_count


def best_switching(losses: ArrayLike, switches: int) -> tuple[float, NDArray[np.int64]]:
    """The least loss of a sequence of experts that changes the expert at most `switches` times.

    Parameters
    ----------
    losses : array-like of shape (n_trials, n_experts)
        Every expert's loss in every trial.
    switches : int
        How many changes are allowed.

    Returns
    -------
    loss : float
        The least total loss.
    sequence : ndarray of shape (n_trials,)
        One sequence that has it.

    Examples
    --------
    >>> best_switching([[0, 1], [0, 1], [1, 0], [1, 0]], 1)
    (0.0, array([0, 0, 1, 1]))
    """
    table = np.asarray(losses, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"losses must have a row per trial and a column per expert, got the shape {table.shape}.")
    if np.isnan(table).any():
        row, column = np.argwhere(np.isnan(table))[0].tolist()
        raise ValueError(f"losses of trial {row + 1}, expert {column} must be a number, got nan.")
    check_count(switches, "switches", minimum=0)
    trials, experts = table.shape
    least = np.zeros((switches + 1, experts))
    came_from = np.empty((trials, switches + 1, experts), dtype=np.int64)
    for t, lost in enumerate(table):
        leaders = least.argmin(axis=1)
        for k in range(switches, -1, -1):
            moved = k > 0 and t > 0
            from_leader = moved & (least[k - 1, leaders[k - 1]] < least[k]) if moved else np.zeros(experts, dtype=bool)
            came_from[t, k] = np.where(from_leader, leaders[k - 1], np.arange(experts))
            least[k] = np.where(from_leader, least[k - 1, leaders[k - 1]], least[k]) + lost
    return _traced(least[switches], came_from)


def _traced(least: NDArray[np.float64], came_from: NDArray[np.int64]) -> tuple[float, NDArray[np.int64]]:
    """Follow the choices back from the best last expert."""
    trials, k = len(came_from), came_from.shape[1] - 1
    expert = int(least.argmin())
    total, sequence = float(least[expert]), np.empty(trials, dtype=np.int64)
    for t in range(trials - 1, -1, -1):
        sequence[t] = expert
        before = int(came_from[t, k, expert])
        if before != expert:
            k -= 1
        expert = before
    return total, sequence
