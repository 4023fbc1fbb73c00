"""All findings of a study, gathered after the winner is fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.clustering import ClusterModel
from certus.workflow.clustering import findings as clusters
from certus.workflow.evaluation import Evaluation
from certus.workflow.findings import guards as guarding
from certus.workflow.findings import reliability as reliable
from certus.workflow.findings.alike import AlikeColumns, alike_columns
from certus.workflow.findings.comparisons import Versus, compare_all
from certus.workflow.findings.diagnosis import diagnosis
from certus.workflow.findings.importances import LARGEST_SAMPLE, importances
from certus.workflow.findings.learning_curve import LearningCurve, learning_curve
from certus.workflow.findings.subgroups import Subgroup, label_errors, subgroups
from certus.workflow.label_sets import constant_answer
from certus.workflow.learning import Learning, train
from certus.workflow.model import StudyModel
from certus.workflow.race import Race
from certus.workflow.split import Split
from certus.workflow.task import Task
from certus.workflow.trials import Trial


@dataclass(frozen=True)
class Findings:
    """What a study found besides its winner; None or empty where there was no time or no sense.

    Attributes
    ----------
    shortlist : list of str
        Candidates that the validation rows cannot tell from the winner.
    versus : list of Versus
        The winner against the runner-up and the baseline on the test rows.
    curve : LearningCurve or None
        The measure after training on ever more rows.
    importances : dict of str to float
        Rise of the measure when a column is shuffled.
    subgroups : list of Subgroup
        Errors by subgroup, worst first.
    labels : list of Subgroup
        Where rows have several labels: the error of each.
    bins : list of Bin
        Said probabilities against what happened.
    guards : list of GuardedAnswers
        How sure the model must be for its answers to be right as often as somebody needs.
    training_value : float
        The measure on the rows that were learned from.
    diagnosis : str
        Over- and under-fitting in words.
    clusters : list of Cluster
        The groups that a clustering study found.
    alike : AlikeColumns or None
        Which columns of numbers say the same.
    """

    shortlist: list[str]
    versus: list[Versus]
    curve: LearningCurve | None
    importances: dict[str, float]
    subgroups: list[Subgroup]
    labels: list[Subgroup]
    bins: list[reliable.Bin]
    guards: list[guarding.GuardedAnswers]
    training_value: float
    diagnosis: str
    clusters: list[clusters.Cluster] = field(default_factory=list)
    alike: AlikeColumns | None = None

    def remarks(self) -> list[str]:
        """The findings that everybody should read, in words."""
        told = [self.diagnosis]
        for rival in self.versus:
            clear = f"p = {rival.p_value:.2g}"
            told.append(
                f"against {rival.rival}: {rival.verdict} on the test rows ({rival.wins} to {rival.losses}, {clear})"
            )
        if len(self.shortlist) > 1:
            told.append(
                f"{len(self.shortlist) - 1} other candidates cannot be told from the winner on the validation rows"
            )
        if self.curve is not None:
            told.append(self.curve.verdict)
        if self.bins:
            told.append(reliable.remark(self.bins))
        if self.guards:
            told.append(guarding.remark(self.guards))
        return told

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain values."""
        curve = None if self.curve is None else {**asdict(self.curve), "verdict": self.curve.verdict}
        return {
            "shortlist": self.shortlist,
            "comparisons": [asdict(rival) for rival in self.versus],
            "learning_curve": curve,
            "importances": self.importances,
            "subgroups": [{**asdict(group), "error": group.error} for group in self.subgroups],
            "labels": [{**asdict(label), "error": label.error} for label in self.labels],
            "calibration": [asdict(one) for one in self.bins],
            "guards": [asdict(one) for one in self.guards],
            "clusters": [asdict(cluster) for cluster in self.clusters],
            "alike_columns": None if self.alike is None else asdict(self.alike),
            "training_value": self.training_value,
            "diagnosis": self.diagnosis,
            "remarks": self.remarks(),
        }


@dataclass(frozen=True)
class Finished:
    """A study whose winner is fixed, trained and tested."""

    task: Task
    split: Split
    learning: Learning
    race: Race
    complete: list[Trial]
    winner_value: float
    winner_name: str
    said: NDArray[Any]  # by the winner about the validated rows
    baseline: float
    model: StudyModel
    frame: pl.DataFrame  # the used columns of all rows
    values: NDArray[Any]  # the targets of all rows
    evaluation: Evaluation
    confidence: float
    threads: int


def find_all(study: Finished, in_time: Callable[..., bool]) -> Findings:
    """Gather the findings, the cheap ones first; what there is no time for is left out.

    ``in_time(seconds=0.0)`` says whether so many seconds are left.
    """
    if study.task.clustering:
        return _cluster_findings(study, in_time)
    wrong = study.evaluation.answers != study.evaluation.truth
    groups, bins, labels = [], [], []
    if study.task.several:
        labels = label_errors(study.task.targets, wrong, study.confidence)
        wrong = wrong.any(axis=1)
    if study.task.classification:
        test, learned = study.frame[study.split.test], study.frame[study.split.learn]
        groups = subgroups(test, learned, wrong, study.learning.columns, study.confidence)
        if not study.task.several and study.model.gives_probabilities and study.evaluation.shares is not None:
            bins = reliable.reliability(study.evaluation.shares, ~wrong, study.confidence)
    training = _value(
        study, study.frame[study.split.learn][:LARGEST_SAMPLE], study.values[study.split.learn][:LARGEST_SAMPLE]
    )
    curve = _curve(study, in_time)
    falling = None if curve is None else curve.falling
    return Findings(
        shortlist=_shortlist(study),
        versus=_versus(study, in_time),
        curve=curve,
        importances=_importances(study, in_time),
        subgroups=groups,
        labels=labels,
        bins=bins,
        guards=_guards(study),
        training_value=training,
        diagnosis=diagnosis(training, study.winner_value, study.baseline, falling),
        alike=_alike(study, in_time),
    )


def _cluster_findings(study: Finished, in_time: Callable[..., bool]) -> Findings:
    """The groups, and whether they are tighter than those of columns that have nothing to do with each other."""
    learned, best = study.frame[study.split.learn], study.complete[0]
    shuffled = None
    if in_time(sum(outcome.seconds for outcome in best.outcomes)):
        shuffled = clusters.shuffled_ratios(best.candidate, study.learning, study.threads)
    assert isinstance(study.model, ClusterModel)
    return Findings(
        shortlist=_shortlist(study),
        versus=[],
        curve=None,
        importances={},
        subgroups=[],
        labels=[],
        bins=[],
        guards=[],
        training_value=float(np.mean(study.model.ratios(learned))),
        diagnosis=clusters.verdict(study.said, shuffled, len(study.race.trials)),
        clusters=clusters.describe(learned, study.model.predict(learned), study.learning.columns),
        alike=_alike(study, in_time),
    )


def _alike(study: Finished, in_time: Callable[..., bool]) -> AlikeColumns | None:
    return alike_columns(study.learning.frame, study.learning.columns.numbers) if in_time() else None


def _guards(study: Finished) -> list[guarding.GuardedAnswers]:
    """From rows that the model has not seen: those of the calibration, or without such rows those of the test."""
    if not study.task.classification or study.task.several or study.split.unit != "row":
        return []
    spared = study.split.calibration if len(study.split.calibration) else study.split.test
    shares = study.model.shares(study.frame[spared])
    right = study.model.classes_[np.argmax(shares, axis=1)] == study.values[spared]
    return guarding.guards(shares, right, study.confidence)


def _curve(study: Finished, in_time: Callable[[], bool]) -> LearningCurve | None:
    """The race itself drew it if it went over ever more rows; else it is drawn now."""
    best, learning = study.complete[0], study.learning
    if learning.rungs:
        return LearningCurve([len(part.fit) for part in learning.divisions[: len(best.values)]], list(best.values))
    return learning_curve(best.candidate, learning, study.task.measure, study.threads, in_time) if in_time() else None


def _losses(task: Task, truth: NDArray[Any], answers: NDArray[Any]) -> NDArray[Any]:
    """Row losses by which two models are compared: declared ones, wrong or right, or the distance."""
    if task.measure.rows is not None and task.measure.said and task.measure.needs == "answers":
        return task.measure.rows(truth, answers, None)
    if not task.classification:
        return np.abs(truth - answers)
    return (truth != answers).reshape(len(truth), -1).any(axis=1).astype(float)


def _value(study: Finished, rows: pl.DataFrame, truth: NDArray[Any]) -> float:
    places, shares = study.task.positions(truth), None
    answers = study.task.positions(study.model.predict(rows))
    if study.task.measure.needs == "shares":
        shares = study.model.shares(rows)[:, np.searchsorted(study.model.classes_, study.task.labels)]
    return study.task.measure.value(places, answers, shares)


def _shortlist(study: Finished) -> list[str]:
    truth = study.learning.y[study.learning.validated(study.race.depth)]
    rivals = [(trial.name, _losses(study.task, truth, study.race.answers(trial)[0])) for trial in study.complete]
    judged = compare_all(_losses(study.task, truth, study.said), rivals)
    others = [one.rival for one in judged if one.verdict == "cannot tell" and one.rival != study.winner_name]
    return [study.winner_name, *others]


def _versus(study: Finished, in_time: Callable[..., bool]) -> list[Versus]:
    learn, test = study.split.learn, study.split.test
    truth, answers = (study.task.positions(one) for one in (study.evaluation.truth, study.evaluation.answers))
    constant = np.broadcast_to(_constant(study), truth.shape)
    rivals = [("the baseline", _losses(study.task, truth, constant))]
    winner = study.complete[0]
    runner_up = next((trial for trial in study.complete[1:] if trial.recipe is not winner.recipe), None)
    if runner_up is not None and in_time(study.race.seconds(runner_up, len(learn))):
        model = train(
            runner_up.candidate,
            study.frame[learn],
            study.task.to_learn(study.values[learn]),
            study.learning.columns,
            seed=study.learning.seed,
            threads=study.threads,
        )
        said = study.task.positions(StudyModel(model, study.task).predict(study.frame[test]))
        rivals.insert(0, (runner_up.name, _losses(study.task, truth, said)))
    return compare_all(_losses(study.task, truth, answers), rivals)


def _constant(study: Finished) -> Any:
    """The best answer that looks at no column."""
    if study.task.several:
        return constant_answer(study.learning.y, study.task.measure)
    if not study.task.classification:
        return float(np.mean(study.learning.y))
    frequency = np.bincount(study.learning.y.astype(np.intp), minlength=study.learning.classes) / len(study.learning.y)
    return int(study.task.measure.decide(frequency[None, :])[0])


def _importances(study: Finished, in_time: Callable[[], bool]) -> dict[str, float]:
    """On calibration rows if there are any, which the model has not seen; else on rows that it learned from."""
    spare = study.split.calibration if len(study.split.calibration) else study.split.learn
    rows = spare[:LARGEST_SAMPLE]
    truth = study.values[rows]
    return importances(
        study.frame[rows],
        lambda frame: _value(study, frame, truth),
        seed=study.learning.seed,
        in_time=in_time,
    )
