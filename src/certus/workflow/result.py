"""What a study found, and how it is written to a folder: completely or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from certus.base.persistence import save
from certus.guarantees import Certificate, Report
from certus.workflow.data import Columns, Split
from certus.workflow.errors import StudyError
from certus.workflow.evaluation import Evaluation
from certus.workflow.task import Task
from certus.workflow.training import Trial


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
