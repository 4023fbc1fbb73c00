"""Vovk's aggregating algorithm, whose predictions need not be averages."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from certus.base import OneOf, register
from certus.online.experts.mixture_forecaster import MixtureForecaster


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret at most c ln n against the best expert, with the smallest c there is",),
    cost="O(n) per trial for n experts",
)
class AggregatingAlgorithm(MixtureForecaster):
    """Predicts a number whose loss is below c times that of the mixture, whatever the label will be.

    With g(y) = -c ln sum_i v_i exp(-eta L(y, x_i)) it is the middle of all p with L(0, p) <= g(0) and L(1, p) <=
    g(1). For the square loss of numbers in [0, 1] eta is 2 and c = 1/2, four times better than the average; for the
    log loss it is the average; for the absolute loss any eta has c = 1 / (2 ln(2/(1+exp(-eta)))), and the best
    expert's loss counts c eta times.

    Parameters
    ----------
    loss : {"log", "square", "absolute"}, default="square"
        What a prediction costs. Labels of the absolute loss are the ends of `value_range`.

    Examples
    --------
    >>> from certus.online import AggregatingAlgorithm
    >>> model = AggregatingAlgorithm("square")
    >>> model.run([[0.9, 0.1], [0.8, 0.3]], [1.0, 1.0]).round(3)
    array([0.5, 0.7])
    >>> model.ledger_.regret <= model.ledger_.bound
    True
    """

    _constraints: ClassVar[Any] = {**MixtureForecaster._constraints, "loss": [OneOf("log", "square", "absolute")]}

    def __init__(
        self,
        loss: str = "square",
        *,
        eta: float | None = None,
        value_range: tuple[float, float] = (0.0, 1.0),
        prior: ArrayLike | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _told(self) -> dict[str, Any]:
        return {**super()._told(), "prediction": "vovk"}
