"""Step 5, the training: every candidate on the same folds of the learning rows; the best is trained on all.

Nothing in this step sees a test row.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.pipeline import Pipeline

from certus.workflow.data import Columns
from certus.workflow.features import encoder
from certus.workflow.learners import Candidate
from certus.workflow.task import Task

FOLDS = 5
# Above this many rows one fold is held out instead of all five in turn: its error is precise enough.
LARGEST_CROSS_VALIDATION = 20_000


@dataclass(frozen=True)
class Trial:
    """How one candidate did on the validation rows."""

    candidate: Candidate | None  # None: the baseline
    value: float
    predictions: NDArray[Any]  # for the validated rows
    seconds: float
    failure: str | None = None

    @property
    def name(self) -> str:
        """How the leaderboard calls it."""
        return self.candidate.name if self.candidate is not None else "baseline (always the same answer)"


@dataclass(frozen=True)
class Folds:
    """Fixed divisions of the learning rows into fitting and validation rows."""

    pairs: list[tuple[NDArray[np.intp], NDArray[np.intp]]]

    @property
    def validated(self) -> NDArray[np.intp]:
        """The rows on which candidates are compared, in the order of `Trial.predictions`."""
        return np.concatenate([validation for _, validation in self.pairs])


def make_folds(y: NDArray[Any], groups: NDArray[np.intp], task: Task, seed: int) -> Folds:
    """Five folds that keep class shares and never divide a group of equal rows."""
    count = min(FOLDS, len(np.unique(groups)))
    kind = StratifiedGroupKFold if task.classification else GroupKFold
    with warnings.catch_warnings():  # a class rarer than the folds is allowed here
        warnings.filterwarnings("ignore", message="The least populated class")
        pairs = list(kind(count, shuffle=True, random_state=seed).split(np.zeros(len(y)), y, groups))
    return Folds(pairs[:1] if len(y) > LARGEST_CROSS_VALIDATION else pairs)


def loss(task: Task, truth: NDArray[Any], answer: NDArray[Any]) -> float:
    """The measure of the task: share of wrong labels, or root mean squared error. Lower is better."""
    if task.classification:
        return float(np.mean(truth != answer))
    return float(np.sqrt(np.mean((np.asarray(truth, dtype=float) - answer) ** 2)))


def baseline_answer(task: Task, y: NDArray[Any]) -> Any:
    """The best answer that looks at no column: the most frequent label, or the mean."""
    if not task.classification:
        return float(np.mean(y))
    labels, counts = np.unique(y, return_counts=True)
    return labels[np.argmax(counts)]


def run_trials(
    candidates: list[Candidate],
    X: pl.DataFrame,
    y: NDArray[Any],
    *,
    task: Task,
    columns: Columns,
    folds: Folds,
    seed: int,
    on_trial: Callable[[Trial], None] = lambda _: None,
) -> list[Trial]:
    """Validate the baseline and every candidate on the same folds; best first."""
    trials = []
    for candidate in (None, *candidates):
        trial = _run(candidate, X, y, task, columns, folds, seed)
        on_trial(trial)
        trials.append(trial)
    return sorted(trials, key=lambda trial: trial.value)


def _run(
    candidate: Candidate | None,
    X: pl.DataFrame,
    y: NDArray[Any],
    task: Task,
    columns: Columns,
    folds: Folds,
    seed: int,
) -> Trial:
    begin = time.perf_counter()
    try:
        answers = np.concatenate(list(_fold_predictions(candidate, X, y, task, columns, folds, seed)))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        seconds = time.perf_counter() - begin
        return Trial(candidate, np.inf, np.empty(0), seconds, failure=str(error).splitlines()[0])
    return Trial(candidate, loss(task, y[folds.validated], answers), answers, time.perf_counter() - begin)


def _fold_predictions(
    candidate: Candidate | None,
    X: pl.DataFrame,
    y: NDArray[Any],
    task: Task,
    columns: Columns,
    folds: Folds,
    seed: int,
) -> Iterator[NDArray[Any]]:
    for fit, validation in folds.pairs:
        if candidate is None:
            yield np.full(len(validation), baseline_answer(task, y[fit]))
        else:
            yield train(candidate, X[fit], y[fit], columns, seed).predict(X[validation])


def train(candidate: Candidate, X: pl.DataFrame, y: NDArray[Any], columns: Columns, seed: int) -> Pipeline:
    """Encoder and learner fitted on these rows."""
    model = Pipeline([("encoder", encoder(columns, scale=candidate.scale)), ("learner", candidate.build(seed))])
    with warnings.catch_warnings():  # an unconverged fit is judged by its validation loss, and its gap is reported
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)
