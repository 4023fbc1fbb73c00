"""What a study found, and how it is written to a folder: completely or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.persistence import save
from certus.guarantees import Certificate, Report, as_estimate
from certus.workflow.columns import Columns
from certus.workflow.evaluation import Evaluation
from certus.workflow.findings import Findings
from certus.workflow.model import StudyModel
from certus.workflow.profile import Profile
from certus.workflow.sets import SetsFound
from certus.workflow.split import Split
from certus.workflow.study_error import StudyError
from certus.workflow.task import Task
from certus.workflow.trials import Trial

JOURNAL = "journal.sqlite"
REFITTED = "model-all-rows.certus"
WRITTEN = ("model.certus", REFITTED, "report.html", "study.json")  # in this order
BASELINE = "baseline (always the same answer)"
ONE_CLUSTER = "baseline (one cluster)"


@dataclass(frozen=True)
class Winner:
    """Who won: one trial, or several with their weights in a blend.

    Attributes
    ----------
    trials : list of Trial
        The trials behind it.
    weights : array
        Their weights; 1.0 for a single one.
    value : float
        The measure on the validation rows.
    said : array
        Its answers for the validation rows.
    """

    trials: list[Trial]
    weights: NDArray[Any]
    value: float
    said: NDArray[Any]

    @property
    def name(self) -> str:
        """How the leaderboard calls it."""
        if len(self.trials) == 1:
            return self.trials[0].name
        parts = (f"{weight:.2g} {trial.name}" for trial, weight in zip(self.trials, self.weights, strict=True))
        return f"blend of {' + '.join(parts)}"

    @property
    def title(self) -> str:
        """The name without its settings."""
        return self.trials[0].candidate.path.rsplit(".", 1)[1] if len(self.trials) == 1 else "Blend"


@dataclass(frozen=True)
class Study:
    """The result of a study.

    Attributes
    ----------
    task, profile, columns, split : Task, Profile, Columns, Split
        What was asked, what the table is like, which columns were used, which rows went where.
    trials : list of Trial
        Every candidate with its validation result, best first.
    baseline : float
        The measure of the answer that looks at no column.
    winner : Winner
        Who won on the validation rows.
    best : StudyModel
        The winner, trained on all learning rows; exactly the model that is certified.
    refitted : StudyModel or None
        The winner trained on all rows, if that was asked for; nothing is guaranteed about it.
    evaluation : Evaluation
        What the test rows say about it.
    findings : Findings
        Against whom it won, where it errs, what would help.
    certificates : Report
        Its certificates: of the test rows and of its training.
    seconds : float
        How long the study took.
    notes : list of str
        Guesses that were made, each with the option that overrides it.
    sets : SetsFound or None
        How large the sets or intervals are, and how often they miss.
    """

    name: str
    task: Task
    profile: Profile
    columns: Columns
    split: Split
    trials: list[Trial]
    baseline: float
    winner: Winner
    best: StudyModel
    refitted: StudyModel | None
    evaluation: Evaluation
    findings: Findings
    certificates: Report
    seconds: float
    notes: list[str]
    sets: SetsFound | None = None

    @property
    def leaderboard(self) -> list[dict[str, Any]]:
        """One row per candidate, best first, the baseline among them; then those that left the race."""
        rows = [
            {
                "learner": trial.name,
                "validation_value": trial.value if np.isfinite(trial.value) else None,
                "seconds": round(trial.seconds, 4),
                "baseline": False,
                "dropped": trial.dropped,
                "failure": trial.failure,
            }
            for trial in self.trials
        ]
        if len(self.winner.trials) > 1:
            rows.insert(0, _row(self.winner.name, self.winner.value, baseline=False))
        rows.append(_row(ONE_CLUSTER if self.task.clustering else BASELINE, self.baseline, baseline=True))
        rows.sort(key=_standing)
        return [{"rank": rank, "measure": self.task.measure.name, **row} for rank, row in enumerate(rows, 1)]

    @property
    def certificate(self) -> Certificate:
        """The winner's certificate on the test rows."""
        return self.evaluation.certificate

    @property
    def files(self) -> list[str]:
        """What `save` writes, the report first."""
        return ["report.html", "model.certus", *([REFITTED] if self.refitted is not None else []), "study.json"]

    def to_dict(self) -> dict[str, Any]:
        """The study as plain values: what ``study.json`` holds."""
        return {
            "table": self.name,
            "task": self.task.kind,
            "target": list(self.task.targets) if self.task.several else self.task.target or None,
            "rows": self.profile.rows,
            "rows_learned": len(self.split.learn),
            "rows_calibrated": len(self.split.calibration),
            "rows_tested": len(self.split.test),
            "columns_used": self.columns.used,
            "columns_left_out": self.columns.left_out,
            "profile": self.profile.to_dict(),
            "winner": {
                "learner": self.winner.name,
                "measure": self.task.measure.name,
                "validation_value": self.winner.value,
                "test_value": self.evaluation.value,
                "certificate": self.certificate.to_dict(),
            },
            "leaderboard": self.leaderboard,
            "findings": self.findings.to_dict(),
            "sets": None if self.sets is None else {**asdict(self.sets), "remark": self.sets.remark()},
            "certificates": self.certificates.to_dict()["certificates"],
            "notes": self.notes,
            "seconds": round(self.seconds, 3),
        }

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write ``report.html``, ``model.certus`` and ``study.json`` into a folder, each complete or not at all.

        ``study.json`` comes last: a folder that has it has the others of the same study.
        """
        folder = Path(folder)
        refuse_to_overwrite(folder, force=force)
        self._write(folder)
        return folder

    def _write(self, folder: Path) -> None:
        from certus.report import render_study

        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            save(self.best, fresh / "model.certus", report=self.certificates)
            if self.refitted is not None:
                reason = "this model was trained on all rows, the test rows among them"
                save(self.refitted, fresh / REFITTED, report=Report([as_estimate(self.certificate, reason)]))
            (fresh / "report.html").write_text(render_study(self), encoding="utf-8")
            (fresh / "study.json").write_text(json.dumps(self.to_dict(), indent=2), encoding="utf-8")
            folder.mkdir(exist_ok=True)
            for name in WRITTEN:
                if (fresh / name).exists():
                    (fresh / name).replace(folder / name)
                else:  # not asked for this time: that of an earlier study would not belong here
                    (folder / name).unlink(missing_ok=True)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def __str__(self) -> str:
        beaten = self.winner.value < self.baseline
        lines = [
            f"Study of {self.name}: {self.task.guess}",
            f"Winner: {self.winner.name}, {self.task.measure.name} {self.evaluation.value:.4g} on "
            f"{len(self.split.test)} rows that nobody touched"
            + ("" if beaten else " (no better than the baseline on the validation rows)"),
            str(self.certificate),
        ]
        return "\n".join(lines)

    @property
    def report(self) -> str:
        """The whole report as one HTML page."""
        return self._repr_html_()

    def __rich__(self) -> Any:
        """The leaderboard and what is guaranteed, for terminals with colors."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("", "learner", f"{self.task.measure.name} (validation)", title="Leaderboard")
        for row in self.leaderboard:
            if row["dropped"] is None:
                table.add_row(str(row["rank"]), Text(row["learner"]), f"{row['validation_value']:.4g}")
        return Group(table, Text(str(self)))

    def _repr_html_(self) -> str:
        from certus.report import render_study

        return render_study(self)


def _row(name: str, value: float, *, baseline: bool) -> dict[str, Any]:
    facts = {"learner": name, "validation_value": value, "seconds": 0.0, "baseline": baseline}
    return {**facts, "dropped": None, "failure": None}


def _standing(row: dict[str, Any]) -> tuple[bool, float]:
    """Who went through the whole race before who did not, then by value."""
    value = row["validation_value"]
    return row["dropped"] is not None, np.inf if value is None else value


def refuse_to_overwrite(folder: Path, *, force: bool, resume: bool = False) -> None:
    """Raise unless the folder is new, empty, or a study that may be replaced or continued."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        if resume:
            raise StudyError(f"--resume: there is no study in {str(folder)!r}.\nHint: leave --resume out to begin one.")
        return
    own = folder.is_dir() and any((folder / name).is_file() for name in ("study.json", JOURNAL))
    if not own:
        raise StudyError(f"{str(folder)!r} is not the folder of a study; it is not replaced even with --force.")
    if resume and not (folder / JOURNAL).is_file():
        raise StudyError(f"--resume: {str(folder)!r} has no journal.\nHint: --force begins anew.")
    if not force and not resume:
        raise StudyError(
            f"{str(folder)!r} exists already.\nHint: --resume continues it, --force replaces it; or name another --out."
        )
