"""Temporal differences: values of a given policy, without a model."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike as Policy
from numpy.typing import NDArray

from certus.base import ArrayLike, Interval, register
from certus.guarantees import Report
from certus.reinforce import _native_calls
from certus.reinforce.learning.table_learner import TableLearner, policy_shares
from certus.reinforce.learning.worlds import World
from certus.reinforce.step_lengths import Power, StepLength


@register(takes="process", tasks=("evaluation",), guarantees=(), cost="fit O(1) per step, O(states) with traces")
class PassiveTD(TableLearner):
    """TD(lambda): U(s) += alpha (r + discount * U(s') - U(s)), for the states seen of late by their traces.

    Parameters
    ----------
    policy : array of shape (S,) or (S, A)
        Actions, or their probabilities.
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].
    lambda_ : float, default=0.0
        By how much traces of earlier states fade, besides the discount; 1 is close to Monte Carlo.
    step : StepLength, default Power(0.7)
        How far estimates move.

    Attributes
    ----------
    visits_ : ndarray of shape (n_states,)
        How often each state was left.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, PassiveTD, solve
    >>> world = GridWorld()
    >>> plan = solve(world)
    >>> learner = PassiveTD(plan.policy, random_state=0).fit(world, episodes=20_000)
    >>> bool(abs(learner.values_ - plan.values)[learner.visits_ > 1000].max() < 0.03)
    True
    """

    _constraints = {**TableLearner._constraints, "policy": [ArrayLike()], "lambda_": [Interval(0, 1)]}
    _state: ClassVar[tuple[str, ...]] = ("values_", "visits_", "history_", "lengths_")

    visits_: NDArray[np.int64]

    def __init__(
        self,
        policy: Policy,
        discount: float = 1.0,
        *,
        lambda_: float = 0.0,
        step: StepLength = Power(0.7),  # noqa: B008  never changed
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _agent(self, world: World, seed: int) -> Any:
        self.values_ = world.fixed.copy()
        self.visits_ = np.zeros(world.n_states, dtype=np.int64)
        shares = policy_shares(world, self.policy)
        discount, lambda_ = float(self.discount), float(self.lambda_)
        return _native_calls.policy_agent(discount, lambda_, self.step.rule(), shares, self.values_, self.visits_, seed)

    def _report(self, world: World) -> Report:
        return Report()
