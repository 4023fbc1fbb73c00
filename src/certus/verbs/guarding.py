"""The verb `guard`: a threshold that keeps named rates, or the honest answer that there is none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from certus.base import TableLike, TargetLike
from certus.base.blocks import answered
from certus.evaluation import class_response
from certus.guarantees import Guard, control_rates
from certus.guarantees.holdout import Predictor
from certus.guarantees.rows import judged_report, watch_rows


def guard(
    model: Predictor | ArrayLike,
    X: TableLike | None = None,
    y: TargetLike | None = None,
    *,
    recall: float | None = None,
    precision: float | None = None,
    false_alarm: float | None = None,
    alarm_rate: float | None = None,
    confidence: float = 0.95,
    positive: object = None,
    thresholds: ArrayLike | None = None,
    procedure: str | None = None,
    prefer: str | None = None,
    allow_training_rows: bool = False,
) -> Guard:
    """Find a threshold on the scores of a binary classifier that keeps all the rates asked for.

    Parameters
    ----------
    model : fitted classifier, or array of scores
        Scores come from `predict_proba` or `decision_function`; an array holds one score per row, and the call
        is then ``guard(scores, y, recall=0.95)``.
    X, y : array-like
        Held-out rows and their labels; the model must not have seen them.
    recall, precision : float, optional
        Shares to be kept at least: of the positive rows that are flagged; of the flagged rows that are positive.
    false_alarm, alarm_rate : float, optional
        Shares to be kept at most: of the negative rows that are flagged; of all rows that are flagged.
    confidence : float, default=0.95
        Probability with which all the rates hold together.
    positive : label, optional
        The positive label; by default the second class of the model, or 1 or True for bare scores.
    thresholds : array-like, optional
        Candidates chosen without these rows; by default the scores themselves are searched.
    procedure : {"holm", "bonferroni", "fixed-sequence"}, optional
        How trying several thresholds is paid for; see `certus.guarantees.control_rates`.
    prefer : {"high", "low"}, optional
        Which passing threshold to take; "high" flags fewer rows.
    allow_training_rows : bool, default=False
        Take rows that the model was trained on; the certificates are then of the kind "estimate".

    Returns
    -------
    Guard
        With `feasible`, `threshold`, `report`, and `flag(X)` (or `flag(scores)` for bare scores). When no
        threshold can be promised, `feasible` is False, `reason` says why, and `rows_needed` how many rows
        would help.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.verbs.guarding import guard
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, size=1000)
    >>> scores = rng.normal(size=1000) + 3 * y
    >>> result = guard(scores, y, recall=0.95)
    >>> result.feasible, round(result.threshold, 2)
    (True, 1.39)
    >>> few = guard(scores[:60], y[:60], recall=0.95)
    >>> few.feasible, few.rows_needed
    (False, 105)
    """
    rates = {"recall": recall, "precision": precision, "false_alarm": false_alarm, "alarm_rate": alarm_rate}
    if hasattr(model, "predict"):
        judged, X, y = answered(model, X, y, responses=True)
        labels, classes = _labels(y), np.asarray(getattr(model, "classes_", ()))
        scorer = partial(positive_scores, model, _positive_column(classes, positive))
        with watch_rows() as watch:
            scores, positive = positive_scores(judged, scorer.args[1], X), classes[scorer.args[1]]
        overlap = watch.overlap(allow=allow_training_rows)
    else:
        scorer, overlap = None, None
        labels = _labels(X if y is None else y)
        scores, positive = np.asarray(model, dtype=np.float64), _positive_label(labels, positive)
    result = control_rates(
        scores,
        labels == positive,
        rates,
        confidence=confidence,
        thresholds=thresholds,
        procedure=procedure,
        prefer=prefer,
    )
    return replace(result, scorer=scorer, report=judged_report(result.report, overlap))


def positive_scores(model: object, column: int, X: object) -> NDArray[np.float64]:
    """Scores of one class."""
    return class_response(model, X)[:, column]


def _labels(y: object) -> NDArray[Any]:
    if y is None:
        raise ValueError("y must be given, got None.\nHint: guard(model, X, y, recall=0.95) or guard(scores, y, ...).")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    missing = np.array([label is None or label != label for label in labels.tolist()], dtype=bool)
    if missing.any():
        raise ValueError(
            f"y must not be missing; the label of row {int(np.argmax(missing))} is.\n"
            "Hint: drop the rows without a label."
        )
    return labels


def _positive_column(classes: NDArray[Any], positive: object) -> int:
    """Position of the positive class among the classes of the model."""
    if positive is None:
        if len(classes) != 2:
            raise ValueError(
                f"positive must name the class to be flagged, because the model has {len(classes)} classes.\n"
                f"Hint: positive={classes.tolist()[0]!r}, for example."
            )
        return 1
    column = np.flatnonzero(classes == positive)
    if len(column) != 1:
        raise ValueError(
            f"positive={positive!r} is not a class of the model; its classes are {classes.tolist()}.\n"
            "Hint: pass one of them."
        )
    return int(column[0])


def _positive_label(labels: NDArray[Any], positive: object) -> object:
    """The label that means positive for bare scores: the one named, or 1 when all labels are 0 or 1."""
    found = np.unique(labels).tolist()
    if positive is None:
        if not set(found) <= {0, 1}:
            raise ValueError(
                f"positive must name the positive label, because the labels are not 0 and 1 but {found[:5]}.\n"
                f"Hint: positive={found[-1]!r}, for example."
            )
        return 1
    return positive
