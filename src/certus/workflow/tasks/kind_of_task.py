"""What a study is asked to do: the part that all kinds of task share, and what each kind must say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.evaluation import Display
from certus.guarantees import Certificate
from certus.guarantees.records import Quantity
from certus.workflow.findings import Findings, Finished, find_all
from certus.workflow.measures import Measure
from certus.workflow.models import StudyModel
from certus.workflow.models.forms import Trained
from certus.workflow.notes import Note
from certus.workflow.race.candidates import Candidate
from certus.workflow.tasks.judged import Constant, Judged
from certus.workflow.verdict import Comparison, Verdict, decide
from certus.workflow.written_bounds import written, written_bound

if TYPE_CHECKING:
    from certus.workflow.evaluation_record import Evaluation

Array = NDArray[Any]
Kind = Literal["binary", "multiclass", "ordinal", "multi-label", "regression", "clustering"]


@dataclass(frozen=True, eq=False)
class Task(ABC):
    """What a study is asked to do.

    Attributes
    ----------
    targets : tuple of str
        The columns to predict: one, several with two values each, or none.
    measure : Measure
        What success means; lower is better.
    labels : array
        The classes in the order of their indices: sorted, the positive one of two last, levels from the lowest to the
        highest; empty for numbers. Of several targets the two values of each, one row per target.
    guess : Note
        What was inferred, and the options that override it.
    """

    targets: tuple[str, ...]
    measure: Measure
    labels: Array
    guess: Note

    kind: ClassVar[Kind]
    learners: ClassVar[Literal["classification", "regression", "clustering"]] = "classification"
    default_trials: ClassVar[int] = 24  # where neither trials nor a time is given
    baseline_name: ClassVar[str] = "baseline (always the same prediction)"
    calibrates: ClassVar[bool] = True  # whether rows may be spared for sets or intervals
    calibrates_on_folds: ClassVar[bool] = True  # whether folds of the race may serve where rows are few
    blends: ClassVar[bool] = True  # whether predictions of different trials can be mixed

    @property
    def target(self) -> str:
        """The columns to predict, as a text."""
        return ", ".join(self.targets)

    @property
    def plain_target(self) -> str | list[str] | None:
        """The columns to predict, as ``study.json`` has them."""
        return self.target

    # Targets

    @abstractmethod
    def values(self, frame: pl.DataFrame) -> Array:
        """The target as the model is to give it."""

    def positions(self, values: Array) -> Array:
        """Targets as they are measured: indices among the labels, or the numbers themselves."""
        return values

    def from_positions(self, positions: Array) -> Array:
        """The reverse of `positions`."""
        return positions

    def to_learn(self, values: Array) -> Array:
        """Targets as learners take them."""
        return values

    @property
    def classes(self) -> int:
        """How many classes learners must tell apart; 0 for numbers."""
        return len(self.labels)

    def colors(self, values: Array) -> Array:
        """What tells targets apart in a picture: a text per row, or a number."""
        return values.astype(str)

    def class_sizes(self, frame: pl.DataFrame) -> dict[str, int]:
        """How many rows each class has, the largest first; nothing where there are no classes."""
        return {}

    def can_be_learned(self, y: Array) -> bool:
        """Whether there is more than one value to predict."""
        return all(len(np.unique(column)) > 1 for column in y.reshape(len(y), -1).T)

    @classmethod
    def single_targets(cls, y: Array) -> list[tuple[type[Task], Array]]:
        """The targets one by one, each with the kind of task that it is."""
        return [(cls, y)]

    # Learning: without the measure, so that worker processes can be told which kind it is.

    @staticmethod
    def strata(y: Array) -> Array:
        """A label of every row; rows with equal ones are dealt evenly to the folds."""
        return y

    @staticmethod
    def build(candidate: Candidate, *, seed: int, threads: int, categories: int) -> Any:
        """A fresh, unfitted learner."""
        return candidate.build(seed=seed, threads=threads, categories=categories)

    @staticmethod
    @abstractmethod
    def fit_and_predict(
        learner: Any, X: Array, y: Array, X_new: Array, classes: int, weights: Array | None = None
    ) -> tuple[Array, Array | None]:
        """Train on encoded rows, with weights if the learner takes them; predictions and probabilities of new ones."""

    @staticmethod
    @abstractmethod
    def best_constant(y: Array, measure: Measure, classes: int, weights: Array | None = None) -> Constant:
        """The best prediction that looks at no column, learned with weights of rows: what every learner must beat."""

    # Blends: votes are numbers, or probabilities, or all weight on the prediction.

    def votes(self, predictions: Array, probabilities: Array | None) -> Array:
        """What a trial contributes to a blend."""
        return predictions if probabilities is None else probabilities

    def decide(self, votes: Array) -> tuple[Array, Array | None]:
        """Predictions and probabilities that follow from mixed votes."""
        return self.measure.decide(votes), votes

    @property
    def blended_classes(self) -> Array | None:
        """The labels as a blend knows them."""
        return None

    # The winner

    def model(self, trained: Trained) -> StudyModel:
        """The model that the study hands over."""
        return StudyModel(trained, self.target, {})

    def calibrate(self, model: StudyModel, responses: Array, truth: Array, weights: Array | None = None) -> None:
        """Give a model probabilities by out-of-fold responses, where labels are predicted."""
        return

    def respond(self, model: StudyModel, X: pl.DataFrame) -> tuple[Array, Array | None]:
        """The model's predictions, and probabilities in the order of the task."""
        return model.predict(X), None

    @abstractmethod
    def certify(self, judged: Judged) -> Certificate:
        """The bound that belongs to the measure."""

    @abstractmethod
    def plain_losses(self, judged: Judged) -> tuple[Array, Quantity]:
        """Losses between 0 and 1 that can be averaged over groups, and what their mean is called."""

    @abstractmethod
    def against_constants(self, judged: Judged, learned: Array) -> Comparison:
        """The exact comparison with every constant prediction; ``learned`` are the targets of the learning rows."""

    def judge(self, judged: Judged, learned: Array, findings: Findings) -> Verdict:
        """Whether the winner is better than guessing."""
        baseline = judged.always(self.best_constant(judged.truth, self.measure, self.classes))
        own, constant = (
            self.measure.value(one.truth, one.predictions, one.probabilities) for one in (judged, baseline)
        )
        found = self.against_constants(judged, learned)
        word, multiple = decide(
            found, own < constant, lambda copies: self.against_constants(judged.perfect(copies, self.certain), learned)
        )
        rival = self.named(baseline.predictions[0] if found.constant is None else found.constant)
        units = len(judged.truth) if judged.groups is None else int(judged.groups.max()) + 1
        unit, needed = "row" if judged.groups is None else "group", None if multiple is None else multiple * units
        shown = self.measure.title, self.shown(own), self.shown(constant)
        return Verdict(word, found, rival, *shown, unit, units, needed)

    def certain(self, truth: Array) -> Array | None:
        """The probabilities of somebody who knows the truth."""
        return None

    def named(self, constant: Any) -> str:
        """A constant prediction in the words of the table."""
        return f"{constant:.4g}"

    def certified_value(self, judged: Judged, certificate: Certificate) -> float:
        """What the certificate bounds, as it is on the test rows themselves."""
        return self.measure.told(self.measure.value(judged.truth, judged.predictions, judged.probabilities))

    def tolerance(self, truth: Array, predictions: Array) -> float | None:
        """The size of an error that counts as large, from validation rows, where there is one."""
        return None

    def comparable_losses(self, truth: Array, predictions: Array) -> Array:
        """Row losses by which two models are compared: declared ones, or wrong and right."""
        if self.measure.compares_rows and self.measure.rows is not None:
            return self.measure.rows(truth, predictions, None)
        return (truth != predictions).reshape(len(truth), -1).any(axis=1).astype(float)

    # What is told about it

    def find(self, study: Finished, in_time: Callable[..., bool]) -> Findings:
        """What the study can tell besides its winner."""
        return find_all(study, in_time)

    def special_findings(self, study: Finished) -> dict[str, Any]:
        """The fields of `Findings` that only this kind of task has."""
        return {}

    def shown(self, value: float) -> str:
        """A value of the measure, which is a loss inside, as text."""
        return f"{self.measure.told(value):.4g}"

    @staticmethod
    def shown_bound(certificate: Certificate) -> str:
        """A bound with its direction, as text."""
        return written_bound(certificate)

    @staticmethod
    def shown_trivial(certificate: Certificate) -> str:
        """What the baseline reaches of what a certificate bounds, as text."""
        return written(certificate, certificate.trivial, "nearest")

    def figures(self, evaluation: Evaluation, confidence: float) -> list[tuple[str, Display]]:
        """Titles and pictures of the predictions on the test rows."""
        return []
