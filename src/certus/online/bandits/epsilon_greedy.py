"""The best arm so far, and sometimes any."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import Boolean, Interval, RandomStateLike, register
from certus.online.bandits.arm_learner import ArmLearner


@register(
    takes="arms",
    tasks=("bandits",),
    guarantees=("pseudo-regret from bounds on all arms, at every look", "arms that are provably not best"),
    cost="O(K) per choice for K arms",
)
class EpsilonGreedy(ArmLearner):
    """Chooses the arm with the largest mean, but any arm with probability epsilon.


    Parameters
    ----------
    epsilon : float, default=0.1
        How often any arm is drawn.
    decays : bool, default=False
        Whether that is epsilon K / t in trial t, at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import EpsilonGreedy
    >>> rewards = (np.random.default_rng(0).random((2000, 3)) < [0.2, 0.5, 0.8]).astype(float)
    >>> model = EpsilonGreedy(3, random_state=0)
    >>> arms = model.run(rewards)
    >>> int(np.bincount(arms).argmax()), 0 in model.not_best()
    (2, True)
    """

    _kind: ClassVar[str] = "epsilon-greedy"
    _constraints: ClassVar[Any] = {
        **ArmLearner._constraints,
        "epsilon": [Interval(0.0, 1e6)],
        "decays": [Boolean()],
    }

    def __init__(
        self, n_arms: Any, *, epsilon: float = 0.1, decays: bool = False, random_state: RandomStateLike = None
    ) -> None:
        self._set_parameters(locals())

    def _parameter(self) -> float:
        return float(self.epsilon)

    def _decays(self) -> bool:
        return bool(self.decays)
