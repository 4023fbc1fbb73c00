"""A floor under the weights by projection (Herbster, Warmuth 2001)."""

from __future__ import annotations

from typing import ClassVar

from certus.base import register
from certus.online.experts.mixture_forecaster import MixtureForecaster


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret against the best sequence of experts with 0 .. k switches, after every trial",),
    cost="O(n k) per trial for n experts and k switches",
)
class FlooredWeights(MixtureForecaster):
    """Weights shrink with losses and are then projected onto those of at least alpha/n, by relative entropy.

    The comparator u = (1-alpha) e_i + alpha/n of the best expert lies above the floor, where projections lose nothing;
    each of its k switches costs at most c (1-alpha) ln(n/alpha).

    Parameters
    ----------
    alpha : float
        n times the smallest weight, in [0, 1].
    loss : {"log", "square"}, default="square"
        What a prediction costs.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import FlooredWeights
    >>> advice = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)    # the first expert is right, then the second
    >>> model = FlooredWeights(0.05, prediction="vovk", switches=1)
    >>> predictions = model.run(advice, np.zeros(40))
    >>> line = model.ledger_.switching(1)
    >>> line.comparator, line.regret <= line.bound
    (0.0, True)
    """

    _share: ClassVar[str] = "floor"

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
