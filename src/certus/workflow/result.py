"""What a study found, and how it is written to a folder: completely or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.base import TableLike
from certus.base.persistence import save
from certus.guarantees import Certificate, Report, as_estimate
from certus.guarantees.rows import Look
from certus.tables import as_learned, read_table, without_absurd
from certus.workflow.columns import Columns
from certus.workflow.evaluation_record import Evaluation
from certus.workflow.findings import Findings
from certus.workflow.leaderboard import leaderboard, short_board, shown_rows
from certus.workflow.models import StudyModel
from certus.workflow.models.conformal_sets import SetsFound
from certus.workflow.notes import Note
from certus.workflow.profile import Profile
from certus.workflow.race.trials import Trial
from certus.workflow.split import Split
from certus.workflow.study_files import folder_of, refuse_to_overwrite
from certus.workflow.tasks import Task
from certus.workflow.verdict import Verdict, Word
from certus.workflow.winner import Winner

REFITTED = "model-all-rows.certus"
WRITTEN = ("model.certus", REFITTED, "report.html", "study.json")  # in this order


@dataclass(frozen=True, repr=False)
class Study:
    """The result of a study.

    Attributes
    ----------
    task, profile, columns, split : Task, Profile, Columns, Split
        What was asked, what the table is like, which columns were used, which rows went where.
    trials : list of Trial
        Every candidate with its validation result, best first.
    baseline : float
        The measure of the best prediction that looks at no column.
    winner : Winner
        Who won on the validation rows.
    judgment : Verdict
        Whether the winner is better than guessing, and by which comparison; `verdict` is its word.
    best : StudyModel
        The winner, trained on all learning rows; exactly the model that is certified.
    refitted : StudyModel or None
        The winner trained on all rows, if that was asked for; nothing is guaranteed about it.
    evaluation : Evaluation
        What the test rows tell about it.
    findings : Findings
        Against whom it won, where it errs, what would help.
    certificates : Report
        Its certificates: of the test rows and of its training.
    seconds : float
        How long the study took.
    notes : list of Note
        Guesses that were made, each with the option that overrides it.
    sets : SetsFound or None
        How large the sets or intervals are, and how often they miss.
    look : Look or None
        Which look at the test rows it was, if looks are counted.
    """

    name: str
    task: Task
    profile: Profile
    columns: Columns
    split: Split
    trials: list[Trial]
    baseline: float
    winner: Winner
    judgment: Verdict
    best: StudyModel
    refitted: StudyModel | None
    evaluation: Evaluation
    findings: Findings
    certificates: Report
    seconds: float
    notes: list[Note]
    sets: SetsFound | None = None
    look: Look | None = None

    @property
    def verdict(self) -> Word:
        """Is the winner better than guessing: "better", "not-better" or "too-few-rows"."""
        return self.judgment.word

    @property
    def sealed(self) -> bool:
        """Whether the test rows told nothing but the certificate; all other figures are those of validation rows."""
        return self.evaluation.rows != "test"

    @property
    def _rows_judged(self) -> int:
        return len(self.evaluation.truth)

    @property
    def leaderboard(self) -> list[dict[str, Any]]:
        """One row per candidate, best first, the baseline among them; then those that left the race."""
        return leaderboard(self.trials, self.winner, self.task, self.baseline)

    @property
    def model(self) -> StudyModel:
        """The certified model; the same as ``best``."""
        return self.best

    def predict(self, X: TableLike) -> NDArray[Any]:
        """What the certified model predicts for new rows: labels, numbers or clusters."""
        return self.best.predict(self._rows(X))

    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Probability of every label (``model.classes_``) for new rows."""
        found: NDArray[np.float64] = self.best.predict_proba(self._rows(X))
        return found

    def _rows(self, X: TableLike) -> pl.DataFrame:
        """New rows in the types that were learned, absurd numbers as missing ones."""
        frame = as_learned(read_table(X, texts=True), self.best.column_kinds)
        return without_absurd(frame, self.best.usual_numbers)[0]

    def __repr__(self) -> str:
        value, where = self.task.shown(self.evaluation.value), f"{self._rows_judged} {self.evaluation.rows} rows"
        told = f"{self.task.measure.title} {value} on {where}"
        return f"Study({self.name!r}, verdict={self.verdict!r}, winner={self.winner.short_name!r}, {told})"

    @property
    def short_board(self) -> list[dict[str, Any]]:
        """The rows of the leaderboard that everybody should see."""
        return short_board(self.leaderboard)

    @property
    def folder_name(self) -> str:
        """The folder that the command line writes this study to, unless another is named."""
        return folder_of(self.name)

    @property
    def certificate(self) -> Certificate:
        """The winner's certificate on the test rows."""
        return self.evaluation.certificate

    @property
    def files(self) -> list[str]:
        """What `save` writes, the report first."""
        refitted = [REFITTED] if self.refitted is not None and self.savable else []
        return ["report.html", *(["model.certus"] if self.savable else []), *refitted, "study.json"]

    @property
    def savable(self) -> bool:
        """Whether files can hold the model: learners of other libraries have no form that is safe to load."""
        return not any(trial.candidate.foreign for trial in self.winner.trials)

    @property
    def advice(self) -> list[str]:
        """What the study says about what to do next: one list, drawn from intervals and exact tests."""
        if self.verdict == "better":
            told = [self.findings.curve.verdict] if self.findings.curve is not None else []
        elif self.task.kind == "clustering":
            told = []
        elif self.verdict == "too-few-rows":
            told = ["more test rows are needed before anything can be said"]
        else:
            told = ["no column is shown to carry information about the target: other columns would help, not settings"]
        if self.findings.diagnosis and self.task.kind != "clustering":
            told.append(self.findings.diagnosis)
        return [*told, *self.findings.remarks()]

    def to_dict(self) -> dict[str, Any]:
        """The study as plain values: what ``study.json`` holds."""
        told = self.task.measure.told
        return {
            "verdict": self.verdict,
            "comparison_with_constant": self.judgment.to_dict(),
            "table": self.name,
            "task": self.task.kind,
            "target": self.task.plain_target,
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
                "higher_is_better": self.task.measure.score,
                "validation_value": told(self.winner.value),
                "test_value": None if self.sealed else told(self.evaluation.value),
                "certificate": self.certificate.to_dict(),
            },
            "baseline": {
                "name": self.task.baseline_name,
                "measure": self.task.measure.name,
                "validation_value": told(self.baseline),
                "test_value": None if self.sealed else told(self.evaluation.baseline),
            },
            "leaderboard": self.leaderboard,
            "advice": self.advice,
            "findings": self.findings.to_dict(),
            "sets": None if self.sets is None else {**asdict(self.sets), "remark": self.sets.remark()},
            "certificates": self.certificates.to_dict()["certificates"],
            "sealed": self.sealed,
            "looks": None if self.look is None else self.look.to_dict(),
            "notes": self.notes,
            "seconds": round(self.seconds, 3),
        }

    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """Write ``report.html``, ``model.certus`` and ``study.json`` into a folder, each complete or not at all.

        ``study.json`` comes last: a folder that has it has the others of the same study.
        """
        from certus.report import render_study

        folder = Path(folder)
        refuse_to_overwrite(folder, force=force)
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            if self.savable:
                save(self.best, fresh / "model.certus", report=self.certificates)
            if self.refitted is not None and self.savable:
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
        return folder

    def __str__(self) -> str:
        rows, shown = self._rows_judged, self.task.shown
        return "\n".join(
            [
                str(self.judgment),
                f"Study of {self.name}: {self.task.guess}",
                f"Winner: {self.winner.short_name}, {self.task.measure.title} {shown(self.evaluation.value)} on {rows} "
                f"{self._rows_told} (baseline on the same rows: {shown(self.evaluation.baseline)})",
                str(self.certificate),
                *self._vacuous(),
                *([] if self.look is None else [str(self.look)]),
            ]
        )

    @property
    def _rows_told(self) -> str:
        """What the rows are, after how many."""
        unsealed = "rows that were looked at before" if self.findings.caution else "rows that nobody touched"
        return "validation rows" if self.sealed else unsealed

    def _vacuous(self) -> list[str]:
        """That the bound says nothing, where it does not."""
        if not self.certificate.vacuous:
            return []
        where = "the validation rows" if self.sealed else "the same rows"
        return [f"That bound is vacuous: guessing has {self.task.shown_trivial(self.certificate)} on {where}."]

    @property
    def report(self) -> str:
        """The whole report as one HTML page."""
        from certus.report import render_study

        return render_study(self)

    def __rich__(self) -> Any:
        """The leaderboard and what is guaranteed, for terminals with colors."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("", "learner", f"{self.task.measure.title} (validation)", title="Leaderboard")
        for rank, name, value, *_ in shown_rows(self.leaderboard, self.winner):
            table.add_row(str(rank), Text(name), value)
        first, *rest = str(self).splitlines()
        color = "bold green" if self.verdict == "better" else "bold red"
        return Group(Text(first, style=color), table, Text("\n".join(rest)))

    def _repr_html_(self) -> str:
        """A small summary that leaves the style of a notebook alone; `report` is the whole page."""
        from certus.report import render_summary

        return render_summary(self)
