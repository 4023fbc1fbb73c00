"""Experts that sleep: NaN is no advice (Freund, Schapire, Singer, Warmuth 1997)."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from certus.base import register
from certus.online.experts.mixture_forecaster import MixtureForecaster


@register(
    takes="advice",
    tasks=("experts",),
    guarantees=("regret at most c ln n against every expert, over the trials in which it was awake",),
    cost="O(n) per trial for n experts",
)
class Specialists(MixtureForecaster):
    """Predicts from the experts that are awake; the weights of the others stay as they are.

    The weight of all who are awake together does not change in a trial. Over the trials in which an expert was awake,
    the learner's loss is at most that expert's plus c ln 1/w. Who joins late is an expert that slept before.

    Parameters
    ----------
    loss : {"log", "square"}, default="square"
        What a prediction costs.

    Attributes
    ----------
    losses_ : ndarray of shape (n_experts,)
        Every expert's loss while awake, of numbers scaled to [0, 1].
    aside_ : ndarray of shape (n_experts,)
        What the learner paid beyond it in those trials.

    Examples
    --------
    >>> from certus.online import Specialists
    >>> asleep = float("nan")
    >>> model = Specialists()
    >>> model.run([[0.9, asleep], [0.8, asleep], [0.2, 0.9]], [1.0, 1.0, 1.0]).round(2)
    array([0.9 , 0.8 , 0.55])
    >>> model.ledger_.regret <= model.ledger_.bound
    True
    """

    _sleeps: ClassVar[bool] = True

    def __init__(
        self,
        loss: str = "square",
        *,
        prediction: str = "average",
        eta: float | None = None,
        value_range: tuple[float, float] = (0.0, 1.0),
        prior: ArrayLike | None = None,
    ) -> None:
        self._set_parameters(locals())
