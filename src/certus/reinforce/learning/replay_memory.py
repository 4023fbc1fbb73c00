"""What a deep learner has seen: transitions in a ring, the oldest overwritten first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls

Singles = NDArray[np.float32]
ALL = np.zeros(0, np.uint8)  # stands for a mask that allows all actions


class Transitions(NamedTuple):
    """Transitions, one a row; ``allowed`` says which actions the next state has."""

    seen: Singles
    actions: NDArray[np.int64]
    rewards: Singles
    following: Singles
    ended: NDArray[np.bool_]
    allowed: NDArray[np.bool_]


class ReplayMemory:
    """A ring of transitions, written and drawn from in compiled code.

    Parameters
    ----------
    size : int
        How many it holds.
    width, actions : int
        Length of an observation, number of actions.
    seed : int
        Of what is drawn.
    """

    def __init__(self, size: int, width: int, actions: int, seed: int) -> None:
        self.rows, self.size = _room(size, width, actions), size
        self._native = _native_calls.replay_memory(self.rows, seed)
        self._batch = _room(0, width, actions)

    def __len__(self) -> int:
        return min(self.size, int(self._native.total))

    def add(self, seen: Any, action: int, reward: float, following: Any, ended: bool, allowed: Any) -> None:
        """Write a transition over the oldest."""
        mask = ALL if allowed is None else np.ascontiguousarray(allowed, dtype=bool).view(np.uint8)
        before, after = np.ascontiguousarray(seen, np.float32), np.ascontiguousarray(following, np.float32)
        self._native.add(before, action, reward, after, ended, mask)

    def first(self) -> Transitions:
        """The transition in the first place; of a memory of one, the last that was seen."""
        return Transitions._make(part[:1] for part in self.rows)

    def draw(self, count: int) -> Transitions:
        """Some of them, with repetition; the next draw writes over them."""
        if len(self._batch.actions) != count:
            self._batch = _room(count, self.rows.seen.shape[1], self.rows.allowed.shape[1])
        _native_calls.draw_transitions(self._native, self._batch)
        return self._batch

    def kept(self) -> tuple[NDArray[Any], ...]:
        """What is in use, oldest first: for a file."""
        order = (int(self._native.total) - len(self) + np.arange(len(self))) % self.size
        return tuple(part[order] for part in self.rows)

    def fill(self, kept: tuple[NDArray[Any], ...]) -> None:
        """Take back what `kept` gave."""
        count = len(kept[0])
        if count > self.size:
            raise ValueError(f"{count} transitions do not fit into a memory of {self.size}.")
        parts: tuple[NDArray[Any], ...] = self.rows
        for part, rows in zip(parts, kept, strict=True):
            part[:count] = rows
        self._native.total = count


def _room(size: int, width: int, actions: int) -> Transitions:
    return Transitions(
        np.zeros((size, width), np.float32),
        np.zeros(size, np.int64),
        np.zeros(size, np.float32),
        np.zeros((size, width), np.float32),
        np.zeros(size, bool),
        np.zeros((size, actions), bool),
    )
