"""Passive-aggressive classification (Crammer et al. 2006): the smallest step that repairs a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from certus.base import register
from certus.base.params import Interval, OneOf
from certus.online.learning.audited_classifier import MistakeClassifier
from certus.online.learning.stream_classifier import CLASSIFIER_CONSTRAINTS
from certus.online.learning.stream_learner import STREAM_STATE
from certus.online.learning.stream_weights import NOT_REPEATED


@register(
    guarantees=("bound on the number of mistakes, for any stream",),
    cost="fit n p, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class PassiveAggressiveClassifier(MistakeClassifier):
    """Linear classifier of a stream whose every step is a small optimum of its own.

    With the hinge loss l = max(0, 1 - y (x'w + b)), y = -1 or 1, the coefficients become

        argmin_v |v - w|^2 / 2 + C l(v) (loss="hinge"),      argmin_v |v - w|^2 / 2 + C l(v)^2 (loss="squared_hinge")

    which is w + tau y x with tau = min(C, l / |x|^2), or l / (|x|^2 + 1 / (2 C)): nothing if the row is right with a
    margin, all the way to the margin if that is not too far, else a step of length C.

    Parameters
    ----------
    C : float, default=1.0
        How far one row may move the coefficients.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The first or the second kind of step.

    Examples
    --------
    >>> from certus.online import PassiveAggressiveClassifier
    >>> learner = PassiveAggressiveClassifier(fit_intercept=False, C=10.0)
    >>> learner.run([[2.0, 0.0], [0.0, 1.0]], [1, 0]).tolist()
    [None, None]
    >>> learner.coef_.tolist()
    [[0.5, -1.0]]
    """

    _constraints = {
        **CLASSIFIER_CONSTRAINTS,
        "C": [Interval(0, None, "neither")],
        "loss": [OneOf("hinge", "squared_hinge")],
    }
    _state = STREAM_STATE
    _rule_name = "passive"

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "hinge",
        fit_intercept: bool = True,
        epochs: int = 1,
        classes: Sequence[Any] | None = None,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _settings(self) -> dict[str, Any]:
        return {"loss": ("hinge", 0.0), "eta": float(self.C), "squared": self.loss == "squared_hinge"}
