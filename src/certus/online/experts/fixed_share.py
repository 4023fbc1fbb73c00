"""Fixed Share: experts that take turns (Herbster, Warmuth 1998)."""

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
class FixedShare(MixtureForecaster):
    """Weights shrink with losses; then every expert gives the share alpha of its weight to the others.

    It is the mixture over all n^T sequences of experts, with the prior (1/n)(1-alpha)^(T-1-k)(alpha/(n-1))^k on
    those with k switches, in O(n) per trial. Against each of them its regret is at most
    c [ln n + (T-1-k) ln 1/(1-alpha) + k ln((n-1)/alpha)].

    Parameters
    ----------
    alpha : float
        The share, in [0, 1]; k switches in T trials ask for k / (T - 1).
    loss : {"log", "square"}, default="square"
        What a prediction costs.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import FixedShare
    >>> advice = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)    # the first expert is right, then the second
    >>> model = FixedShare(0.05, prediction="vovk", switches=1)
    >>> predictions = model.run(advice, np.zeros(40))
    >>> line = model.ledger_.switching(1)
    >>> line.comparator, line.regret <= line.bound
    (0.0, True)
    """

    _share: ClassVar[str] = "fixed"

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
