"""The study: a table in, a certified model and a report out, in six steps that never look at each other's rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from certus import datasets
from certus.workflow.data import classify_columns, model_input, read_table, split_rows
from certus.workflow.errors import StudyError
from certus.workflow.evaluation import evaluate, tolerance
from certus.workflow.learners import portfolio
from certus.workflow.result import Study
from certus.workflow.task import Task, infer_task
from certus.workflow.training import Trial, make_folds, run_trials, train

BUILT_IN = "breast_cancer"


def study(
    table: Any = None,
    *,
    target: str | None = None,
    task: str | None = None,
    confidence: float = 0.95,
    holdout: float = 0.2,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
) -> Study:
    """Take a table through the six steps of a machine-learning project and certify the winner.

    Parameters
    ----------
    table : path or data frame, default=None
        CSV, Parquet, Arrow or JSON lines, or a pandas, polars or pyarrow table; a built-in table if None.
    target : str
        The column to predict.
    task : {"classification", "regression"}, default=None
        Inferred from the target if None.
    confidence : float, default=0.95
        Probability with which the winner's certificate holds.
    holdout : float, default=0.2
        Share of the rows that nobody touches before the winner is fixed (at most 10 000 rows).
    seed : int, default=0
        Decides which rows these are, and every other random choice.
    progress : callable, optional
        Called with (message, done, total) after every step.

    Returns
    -------
    Study

    Examples
    --------
    >>> import certus
    >>> result = certus.study()
    >>> result.certificate.check()
    True
    """
    begin = time.perf_counter()
    _check_shares(confidence, holdout)
    if table is None:
        built_in = datasets.load(BUILT_IN)
        frame, target, name = built_in.frame, target or built_in.target, f"the built-in table {BUILT_IN}"
    else:
        frame = read_table(table)
        name = Path(table).name if isinstance(table, str | Path) else "a data frame"
    asked = infer_task(frame, target, task)
    labelled = frame.filter(pl.col(asked.target).is_not_null())
    notes = [asked.guess]
    if labelled.height < frame.height:
        notes.append(f"{frame.height - labelled.height} rows without a value of {asked.target!r} were left out")
    columns = classify_columns(labelled, asked.target)
    notes += [f"column {column!r} is not used: {reason}" for column, reason in columns.left_out.items()]

    split = split_rows(labelled, asked, columns, holdout=holdout, seed=seed)
    X, y = model_input(labelled, columns), labels_of(labelled, asked)
    X_learn, y_learn = X[split.learn], y[split.learn]
    folds = make_folds(y_learn, split.groups, asked, seed)
    candidates = portfolio(asked, len(split.learn), len(columns.used))
    done = 0

    def told(trial: Trial) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(trial.name, done, len(candidates) + 1)

    trials = run_trials(
        candidates, X_learn, y_learn, task=asked, columns=columns, folds=folds, seed=seed, on_trial=told
    )
    winner = next(trial for trial in trials if trial.candidate is not None)
    if winner.failure is not None or winner.candidate is None:
        raise StudyError(f"No learner could be trained: {winner.failure}")
    best = train(winner.candidate, X_learn, y_learn, columns, seed)
    threshold = None if asked.classification else tolerance(y_learn[folds.validated], winner.predictions)
    evaluation = evaluate(best, X[split.test], y[split.test], task=asked, confidence=confidence, threshold=threshold)
    certificates = best[-1].report_.with_([evaluation.certificate])
    seconds = time.perf_counter() - begin
    return Study(name, asked, columns, split, trials, winner, best, evaluation, certificates, seconds, notes)


def _check_shares(confidence: float, holdout: float) -> None:
    for label, value in (("confidence", confidence), ("holdout", holdout)):
        if not 0.0 < value < 1.0:
            raise StudyError(f"--{label} must lie strictly between 0 and 1. Got {value!r} instead.")


def labels_of(frame: pl.DataFrame, task: Task) -> np.ndarray:
    """The target as an array: floats for regression, text or whole numbers for labels."""
    column = frame[task.target]
    if not task.classification:
        return column.cast(pl.Float64).to_numpy()
    if column.dtype.is_integer() or column.dtype == pl.Boolean:
        return column.to_numpy()
    return np.asarray(column.cast(pl.String).to_list())
