"""The leaderboard: every candidate with its validation result, and the baseline among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certus.workflow.race.trials import Trial
from certus.workflow.tasks import Task
from certus.workflow.winner import Winner

SHOWN = 10  # candidates on the short board


def leaderboard(trials: Sequence[Trial], winner: Winner, task: Task, baseline: float) -> list[dict[str, Any]]:
    """One row per candidate, best first; then those that left the race."""
    rows = [
        {
            "learner": trial.name,
            "validation_value": task.measure.told(trial.value) if np.isfinite(trial.value) else None,
            "rows": trial.judged,
            "same_predictions_as": None,
            "seconds": round(trial.seconds, 4),
            "baseline": False,
            "left": None if trial.left is None else trial.left.reason.name.lower(),
            "dropped": None if trial.left is None else str(trial.left),
            "failure": trial.failure,
        }
        for trial in trials
    ]
    _mark_agreeing(rows, trials)
    if len(winner.trials) > 1:
        seconds = round(sum(trial.seconds for trial in winner.trials), 4)
        rows.insert(0, _row(winner.name, task.measure.told(winner.value), len(winner.out_of_fold), seconds))
    rows.append({**_row(task.baseline_name, task.measure.told(baseline), len(winner.out_of_fold)), "baseline": True})
    rows.sort(key=lambda row: _standing(row, higher=task.measure.score))
    return [{"rank": rank, "measure": task.measure.name, **row} for rank, row in enumerate(rows, 1)]


def short_board(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that everybody should see: the ten best that predict differently, and the baseline."""
    stayed = [row for row in rows if row["left"] is None and row["same_predictions_as"] is None]
    best = [row for row in stayed if not row["baseline"]][:SHOWN]
    return [row for row in stayed if row["baseline"] or row in best]


def shown_rows(rows: Sequence[dict[str, Any]], winner: Winner) -> list[tuple[int, str, str, str, str]]:
    """Rank, name, value, rows judged on and seconds of the short board, as a terminal shows them."""
    return [
        (
            row["rank"],
            _with_copies(winner.short_name if row["learner"] == winner.name else row["learner"], row, rows),
            f"{row['validation_value']:.4g}",
            str(row["rows"]),
            f"{row['seconds']:.2f}",
        )
        for row in short_board(rows)
    ]


def _with_copies(name: str, row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    copies = sum(other["same_predictions_as"] == row["learner"] for other in rows)
    return f"{name} (and {copies} that {'predicts' if copies == 1 else 'predict'} the same)" if copies else name


def _mark_agreeing(rows: list[dict[str, Any]], trials: Sequence[Trial]) -> None:
    """Candidates that predict the same for every validation row as a better one are told as copies of it."""
    first: dict[bytes, str] = {}
    for row, trial in zip(rows, trials, strict=True):
        given = [outcome.predictions for outcome in trial.outcomes if outcome.predictions is not None]
        if row["left"] is None and given:
            key = np.concatenate(given).astype(np.float32).tobytes()
            name = first.setdefault(key, trial.name)
            row["same_predictions_as"] = None if name == trial.name else name


def _row(name: str, value: float, judged: int, seconds: float = 0.0) -> dict[str, Any]:
    facts = {"learner": name, "validation_value": value, "rows": judged, "same_predictions_as": None}
    return {**facts, "seconds": seconds, "baseline": False, "left": None, "dropped": None, "failure": None}


def _standing(row: dict[str, Any], *, higher: bool) -> tuple[bool, float]:
    """Who went through the whole race before who did not, then by value."""
    value = row["validation_value"]
    return row["left"] is not None, np.inf if value is None else -value if higher else value
