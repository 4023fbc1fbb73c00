"""The weighted average of experts' advice."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from certus.base import OneOf, register
from certus.online.experts.mixture_forecaster import MixtureForecaster


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret at most c ln n against the best expert, after every trial",),
    cost="O(n) per trial for n experts",
)
class WeightedAverage(MixtureForecaster):
    """Predicts the average of the advice, weighted by exp(-eta loss so far).

    Its loss is at most that of the best expert plus c ln n: c = 1 for the log loss (eta 1), c = 2 for the square loss
    of numbers in [0, 1] (eta 1/2); with a prior, c ln 1/w.

    Parameters
    ----------
    loss : {"log", "square"}, default="square"
        What a prediction costs.

    Examples
    --------
    >>> from certus.online import WeightedAverage
    >>> advice, labels = [[0.9, 0.1, 0.5], [0.8, 0.3, 0.5], [0.2, 0.9, 0.5]], [1.0, 1.0, 0.0]
    >>> model = WeightedAverage("log")
    >>> model.run(advice, labels).round(3)
    array([0.5  , 0.667, 0.296])
    >>> ledger = model.ledger_
    >>> round(ledger.regret, 3), round(ledger.bound, 3), ledger.check((advice, labels))
    (0.898, 1.099, True)
    """

    def __init__(
        self,
        loss: str = "square",
        *,
        eta: float | None = None,
        value_range: tuple[float, float] = (0.0, 1.0),
        prior: ArrayLike | None = None,
    ) -> None:
        self._set_parameters(locals())

    _constraints: ClassVar[Any] = {**MixtureForecaster._constraints, "loss": [OneOf("log", "square")]}
