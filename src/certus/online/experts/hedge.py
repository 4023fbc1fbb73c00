"""Hedge: weights that shrink exponentially with losses (Freund, Schapire 1997)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Exactly, Interval, register
from certus.base.params import Constraints
from certus.online.experts import _native_calls
from certus.online.experts.allocation_learner import AllocationLearner
from certus.online.experts.regret_bounds import tuned_hedge

Floats = NDArray[np.float64]


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret at most min(ln n/eta + eta T/8, ln n/eta + (eta/2) sum v l^2), after every trial",),
    cost="O(n) per trial for n experts",
)
class Hedge(AllocationLearner):
    """Weights exp(-eta loss so far), normalized.

    The regret is at most ln n/eta + eta T width^2/8, and at most ln n/eta + (eta/2) sum_t sum_i v_i l_i^2 for losses
    counted from the lower end of their range; the ledger takes the smaller one.

    Parameters
    ----------
    horizon : int, default=None
        The number of trials T for which eta = sqrt(8 ln n/T)/width is best; then the regret is below
        width sqrt(T ln n/2).
    eta : float, default=None
        Learning rate, if not that of `horizon`.

    Examples
    --------
    >>> from certus.online import Hedge
    >>> model = Hedge(3, eta=1.0)
    >>> model.run([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]).round(3)
    array([0.667, 0.212])
    >>> ledger = model.ledger_
    >>> round(ledger.regret, 3), round(ledger.bound, 3)
    (0.879, 1.349)
    """

    _constraints: ClassVar[Constraints] = {
        **AllocationLearner._constraints,
        "horizon": [Interval(1, 10**15, integer=True), Exactly(None)],
        "eta": [Interval(0.0, 1e9, closed="right"), Exactly(None)],
    }
    _learner: ClassVar[str] = "online/hedge"

    def __init__(
        self,
        n_experts: int,
        *,
        horizon: int | None = None,
        eta: float | None = None,
        loss_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self._set_parameters(locals())

    def _restored(self) -> None:
        super()._restored()
        if self._started:
            self._rate()

    def _rate(self) -> float:
        if self.eta is not None:
            return float(self.eta)
        if self.horizon is None:
            raise ValueError(
                "Hedge needs horizon, the number of trials, or eta.\nHint: AdaHedge needs neither of them."
            )
        low, high = self._range()
        return tuned_hedge(max(int(self.n_experts), 2), int(self.horizon), high - low)[0]

    def _settings(self) -> dict[str, Any]:
        low, high = self._range()
        return {"eta": self._rate(), "low": low, "high": high}

    def _pay(self, table: Floats) -> Floats:
        return _native_calls.run_hedge(table, self._rate(), self._range()[0], self.losses_, self.sums_)

    def _account(self) -> dict[str, Any]:
        return {**super()._account(), "squares": float(self.sums_[2])}

    def _weights(self) -> Floats:
        return _native_calls.hedge_weights(self.losses_, self._rate())
