"""Balanced Winnow (Littlestone 1989): two weights per column, for rows and coefficients of any sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from certus.base import register
from certus.base.params import Interval
from certus.online.learning.stream_classifier import CLASSIFIER_CONSTRAINTS, StreamClassifier
from certus.online.learning.stream_learner import STREAM_STATE
from certus.online.learning.stream_weights import NOT_REPEATED


@register(guarantees=(), cost="fit n p, predict p per row", known_failures=NOT_REPEATED, draws_rows=True)
class BalancedWinnow(StreamClassifier):
    """Linear classifier of a stream by multiplicative updates, w_j = w_j+ - w_j-.

    Both weights begin with 1; on a mistake w_j+ is multiplied with factor^(y x_j) and w_j- divided by it, y = -1 or 1.
    It suits rows of entries up to about 1 in which few of many columns matter.

    Parameters
    ----------
    factor : float, default=1.5
        What weights are multiplied with or divided by, for an entry of 1.

    Examples
    --------
    >>> from certus.online import BalancedWinnow
    >>> learner = BalancedWinnow().fit([[1.0, 0.0], [0.0, 1.0]] * 5, [1, 0] * 5)
    >>> learner.predict([[1.0, 0.0], [0.0, 1.0]]).tolist()
    [1, 0]
    """

    _constraints = {**CLASSIFIER_CONSTRAINTS, "factor": [Interval(1, None, "neither")]}
    _state = STREAM_STATE
    _rule_name = "balanced"

    def __init__(
        self,
        *,
        factor: float = 1.5,
        fit_intercept: bool = True,
        epochs: int = 1,
        classes: Sequence[Any] | None = None,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _settings(self) -> dict[str, Any]:
        return {"factor": float(self.factor)}
