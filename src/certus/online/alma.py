"""ALMA, a perceptron that approximates the widest margin (Gentile 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certus.base import register
from certus.base.params import Exactly, Interval
from certus.online.learning.audited_classifier import MistakeClassifier
from certus.online.learning.stream_classifier import CLASSIFIER_CONSTRAINTS
from certus.online.learning.stream_learner import STREAM_STATE
from certus.online.learning.stream_weights import NOT_REPEATED


@register(
    guarantees=("bound on the number of mistakes, on rows with a margin",),
    cost="fit n p, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
)
class ALMA(MistakeClassifier):
    """Linear classifier of a stream that also moves where the margin is small.

    After k steps, a row with y x'w / |x| <= (1 - alpha) sqrt(8) / (alpha sqrt k) moves w by sqrt(2 / k) y x / |x|, cut
    to |w| <= 1. If some u of length 1 has y x'u / |x| >= margin on all rows, there are at most

        2 (2 / alpha - 1)^2 / margin^2 + 8 / alpha - 4

    steps, mistakes among them, and rows that are seen often enough end with at least 1 - alpha of the widest margin.

    Parameters
    ----------
    alpha : float, default=0.9
        Which share of the widest margin need not be reached.
    epochs : int or None, default=1
        How often `fit` goes through the rows; None until it makes no step.

    Examples
    --------
    >>> from certus.online import ALMA
    >>> learner = ALMA(alpha=0.5, epochs=None).fit([[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, 0.0]], [1, 1, 0, 0])
    >>> learner.predict([[3.0, 1.0], [-1.0, 2.0]]).tolist()
    [1, 0]
    """

    _constraints = {
        **CLASSIFIER_CONSTRAINTS,
        "alpha": [Interval(0, 1, "right")],
        "epochs": [Exactly(None), Interval(1, None, integer=True)],
    }
    _state = STREAM_STATE
    _rule_name = "alma"

    def __init__(
        self,
        alpha: float = 0.9,
        *,
        fit_intercept: bool = True,
        epochs: int | None = 1,
        classes: Sequence[Any] | None = None,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _settings(self) -> dict[str, Any]:
        return {"factor": float(np.sqrt(8.0) / self.alpha), "threshold": float(self.alpha)}
