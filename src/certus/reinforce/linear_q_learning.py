"""Q-learning with a function that is linear in features."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.reinforce.exploration import EpsilonGreedy, Exploration
from certus.reinforce.learning.linear_learner import LinearControlLearner
from certus.reinforce.state_features import StateFeatures
from certus.reinforce.step_lengths import Power, StepLength


@register(
    takes="process",
    tasks=("control",),
    guarantees=("loss of the learned policy, in a known process",),
    cost="fit O(actions * features) per step",
)
class LinearQLearning(LinearControlLearner):
    """Q-learning for Q(s, a) = features(s) . weights(a): weights(a) += alpha (target - Q(s, a)) features(s).

    With `OneHot` it is `QLearning`, bit for bit. Off-policy learning with other features can diverge.

    Parameters
    ----------
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].

    Examples
    --------
    >>> from certus.reinforce import Constant, FourierFeatures, GridWorld, LinearQLearning
    >>> features = FourierFeatures([1, 1], [4, 3], order=2)    # of (column, row)
    >>> learner = LinearQLearning(features, 0.9, step=Constant(0.02), random_state=0)
    >>> learner.fit(GridWorld(discount=0.9), episodes=3000).predict([[3, 3]])
    array([3])
    """

    def __init__(
        self,
        features: StateFeatures,
        discount: float = 1.0,
        *,
        step: StepLength = Power(0.7),  # noqa: B008  never changed
        exploration: Exploration = EpsilonGreedy(0.1),  # noqa: B008
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _kind(self) -> str:
        return "q-learning"
