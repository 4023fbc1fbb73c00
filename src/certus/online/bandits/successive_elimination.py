"""Successive elimination (Even-Dar, Mannor, Mansour 2006)."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import Interval, RandomStateLike, register
from certus.online.bandits.arm_learner import ArmLearner


@register(
    takes="arms",
    tasks=("bandits",),
    guarantees=("pseudo-regret from bounds on all arms, at every look", "arms that are provably not best"),
    cost="O(K) per choice for K arms",
)
class SuccessiveElimination(ArmLearner):
    """Plays all arms that are left in turn, and drops those whose upper bound is below another one's lower bound.

    The best arm is dropped with probability delta at most, over all time.


    Parameters
    ----------
    delta : float, default=0.05
        Probability with which the best arm may be dropped.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import SuccessiveElimination
    >>> rewards = (np.random.default_rng(0).random((2000, 3)) < [0.2, 0.5, 0.8]).astype(float)
    >>> model = SuccessiveElimination(3, random_state=0)
    >>> arms = model.run(rewards)
    >>> int(np.bincount(arms).argmax()), 0 in model.not_best()
    (2, True)
    """

    _kind: ClassVar[str] = "elimination"
    _constraints: ClassVar[Any] = {**ArmLearner._constraints, "delta": [Interval(0.0, 1.0, closed="neither")]}

    def __init__(self, n_arms: Any, *, delta: float = 0.05, random_state: RandomStateLike = None) -> None:
        self._set_parameters(locals())

    def _parameter(self) -> float:
        return float(self.delta)
