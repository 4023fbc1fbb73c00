"""EXP3-IX: estimates that explore by themselves (Neu 2015)."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import RandomStateLike, register
from certus.guarantees import Certificate
from certus.guarantees.records import check_confidence, failure_of
from certus.online.bandits.adversarial_arms import AdversarialArms, exp3_ix_bound, regret_record


@register(
    takes="arms",
    tasks=("bandits",),
    guarantees=("regret with high probability, against rewards that were fixed before",),
    cost="O(K) per choice for K arms",
)
class Exp3IX(AdversarialArms):
    """As `Exp3`, but a loss counts as l/(v_i + eta/2), a little too small, so that estimates vary less.

    With `horizon`, the regret in up to T trials is at most
    2 sqrt(2 K T ln K) + (sqrt(2 K T/ln K) + 1) ln(2/failure), with any probability 1 - failure.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import Exp3IX
    >>> rewards = (np.random.default_rng(0).random((5000, 3)) < [0.2, 0.5, 0.8]).astype(float)
    >>> model = Exp3IX(3, horizon=5000, random_state=0)
    >>> arms = model.run(rewards)
    >>> int(np.bincount(arms).argmax()), model.report()["regret"].kind
    (2, 'probable')
    """

    _kind: ClassVar[str] = "exp3-ix"

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
        if self.eta is not None or self.horizon is None or trials > self.horizon or arms == 1:
            return None
        horizon = int(self.horizon)
        value = exp3_ix_bound(arms, horizon, failure_of(check_confidence(confidence))) * (1 + 1e-12)
        facts = {"arms": arms, "horizon": horizon}
        return regret_record("online/exp3-ix", value, trials, facts, confidence=confidence)
