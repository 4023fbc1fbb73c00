"""Adaptive dynamic programming that chooses its own actions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Interval, register
from certus.reinforce import _native_calls
from certus.reinforce._native_calls import ModelTables
from certus.reinforce.exploration import EpsilonGreedy, Exploration
from certus.reinforce.learning.table_learner import TableLearner, greedy_policy
from certus.reinforce.learning.worlds import Diary, World

Floats = NDArray[np.float64]


@register(
    takes="process",
    tasks=("control",),
    guarantees=("loss of the learned policy, in a known process",),
    cost="fit O(updates * actions * next states) per step",
)
class ADPAgent(TableLearner):
    """Count transitions, and act by values that are kept optimal on that model by prioritized sweeping.

    The greedy agent (``exploration=Greedy()``) usually settles on a bad policy, since it never learns what it does
    not try; ``Optimistic(reward, visits)`` counts everything as `reward` until it was tried so often, also in the
    values of the states that lead there.

    Parameters
    ----------
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].
    exploration : Exploration, default EpsilonGreedy(0.1)
        How actions are chosen on the way.
    updates : int, default=200
        Most values that are updated after a step, those whose equations are violated most first.

    Attributes
    ----------
    q_ : ndarray of shape (n_states, n_actions)
        What the actions are worth on the estimated model.
    policy_ : ndarray of shape (n_states,)
        The best of them, -1 in terminal states.
    visits_ : ndarray of shape (n_states, n_actions)
        How often each was tried.

    Examples
    --------
    >>> from certus.reinforce import ADPAgent, GridWorld, Optimistic
    >>> world = GridWorld(discount=0.9)
    >>> agent = ADPAgent(0.9, exploration=Optimistic(1.0, 50), random_state=0).fit(world, episodes=500)
    >>> agent.report_["loss of the policy"].value < 0.05
    True
    """

    _constraints = {**TableLearner._constraints, "updates": [Interval(1, None, integer=True)]}
    _state: ClassVar[tuple[str, ...]] = ("q_", "values_", "policy_", "visits_", "history_", "lengths_")

    q_: Floats
    visits_: NDArray[np.int64]

    def __init__(
        self,
        discount: float = 1.0,
        *,
        exploration: Exploration = EpsilonGreedy(0.1),  # noqa: B008  never changed
        updates: int = 200,
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _agent(self, world: World, seed: int) -> Any:
        shape = (world.n_states, world.n_actions)
        self.q_, self.values_ = np.zeros(shape), np.zeros(world.n_states)
        self.visits_ = np.zeros(shape, dtype=np.int64)
        tables = ModelTables(self.q_, self.values_, self.visits_)
        return _native_calls.model_agent(
            float(self.discount), self.exploration.rule(), world.pairs, None, tables, int(self.updates), seed
        )

    def _keep(self, world: World, agent: Any, diary: Diary) -> None:
        super()._keep(world, agent, diary)
        agent.settle(100 * world.n_states)
        tried = np.where(self.visits_ > 0, self.q_, -np.inf)
        self.policy_ = greedy_policy(world, tried)
