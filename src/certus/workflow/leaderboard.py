"""The leaderboard: every candidate with its validation result, and the baseline among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certus.workflow.race.trials import Trial
from certus.workflow.tasks import Task
from certus.workflow.winner import Winner


def leaderboard(trials: Sequence[Trial], winner: Winner, task: Task, baseline: float) -> list[dict[str, Any]]:
    """One row per candidate, best first; then those that left the race."""
    rows = [
        {
            "learner": trial.name,
            "validation_value": task.measure.told(trial.value) if np.isfinite(trial.value) else None,
            "seconds": round(trial.seconds, 4),
            "baseline": False,
            "left": None if trial.left is None else trial.left.reason.name.lower(),
            "dropped": None if trial.left is None else str(trial.left),
            "failure": trial.failure,
        }
        for trial in trials
    ]
    if len(winner.trials) > 1:
        rows.insert(0, _row(winner.name, task.measure.told(winner.value), baseline=False))
    rows.append(_row(task.baseline_name, task.measure.told(baseline), baseline=True))
    rows.sort(key=lambda row: _standing(row, higher=task.measure.score))
    return [{"rank": rank, "measure": task.measure.name, **row} for rank, row in enumerate(rows, 1)]


def shown_rows(rows: Sequence[dict[str, Any]], winner: Winner) -> list[tuple[int, str, str, str]]:
    """Rank, name, value and seconds of those that stayed in the race, short enough for a terminal."""
    return [
        (
            row["rank"],
            winner.short_name if row["learner"] == winner.name else row["learner"],
            f"{row['validation_value']:.4g}",
            f"{row['seconds']:.2f}",
        )
        for row in rows
        if row["left"] is None
    ]


def _row(name: str, value: float, *, baseline: bool) -> dict[str, Any]:
    facts = {"learner": name, "validation_value": value, "seconds": 0.0, "baseline": baseline}
    return {**facts, "left": None, "dropped": None, "failure": None}


def _standing(row: dict[str, Any], *, higher: bool) -> tuple[bool, float]:
    """Who went through the whole race before who did not, then by value."""
    value = row["validation_value"]
    return row["left"] is not None, np.inf if value is None else -value if higher else value
