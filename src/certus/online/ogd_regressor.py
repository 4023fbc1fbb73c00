"""Online gradient descent for regression."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.base.params import Interval, OneOf
from certus.losses import named_loss
from certus.online.learning.gradient_learner import GRADIENT_CONSTRAINTS, GradientLearner
from certus.online.learning.stream_learner import STREAM_CONSTRAINTS, STREAM_STATE
from certus.online.learning.stream_regressor import StreamRegressor
from certus.online.learning.stream_weights import NOT_REPEATED

LOSSES = ("squared", "squared_error", "absolute", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")


@register(
    guarantees=("bound on the regret of the linearized losses, at any moment", "regret in hindsight"),
    cost="fit n p, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class OGDRegressor(GradientLearner, StreamRegressor):
    """Linear regression along a stream by online gradient descent.

    Parameters
    ----------
    loss : str, default="squared"
        "squared" ((f - y)^2 / 2), "absolute", "huber", "epsilon_insensitive" or "squared_epsilon_insensitive".
    epsilon : float, default=0.1
        Deviation that does not count, or up to which the Huber loss is a square.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import OGDRegressor
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> learner = OGDRegressor().fit(X, X @ [1.0, -2.0])
    >>> bool(np.abs(learner.coef_ - [1.0, -2.0]).max() < 0.1)
    True
    """

    _constraints = {
        **STREAM_CONSTRAINTS,
        **GRADIENT_CONSTRAINTS,
        "loss": [OneOf(*LOSSES)],
        "epsilon": [Interval(0, None)],
    }
    _state = STREAM_STATE
    _adaptive_eta, _adaptive_radius = 0.1, 3.0

    def __init__(
        self,
        loss: str = "squared",
        *,
        epsilon: float = 0.1,
        geometry: str = "adagrad",
        eta: float | None = None,
        radius: float | None = None,
        horizon: int | None = None,
        max_norm: float | None = None,
        fit_intercept: bool = True,
        conservative: bool = False,
        epochs: int = 1,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _start(self, columns: int) -> None:
        super()._start(columns)
        self.state_.number("unit")[:] = float(self.geometry != "adagrad")

    def _loss(self) -> Any:
        return named_loss(self.loss, float(self.epsilon))
