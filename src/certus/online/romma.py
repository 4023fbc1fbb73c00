"""ROMMA, the relaxed online maximum margin algorithm (Li, Long 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from certus.base import register
from certus.base.params import Boolean, Exactly, Interval
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
class ROMMA(MistakeClassifier):
    """Linear classifier of a stream that replaces all earlier rows by one half-space.

    On a mistake w becomes the shortest v with y x'v >= 1 and v'w >= |w|^2. On rows with y x'u >= 1 for some u there are
    at most R^2 |u|^2 mistakes, as of the perceptron, and w tends to the separator of the widest margin.

    Parameters
    ----------
    aggressive : bool, default=False
        Whether rows that are right with y x'w < 1 are learned as well.
    epochs : int or None, default=1
        How often `fit` goes through the rows; None until it makes no mistake.

    Examples
    --------
    >>> from certus.online import ROMMA
    >>> learner = ROMMA(epochs=None).fit([[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, 0.0]], [1, 1, 0, 0])
    >>> learner.predict([[3.0, 1.0], [-1.0, 2.0]]).tolist()
    [1, 0]
    """

    _constraints = {
        **CLASSIFIER_CONSTRAINTS,
        "aggressive": [Boolean()],
        "epochs": [Exactly(None), Interval(1, None, integer=True)],
    }
    _state = STREAM_STATE
    _rule_name = "romma"
    _ends_with = "loss"

    def __init__(
        self,
        *,
        aggressive: bool = False,
        fit_intercept: bool = True,
        epochs: int | None = 1,
        classes: Sequence[Any] | None = None,
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _settings(self) -> dict[str, Any]:
        return {"squared": bool(self.aggressive)}
