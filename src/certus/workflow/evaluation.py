"""Step 6, the evaluation: the winner, already fixed and trained, meets the test rows once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import (
    Certificate,
    auc_bound,
    balanced_accuracy_bound,
    complement,
    error_bound,
    f_bound,
    macro_f_bound,
    mean_bound,
    pairwise_auc_bound,
)
from certus.guarantees.holdout import RateSetting, rate_bound
from certus.guarantees.records import ERROR, LARGE_ERRORS, Quantity
from certus.workflow.clustering import ClusterModel
from certus.workflow.model import StudyModel
from certus.workflow.split import Split
from certus.workflow.task import Task

# A regression winner promises how often its error exceeds t; t is this quantile of the validation errors.
TOLERATED_QUANTILE = 0.9


@dataclass(frozen=True)
class Evaluation:
    """What the test rows say about the winner.

    Attributes
    ----------
    value : float
        The measure on the test rows.
    certificate : Certificate
        What is promised about new rows.
    truth, answers : arrays
        Targets and predictions of the test rows; of clusters, zeros and the ratios of distances.
    shares : array or None
        Probabilities of the labels in the order of the task; of several targets, of each one's second label.
    """

    value: float
    certificate: Certificate
    truth: NDArray[Any]
    answers: NDArray[Any]
    shares: NDArray[Any] | None


def tolerance(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    """The error size t, from validation rows, rounded up to two digits so that it can be said aloud."""
    size = float(np.quantile(np.abs(np.asarray(truth, dtype=float) - answers), TOLERATED_QUANTILE))
    if size == 0.0:
        return 0.0
    unit = 10.0 ** (np.floor(np.log10(size)) - 1)
    return float(f"{np.ceil(size / unit) * unit:.2g}")


def evaluate(
    model: StudyModel,
    X: Any,
    y: NDArray[Any],
    *,
    task: Task,
    split: Split,
    confidence: float,
    threshold: float | None,
    loss_range: tuple[float, float] | None = None,
) -> Evaluation:
    """Measure the model on the test rows and certify it."""
    answers, shares = np.asarray(model.ratios(X) if isinstance(model, ClusterModel) else model.predict(X)), None
    truth_places, answer_places = task.positions(y), answers
    if task.classification:
        answer_places = task.positions(answers)
    if task.several:
        shares = model.shares(X)
    elif task.classification:
        order = np.argsort(task.labels, kind="stable")
        shares = np.empty((len(y), len(task.labels)))
        shares[:, order] = model.shares(X)
    value = task.measure.value(truth_places, answer_places, shares)
    judged = _Judged(task, truth_places, answer_places, shares, split, confidence, threshold, loss_range)
    certificate = judged.certificate()
    certificate = dataclasses.replace(certificate, assumptions=(*certificate.assumptions, *further_assumptions(split)))
    return Evaluation(value, certificate, y, answers, shares)


def further_assumptions(split: Split) -> list[str]:
    """What every certificate from these test rows rests on besides its own assumptions."""
    told = (("future-like-test-period", split.unit == "time"), ("copies-count-once", split.copies))
    return [token for token, holds in told if holds]


@dataclass(frozen=True)
class _Judged:
    """Answers on the test rows, and what is asked about them."""

    task: Task
    truth: NDArray[Any]
    answers: NDArray[Any]
    shares: NDArray[Any] | None
    split: Split
    confidence: float
    threshold: float | None
    loss_range: tuple[float, float] | None

    def certificate(self) -> Certificate:
        """The bound that belongs to the measure."""
        if self.split.unit == "group":
            return self._by_group()
        measure = self.task.measure
        if measure.said:
            assert measure.rows is not None
            assert measure.range is not None
            losses, (low, high) = measure.rows(self.truth, self.answers, self.shares), measure.range
            return mean_bound(losses, low=low, high=high, confidence=self.confidence, quantity=measure.said)
        makers = {
            "error": self._error,
            "balanced_error": self._balanced,
            "auc": self._auc,
            "f1": self._f1,
            "macro_f1": self._macro_f1,
        }
        return makers.get(self.task.measure.name, self._error if self.task.classification else self._far_off)()

    def _error(self) -> Certificate:
        return error_bound(int(self._wrong().sum()), len(self.truth), confidence=self.confidence)

    def _wrong(self) -> NDArray[np.bool_]:
        """The rows whose label, or any of whose labels, is wrong."""
        wrong = np.asarray(self.answers != self.truth)
        return np.asarray(np.any(wrong, axis=1)) if self.task.several else wrong

    def _balanced(self) -> Certificate:
        counts = [int(np.sum(self.truth == place)) for place in range(len(self.task.labels))]
        if min(counts) == 0:
            return self._error()
        hits = [int(np.sum((self.truth == k) & (self.answers == k))) for k in range(len(self.task.labels))]
        return complement(balanced_accuracy_bound(hits, counts, confidence=self.confidence))

    def _auc(self) -> Certificate:
        assert self.shares is not None
        if len(np.unique(self.truth)) < 2:
            return self._error()
        if self.task.kind != "binary":
            return complement(pairwise_auc_bound(self.truth, self.shares, confidence=self.confidence))
        positive = self.truth == 1
        return complement(auc_bound(self.shares[positive, 1], self.shares[~positive, 1], confidence=self.confidence))

    def _f1(self) -> Certificate:
        called, positive = self.answers == 1, self.truth == 1
        counts = (int(np.sum(called & positive)), int(np.sum(called & ~positive)), int(np.sum(~called & positive)))
        return complement(f_bound(*counts, confidence=self.confidence)) if sum(counts) else self._error()

    def _macro_f1(self) -> Certificate:
        places = range(len(self.task.labels))
        hits = [int(np.sum((self.truth == k) & (self.answers == k))) for k in places]
        alarms = [int(np.sum((self.truth != k) & (self.answers == k))) for k in places]
        misses = [int(np.sum((self.truth == k) & (self.answers != k))) for k in places]
        return complement(macro_f_bound(hits, alarms, misses, confidence=self.confidence))

    def _losses(self) -> tuple[NDArray[np.float64], Quantity]:
        """0/1 losses of the rows, and what they count; of clusters the ratios of distances."""
        if self.task.clustering:
            return self.answers, Quantity(self.task.measure.said)
        if self.task.classification:
            return self._wrong().astype(float), Quantity(ERROR)
        assert self.threshold is not None
        far = np.abs(self.truth - self.answers) > self.threshold
        return far.astype(float), Quantity(LARGE_ERRORS, threshold=self.threshold)

    def _far_off(self) -> Certificate:
        if self.loss_range is not None and self.task.measure.rows is not None:
            losses = self.task.measure.rows(self.truth, self.answers, None)
            low, high = self.loss_range
            name = "mean squared error" if self.task.measure.name == "rmse" else "mean absolute error"
            return mean_bound(losses, low=low, high=high, confidence=self.confidence, quantity=name)
        losses, quantity = self._losses()
        setting = RateSetting(confidence=self.confidence, quantity=quantity, noun="such row")
        return rate_bound(int(losses.sum()), len(losses), setting)

    def _by_group(self) -> Certificate:
        """The unit is the group: a bound on the mean over groups of each group's mean loss."""
        losses, quantity = self._losses()
        _, places = np.unique(self.split.test_groups, return_inverse=True)
        means = np.bincount(places, weights=losses) / np.bincount(places)
        return mean_bound(means, confidence=self.confidence, quantity=dataclasses.replace(quantity, per="group"))
