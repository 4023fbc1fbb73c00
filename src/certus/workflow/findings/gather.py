"""All findings of a study, gathered after the winner is fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.findings import clusters
from certus.workflow.findings.alike import AlikeColumns, alike_columns
from certus.workflow.findings.cluster_quality import cluster_quality
from certus.workflow.findings.comparisons import Versus, compare_all, tell_apart
from certus.workflow.findings.density import DensityFound, find_density
from certus.workflow.findings.importances import LARGEST_SAMPLE, importances
from certus.workflow.findings.learning_curve import LearningCurve, curve_of, learning_curve
from certus.workflow.findings.overfitting import overfitting
from certus.workflow.findings.record import Findings
from certus.workflow.findings.row_map import RowMap, map_rows
from certus.workflow.findings.winning_network import find_network
from certus.workflow.models import ClusterModel, StudyModel
from certus.workflow.race.learning import Learning, train
from certus.workflow.race.race import Race
from certus.workflow.race.trials import Trial
from certus.workflow.split import Split

if TYPE_CHECKING:
    from certus.workflow.evaluation_record import Evaluation
    from certus.workflow.tasks import Task
    from certus.workflow.winner import Winner

InTime = Callable[..., bool]


@dataclass(frozen=True)
class Finished:
    """A study whose winner is fixed, trained and tested.

    Where the test is sealed, ``split.test`` are the validation rows and ``evaluation`` is about them: every row was
    predicted by a model that had not seen it, which is not ``model``.
    """

    task: Task
    split: Split
    learning: Learning
    race: Race
    complete: list[Trial]
    winner: Winner
    baseline: float
    model: StudyModel
    frame: pl.DataFrame  # the used columns of all rows
    values: NDArray[Any]  # the targets of all rows
    evaluation: Evaluation
    confidence: float
    threads: int

    @property
    def sealed(self) -> bool:
        """Whether findings are about validation rows."""
        return self.evaluation.rows != "test"


def find_all(study: Finished, in_time: InTime) -> Findings:
    """Gather the findings, the cheap ones first; what there is no time for is left out.

    ``in_time(seconds=0.0)`` says whether so many seconds are left.
    """
    special = study.task.special_findings(study)
    learn = study.split.learn[:LARGEST_SAMPLE]
    training = _value(study, study.frame[learn], study.values[learn])
    row_map = _row_map(study, in_time, study.task.colors(study.values[study.split.learn]), study.task.target)
    curve = _curve(study, in_time)
    rises = _importances(study, in_time)
    return Findings(
        shortlist=_shortlist(study),
        versus=_versus(study, in_time),
        curve=curve,
        importances={name: rise for name, (rise, _) in rises.items()},
        importance_spread={name: spread for name, (_, spread) in rises.items()},
        training_value=training,
        diagnosis=_overfitting(study, learn),
        network=find_network(study),
        row_map=row_map,
        alike=_alike(study, in_time),
        **special,
    )


def _overfitting(study: Finished, learn: NDArray[np.intp]) -> str:
    task = study.task
    truth = study.learning.y[study.learning.validated(study.race.depth)]
    known = task.positions(study.values[learn]), task.positions(study.model.predict(study.frame[learn]))
    return overfitting(task.comparable_losses(*known), task.comparable_losses(truth, study.winner.out_of_fold))


def find_clusters(study: Finished, in_time: InTime) -> Findings:
    """The clusters, and whether they are tighter than those of columns that have nothing to do with each other."""
    learned, best = study.frame[study.split.learn], study.complete[0]
    shuffled = None
    if in_time(best.seconds):
        shuffled = clusters.shuffled_ratios(best.candidate, study.learning, study.threads)
    assert isinstance(study.model, ClusterModel)
    quality = None
    if in_time(best.seconds):
        quality = cluster_quality(study.model.model_, learned, study.confidence, study.learning.seed)
    grouped, told = clusters.compared(study.winner.out_of_fold, shuffled, len(study.race.trials))
    groups = study.model.predict(learned)
    return Findings(
        shortlist=_shortlist(study),
        training_value=float(np.mean(study.model.ratios(learned))),
        diagnosis=told,
        grouped=grouped,
        clusters=clusters.describe(learned, groups, study.learning.columns),
        row_map=_row_map(study, in_time, study.task.colors(groups), "cluster"),
        quality=quality,
        density=_density(study, in_time),
        alike=_alike(study, in_time),
    )


def _density(study: Finished, in_time: InTime) -> DensityFound | None:
    """The mixture of Gaussians that describes the columns of numbers best, held against the test rows."""
    if not in_time(study.complete[0].seconds):
        return None
    tested = study.frame[study.split.test]
    return find_density(
        study.frame[study.split.learn],
        tested,
        study.learning.columns.numbers,
        study.model.predict(tested),
        confidence=study.confidence,
        seed=study.learning.seed,
        by_rows=study.split.unit != "group",
    )


def _row_map(study: Finished, in_time: InTime, values: NDArray[Any], colored_by: str) -> RowMap | None:
    if not in_time():
        return None
    learning = study.learning
    return map_rows(learning.frame, learning.columns, values, colored_by, seed=learning.seed)


def _alike(study: Finished, in_time: InTime) -> AlikeColumns | None:
    return alike_columns(study.learning.frame, study.learning.columns.numbers) if in_time() else None


def _curve(study: Finished, in_time: InTime) -> LearningCurve | None:
    """The race itself drew it if it went over ever more rows; else it is drawn now."""
    best, learning, task = study.complete[0], study.learning, study.task
    if learning.rungs and len(learning.divisions) > 1:
        outcomes = best.outcomes[: len(best.values)]
        rows = [len(part.fit) for part in learning.divisions[: len(outcomes)]]
        truth = learning.y[learning.divisions[0].validation]
        return curve_of(rows, outcomes, truth, task.measure, task.comparable_losses)
    if not in_time():
        return None
    return learning_curve(best.candidate, learning, task.measure, task.comparable_losses, study.threads, in_time)


def _value(study: Finished, rows: pl.DataFrame, truth: NDArray[Any]) -> float:
    """The measure of the model on some rows."""
    task = study.task
    if task.measure.needs == "predictions":
        return task.measure.value(task.positions(truth), task.positions(study.model.predict(rows)), None)
    predictions, probabilities = task.respond(study.model, rows)
    return task.measure.value(task.positions(truth), task.positions(predictions), probabilities)


def _shortlist(study: Finished) -> list[str]:
    truth = study.learning.y[study.learning.validated(study.race.depth)]
    losses = study.task.comparable_losses
    rivals = [(trial.name, losses(truth, study.race.predictions(trial)[0])) for trial in study.complete]
    judged = tell_apart(losses(truth, study.winner.out_of_fold), rivals)
    name = study.winner.name
    return [name, *(one.rival for one in judged if one.verdict == "cannot tell" and one.rival != name)]


def _versus(study: Finished, in_time: InTime) -> list[Versus]:
    task = study.task
    truth, predictions = (task.positions(one) for one in (study.evaluation.truth, study.evaluation.predictions))
    winner = study.complete[0]
    runner_up = next((trial for trial in study.complete[1:] if trial.recipe is not winner.recipe), None)
    if runner_up is not None and in_time(study.race.seconds(runner_up, len(study.split.learn))):
        rivals = [(runner_up.name, task.comparable_losses(truth, _predictions_of(study, runner_up)))]
        compared = compare_all(task.comparable_losses(truth, predictions), rivals)
        return [replace(one, rows=study.evaluation.rows) for one in compared]
    return []


def _predictions_of(study: Finished, trial: Trial) -> NDArray[Any]:
    """What another trial, trained like the winner, predicts for the test rows."""
    if study.sealed:
        return study.race.predictions(trial)[0]
    learn, learning = study.split.learn, study.learning
    model = train(
        learning.kind,
        trial.candidate,
        study.frame[learn],
        study.task.to_learn(study.values[learn]),
        learning.columns,
        seed=learning.seed,
        threads=study.threads,
        weights=learning.weights,
    )
    return study.task.positions(study.task.model(model).predict(study.frame[study.split.test]))


def _importances(study: Finished, in_time: InTime) -> dict[str, tuple[float, float]]:
    """On calibration rows if there are any, which the model has not seen; else on rows that it learned from."""
    spare = study.split.calibration if len(study.split.calibration) else study.split.learn
    rows = spare[:LARGEST_SAMPLE]
    truth = study.values[rows]
    return importances(
        study.frame[rows], lambda frame: _value(study, frame, truth), seed=study.learning.seed, in_time=in_time
    )
