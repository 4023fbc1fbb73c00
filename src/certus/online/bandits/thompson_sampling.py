"""Thompson sampling with beta posteriors."""

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
class ThompsonSampling(ArmLearner):
    """Draws a mean for every arm from Beta(1 + successes, 1 + failures), and chooses the largest.

    Rewards in between count as parts of a success.


    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import ThompsonSampling
    >>> rewards = (np.random.default_rng(0).random((2000, 3)) < [0.2, 0.5, 0.8]).astype(float)
    >>> model = ThompsonSampling(3, random_state=0)
    >>> arms = model.run(rewards)
    >>> int(np.bincount(arms).argmax()), model.report()["pseudo-regret"].vacuous
    (2, False)
    """

    _kind: ClassVar[str] = "thompson"

    def __init__(self, n_arms: Any, *, random_state: RandomStateLike = None) -> None:
        self._set_parameters(locals())
