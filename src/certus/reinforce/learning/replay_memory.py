"""What a deep learner has seen: transitions in a ring, the oldest overwritten first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]


class Transitions(NamedTuple):
    """Transitions, one a row; ``allowed`` says which actions the next state has."""

    seen: Singles
    actions: NDArray[np.int64]
    rewards: Singles
    following: Singles
    ended: NDArray[np.bool_]
    allowed: NDArray[np.bool_]


class ReplayMemory:
    """A ring of transitions.

    Parameters
    ----------
    size : int
        How many it holds.
    width, actions : int
        Length of an observation, number of actions.
    """

    def __init__(self, size: int, width: int, actions: int) -> None:
        self.rows = Transitions(
            np.zeros((size, width), np.float32),
            np.zeros(size, np.int64),
            np.zeros(size, np.float32),
            np.zeros((size, width), np.float32),
            np.zeros(size, bool),
            np.ones((size, actions), bool),
        )
        self.size, self.total = size, 0

    def __len__(self) -> int:
        return min(self.size, self.total)

    def add(self, seen: Any, action: int, reward: float, following: Any, ended: bool, allowed: Any) -> None:
        """Write a transition over the oldest."""
        at, rows = self.total % self.size, self.rows
        rows.seen[at], rows.actions[at], rows.rewards[at] = seen, action, reward
        rows.following[at], rows.ended[at] = following, ended
        if allowed is not None:
            rows.allowed[at] = allowed
        else:
            rows.allowed[at] = True
        self.total += 1

    def first(self) -> Transitions:
        """The transition in the first place; of a memory of one, the last that was seen."""
        return Transitions._make(part[:1] for part in self.rows)

    def draw(self, rng: np.random.Generator, count: int) -> Transitions:
        """Some of them, with repetition."""
        places = rng.integers(len(self), size=count)
        return Transitions._make(part[places] for part in self.rows)

    def kept(self) -> tuple[NDArray[Any], ...]:
        """What is in use, oldest first: for a file."""
        order = (self.total - len(self) + np.arange(len(self))) % self.size
        return tuple(part[order] for part in self.rows)

    def fill(self, kept: tuple[NDArray[Any], ...]) -> None:
        """Take back what `kept` gave."""
        count = len(kept[0])
        if count > self.size:
            raise ValueError(f"{count} transitions do not fit into a memory of {self.size}.")
        for part, rows in zip(self.rows, kept, strict=True):
            part[:count] = rows
        self.total = count
