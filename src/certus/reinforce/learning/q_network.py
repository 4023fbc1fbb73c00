"""A network for Q(s, .), its slowly moving twin, and one step of learning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certus.neural.engine import NetworkEngine, StepRule
from certus.reinforce.learning.replay_memory import Transitions

Singles = NDArray[np.float32]
NEVER = np.float32(-np.inf)


class QNetwork:
    """Q by a network: E = huber(r + discount Q_twin(s', a*) - Q(s, a)), the target a constant.

    Parameters
    ----------
    sizes : sequence of int
        Observation, hidden layers, actions.
    discount, rate : float
        Discount and step size.
    double : bool
        Whether the learning network chooses a*, and the twin only values it.
    plain : bool
        Gradient steps on squared errors, instead of Adam on Huber's.
    """

    def __init__(self, sizes: Sequence[int], discount: float, rate: float, *, double: bool, plain: bool) -> None:
        hidden = ("relu",) * (len(sizes) - 2)
        self.online = NetworkEngine(sizes, hidden, dtype=np.float32)
        self.twin = NetworkEngine(sizes, hidden, dtype=np.float32)
        self._discount, self._double, self._plain = np.float32(discount), double, plain
        self._rule = StepRule("sgd", rate, first=0.0) if plain else StepRule("adam", rate)

    def initialize(self, random: np.random.RandomState) -> None:
        """Draw the first weights."""
        self.online.initialize(random)
        self.follow()

    def follow(self) -> None:
        """Let the twin be what the network is now."""
        self.twin.parameters[:] = self.online.parameters

    def learn(self, batch: Transitions, *, twin: bool) -> None:
        """One step on some transitions."""
        target = self.twin if twin else self.online
        worth = target.forward(batch.following)
        chosen_by = self.online.forward(batch.following) if self._double and twin else worth
        best = np.argmax(np.where(batch.allowed, chosen_by, NEVER), axis=1)
        rows = np.arange(len(best))
        bootstrap = np.where(batch.ended, np.float32(0.0), worth[rows, best])
        error = self.online.forward(batch.seen)[rows, batch.actions] - (batch.rewards + self._discount * bootstrap)
        deltas = np.zeros((len(rows), self.online.sizes[-1]), np.float32)
        deltas[rows, batch.actions] = error if self._plain else np.clip(error, -1.0, 1.0)
        self.online.step(self.online.backward(batch.seen, deltas), self._rule)
