"""Squint: a regret that shrinks with the variance of the best expert (Koolen, van Erven 2015)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register
from certus.base.persistence import check_shapes
from certus.online.experts import _native_calls
from certus.online.experts.allocation_learner import AllocationLearner

Floats = NDArray[np.float64]
RATES: Floats = np.ldexp(1.0, -np.arange(1, 25))  # for losses of width 1; the smallest serves some 10^14 trials
SHARES: Floats = 1.0 / (np.arange(1, 25) * np.arange(2, 26)) * (25 / 24)


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret about sqrt(V ln n), V the observed variance of the best expert, without a horizon",),
    cost="O(n) per trial for n experts",
)
class Squint(AllocationLearner):
    """Weights prior sum_j share_j eta_j exp(eta_j R - eta_j^2 V), over the learning rates 1/2, 1/4, ..., 2^-24.

    R and V are an expert's sums of (paid - lost) and of its square. The sum of prior share_j exp(eta_j R - eta_j^2 V)
    over experts and rates never grows above 1; solved for R at the observed V it bounds the regret, about sqrt(V ln n).

    Attributes
    ----------
    regrets_, variances_ : ndarray of shape (n_experts,)
        R and V of every expert, for losses of width 1.

    Examples
    --------
    >>> from certus.online import Squint
    >>> model = Squint(2)
    >>> model.run([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]).round(3)
    array([0.5  , 0.391, 0.284])
    >>> model.ledger_.regret <= model.ledger_.bound
    True
    """

    _learner: ClassVar[str] = "online/squint"
    _state: ClassVar[tuple[str, ...]] = (*AllocationLearner._state, "regrets_", "variances_")

    regrets_: Floats
    variances_: Floats

    def __init__(self, n_experts: int, *, loss_range: tuple[float, float] = (0.0, 1.0)) -> None:
        self._set_parameters(locals())

    def _begin(self) -> None:
        super()._begin()
        self.regrets_, self.variances_ = np.zeros(self.n_experts), np.zeros(self.n_experts)

    def _settings(self) -> dict[str, Any]:
        low, high = self._range()
        return {"low": low, "high": high, "rates": tuple(RATES.tolist()), "shares": tuple(SHARES.tolist())}

    def _pay(self, table: Floats) -> Floats:
        low, high = self._range()
        moments, grid = (self.regrets_, self.variances_), (RATES, SHARES)
        paid = _native_calls.run_squint(table, high - low, moments, grid, self.sums_)
        self.losses_ = np.add.reduce(np.vstack([self.losses_, table]), axis=0)  # row by row: batches give equal bits
        return paid

    def _account(self) -> dict[str, Any]:
        return {**super()._account(), "regrets": self.regrets_, "variances": self.variances_}

    def _weights(self) -> Floats:
        return _native_calls.squint_weights(self.regrets_, self.variances_, RATES, SHARES)

    def _restored(self) -> None:
        super()._restored()
        if not self._started:
            return
        check_shapes(self, regrets_=(self.n_experts,), variances_=(self.n_experts,))
        for name in ("regrets_", "variances_"):
            array = getattr(self, name)
            if array.dtype != np.float64 or not np.isfinite(array).all():
                raise ValueError(f"{name} must hold finite numbers.")
            setattr(self, name, np.ascontiguousarray(array).copy())
        if (self.variances_ < 0).any():
            raise ValueError("variances_ must not be negative.")
