"""Sharing with the past: experts that come back (Bousquet, Warmuth 2002)."""

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
class MixingPastPosteriors(MixtureForecaster):
    """After each trial the new weights are mixed with the mean of all earlier ones, at the share alpha.

    An expert that was good once regains weight quickly, so that sequences among few experts are cheap: with m of them
    and k switches, c [m ln n + (T-1-k) ln 1/(1-alpha) + k ln((T-1)/alpha)].

    Parameters
    ----------
    alpha : float
        The share of earlier weights, in [0, 1].
    loss : {"log", "square"}, default="square"
        What a prediction costs.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import MixingPastPosteriors
    >>> advice = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)    # the first expert is right, then the second
    >>> model = MixingPastPosteriors(0.05, prediction="vovk", switches=1)
    >>> predictions = model.run(advice, np.zeros(40))
    >>> line = model.ledger_.switching(1)
    >>> line.comparator, line.regret <= line.bound
    (0.0, True)
    """

    _share: ClassVar[str] = "past"

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
