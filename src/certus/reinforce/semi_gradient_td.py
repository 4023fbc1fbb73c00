"""Values of a policy by a function that is linear in features."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike as Policy
from numpy.typing import NDArray

from certus.base import ArrayLike, InstanceOf, register
from certus.guarantees import Report
from certus.reinforce import _native_calls
from certus.reinforce.learning.linear_learner import features_of
from certus.reinforce.learning.table_learner import TableLearner, policy_shares
from certus.reinforce.learning.worlds import Diary, World
from certus.reinforce.state_features import StateFeatures
from certus.reinforce.step_lengths import Power, StepLength


@register(takes="process", tasks=("evaluation",), guarantees=(), cost="fit O(features) per step")
class SemiGradientTD(TableLearner):
    """TD(0) for U(s) = features(s) . weights: weights += alpha (r + discount * U(s') - U(s)) features(s).

    The target counts as a constant, so that this is half of a gradient. With `OneHot` it is `PassiveTD`, bit for bit.

    Parameters
    ----------
    policy : array of shape (S,) or (S, A)
        Actions, or their probabilities.
    features : StateFeatures
        What U is linear in.
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].
    step : StepLength, default Power(0.7)
        How far weights move.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        The weights.
    visits_ : ndarray of shape (n_states,)
        How often each state was left.

    Examples
    --------
    >>> from certus.reinforce import GridWorld, OneHot, SemiGradientTD, solve
    >>> world = GridWorld()
    >>> learner = SemiGradientTD(solve(world).policy, OneHot(11), random_state=0).fit(world, episodes=5000)
    >>> bool(abs(learner.values_ - solve(world).values)[world.state(1, 1)] < 0.05)
    True
    """

    _constraints = {**TableLearner._constraints, "policy": [ArrayLike()], "features": [InstanceOf(StateFeatures)]}
    _state: ClassVar[tuple[str, ...]] = ("weights_", "values_", "visits_", "history_", "lengths_")

    weights_: NDArray[np.float64]
    visits_: NDArray[np.int64]

    def __init__(
        self,
        policy: Policy,
        features: StateFeatures,
        discount: float = 1.0,
        *,
        step: StepLength = Power(0.7),  # noqa: B008  never changed
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _agent(self, world: World, seed: int) -> Any:
        table = np.ascontiguousarray(features_of(self.features, world))
        self.weights_ = np.zeros(table.shape[1])
        self.visits_ = np.zeros(world.n_states, dtype=np.int64)
        shares = policy_shares(world, self.policy)
        tables = (table, self.weights_, self.visits_)
        return _native_calls.linear_policy_agent(float(self.discount), self.step.rule(), shares, *tables, seed)

    def _keep(self, world: World, agent: Any, diary: Diary) -> None:
        super()._keep(world, agent, diary)
        ends = ~(world.pairs >= 0).any(axis=1)
        self.values_ = np.where(ends, world.fixed, features_of(self.features, world) @ self.weights_)

    def _report(self, world: World) -> Report:
        return Report()
