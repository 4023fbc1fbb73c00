"""What is known about a study so far; each step adds its part."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.rows import Look
from certus.workflow.columns import Columns
from certus.workflow.evaluation_record import Evaluation
from certus.workflow.findings import Findings
from certus.workflow.models import StudyModel
from certus.workflow.models.conformal_sets import SetsFound
from certus.workflow.notes import Note
from certus.workflow.options import Options
from certus.workflow.profile import Profile
from certus.workflow.race.candidates import Recipe
from certus.workflow.race.executors import Workers
from certus.workflow.race.learning import Learning
from certus.workflow.race.race import Race
from certus.workflow.race.trials import Trial
from certus.workflow.split import Split
from certus.workflow.tasks import Task
from certus.workflow.verdict import Verdict
from certus.workflow.winner import Winner

Progress = Callable[[str, int, int | None], None]


@dataclass
class State:
    """A study on its way from the table to the result.

    Attributes
    ----------
    options, name, frame, threads, begin : Options, str, polars.DataFrame, int, float
        What is asked, what the table is called, its rows, how many cores there are, and when the study began.
    progress, workers, journal : callable, Workers or None, path or None
        Who is told about progress, processes that were started early, and the file of finished evaluations.
    notes : list of Note
        What the user should know.
    task : Task
        Step 1.
    columns, profile, split, values : Columns, Profile, Split, array
        Step 2: which columns are used, what the table is like, which rows go where, and the targets of all rows.
    learning : Learning
        Step 3: the used columns of the learning rows, and how these are divided.
    recipes : list of Recipe
        Step 4.
    race, trials, complete, winner, best, level, refitted
        Step 5: the race, its trials and those that went through it, who won, the trained winner, what is known about
        the level of its sets, and the winner trained on all rows.
    baseline, evaluation, sets, findings, verdict
        Step 6.
    """

    options: Options
    name: str
    frame: pl.DataFrame
    threads: int
    begin: float
    progress: Progress
    workers: Workers | None
    journal: Path | None
    notes: list[Note] = field(default_factory=list)
    own_test: NDArray[np.bool_] | None = None  # which rows are test rows of the user's own
    as_read: pl.DataFrame = field(default_factory=pl.DataFrame)  # columns of all rows before options gave them a type
    task: Task = field(init=False)
    columns: Columns = field(init=False)
    profile: Profile = field(init=False)
    split: Split = field(init=False)
    values: NDArray[Any] = field(init=False)
    weights: NDArray[np.float64] | None = None  # what every row counts in training
    learning: Learning = field(init=False)
    recipes: list[Recipe] = field(init=False)
    race: Race = field(init=False)
    trials: list[Trial] = field(init=False)
    complete: list[Trial] = field(init=False)
    winner: Winner = field(init=False)
    best: StudyModel = field(init=False)
    level: list[Certificate] = field(init=False)
    refitted: StudyModel | None = None
    baseline: float = field(init=False)
    evaluation: Evaluation = field(init=False)
    look: Look | None = None
    sets: SetsFound | None = None
    findings: Findings = field(init=False)
    verdict: Verdict = field(init=False)

    @property
    def used(self) -> pl.DataFrame:
        """The used columns of all rows."""
        return self.frame.select(self.columns.used)

    def note(self, text: str, *options: str) -> None:
        """Tell the user something; ``options`` are the words of it that are parameters."""
        self.notes.append(Note(text, options))

    def elapsed(self) -> float:
        """Seconds since the study began."""
        return time.monotonic() - self.begin

    def in_time(self, seconds: float = 0.0) -> bool:
        """Whether so many seconds are left."""
        return self.options.time is None or self.elapsed() + seconds < self.options.time
