"""How long an evaluation will take: known exponents of the learners, corrected by what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from certus.workflow.race.candidates import Recipe, Style

# Seconds, by the table of the recipes alone, above which a candidate is not tried on so many rows.
LARGEST_WORK = 600.0
# Share of the free memory that the evaluations that run side by side may take together.
MEMORY_SHARE = 0.8
# With a time limit: fraction of the time in which all candidates are looked at once, before the best go on.
FIRST_LOOK = 0.4


def free_memory() -> float:
    """Bytes that can be had without swapping, where the system tells; else no limit."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        (line,) = (line for line in lines if line.startswith("MemAvailable:"))
        return 1024.0 * float(line.split()[1])
    except (OSError, ValueError):
        return float("inf")


@dataclass(frozen=True)
class Measured:
    """An evaluation that is done."""

    recipe: Recipe
    rows: int
    seconds: float


class WorkModel:
    """Predicts seconds of fits on so many rows of a table.

    The first guess is the recipe's own law, unit * rows^a * columns^b. What was measured corrects it: by the same
    candidate on fewer rows if there is one, else by the usual ratio of measured to guessed time on this machine.

    Parameters
    ----------
    widths : dict of str to float
        Numbers in an encoded row, by the style of the encoding.
    """

    def __init__(self, widths: Mapping[Style, float]) -> None:
        self._widths = widths
        self._ratios: list[float] = []

    def guess(self, recipe: Recipe, rows: int) -> float:
        """Seconds by the recipe's law alone: the same on every machine."""
        return recipe.seconds(rows, self._widths[recipe.style])

    def memory(self, recipe: Recipe, rows: int) -> float:
        """Bytes of a fit: so many copies of the encoded rows, and what grows with pairs of rows."""
        return 8.0 * (recipe.copies * rows * self._widths[recipe.style] + recipe.pairs * rows * rows)

    def learn(self, done: Measured) -> None:
        """Take an evaluation into account."""
        self._ratios.append(done.seconds / max(1e-9, self.guess(done.recipe, done.rows)))

    def predict(self, recipe: Recipe, rows: int, before: Measured | None = None) -> float:
        """Seconds of an evaluation, from an earlier one of the same candidate if there is one."""
        if before is not None:
            return float(before.seconds * (rows / before.rows) ** recipe.work[0])
        usual = float(np.median(self._ratios)) if self._ratios else 1.0
        return usual * self.guess(recipe, rows)


def affordable(seconds: Sequence[float], workers: int, remaining: float) -> list[bool]:
    """Which of several jobs, in the order of their importance, fit into the time of so many workers.

    A job that is too long for the time that is left is passed over; shorter ones after it may still fit.
    """
    free = workers * remaining
    chosen = []
    for length in seconds:
        fits = length <= remaining and length <= free
        free -= length if fits else 0.0
        chosen.append(fits)
    return chosen


@dataclass(frozen=True)
class CourseShape:
    """What a race goes through: how many parts, whether these are growing rungs, and how many run side by side."""

    parts: int
    rungs: bool
    workers: int


def who_goes_on(seconds: Sequence[float], index: int, remaining: float, course: CourseShape) -> list[bool]:
    """Which trials, best first, go on to a part: the next rung, or the first fold, or all folds that are left."""
    if index == course.parts - 1:
        return affordable(seconds, course.workers, remaining)
    if course.rungs:  # half of the time is for what is to come
        return affordable(seconds, course.workers, 0.5 * remaining)
    if index == 0:
        return affordable(seconds, course.workers, FIRST_LOOK * remaining)
    whole = [(course.parts - index) * length for length in seconds]
    if seconds and 0.0 < seconds[0] <= remaining < whole[0]:
        whole[0] = remaining // seconds[0] * seconds[0]  # the leader goes on as far as it can
    return affordable(whole, course.workers, remaining)
