"""Measures of success, all as losses: lower is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.holdout import won_pairs_table
from certus.workflow.study_error import StudyError

Array = NDArray[Any]
# A probability of 0 for what happens would cost infinitely much; answers are taken to be at least this sure.
LEAST_PROBABILITY = 1e-6
_LOG_LOSS_RANGE = (0.0, float(-np.log(LEAST_PROBABILITY)))


@dataclass(frozen=True)
class Measure:
    """A loss of a set of answers.

    Attributes
    ----------
    name : str
        What ``--measure`` calls it.
    tasks : set of str
        Kinds of task that it fits.
    needs : {"answers", "shares"}
        Whether it looks at answers or at probabilities.
    value : callable
        (truth, answers, shares) -> float; truth and answers are class positions or numbers.
    rows : callable or None
        (truth, answers, shares) -> loss of each row, if the measure is (a function of) their mean.
    range : (float, float) or None
        Between which values the loss of a row lies, where that is known.
    costs : array or None
        costs[i, j]: what it costs to answer j when i is true, if answers are to be chosen by that.
    said : str
        What the certificate calls the mean loss.
    """

    name: str
    tasks: frozenset[str]
    needs: Literal["answers", "shares"]
    value: Callable[[Array, Array, Array | None], float]
    rows: Callable[[Array, Array, Array | None], Array] | None = None
    range: tuple[float, float] | None = None
    costs: Array | None = None
    said: str = ""

    def decide(self, shares: Array) -> Array:
        """The best answer of every row by its probabilities: the most probable one, or the one of least mean cost."""
        if self.costs is None:
            return np.argmax(shares, axis=1)
        return np.argmin(shares @ self.costs, axis=1)

    def answers(self, answers: Array, shares: Array | None) -> Array:
        """A learner's own answers, or those that declared costs choose by its probabilities."""
        return answers if self.costs is None or shares is None else self.decide(shares)


def _wrong(truth: Array, answers: Array, _shares: Array | None) -> Array:
    return (truth != answers).astype(float)


def _balanced_error(truth: Array, answers: Array, _shares: Array | None) -> float:
    return float(np.mean([np.mean(answers[truth == label] != label) for label in np.unique(truth)]))


def _log_losses(truth: Array, _answers: Array, shares: Array | None) -> Array:
    assert shares is not None
    given = np.take_along_axis(shares, truth.astype(np.intp)[:, None], axis=1)[:, 0]
    return -np.log(np.clip(given, LEAST_PROBABILITY, 1.0))


def _one_minus_auc(truth: Array, _answers: Array, shares: Array | None) -> float:
    """Share of pairs of rows in the wrong order, ties half: the mean over ordered pairs of the classes at hand.

    Of classes i and j the probability of i is compared (Hand and Till's measure); with two classes it is the area
    above the ROC curve.
    """
    assert shares is not None
    counts = np.bincount(truth.astype(np.intp), minlength=shares.shape[1])
    classes = np.flatnonzero(counts).tolist()
    if len(classes) < 2:
        return 0.5
    won = np.array(won_pairs_table(truth, shares, classes)) / (2.0 * np.outer(counts[classes], counts[classes]))
    return float(1.0 - won.sum() / (len(classes) * (len(classes) - 1)))


def _one_minus_f1(truth: Array, answers: Array, label: int) -> float:
    hits = np.sum((truth == label) & (answers == label))
    mentioned = np.sum(truth == label) + np.sum(answers == label)
    return float(1.0 - 2.0 * hits / mentioned) if mentioned else 0.0


def _one_minus_macro_f1(truth: Array, answers: Array, _shares: Array | None) -> float:
    return float(np.mean([_one_minus_f1(truth, answers, label) for label in np.unique(truth)]))


def _squared(truth: Array, answers: Array, _shares: Array | None) -> Array:
    return (truth - answers) ** 2


def _absolute(truth: Array, answers: Array, _shares: Array | None) -> Array:
    return np.abs(truth - answers)


def _mean_of(rows: Callable[[Array, Array, Array | None], Array]) -> Callable[[Array, Array, Array | None], float]:
    return lambda truth, answers, shares: float(np.mean(rows(truth, answers, shares)))


_LABELS = frozenset({"binary", "multiclass", "ordinal"})
_NUMBERS = frozenset({"regression"})
MEASURES = {
    measure.name: measure
    for measure in (
        Measure("error", _LABELS, "answers", _mean_of(_wrong), _wrong, (0.0, 1.0)),
        Measure("balanced_error", _LABELS, "answers", _balanced_error),
        Measure("log_loss", _LABELS, "shares", _mean_of(_log_losses), _log_losses, _LOG_LOSS_RANGE, said="log-loss"),
        Measure("auc", _LABELS, "shares", _one_minus_auc),
        Measure("f1", frozenset({"binary"}), "answers", lambda truth, answers, _: _one_minus_f1(truth, answers, 1)),
        Measure("macro_f1", _LABELS, "answers", _one_minus_macro_f1),
        Measure("rmse", _NUMBERS, "answers", lambda *a: float(np.sqrt(np.mean(_squared(*a)))), _squared),
        Measure("mae", _NUMBERS, "answers", _mean_of(_absolute), _absolute),
    )
}


def find_measure(name: str | None, kind: str) -> Measure:
    """The measure of this name, or the default of the task: error for labels, rmse for numbers."""
    if name is None:
        name = "rmse" if kind == "regression" else "error"
    fitting = [measure.name for measure in MEASURES.values() if kind in measure.tasks]
    fitting += ["mae"] if kind == "ordinal" else []
    if name not in fitting:
        raise StudyError(
            f"--measure: {name!r} does not fit a {kind} task.\nHint: choose among {', '.join(fitting)}; "
            "or declare a loss as an expression of truth and prediction, with its --range."
        )
    return MEASURES[name]
