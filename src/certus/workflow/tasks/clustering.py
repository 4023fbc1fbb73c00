"""No target: clusters of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.records import Quantity
from certus.workflow.findings import Findings, Finished, find_clusters
from certus.workflow.measures import BoundedBy, Measure, mean_of
from certus.workflow.models import ClusterModel, StudyModel, distance_ratios
from certus.workflow.models.forms import Trained
from certus.workflow.notes import Note
from certus.workflow.options import Options
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.judged import Constant, Judged
from certus.workflow.tasks.kind_of_task import Kind, Task
from certus.workflow.verdict import ClusterVerdict, Comparison, Verdict, Word, against_bound

Array = NDArray[Any]
NAME = "silhouette_loss"
QUANTITY = "mean ratio of the distances to the nearest and the second nearest center"


def _ratios(_truth: Array, predictions: Array, _probabilities: Array | None) -> Array:
    return predictions


_MEAN = BoundedBy.MEAN
MEASURE = Measure(
    NAME, frozenset({"clustering"}), "predictions", mean_of(_ratios), _ratios, (0.0, 1.0), None, _MEAN, QUANTITY, True
)


@dataclass(frozen=True, eq=False)
class ClusteringTask(Task):
    """The search for clusters; what is measured of a row is its ratio of distances."""

    kind: ClassVar[Kind] = "clustering"
    learners: ClassVar[Literal["classification", "regression", "clustering"]] = "clustering"
    default_trials: ClassVar[int] = 36  # every learner with every number of clusters
    baseline_name: ClassVar[str] = "baseline (one cluster)"
    calibrates: ClassVar[bool] = False
    calibrates_on_folds: ClassVar[bool] = False
    blends: ClassVar[bool] = False  # clusters of different trials have nothing in common that could be mixed

    @classmethod
    def create(cls, options: Options) -> ClusteringTask:
        """The task of finding clusters; refuses options that speak of a target."""
        if options.measure not in (None, NAME):
            raise StudyError(
                f"measure: {options.measure!r} does not fit a clustering task.\n"
                f"Hint: it has {NAME}; name a target to predict a column.",
                options=["measure", "target"],
            )
        if unfit := options.given("target", "positive", "levels", "costs", "loss_range"):
            raise StudyError(
                f"{unfit[0]} does not fit a clustering task.\nHint: leave it out, or name a target.",
                options=[unfit[0], "target"],
            )
        text = f"clustering, since no target is named (target=NAME predicts a column), measured by {NAME}"
        return cls((), MEASURE, np.empty(0), Note(text, ["target"]))

    @property
    def plain_target(self) -> str | list[str] | None:
        return None

    def values(self, frame: pl.DataFrame) -> Array:
        return np.zeros(frame.height)

    def can_be_learned(self, y: Array) -> bool:
        return True

    @classmethod
    def single_targets(cls, _y: Array) -> list[tuple[type[Task], Array]]:
        return []

    @staticmethod
    def strata(y: Array) -> Array:
        return np.zeros(len(y))

    @staticmethod
    def fit_and_predict(
        learner: Any, X: Array, _y: Array, X_new: Array, _classes: int, _weights: Array | None = None
    ) -> tuple[Array, Array | None]:
        return distance_ratios(learner.fit(X), X_new), None

    @staticmethod
    def best_constant(_y: Array, _measure: Measure, _classes: int, _weights: Array | None = None) -> Constant:
        """One cluster: nothing tells a row's center from a second one."""
        return Constant(1.0)

    def model(self, trained: Trained) -> StudyModel:
        return ClusterModel(trained, self.target, {})

    def respond(self, model: StudyModel, X: pl.DataFrame) -> tuple[Array, Array | None]:
        assert isinstance(model, ClusterModel)
        return model.ratios(X), None

    def certify(self, judged: Judged) -> Certificate:
        return judged.bound_mean(judged.predictions, (0.0, 1.0), Quantity(QUANTITY))

    def plain_losses(self, judged: Judged) -> tuple[Array, Quantity]:
        return judged.predictions, Quantity(QUANTITY)

    def against_constants(self, judged: Judged, learned: Array) -> Comparison:
        """Against groups of shuffled columns; the findings make that comparison."""
        return against_bound(better=False)

    def named(self, constant: Any) -> str:
        return "the same cluster"

    def certified_value(self, judged: Judged, certificate: Certificate) -> float:
        return float(np.mean(judged.predictions))

    def judge(self, judged: Judged, learned: Array, findings: Findings) -> Verdict:
        """Groups count only if they are tighter than those of columns that have nothing to do with each other."""
        value, baseline = self.shown(float(np.mean(judged.predictions))), self.shown(1.0)
        word: Word = "better" if findings.grouped else "not-better"
        comparison = self.against_constants(judged, learned)
        return ClusterVerdict(
            word,
            comparison,
            "",
            self.measure.title,
            value,
            baseline,
            "row",
            len(judged.truth),
            told=findings.diagnosis,
        )

    def find(self, study: Finished, in_time: Callable[..., bool]) -> Findings:
        return find_clusters(study, in_time)
