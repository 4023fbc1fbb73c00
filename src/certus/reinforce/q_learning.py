"""Q-learning: off-policy, by the best next action."""

from __future__ import annotations

from typing import Any

from certus.base import Boolean, register
from certus.reinforce.exploration import EpsilonGreedy, Exploration
from certus.reinforce.learning.control_learner import ControlLearner
from certus.reinforce.step_lengths import Power, StepLength


@register(
    takes="process",
    tasks=("control",),
    guarantees=("loss of the learned policy, in a known process",),
    cost="fit O(actions) per step; predict O(1)",
)
class QLearning(ControlLearner):
    """Q-learning: Q(s, a) += alpha (r + discount * max_b Q(s', b) - Q(s, a)), whatever action comes next.

    Parameters
    ----------
    discount : float, default=1.0
        What a reward is worth one step later, in [0, 1].
    double : bool, default=False
        Keep two tables: one chooses the best next action, the other says what it is worth, so that the largest of noisy
        values is not mistaken for the value of the best.

    Examples
    --------
    >>> from certus.reinforce import EpsilonGreedy, GridWorld, QLearning
    >>> world = GridWorld(discount=0.9)
    >>> learner = QLearning(0.9, exploration=EpsilonGreedy(0.3), random_state=0).fit(world, episodes=20_000)
    >>> learner.report_["loss of the policy"].value < 0.02
    True
    """

    _constraints = {**ControlLearner._constraints, "double": [Boolean()]}

    def __init__(
        self,
        discount: float = 1.0,
        *,
        step: StepLength = Power(0.7),  # noqa: B008  never changed
        exploration: Exploration = EpsilonGreedy(0.1),  # noqa: B008
        double: bool = False,
        random_state: Any = None,
    ) -> None:
        self._set_parameters(locals())

    def _kind(self) -> str:
        return "double" if self.double else "q-learning"
