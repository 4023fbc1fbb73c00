"""Episodes: what was seen, done and paid, and what it adds up to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Episode:
    """One episode.

    Parameters
    ----------
    states, actions : arrays of int of shape (steps,)
        Where an action was taken, and which.
    rewards : array of shape (steps,)
        What was paid after it.
    probabilities : array of shape (steps,)
        With what probability the policy that acted chose this action there.
    """

    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    rewards: Floats
    probabilities: Floats

    def __post_init__(self) -> None:
        for name, kind in (("states", np.int64), ("actions", np.int64), ("rewards", float), ("probabilities", float)):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=kind))
        lengths = {name: np.shape(part) for name, part in vars(self).items()}
        if len(set(lengths.values())) != 1 or self.states.ndim != 1:
            raise ValueError(f"an episode needs as many states as actions, rewards and probabilities, got {lengths}.")
        if not np.isfinite(self.rewards).all():
            raise ValueError(f"rewards: step {int(np.argmin(np.isfinite(self.rewards)))} is not finite.")
        bad = np.flatnonzero(~((self.probabilities > 0.0) & (self.probabilities <= 1.0)))
        if bad.size:
            raise ValueError(
                f"probabilities must lie in (0, 1]; step {bad[0]} is {self.probabilities[bad[0]]:g}.\n"
                "Hint: an action that was taken had a positive probability; write down the one it had then."
            )

    def __len__(self) -> int:
        return len(self.states)


def utility(rewards: ArrayLike, discount: float = 1.0) -> float:
    """The utility of rewards in a row: additive, r_0 + r_1 + ..., or discounted, r_0 + discount * r_1 + ...

    Parameters
    ----------
    rewards : array-like
        What was paid, in order.
    discount : float, default=1.0
        A low one is short-sighted.

    Examples
    --------
    >>> from certus.reinforce import utility
    >>> utility([1, 1, 1]), utility([1, 1, 1], discount=0.5)
    (3.0, 1.75)
    """
    if not 0.0 <= discount <= 1.0:
        raise ValueError(f"discount must lie in [0, 1], got {discount!r}.")
    found = 0.0
    for reward in reversed(np.asarray(rewards, dtype=np.float64).tolist()):
        found = reward + discount * found
    return found


def monte_carlo_values(episodes: Iterable[Episode], n_states: int, discount: float = 1.0) -> tuple[Floats, Floats]:
    """The mean utility after the first visit of every state, and the number of such visits; NaN where there is none.

    Parameters
    ----------
    episodes : iterable of Episode
        What was seen.
    n_states : int
        Number of states.
    discount : float, default=1.0
        What a reward is worth one step later.
    """
    total, visits = np.zeros(n_states), np.zeros(n_states)
    for episode in episodes:
        following, after = 0.0, np.zeros(len(episode))
        for step in range(len(episode) - 1, -1, -1):
            following = after[step] = episode.rewards[step] + discount * following
        states, first = np.unique(episode.states, return_index=True)
        total[states] += after[first]
        visits[states] += 1.0
    return np.where(visits > 0.0, total / np.maximum(visits, 1.0), np.nan), visits
