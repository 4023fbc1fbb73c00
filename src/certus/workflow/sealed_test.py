"""A sealed test: of the test rows a study shows a bound on a count, and all else comes from validation rows.

The rows, predictions and probabilities of the validation part are those of the race: every row was predicted by a model
that had not seen it. The winner was chosen by them, so that what is told about them is an estimate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate
from certus.guarantees.holdout import RateSetting, count_ladder, rate_bound, step_above
from certus.guarantees.records import ERROR
from certus.workflow.evaluation_record import Evaluation
from certus.workflow.split import Split
from certus.workflow.state import State
from certus.workflow.tasks import Judged

SEALED = "on validation rows, the test is sealed"
VALIDATION = "validation"


def validation_judged(state: State, threshold: float | None) -> Judged:
    """What the winner predicted for the validation rows, each by a model that had not seen it."""
    winner, learning = state.winner, state.learning
    responses = winner.responses
    probabilities = None if responses is None else state.best.as_probabilities(np.asarray(responses, dtype=np.float64))
    return Judged(
        learning.y[learning.validated(state.race.depth)],
        winner.out_of_fold,
        probabilities,
        state.options.confidence,
        threshold,
        state.options.loss_range,
    )


def validation_split(state: State) -> Split:
    """The division of the rows with the validation rows in the place of the test rows."""
    places = state.learning.validated(state.race.depth)
    return replace(state.split, test=state.split.learn[places], test_groups=state.split.groups[places])


def sealed_evaluation(state: State, judged: Judged, shown: Judged) -> Evaluation:
    """The bound from the test rows, which is all that they tell; the other facts are those of the validation rows."""
    task = state.task
    constant = shown.always(task.best_constant(shown.truth, task.measure, task.classes))
    value, baseline = (task.measure.value(one.truth, one.predictions, one.probabilities) for one in (shown, constant))
    guessing = float(task.plain_losses(constant)[0].mean())
    certificate = replace(_sealed_bound(state, judged), trivial=guessing)
    truth, predictions = (task.from_positions(one) for one in (shown.truth, shown.predictions))
    return Evaluation(value, baseline, certificate, truth, predictions, shown.probabilities, VALIDATION)


def _sealed_bound(state: State, judged: Judged) -> Certificate:
    """The bound on the share of wrong rows, or of rows with a large error, at the level that is left for this look."""
    wrong, quantity = state.task.plain_losses(judged)
    steps, look = state.options.sealed_steps, state.look
    assert look is not None
    setting = RateSetting(
        confidence=state.options.confidence,
        uses=look.uses,
        quantity=quantity,
        noun="error" if quantity.name == ERROR else "such row",
        rounded=steps is not None,
    )
    return rate_bound(step_above(int(wrong.sum()), count_ladder(len(wrong), steps)), len(wrong), setting)


def what_is_asked(predictions: NDArray[Any], threshold: float | None) -> NDArray[Any]:
    """What a sealed look shows a count of: predictions, and the size of an error that is counted."""
    if threshold is None:
        return predictions
    return np.column_stack([predictions, np.full(len(predictions), threshold)])
