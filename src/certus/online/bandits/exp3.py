"""EXP3: Hedge on estimated losses (Auer, Cesa-Bianchi, Freund, Schapire 2002)."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import RandomStateLike, register
from certus.guarantees import Certificate
from certus.online.bandits.adversarial_arms import AdversarialArms, exp3_bound, regret_record


@register(
    takes="arms",
    tasks=("bandits",),
    guarantees=("expected regret at most ln K/eta + eta K T/2 against rewards that were fixed before",),
    cost="O(K) per choice for K arms",
)
class Exp3(AdversarialArms):
    """Chooses arm i with probability v_i, and counts its loss l = 1 - reward as l/v_i: right on average.

    For any rewards that were fixed before, the expected regret is at most ln K/eta + eta K T/2, with `horizon`
    sqrt(2 T K ln K).

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import Exp3
    >>> rewards = (np.random.default_rng(0).random((5000, 3)) < [0.2, 0.5, 0.8]).astype(float)
    >>> model = Exp3(3, horizon=5000, random_state=0)
    >>> arms = model.run(rewards)
    >>> int(np.bincount(arms).argmax()), model.report()["regret"].kind
    (2, 'expectation')
    """

    _kind: ClassVar[str] = "exp3"

    def __init__(
        self,
        n_arms: Any,
        *,
        horizon: int | None = None,
        eta: float | None = None,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def _regret_bound(self, confidence: float) -> Certificate | None:
        trials, arms = int(self.counts_.sum()), len(self.labels_)
        if trials == 0 or arms == 1:
            return None
        eta = self._parameter()
        value = exp3_bound(eta, arms, trials) * (1 + 1e-12)
        return regret_record("online/exp3", value, trials, {"arms": arms, "eta": eta})
