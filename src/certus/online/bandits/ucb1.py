"""UCB1: optimism by Hoeffding's bound (Auer, Cesa-Bianchi, Fischer 2002)."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import RandomStateLike, register
from certus.online.bandits.arm_learner import ArmLearner


@register(
    takes="arms",
    tasks=("bandits",),
    guarantees=("pseudo-regret from bounds on all arms, at every look", "arms that are provably not best"),
    cost="O(K) per choice for K arms",
)
class UCB1(ArmLearner):
    """Chooses the arm with the largest mean + sqrt(2 ln t / n), after one reward of each.


    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import UCB1
    >>> rewards = (np.random.default_rng(0).random((2000, 3)) < [0.2, 0.5, 0.8]).astype(float)
    >>> model = UCB1(3, random_state=0)
    >>> arms = model.run(rewards)
    >>> int(np.bincount(arms).argmax()), 0 in model.not_best()
    (2, True)
    """

    _kind: ClassVar[str] = "ucb1"

    def __init__(self, n_arms: Any, *, random_state: RandomStateLike = None) -> None:
        self._set_parameters(locals())
