"""The study: a table in, a certified model and a report out, in six steps that never look at each other's rows."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from certus import datasets
from certus.base.persistence import save
from certus.guarantees import Certificate, Report
from certus.workflow.data import Columns, Split, classify_columns, model_input, read_table, split_rows
from certus.workflow.errors import StudyError
from certus.workflow.evaluation import Evaluation, evaluate, tolerance
from certus.workflow.learners import portfolio
from certus.workflow.task import Task, infer_task
from certus.workflow.training import Trial, make_folds, run_trials, train

BUILT_IN = "breast_cancer"


@dataclass(frozen=True)
class Study:
    """The result of a study.

    Attributes
    ----------
    task, columns, split : Task, Columns, Split
        What was asked, which columns were used, which rows went where.
    trials : list of Trial
        Every candidate with its validation result, best first, the baseline among them.
    best : Pipeline
        The winner, trained on all learning rows; exactly the model that is certified.
    evaluation : Evaluation
        What the test rows say about it.
    certificates : Report
        Its certificates: of the test rows and of its training.
    seconds : float
        How long the study took.
    notes : list of str
        Guesses that were made, each with the option that overrides it.
    """

    name: str
    task: Task
    columns: Columns
    split: Split
    trials: list[Trial]
    winner: Trial
    best: Pipeline
    evaluation: Evaluation
    certificates: Report
    seconds: float
    notes: list[str]

    @property
    def leaderboard(self) -> list[dict[str, Any]]:
        """One row per candidate, best first."""
        return [
            {
                "rank": rank,
                "learner": trial.name,
                "measure": self.task.measure,
                "validation_value": trial.value if np.isfinite(trial.value) else None,
                "seconds": round(trial.seconds, 4),
                "baseline": trial.candidate is None,
                "failure": trial.failure,
            }
            for rank, trial in enumerate(self.trials, 1)
        ]

    @property
    def certificate(self) -> Certificate:
        """The winner's certificate on the test rows."""
        return self.evaluation.certificate

    @property
    def baseline(self) -> Trial:
        """The trial of the answer that looks at no column."""
        return next(trial for trial in self.trials if trial.candidate is None)

    def to_dict(self) -> dict[str, Any]:
        """The study as plain values: what ``study.json`` holds."""
        return {
            "table": self.name,
            "task": self.task.kind,
            "target": self.task.target,
            "rows": len(self.split.learn) + len(self.split.test),
            "rows_learned": len(self.split.learn),
            "rows_tested": len(self.split.test),
            "columns_used": self.columns.used,
            "columns_left_out": self.columns.left_out,
            "winner": {
                "learner": self.winner.name,
                "measure": self.task.measure,
                "validation_value": self.winner.value,
                "test_value": self.evaluation.value,
                "certificate": self.certificate.to_dict(),
            },
            "leaderboard": self.leaderboard,
            "certificates": self.certificates.to_dict()["certificates"],
            "notes": self.notes,
            "seconds": round(self.seconds, 3),
        }

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write ``report.html``, ``model.certus`` and ``study.json`` into a folder, all or nothing."""
        from certus.report import render_study

        folder = Path(folder)
        refuse_to_overwrite(folder, force=force)
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            save(self.best, fresh / "model.certus", report=self.certificates)
            (fresh / "report.html").write_text(render_study(self), encoding="utf-8")
            (fresh / "study.json").write_text(json.dumps(self.to_dict(), indent=2), encoding="utf-8")
            fresh.chmod(0o755)
            _replace(folder, fresh)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        return folder

    def __str__(self) -> str:
        beaten = self.winner.value < self.baseline.value
        lines = [
            f"Study of {self.name}: {self.task.guess}",
            f"Winner: {self.winner.name}, {self.task.measure} {self.evaluation.value:.4g} on "
            f"{len(self.split.test)} rows that nobody touched"
            + ("" if beaten else " (no better than the baseline on the validation rows)"),
            str(self.certificate),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from certus.report import render_study

        return render_study(self)


def refuse_to_overwrite(folder: Path, *, force: bool) -> None:
    """Raise unless the folder is new, empty, or an earlier study that may be replaced."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not force:
        raise StudyError(f"{str(folder)!r} exists already.\nHint: --force replaces it; or name another --out.")
    if not folder.is_dir() or not (folder / "study.json").is_file():
        raise StudyError(f"{str(folder)!r} is not the folder of a study; it is not replaced even with --force.")


def _replace(folder: Path, fresh: Path) -> None:
    """Put the fresh folder in the place of an old one by renaming; the old one survives a failure."""
    if not folder.exists():
        fresh.replace(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    folder.replace(old / "old")
    try:
        fresh.replace(folder)
    except OSError:
        (old / "old").replace(folder)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


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
    evaluation = evaluate(
        best, X[split.test], y[split.test], task=asked, confidence=confidence, threshold=threshold
    )
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
