"""SARSA: on-policy, by the next action that is really taken."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.reinforce.exploration import EpsilonGreedy, Exploration
from certus.reinforce.learning.control_learner import ControlLearner
from certus.reinforce.step_lengths import Power, StepLength


@register(
    takes="process",
    tasks=("control",),
    guarantees=("loss of the learned policy, in a known process",),
    cost="fit O(actions) per step; predict O(1)",
)
class SARSA(ControlLearner):
    """SARSA: Q(s, a) += alpha (r + discount * Q(s', a') - Q(s, a)) with the action a' that is taken next.

    It learns what its own exploration costs, and keeps away from places where a random step is expensive.

    Parameters
    ----------
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].

    Examples
    --------
    >>> from certus.reinforce import SARSA, GridWorld
    >>> SARSA(0.9, random_state=0).fit(GridWorld(discount=0.9), episodes=1000).q_.shape
    (11, 4)
    """

    def __init__(
        self,
        discount: float = 1.0,
        *,
        step: StepLength = Power(0.7),  # noqa: B008  never changed
        exploration: Exploration = EpsilonGreedy(0.1),  # noqa: B008
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _kind(self) -> str:
        return "sarsa"
