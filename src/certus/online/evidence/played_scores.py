"""The scores that were played along a stream, while labels join."""

from __future__ import annotations

import numpy as np

from certus.online._native_calls.stream_kernels import Array


class PlayedScores:
    """One row of scores per trial and one column per problem, also for trials before the problem was there.

    Attributes
    ----------
    first : list of int
        Number of trials before each problem, whose scores there mean nothing.
    trials : int
        How many trials there were.
    """

    def __init__(self) -> None:
        self._parts: list[Array] = []
        self.first, self.trials = [0], 0

    def add(self, scores: Array) -> None:
        """The scores of further trials."""
        self._parts.append(scores.copy())
        self.trials += len(scores)

    def flip(self) -> None:
        """The two labels change places."""
        self._parts = [-scores for scores in self._parts]

    def split(self) -> None:
        """One problem becomes one per label."""
        self._parts = [np.column_stack([-scores, scores]) for scores in self._parts]
        self.first = [0, 0]

    def insert(self, place: int) -> None:
        """A problem joins."""
        self._parts = [np.insert(scores, place, 0.0, axis=1) for scores in self._parts]
        self.first.insert(place, self.trials)

    def whole(self) -> Array:
        """All of them."""
        return np.concatenate(self._parts) if self._parts else np.zeros((0, len(self.first)))
