"""KL-UCB: optimism by Chernoff's bound (Garivier, Cappe 2011)."""

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
class KLUCB(ArmLearner):
    """Chooses the arm that could have the largest mean q with n kl(mean, q) <= ln t.

    For rewards 0 or 1 no rule that is good for all of them plays wrong arms less often, in the limit.


    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import KLUCB
    >>> rewards = (np.random.default_rng(0).random((2000, 3)) < [0.2, 0.5, 0.8]).astype(float)
    >>> model = KLUCB(3, random_state=0)
    >>> arms = model.run(rewards)
    >>> int(np.bincount(arms).argmax()), 0 in model.not_best()
    (2, True)
    """

    _kind: ClassVar[str] = "kl-ucb"

    def __init__(self, n_arms: Any, *, random_state: RandomStateLike = None) -> None:
        self._set_parameters(locals())
