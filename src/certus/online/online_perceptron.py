"""The perceptron along a stream (Rosenblatt 1958), with the bound on its mistakes for any stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certus.base import register
from certus.base.params import Boolean, Exactly, Interval
from certus.online._native_calls import stream_kernels
from certus.online._native_calls.stream_kernels import Array
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
class OnlinePerceptron(MistakeClassifier):
    """Linear classifier of a stream that moves only on mistakes.

    A trial with y (x'w + b) <= 0, y = -1 or 1, is a mistake (so is a tie), and then w := w + y x. On any stream,
    with R the longest row and L_u the hinge loss of u, both on the mistaken trials, there are at most

        ((a + sqrt(a^2 + 4 L_u)) / 2)^2,      a = R |u|

    mistakes, for every u: (R / margin)^2 on rows with a margin. `ledger_` has it after `run` on few rows, or after
    `audit`.

    Parameters
    ----------
    average : bool, default=False
        Whether `predict` uses the average of the coefficients over all trials (Freund, Schapire 1999), which is far
        better on noisy rows. Along the stream the last ones play.
    epochs : int or None, default=1
        How often `fit` goes through the rows; None until it makes no mistake.

    Examples
    --------
    >>> from certus.online import OnlinePerceptron
    >>> learner = OnlinePerceptron()
    >>> for x, y in [({"a": 1}, "yes"), ({"b": 1}, "no"), ({"a": 1, "b": 1}, "yes")]:
    ...     predicted = learner.predict_one(x)
    ...     learner = learner.learn_one(x, y)
    >>> learner.ledger_.mistakes, learner.predict_one({"a": 2.0})
    (3, 'yes')
    """

    _constraints = {
        **CLASSIFIER_CONSTRAINTS,
        "average": [Boolean()],
        "epochs": [Exactly(None), Interval(1, None, integer=True)],
    }
    _state = STREAM_STATE
    _rule_name = "perceptron"

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        average: bool = False,
        epochs: int | None = 1,
        classes: Sequence[Any] | None = None,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _coefficients(self) -> Array:
        last = super()._coefficients()
        if not self.average:
            return last
        trials = np.maximum(self.state_.number("trials"), 1.0)[:, None]
        return last - self.state_.vector(1) / trials

    def _values(self, table: Any) -> Array:
        if not self.average:
            return self._scores(table)
        return stream_kernels.products(table, self._coefficients(), self.fit_intercept)
