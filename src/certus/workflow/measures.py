"""Measures of success: as losses inside (lower is better), and shown as what they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.holdout import won_pairs_table
from certus.workflow.study_error import StudyError

Array = NDArray[Any]
RowLosses = Callable[[Array, Array, Array | None], Array]
Value = Callable[[Array, Array, Array | None], float]
# A probability of 0 for what happens would cost infinitely much; models are taken to be at least this sure.
LEAST_PROBABILITY = 1e-6
_TITLES = {
    "auc": "AUC",
    "f1": "F1",
    "macro_f1": "macro F1",
    "rmse": "RMSE",
    "mae": "MAE",
    "balanced_error": "balanced error",
    "log_loss": "log loss",
    "silhouette_loss": "silhouette",
}
_LOG_LOSS_RANGE = (0.0, float(-np.log(LEAST_PROBABILITY)))


class BoundedBy(Enum):
    """Which bound belongs to a measure."""

    ERROR_RATE = "error rate"
    BALANCED_ACCURACY = "balanced accuracy"
    AUC = "area under the ROC curve"
    F1 = "F1"
    MACRO_F1 = "macro F1"
    MEAN = "mean of losses with a known range"
    EXCEEDANCE = "share of rows whose error exceeds a stated size"


@dataclass(frozen=True)
class Measure:
    """A loss of a set of predictions.

    Attributes
    ----------
    name : str
        What the parameter ``measure`` calls it.
    tasks : set of str
        Kinds of task that it fits.
    needs : {"predictions", "probabilities"}
        What it looks at.
    value : callable
        (truth, predictions, probabilities) -> float; truth and predictions are indices of classes, or numbers.
    rows : callable or None
        (truth, predictions, probabilities) -> loss of each row, if the measure is (a function of) their mean.
    range : (float, float) or None
        Between which values the loss of a row lies, where that is known.
    costs : array or None
        costs[i, j]: what it costs to predict j when i is true, if predictions are to be chosen by that.
    bounded_by : BoundedBy
        The bound that its certificate rests on.
    quantity : str
        What the certificate calls the mean loss.
    score : bool
        Whether people know 1 - loss, such as the area under a curve, rather than the loss.
    """

    name: str
    tasks: frozenset[str]
    needs: Literal["predictions", "probabilities"]
    value: Value
    rows: RowLosses | None = None
    range: tuple[float, float] | None = None
    costs: Array | None = None
    bounded_by: BoundedBy = BoundedBy.ERROR_RATE
    quantity: str = ""
    score: bool = False

    @property
    def title(self) -> str:
        """What people call it."""
        return _TITLES.get(self.name, self.name)

    def told(self, loss: float) -> float:
        """A loss as the measure is known: scores are 1 - loss."""
        return 1.0 - loss if self.score else loss

    def decide(self, probabilities: Array) -> Array:
        """The best prediction of every row: the most probable one, or the one of least mean cost."""
        if self.costs is None:
            return np.argmax(probabilities, axis=1)
        return np.argmin(probabilities @ self.costs, axis=1)

    def predictions(self, predictions: Array, probabilities: Array | None) -> Array:
        """A learner's own predictions, or those that declared costs choose by its probabilities."""
        return predictions if self.costs is None or probabilities is None else self.decide(probabilities)

    @property
    def value_is_mean(self) -> bool:
        """Whether the measure is the mean of losses of rows by which models are compared."""
        return self.needs == "predictions" and self.rows is not None and self.name != "rmse"

    @property
    def compares_rows(self) -> bool:
        """Whether the losses of single rows are what is bounded, and need no probabilities."""
        return self.rows is not None and self.bounded_by is BoundedBy.MEAN and self.needs == "predictions"


def mean_of(rows: RowLosses) -> Value:
    """The mean of the losses of single rows."""
    return lambda truth, predictions, probabilities: float(np.mean(rows(truth, predictions, probabilities)))


def _wrong(truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
    return (truth != predictions).astype(float)


def _balanced_error(truth: Array, predictions: Array, _probabilities: Array | None) -> float:
    return float(np.mean([np.mean(predictions[truth == label] != label) for label in np.unique(truth)]))


def _log_losses(truth: Array, _predictions: Array, probabilities: Array | None) -> Array:
    assert probabilities is not None
    given = np.take_along_axis(probabilities, truth.astype(np.intp)[:, None], axis=1)[:, 0]
    return -np.log(np.clip(given, LEAST_PROBABILITY, 1.0))


def _one_minus_auc(truth: Array, _predictions: Array, probabilities: Array | None) -> float:
    """Share of pairs of rows in the wrong order, ties half: the mean over ordered pairs of the classes at hand.

    Of classes i and j the probability of i is compared (Hand and Till's measure); with two classes it is the area
    above the ROC curve.
    """
    assert probabilities is not None
    counts = np.bincount(truth.astype(np.intp), minlength=probabilities.shape[1])
    classes = np.flatnonzero(counts).tolist()
    if len(classes) < 2:
        return 0.5
    won = np.array(won_pairs_table(truth, probabilities, classes)) / (2.0 * np.outer(counts[classes], counts[classes]))
    return float(1.0 - won.sum() / (len(classes) * (len(classes) - 1)))


def _one_minus_f1(truth: Array, predictions: Array, label: int) -> float:
    hits = np.sum((truth == label) & (predictions == label))
    mentioned = np.sum(truth == label) + np.sum(predictions == label)
    return float(1.0 - 2.0 * hits / mentioned) if mentioned else 0.0


def _one_minus_macro_f1(truth: Array, predictions: Array, _probabilities: Array | None) -> float:
    return float(np.mean([_one_minus_f1(truth, predictions, label) for label in np.unique(truth)]))


def _squared(truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
    return (truth - predictions) ** 2


def _absolute(truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
    return np.abs(truth - predictions)


_LABELS = frozenset({"binary", "multiclass", "ordinal"})


def _labels(
    name: str, value: Value, bound: BoundedBy, tasks: frozenset[str] = _LABELS, *, score: bool = False
) -> Measure:
    return Measure(name, tasks, "predictions", value, bounded_by=bound, score=score)


def _numbers(name: str, value: Value, rows: RowLosses, quantity: str) -> Measure:
    kinds = frozenset({"regression"})
    return Measure(name, kinds, "predictions", value, rows, bounded_by=BoundedBy.EXCEEDANCE, quantity=quantity)


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("error", _LABELS, "predictions", mean_of(_wrong), _wrong, (0.0, 1.0)),
        _labels("balanced_error", _balanced_error, BoundedBy.BALANCED_ACCURACY),
        Measure(
            "log_loss",
            _LABELS,
            "probabilities",
            mean_of(_log_losses),
            _log_losses,
            _LOG_LOSS_RANGE,
            bounded_by=BoundedBy.MEAN,
            quantity="log-loss",
        ),
        Measure("auc", _LABELS, "probabilities", _one_minus_auc, bounded_by=BoundedBy.AUC, score=True),
        _labels(
            "f1",
            lambda truth, called, _: _one_minus_f1(truth, called, 1),
            BoundedBy.F1,
            frozenset({"binary"}),
            score=True,
        ),
        _labels("macro_f1", _one_minus_macro_f1, BoundedBy.MACRO_F1, score=True),
        _numbers("rmse", lambda *a: float(np.sqrt(np.mean(_squared(*a)))), _squared, "mean squared error"),
        _numbers("mae", mean_of(_absolute), _absolute, "mean absolute error"),
    )
}


def find_measure(name: str, kind: str) -> Measure:
    """The measure of this name for a kind of task."""
    fitting = [measure.name for measure in MEASURES.values() if kind in measure.tasks]
    fitting += ["mae"] if kind == "ordinal" else []
    if name not in fitting:
        meant = "error is one minus the accuracy; " if name == "accuracy" else ""
        raise StudyError(
            f"measure: {name!r} does not fit a {kind} task.\nHint: {meant}choose one of {', '.join(fitting)}; or "
            "declare a loss as an expression of truth and prediction, with its loss_range.",
            options=["measure", "loss_range"],
        )
    return MEASURES[name]
