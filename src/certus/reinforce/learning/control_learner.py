"""What learners of Q(s, a) share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.reinforce import _native_calls
from certus.reinforce.exploration import Exploration
from certus.reinforce.learning.table_learner import TableLearner, greedy_policy, state_values
from certus.reinforce.learning.worlds import Diary, World
from certus.reinforce.step_lengths import StepLength

Floats = NDArray[np.float64]


class ControlLearner(TableLearner):
    """Learns Q(s, a) and acts by it.

    Parameters
    ----------
    step : StepLength, default Power(0.7)
        How far estimates move.
    exploration : Exploration, default EpsilonGreedy(0.1)
        How actions are chosen on the way.

    Attributes
    ----------
    q_ : ndarray of shape (n_states, n_actions)
        What the actions are thought to be worth.
    policy_ : ndarray of shape (n_states,)
        The best of them, -1 in terminal states.
    visits_ : ndarray of shape (n_states, n_actions)
        How often each was tried.
    """

    _state: ClassVar[tuple[str, ...]] = ("q_", "values_", "policy_", "visits_", "history_", "lengths_")

    step: StepLength
    exploration: Exploration
    q_: Floats
    visits_: NDArray[np.int64]

    def _kind(self) -> str:
        raise NotImplementedError

    def _agent(self, world: World, seed: int) -> Any:
        shape = (world.n_states, world.n_actions)
        self.q_ = np.repeat(world.fixed[:, None], world.n_actions, axis=1)  # which is 0 but in terminal states
        self.visits_ = np.zeros(shape, dtype=np.int64)
        self._second = self.q_.copy() if self._kind() == "double" else np.zeros((0, world.n_actions))
        return _native_calls.control_agent(
            self._kind(),
            float(self.discount),
            self.step.rule(),
            self.exploration.rule(),
            world.pairs,
            (self.q_, self._second, self.visits_),
            seed,
        )

    def _keep(self, world: World, agent: Any, diary: Diary) -> None:
        super()._keep(world, agent, diary)
        if self._kind() == "double":
            self.q_ = (self.q_ + self._second) / 2.0
        del self._second
        self.policy_, self.values_ = greedy_policy(world, self.q_), state_values(world, self.q_)
