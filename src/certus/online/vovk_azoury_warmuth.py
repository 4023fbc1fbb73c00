"""Forward ridge regression (Vovk 2001; Azoury, Warmuth 2001), whose regret is known at any moment."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve

from certus.base import register
from certus.base.params import Interval
from certus.guarantees.ledgers import Line
from certus.online._native_calls.stream_kernels import Array
from certus.online.evidence.forward_line import forward_line
from certus.online.learning.stream_learner import STREAM_CONSTRAINTS, STREAM_STATE
from certus.online.learning.stream_regressor import StreamRegressor


@register(
    guarantees=("regret against the best ridge regression, and its bound, at any moment",),
    cost="fit n p^2, predict p^2 per row",
    draws_rows=True,
)
class VovkAzouryWarmuth(StreamRegressor):
    """Ridge regression along a stream that counts the row to be predicted as seen, with the target 0.

    It predicts x'(penalty I + sum x_s x_s')^-1 sum y_s x_s, the first sum with x itself. Its squared loss exceeds

        min_u sum (y_t - x_t'u)^2 + penalty |u|^2

    by at most Y^2 ln det(I + X'X / penalty), Y the largest |y|; `ledger_` has both sides, exactly, after every trial.

    Parameters
    ----------
    penalty : float, default=1.0
        Strength of the ridge penalty.
    fit_intercept : bool, default=False
        Whether there is a constant among the columns; its coefficient is penalized like the others.

    Examples
    --------
    >>> from certus.online import VovkAzouryWarmuth
    >>> learner = VovkAzouryWarmuth()
    >>> learner.run([[1.0], [1.0], [1.0]], [3.0, 3.0, 3.0]).round(12).tolist()
    [0.0, 1.0, 1.5]
    >>> ledger = learner.ledger_
    >>> round(ledger.regret, 4), round(ledger.bound, 4)
    (8.5, 12.4766)
    """

    _constraints = {**STREAM_CONSTRAINTS, "penalty": [Interval(0, None, "neither")]}
    _state = STREAM_STATE
    _rule_name = "forward"

    def __init__(
        self,
        penalty: float = 1.0,
        *,
        fit_intercept: bool = False,
        epochs: int = 1,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _penalty(self) -> float:
        return float(self.penalty)

    def _coefficients(self) -> Array:
        super()._coefficients()
        return np.asarray(cho_solve((self.state_.matrix, False), self.state_.vector(2)[0]))[None, :]

    def _lines(self) -> tuple[Line, ...]:
        return (forward_line(self.state_),) if self._trials() else ()
