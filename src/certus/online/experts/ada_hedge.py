"""AdaHedge: Hedge that finds its learning rate (de Rooij, van Erven, Grunwald, Koolen 2014)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register
from certus.base.params import Constraints
from certus.online.experts import _native_calls
from certus.online.experts.allocation_learner import AllocationLearner

Floats = NDArray[np.float64]


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret at most twice the sum of observed mixability gaps, without a range or a horizon",),
    cost="O(n) per trial for n experts",
)
class AdaHedge(AllocationLearner):
    """Hedge with eta = ln n / Delta, where Delta is the sum of what weights cost beyond their mixture so far.

    The regret is at most 2 Delta, for losses of any sign and size; adding a constant to all losses of a trial, or
    scaling all losses, changes no weight.

    Examples
    --------
    >>> from certus.online import AdaHedge
    >>> model = AdaHedge(2)
    >>> model.run([[0.0, 3.0], [2.0, 0.0], [0.0, 3.0]]).round(3)
    array([1.5  , 1.6  , 1.194])
    >>> model.ledger_.regret <= model.ledger_.bound
    True
    """

    _constraints: ClassVar[Constraints] = {"n_experts": AllocationLearner._constraints["n_experts"]}
    _learner: ClassVar[str] = "online/ada-hedge"

    def __init__(self, n_experts: int) -> None:
        self._set_parameters(locals())

    def _range(self) -> tuple[float, float]:
        return -math.inf, math.inf

    def _settings(self) -> dict[str, Any]:
        return {"low": -math.inf, "high": math.inf}

    def _pay(self, table: Floats) -> Floats:
        return _native_calls.run_ada_hedge(table, self.losses_, self.sums_)

    def _account(self) -> dict[str, Any]:
        return {**super()._account(), "gaps": float(self.sums_[3])}

    def _weights(self) -> Floats:
        gaps = float(self.sums_[3])
        return _native_calls.hedge_weights(self.losses_, math.log(self.n_experts) / gaps if gaps > 0.0 else math.inf)
