"""Winnow (Littlestone 1988): multiplicative updates for disjunctions of few of many variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from certus.base import register
from certus.base.inputs import WeightsLike
from certus.base.params import Exactly, Interval
from certus.guarantees.ledgers import Line
from certus.online.boolean import minimal_disjunction
from certus.online.evidence.hindsight import hindsight
from certus.online.evidence.mistake_lines import winnow_line
from certus.online.learning.stream_classifier import CLASSIFIER_CONSTRAINTS, StreamClassifier
from certus.online.learning.stream_learner import STREAM_STATE
from certus.online.learning.stream_weights import NOT_REPEATED


@register(
    guarantees=("bound on the number of mistakes, where a disjunction is consistent with the stream",),
    cost="fit n p, predict p per row",
    known_failures=NOT_REPEATED,
    draws_rows=True,
    takes="bits",
)
class Winnow(StreamClassifier):
    """Classifier of rows of zeros and ones by weights that are doubled and halved.

    All weights begin with 1. A row is positive if the weights of its ones sum to the threshold, which is the number n
    of columns; on a mistake the weights of its ones are doubled (a missed positive) or halved. If the labels are a
    disjunction of k variables, there are at most

        3 k (lg n + 1) + 2

    mistakes, in whatever order the rows come.

    Parameters
    ----------
    threshold : float, optional
        Sum from which on a row is positive; by default the number of columns, which dicts do not tell.
    factor : float, default=2.0
        What weights are multiplied with or divided by.
    epochs : int, default=1
        How often `fit` goes through the rows, in their order.
    classes : (negative, positive), default=(0, 1)
        The two labels.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.online import Winnow
    >>> X = (np.random.default_rng(3).random((20000, 10)) < 0.2).astype(int)
    >>> learner = Winnow()
    >>> played = learner.run(X, X[:, :3].any(axis=1).astype(int))
    >>> learner.ledger_.mistakes
    15
    """

    _constraints = {
        **{name: rule for name, rule in CLASSIFIER_CONSTRAINTS.items() if name != "fit_intercept"},
        "threshold": [Exactly(None), Interval(0, None, "neither")],
        "factor": [Interval(1, None, "neither")],
    }
    _state = STREAM_STATE
    _rule_name = "winnow"
    fit_intercept = False
    audited_: dict[str, float]

    def __init__(
        self,
        *,
        threshold: float | None = None,
        factor: float = 2.0,
        epochs: int = 1,
        classes: Sequence[Any] | None = (0, 1),
        hash_bits: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _settings(self) -> dict[str, Any]:
        return {"factor": float(self.factor), "threshold": self._threshold()}

    def _threshold(self) -> float:
        return float(self.state_.columns if self.threshold is None else self.threshold)

    def _start(self, columns: int) -> None:
        if self.classes is None or len(self.classes) != 2:
            raise ValueError(
                f"Winnow needs two labels, classes=(negative, positive), got {self.classes!r}.\n"
                "Hint: positive is the second one, for which a disjunction may hold."
            )
        if np.unique(self.classes).tolist() != list(self.classes):
            raise ValueError(
                f"classes must be (negative, positive) in ascending order, got {self.classes!r}.\n"
                "Hint: the larger label is the one for which a disjunction may hold; encode labels as 0 and 1."
            )
        if "names_" in vars(self) and self.threshold is None:
            raise ValueError(
                "Winnow needs its threshold when rows are dicts, got threshold=None.\n"
                "Hint: the number of names that may come."
            )
        super()._start(columns)
        self.state_.number("weight")[:] = columns

    def audit(
        self, X: Any, y: Any, sample_weight: WeightsLike = None, *, variables: Sequence[int] | None = None
    ) -> Self:
        """Bound the mistakes by a disjunction that is consistent with the stream.

        Parameters
        ----------
        X, y : table and labels
            All trials since the learner was new, in their order.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights.
        variables : sequence of int, optional
            Columns of the disjunction; by default the fewest that there are.

        Returns
        -------
        self
            Its `ledger_` has the bound from now on.
        """
        (stream,) = hindsight(self, X, y, sample_weight)
        if self.factor != 2.0 or self.threshold is not None:
            raise ValueError("the bound is that of the factor 2 and of the number of columns as threshold.")
        rows = np.asarray(stream.rows.toarray() if hasattr(stream.rows, "toarray") else stream.rows)
        if not np.isin(rows, (0.0, 1.0)).all():
            raise ValueError("the bound is one for rows of zeros and ones; other values came.\nHint: encode them.")
        if variables is None:
            found = minimal_disjunction(rows, stream.targets > 0.0)
            if found is None:
                raise ValueError("no disjunction is right on every row.\nHint: the perceptron's bound needs none.")
            variables = found.variables
        says = np.where(rows[:, list(variables)].any(axis=1), 1.0, -1.0)
        wrong = np.flatnonzero(says != stream.targets)
        if len(wrong):
            raise ValueError(
                f"row {wrong[0]}: the disjunction of the columns {list(variables)} is wrong.\n"
                "Hint: the bound needs one that is right on every row."
            )
        self.audited_ = {"trials": float(self._trials()), "variables": float(len(variables))}
        self.__dict__.pop("_ledger", None)
        return self

    def _lines(self) -> tuple[Line, ...]:
        audited = vars(self).get("audited_")
        if audited is None or audited["trials"] != self._trials():
            return ()
        return (winnow_line(float(self.state_.number("mistakes")[0]), self.state_.columns, int(audited["variables"])),)
