"""Adaptive dynamic programming for a given policy: estimate the model, and solve it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike as Policy
from numpy.typing import NDArray

from certus.base import ArrayLike, Interval, register
from certus.reinforce import _native_calls
from certus.reinforce._native_calls import ModelTables
from certus.reinforce.exploration import Greedy
from certus.reinforce.learning.table_learner import TableLearner, policy_shares
from certus.reinforce.learning.worlds import World


@register(takes="process", tasks=("evaluation",), guarantees=(), cost="fit O(updates * actions * next states) per step")
class PassiveADP(TableLearner):
    """Count transitions, p(t | s, a) = n(t | s, a) / n(s, a), and keep the policy's values up to date on that model.

    Parameters
    ----------
    policy : array of shape (S,) or (S, A)
        Actions, or their probabilities.
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].
    updates : int, default=200
        Most values that are updated after a step, those whose equations are violated most first.

    Attributes
    ----------
    visits_ : ndarray of shape (n_states, n_actions)
        How often each action was tried.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, PassiveADP, solve
    >>> world = GridWorld()
    >>> plan = solve(world)
    >>> learner = PassiveADP(plan.policy, random_state=0).fit(world, episodes=2000)
    >>> bool(abs(learner.values_ - plan.values)[learner.visits_.sum(axis=1) > 1000].max() < 0.03)
    True
    """

    _constraints = {**TableLearner._constraints, "policy": [ArrayLike()], "updates": [Interval(1, None, integer=True)]}
    _state: ClassVar[tuple[str, ...]] = ("values_", "visits_", "history_", "lengths_")

    visits_: NDArray[np.int64]

    def __init__(self, policy: Policy, discount: float = 1.0, *, updates: int = 200, random_state: Any = None) -> None:
        self._set_parameters(locals())

    def _agent(self, world: World, seed: int) -> Any:
        shape = (world.n_states, world.n_actions)
        self.values_ = np.zeros(world.n_states)
        self.visits_ = np.zeros(shape, dtype=np.int64)
        tables = ModelTables(np.zeros(shape), self.values_, self.visits_)
        shares = policy_shares(world, self.policy)
        return _native_calls.model_agent(
            float(self.discount), Greedy().rule(), world.pairs, shares, tables, int(self.updates), seed
        )
