"""Passive-aggressive regression (Crammer et al. 2006)."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.base.params import Interval, OneOf
from certus.online.learning.stream_learner import STREAM_CONSTRAINTS, STREAM_STATE
from certus.online.learning.stream_regressor import StreamRegressor
from certus.online.learning.stream_weights import NOT_REPEATED


@register(guarantees=(), cost="fit n p, predict p per row", known_failures=NOT_REPEATED, draws_rows=True)
class PassiveAggressiveRegressor(StreamRegressor):
    """Linear regression along a stream, by the smallest step that brings a row within ``epsilon``.

    With l = max(0, |x'w + b - y| - epsilon) the step is sign(y - x'w - b) tau x, tau = min(C, l / |x|^2), or
    l / (|x|^2 + 1 / (2 C)) for the squared loss.

    Parameters
    ----------
    C : float, default=1.0
        How far one row may move the coefficients.
    epsilon : float, default=0.1
        Deviation that does not count.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The first or the second kind of step.

    Examples
    --------
    >>> from certus.online import PassiveAggressiveRegressor
    >>> learner = PassiveAggressiveRegressor(C=10.0, epsilon=0.0)
    >>> learner.run([[1.0], [1.0]], [2.0, 2.0]).tolist()
    [0.0, 2.0]
    """

    _constraints = {
        **STREAM_CONSTRAINTS,
        "C": [Interval(0, None, "neither")],
        "epsilon": [Interval(0, None)],
        "loss": [OneOf("epsilon_insensitive", "squared_epsilon_insensitive")],
    }
    _state = STREAM_STATE
    _rule_name = "passive"

    def __init__(
        self,
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        epochs: int = 1,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _settings(self) -> dict[str, Any]:
        return {
            "loss": ("epsilon_insensitive", float(self.epsilon)),
            "eta": float(self.C),
            "squared": self.loss == "squared_epsilon_insensitive",
        }
