"""Tasks whose target is one column of labels: what two classes, several classes and levels share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.evaluation import ConfusionDisplay, Display, MarginsDisplay, label_response
from certus.guarantees import Certificate, f_bound, macro_f_bound, pairwise_auc_bound
from certus.guarantees.records import ERROR, Quantity
from certus.tables import labels_of
from certus.verbs import certify
from certus.workflow.declared_costs import cost_measure, declared_measure
from certus.workflow.findings import Finished
from certus.workflow.findings.guards import guards
from certus.workflow.findings.reliability import calibration_error, reliability
from certus.workflow.findings.subgroups import above_the_rest, subgroups
from certus.workflow.measures import MEASURES, BoundedBy, Measure, find_measure
from certus.workflow.models import StudyModel
from certus.workflow.models.forms import Trained
from certus.workflow.notes import Note
from certus.workflow.options import Options
from certus.workflow.race.weighted_fit import fit_rows
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.judged import Constant, Judged
from certus.workflow.tasks.kind_of_task import Task
from certus.workflow.tasks.label_comparisons import COMPARED
from certus.workflow.verdict import Comparison, against_labels

if TYPE_CHECKING:
    from certus.workflow.evaluation_record import Evaluation

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LabelTask(Task):
    """The classification of rows by one label."""

    @classmethod
    def asked(cls, target: str, labels: Array, about: str, options: Options, overriding: str = "") -> LabelTask:
        """The task with the measure that the options name."""
        measure = cls.find_measure(labels, options)
        overrides = ["task", "measure", *([overriding] if overriding else [])]
        text = f"{cls.kind} classification of {target!r}, {about}, measured by {measure.name} "
        return cls((target,), measure, labels, Note(f"{text}({', '.join(overrides)} override)", overrides))

    @classmethod
    def find_measure(cls, labels: Array, options: Options) -> Measure:
        """A measure by its name, from declared costs, or declared as an expression."""
        name, costs = options.measure, dict(options.costs or {})
        if costs or name == "cost":
            if name not in (None, "cost"):
                raise StudyError(
                    f"costs and measure={name!r} exclude each other.\nHint: leave measure out.",
                    options=["costs", "measure"],
                )
            if not costs:
                raise StudyError(
                    "measure='cost' needs costs.\n"
                    "Hint: name the price of each mistake, such as 10 for sick as healthy.",
                    options=["measure", "costs"],
                )
            return cost_measure(costs, labels)
        if name is not None and name not in MEASURES and "prediction" in name:
            return declared_measure(name, options.loss_range, labels)
        return find_measure(name or "error", cls.kind)

    def values(self, frame: pl.DataFrame) -> Array:
        return labels_of(frame[self.target])

    # The one translation between sorted labels, as models have them, and the order of the task.

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """For every sorted label its index in the task."""
        return np.argsort(self.labels, kind="stable")

    def positions(self, values: Array) -> Array:
        return self._order[np.searchsorted(self.labels, values, sorter=self._order)]

    def from_positions(self, positions: Array) -> Array:
        return self.labels[np.asarray(positions, dtype=np.intp)]

    def _in_order(self, response: Array) -> Array:
        """Columns of sorted labels as columns of the task."""
        ordered = np.empty_like(response)
        ordered[:, self._order] = response
        return ordered

    def class_sizes(self, frame: pl.DataFrame) -> dict[str, int]:
        texts = frame[self.target].cast(pl.String).alias("label")
        counts = texts.value_counts().sort(["count", "label"], descending=[True, False])
        return dict(zip(counts["label"].to_list(), counts["count"].to_list(), strict=True))

    @staticmethod
    def fit_and_predict(
        learner: Any, X: Array, y: Array, X_new: Array, classes: int, weights: Array | None = None
    ) -> tuple[Array, Array | None]:
        fit_rows(learner, X, y, weights)
        predictions = np.asarray(learner.predict(X_new))
        probabilities = label_response(learner, X_new, np.arange(classes))
        return predictions.astype(np.int32), probabilities.astype(np.float32)

    @staticmethod
    def best_constant(y: Array, measure: Measure, classes: int, weights: Array | None = None) -> Constant:
        counts = np.bincount(y.astype(np.intp), weights, minlength=classes)
        frequencies = counts / counts.sum()
        return Constant(int(measure.decide(frequencies[None, :])[0]), frequencies)

    def votes(self, predictions: Array, probabilities: Array | None) -> Array:
        return np.eye(len(self.labels))[predictions] if probabilities is None else probabilities

    @property
    def blended_classes(self) -> Array | None:
        return np.sort(self.labels)

    def model(self, trained: Trained) -> StudyModel:
        costs = self.measure.costs
        ordered = None if costs is None else costs[np.ix_(self._order, self._order)]
        return StudyModel(trained, self.target, {"classes_": self.labels[self._order], "costs_": ordered})

    def respond(self, model: StudyModel, X: pl.DataFrame) -> tuple[Array, Array | None]:
        return model.predict(X), self._in_order(model.probabilities(X))

    def calibrate(self, model: StudyModel, responses: Array, truth: Array, weights: Array | None = None) -> None:
        sorted_index = np.argsort(self._order)  # of every label of the task among the sorted ones
        model.calibrate_probabilities(responses[:, self._order], sorted_index[truth], weights)

    def certify(self, judged: Judged) -> Certificate:
        return _BOUNDS[self.measure.bounded_by](self, judged)

    def plain_losses(self, judged: Judged) -> tuple[Array, Quantity]:
        return (judged.predictions != judged.truth).astype(float), Quantity(ERROR)

    def against_constants(self, judged: Judged, learned: Array) -> Comparison:
        """By the 0/1 loss; where the measure is another one, by what is exact for it."""
        by_measure = None if judged.groups is not None else COMPARED.get(self.measure.bounded_by)
        if by_measure is None:
            return against_labels(judged.truth, judged.predictions, judged.groups, judged.level)
        return by_measure(self, judged, learned)

    def certain(self, truth: Array) -> Array | None:
        return np.eye(len(self.labels))[truth]

    def named(self, constant: Any) -> str:
        return repr(self.labels[int(constant)].item())

    def certified_value(self, judged: Judged, certificate: Certificate) -> float:
        if certificate.quantity.name == ERROR:
            return float(np.mean(self.plain_losses(judged)[0]))
        if self.measure.bounded_by is BoundedBy.BALANCED_ACCURACY:  # the bound is one on the accuracy
            return 1.0 - self.measure.value(judged.truth, judged.predictions, None)
        return super().certified_value(judged, certificate)

    def bound_auc(self, judged: Judged) -> Certificate:
        """The area under the ROC curves of all pairs of classes."""
        assert judged.probabilities is not None
        return pairwise_auc_bound(judged.truth, judged.probabilities, confidence=judged.confidence)

    def special_findings(self, study: Finished) -> dict[str, Any]:
        """Errors by subgroup, how reliable probabilities are, and when the model may predict alone."""
        evaluation, confidence = study.evaluation, study.confidence
        wrong = evaluation.predictions != evaluation.truth
        test, learned = study.frame[study.split.test], study.frame[study.split.learn]
        groups = subgroups(test, learned, wrong, study.learning.columns, confidence)
        found: dict[str, Any] = {"subgroups": above_the_rest(groups, confidence)}
        if study.model.gives_probabilities and evaluation.probabilities is not None:
            found["bins"] = reliability(evaluation.probabilities, ~wrong, confidence)
            found["calibration"] = calibration_error(evaluation.probabilities, ~wrong, confidence)
        if study.split.unit == "row":
            found["guards"] = guards(*self._sure_and_right(study), confidence)
        return found

    @staticmethod
    def _sure_and_right(study: Finished) -> tuple[Array, Array]:
        """Probabilities of rows that the model has not seen, and whether the most probable label is right."""
        spared = study.split.calibration
        if study.sealed and not len(spared):
            assert study.evaluation.probabilities is not None
            response = study.evaluation.probabilities
            return response, np.argmax(response, axis=1) == study.task.positions(study.evaluation.truth)
        rows = spared if len(spared) else study.split.test
        response = study.model.probabilities(study.frame[rows])
        return response, study.model.classes_[np.argmax(response, axis=1)] == study.values[rows]

    def shown(self, value: float) -> str:
        plain = self.measure.score or self.measure.bounded_by is BoundedBy.MEAN
        return super().shown(value) if plain else f"{100 * value:.2f} %"

    def figures(self, evaluation: Evaluation, confidence: float) -> list[tuple[str, Display]]:
        confusion = ConfusionDisplay.from_predictions(evaluation.truth, evaluation.predictions, confidence=confidence)
        shown: list[tuple[str, Display]] = [(f"Right and wrong on the {evaluation.rows} rows", confusion)]
        truth, probabilities = self.positions(evaluation.truth), evaluation.probabilities
        if probabilities is not None:
            shown += self.curves(truth, probabilities, confidence)
            margins = MarginsDisplay.from_predictions(truth, probabilities, confidence=confidence)
            shown.append(("Margins of the predictions", margins))
        return shown

    def curves(self, truth: Array, probabilities: Array, confidence: float) -> list[tuple[str, Display]]:
        """Further pictures, drawn from probabilities."""
        return []


def _error(_task: LabelTask, judged: Judged) -> Certificate:
    return judged.bound_error(judged.predictions != judged.truth)


def _balanced(task: LabelTask, judged: Judged) -> Certificate:
    if len(np.unique(judged.truth)) < len(task.labels):
        return _error(task, judged)
    truth, predictions = (np.asarray(one, dtype=np.intp) for one in (judged.truth, judged.predictions))
    report = certify(y_true=truth, y_pred=predictions, loss="error", confidence=judged.confidence)
    return report["balanced accuracy"]


def _auc(task: LabelTask, judged: Judged) -> Certificate:
    return _error(task, judged) if len(np.unique(judged.truth)) < 2 else task.bound_auc(judged)


def _f1(task: LabelTask, judged: Judged) -> Certificate:
    counts = [int(np.sum(one)) for one in _confusions(judged, 1)]
    hits, alarms, misses = counts
    if not sum(counts):
        return _error(task, judged)
    return f_bound(hits, alarms, misses, confidence=judged.confidence)


def _macro_f1(task: LabelTask, judged: Judged) -> Certificate:
    counts = [[int(np.sum(one)) for one in _confusions(judged, label)] for label in range(len(task.labels))]
    hits, alarms, misses = (list(one) for one in zip(*counts, strict=True))
    return macro_f_bound(hits, alarms, misses, confidence=judged.confidence)


def _confusions(judged: Judged, label: int) -> tuple[Array, Array, Array]:
    """For every row whether it is a hit, a false alarm or a miss of a class."""
    called, true = judged.predictions == label, judged.truth == label
    return called & true, called & ~true, ~called & true


def _mean(task: LabelTask, judged: Judged) -> Certificate:
    measure = task.measure
    assert measure.rows is not None
    assert measure.range is not None
    losses = measure.rows(judged.truth, judged.predictions, judged.probabilities)
    return judged.bound_mean(losses, measure.range, Quantity(measure.quantity))


_BOUNDS = {
    BoundedBy.ERROR_RATE: _error,
    BoundedBy.BALANCED_ACCURACY: _balanced,
    BoundedBy.AUC: _auc,
    BoundedBy.F1: _f1,
    BoundedBy.MACRO_F1: _macro_f1,
    BoundedBy.MEAN: _mean,
}
