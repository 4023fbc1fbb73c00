"""How the winner's loss falls with more rows, and whether more would help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import mcnemar
from certus.workflow.measures import Measure
from certus.workflow.race.candidates import Candidate
from certus.workflow.race.learning import Division, Evaluator, Learning
from certus.workflow.race.outcome import Outcome

Array = NDArray[Any]
Losses = Callable[[Array, Array], Array]  # of truth and predictions, row by row
FRACTIONS = (0.1, 0.25, 0.5, 1.0)
FEWEST_ROWS = 20
LEVEL = 0.05


@dataclass(frozen=True)
class LearningCurve:
    """The measure on validation rows after training on ever more rows.

    Attributes
    ----------
    rows : list of int
        Rows that were learned from.
    values : list of float
        The measure after each.
    errors : list of float
        Standard errors of the mean row losses, by which the values are uncertain.
    p_value : float or None
        Chance of so clear a last step between equals (two-sided, on the same validation rows).
    improved : bool
        Whether the last step was one for the better.
    """

    rows: list[int]
    values: list[float]
    errors: list[float] = field(default_factory=list)
    p_value: float | None = None
    improved: bool = False

    @property
    def falling(self) -> bool | None:
        """Whether the last step of rows helped with significance; None if that is not known."""
        return None if self.p_value is None else self.improved and self.p_value <= LEVEL

    @property
    def verdict(self) -> str:
        """What it means, in words."""
        if self.p_value is None:
            return "too few rows to tell whether more would help"
        step = f"from {self.rows[-2]} to {self.rows[-1]} rows: p = {self.p_value:.2g}"
        if self.falling:
            return f"more rows would help (the last step helped, {step})"
        return f"no sign that more rows would help (the last step is within chance, {step})"


def learning_curve(
    candidate: Candidate,
    learning: Learning,
    measure: Measure,
    losses: Losses,
    threads: int,
    in_time: Callable[[], bool],
) -> LearningCurve:
    """Train on growing parts of one division's rows; the smaller are parts of the larger."""
    whole = learning.divisions[-1] if learning.rungs else learning.divisions[0]
    mixed: NDArray[np.intp] = np.random.default_rng(learning.seed).permutation(whole.fit)
    rows, outcomes = [], []
    for fraction in FRACTIONS:
        size = round(fraction * len(mixed))
        if size < FEWEST_ROWS or not in_time():
            continue
        part = replace(learning, divisions=[Division(np.sort(mixed[:size]), whole.validation)])
        outcome = Evaluator(part).evaluate(candidate, 0, threads)
        if outcome.predictions is None or (measure.needs == "probabilities" and outcome.probabilities is None):
            continue
        rows.append(size)
        outcomes.append(outcome)
    return curve_of(rows, outcomes, learning.y[whole.validation], measure, losses)


def curve_of(
    rows: Sequence[int], outcomes: Sequence[Outcome], truth: Array, measure: Measure, losses: Losses
) -> LearningCurve:
    """The curve of outcomes on the same validation rows."""
    values, by_row = [], []
    for outcome in outcomes:
        assert outcome.predictions is not None
        predictions = measure.predictions(outcome.predictions, outcome.probabilities)
        values.append(measure.value(truth, predictions, outcome.probabilities))
        by_row.append(losses(truth, predictions))
    errors = [float(np.std(one) / np.sqrt(len(one))) for one in by_row] if measure.value_is_mean else []
    if len(by_row) < 2:
        return LearningCurve(list(rows), values, errors)
    before, after = by_row[-2:]
    helped, hurt = int(np.sum(after < before)), int(np.sum(after > before))
    p_value = mcnemar(hurt, helped).pvalue
    return LearningCurve(list(rows), values, errors, p_value, helped > hurt and values[-1] < values[-2])
