"""How the winner's error falls with more rows, and whether more would help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from certus.workflow.measures import Measure
from certus.workflow.race.candidates import Candidate
from certus.workflow.race.learning import Division, Evaluator, Learning

FRACTIONS = (0.1, 0.25, 0.5, 1.0)
FEWEST_ROWS = 20
# A fall of the loss from half to all rows by less than this fraction is no fall.
STILL_FALLING = 0.03


@dataclass(frozen=True)
class LearningCurve:
    """The measure on validation rows after training on ever more rows."""

    rows: list[int]
    values: list[float]

    @property
    def falling(self) -> bool | None:
        """Whether the last doubling of rows still helped; None if that is not known."""
        if len(self.values) < 2:
            return None
        before, after = self.values[-2:]
        return bool(before > 0 and (before - after) / before > STILL_FALLING)

    @property
    def verdict(self) -> str:
        """What it means, in words."""
        if self.falling is None:
            return "too few rows to tell whether more would help"
        return "more rows would help" if self.falling else "more rows alone would hardly help"


def learning_curve(
    candidate: Candidate, learning: Learning, measure: Measure, threads: int, in_time: Callable[[], bool]
) -> LearningCurve:
    """Train on growing parts of one division's rows; the smaller are parts of the larger."""
    whole = learning.divisions[-1] if learning.rungs else learning.divisions[0]
    mixed: NDArray[np.intp] = np.random.default_rng(learning.seed).permutation(whole.fit)
    rows, values = [], []
    for fraction in FRACTIONS:
        size = round(fraction * len(mixed))
        if size < FEWEST_ROWS or not in_time():
            continue
        part = replace(learning, divisions=[Division(np.sort(mixed[:size]), whole.validation)])
        outcome = Evaluator(part).evaluate(candidate, 0, threads)
        if outcome.predictions is None or (measure.needs == "probabilities" and outcome.probabilities is None):
            continue
        rows.append(size)
        predictions = measure.predictions(outcome.predictions, outcome.probabilities)
        values.append(measure.value(learning.y[whole.validation], predictions, outcome.probabilities))
    return LearningCurve(rows, values)
