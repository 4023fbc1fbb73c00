"""Several labels per row: each target column has two values, and a row's prediction is one value for each.

Truths and predictions are 0/1 matrices with one column per target; 1 stands for the second (larger) value of a column.
Probabilities are matrices of the same shape: how probable that second value is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.evaluation import label_response
from certus.guarantees import Certificate
from certus.guarantees.records import ERROR, Quantity
from certus.multioutput import MultiOutputClassifier
from certus.tables import label_matrix, two_values
from certus.workflow.findings import Finished
from certus.workflow.findings.subgroups import above_the_rest, label_errors, subgroups
from certus.workflow.measures import BoundedBy, Measure, mean_of
from certus.workflow.models import StudyModel
from certus.workflow.models.forms import Trained
from certus.workflow.notes import Note
from certus.workflow.options import Options
from certus.workflow.race.candidates import Candidate
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.binary import BinaryTask
from certus.workflow.tasks.judged import Constant, Judged
from certus.workflow.tasks.kind_of_task import Kind, Task
from certus.workflow.verdict import Comparison, Rival, against_labels, against_mean

Array = NDArray[Any]
KIND: Kind = "multi-label"
# They take several targets at once, and let labels share what they have in common.
_OF_SEVERAL_TARGETS = {
    "certus.ensemble.RandomForestClassifier",
    "certus.ensemble.ExtraTreesClassifier",
    "certus.neighbors.KNeighborsClassifier",
    "certus.trees.DecisionTreeClassifier",
}


class LabelMeasure(Measure):
    """A measure of label sets: every label is decided by its own probability."""

    def decide(self, probabilities: Array) -> Array:
        """For every row and target whether the second value is the more probable one."""
        return (np.asarray(probabilities) > 0.5).astype(np.intp)


def _any_wrong(truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
    return np.any(truth != predictions, axis=1).astype(float)


def _fraction_wrong(truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
    return np.mean(truth != predictions, axis=1)


_KINDS = frozenset({str(KIND)})
_MEASURES = {
    "error": LabelMeasure("error", _KINDS, "predictions", mean_of(_any_wrong), _any_wrong, (0.0, 1.0)),
    "hamming": LabelMeasure(
        "hamming",
        _KINDS,
        "predictions",
        mean_of(_fraction_wrong),
        _fraction_wrong,
        (0.0, 1.0),
        bounded_by=BoundedBy.MEAN,
        quantity="mean share of wrong labels",
    ),
}


def find_label_measure(name: str | None) -> Measure:
    """``error``: a row is wrong if any of its labels is (the default); ``hamming``: the share of its wrong labels."""
    if name is not None and name not in _MEASURES:
        raise StudyError(
            f"measure: {name!r} does not fit a {KIND} task.\nHint: choose one of {', '.join(_MEASURES)}.",
            options=["measure"],
        )
    return _MEASURES[name or "error"]


def named_targets(target: str | Sequence[str] | None, columns: Sequence[str]) -> list[str]:
    """The target columns that the user names: a column, names with commas, or a list of either."""
    if target is None:
        return []
    given = [target] if isinstance(target, str) else list(target)
    named: list[str] = []
    for text in given:
        named += [text] if text in columns else [part.strip() for part in text.split(",")]
    return list(dict.fromkeys(named))


@dataclass(frozen=True, eq=False)
class MultiLabelTask(Task):
    """The classification of rows by one of two labels for each of several targets."""

    kind: ClassVar[Kind] = KIND
    calibrates_on_folds: ClassVar[bool] = False

    @classmethod
    def create(cls, frame: pl.DataFrame, targets: Sequence[str], options: Options) -> MultiLabelTask:
        """From the columns that the user names."""
        if options.task not in (None, "classification", KIND):
            raise StudyError(
                f"task={options.task!r} has one target, got {len(targets)}.\nHint: name one target.",
                options=["task", "target"],
            )
        if unfit := options.given("positive", "levels", "costs", "loss_range"):
            raise StudyError(
                f"{unfit[0]} is for one target, got {len(targets)}.\nHint: name one target.",
                options=[unfit[0], "target"],
            )
        columns = [frame[name].drop_nulls() for name in targets]
        for column in columns:
            if column.n_unique() != 2:
                raise StudyError(
                    f"Several targets must have two values each, but column {column.name!r} has {column.n_unique()}.\n"
                    "Hint: choose one target, or only columns with two values.",
                    options=["target"],
                )
        measure = find_label_measure(options.measure)
        meaning = " (of any label of a row)" if measure.name == "error" else ""
        text = f"{KIND} classification of {', '.join(map(repr, targets))}, measured by {measure.name}{meaning}"
        guess = Note(f"{text} (target, measure override)", ["target", "measure"])
        return cls(tuple(targets), measure, two_values(columns), guess)

    @property
    def plain_target(self) -> str | list[str] | None:
        return list(self.targets)

    @property
    def classes(self) -> int:
        return 2

    def values(self, frame: pl.DataFrame) -> Array:
        return label_matrix(frame, self.targets, self.labels)

    def colors(self, values: Array) -> Array:
        """The combination of labels of every row."""
        return np.array([" · ".join(map(str, row)) for row in values])

    def positions(self, values: Array) -> Array:
        return (np.asarray(values) == self.labels[:, 1]).astype(np.intp)

    def from_positions(self, positions: Array) -> Array:
        return self.labels[np.arange(len(self.labels)), np.asarray(positions, dtype=np.intp)]

    def to_learn(self, values: Array) -> Array:
        return self.positions(values)

    @classmethod
    def single_targets(cls, y: Array) -> list[tuple[type[Task], Array]]:
        return [(BinaryTask, column) for column in y.T]

    @staticmethod
    def strata(y: Array) -> Array:
        """Rows with equal sets of labels are dealt in turn."""
        return np.unique(y, axis=0, return_inverse=True)[1].ravel()

    @staticmethod
    def build(candidate: Candidate, *, seed: int, threads: int, categories: int) -> Any:
        """A learner that takes one target is fitted once for each."""
        learner = candidate.build(seed=seed, threads=threads, categories=categories)
        return learner if candidate.path in _OF_SEVERAL_TARGETS else MultiOutputClassifier(learner)

    @staticmethod
    def fit_and_predict(
        learner: Any, X: Array, y: Array, X_new: Array, _classes: int, _weights: Array | None = None
    ) -> tuple[Array, Array | None]:
        learner.fit(X, y)
        predictions = np.asarray(learner.predict(X_new))
        probabilities = label_response(learner, X_new, _both(y.shape[1]))
        return predictions.astype(np.int32), probabilities.astype(np.float32)

    @staticmethod
    def best_constant(y: Array, measure: Measure, _classes: int, _weights: Array | None = None) -> Constant:
        """The most frequent set of labels, or the majority of each label."""
        frequencies = y.mean(axis=0)
        if measure.name == "hamming":
            return Constant(measure.decide(frequencies), frequencies)
        sets, counts = np.unique(y, axis=0, return_counts=True)
        return Constant(np.asarray(sets[np.argmax(counts)]), frequencies)

    @property
    def blended_classes(self) -> Array | None:
        return _both(len(self.targets))

    def model(self, trained: Trained) -> StudyModel:
        return StudyModel(trained, self.target, {"targets_": list(self.targets), "classes_": self.labels})

    def respond(self, model: StudyModel, X: pl.DataFrame) -> tuple[Array, Array | None]:
        return model.predict(X), model.response(X)

    def certify(self, judged: Judged) -> Certificate:
        if self.measure.bounded_by is not BoundedBy.MEAN:
            return judged.bound_error(_any_wrong(judged.truth, judged.predictions, None))
        losses = _fraction_wrong(judged.truth, judged.predictions, None)
        return judged.bound_mean(losses, (0.0, 1.0), Quantity(self.measure.quantity))

    def plain_losses(self, judged: Judged) -> tuple[Array, Quantity]:
        return _any_wrong(judged.truth, judged.predictions, None), Quantity(ERROR)

    def against_constants(self, judged: Judged, learned: Array) -> Comparison:
        """By whether a row has any wrong label; where shares of labels are the measure, by their mean."""
        if judged.groups is not None or self.measure.bounded_by is not BoundedBy.MEAN:
            return against_labels(judged.truth, judged.predictions, judged.groups, judged.level)
        constant = self.best_constant(learned, self.measure, self.classes)
        own, other = (_fraction_wrong(one.truth, one.predictions, None) for one in (judged, judged.always(constant)))
        return against_mean(own, (0.0, 1.0), [Rival(constant.prediction, other, (0.0, 1.0))], judged.level)

    def certain(self, truth: Array) -> Array | None:
        return np.asarray(truth, dtype=np.float64)

    def named(self, constant: Any) -> str:
        values = self.from_positions(constant)
        pairs = zip(self.targets, values.tolist(), strict=True)
        return ", ".join(f"{name} = {value!r}" for name, value in pairs)

    def special_findings(self, study: Finished) -> dict[str, Any]:
        """Errors of every label, and errors of any label by subgroup."""
        wrong = study.evaluation.predictions != study.evaluation.truth
        test, learned = study.frame[study.split.test], study.frame[study.split.learn]
        groups = subgroups(test, learned, wrong.any(axis=1), study.learning.columns, study.confidence)
        return {
            "labels": label_errors(self.targets, wrong, study.confidence),
            "subgroups": above_the_rest(groups, study.confidence),
        }

    def shown(self, value: float) -> str:
        return f"{value:.4g}" if self.measure.bounded_by is BoundedBy.MEAN else f"{100 * value:.2f} %"


def _both(targets: int) -> Array:
    """The labels 0 and 1 for every target."""
    return np.tile([0, 1], (targets, 1))
