"""Variable Share: who errs gives weight away (Herbster, Warmuth 1998)."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import OneOf, register
from certus.online.experts.mixture_forecaster import MixtureForecaster


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret against the best sequence of experts with 0 .. k switches, after every trial",),
    cost="O(n k) per trial for n experts and k switches",
)
class VariableShare(MixtureForecaster):
    """Weights shrink with losses; an expert with the loss l in [0, 1] gives away 1 - (1-alpha)^l of its weight.

    While the best expert makes no error nothing is shared, so that the price of switches does not grow with the number
    of trials: the loss is at most (1 + c ln 1/(1-alpha)) L* + c ln n + c k [eta + ln((n-1)/alpha)], for alpha <= 1 -
    1/n.

    Parameters
    ----------
    alpha : float
        What an expert with the loss 1 gives away, in [0, 1].
    loss : {"square"}, default="square"
        What a prediction costs.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import VariableShare
    >>> advice = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)    # the first expert is right, then the second
    >>> model = VariableShare(0.05, prediction="vovk", switches=1)
    >>> predictions = model.run(advice, np.zeros(40))
    >>> line = model.ledger_.switching(1)
    >>> line.comparator, line.regret <= line.bound
    (0.0, True)
    """

    _share: ClassVar[str] = "variable"
    _constraints: ClassVar[Any] = {**MixtureForecaster._constraints, "loss": [OneOf("square")]}

    def __init__(
        self,
        alpha: float,
        *,
        loss: str = "square",
        prediction: str = "average",
        eta: float | None = None,
        switches: int = 0,
        value_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        self._set_parameters(locals())
