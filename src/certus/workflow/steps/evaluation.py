"""Step 6, the evaluation: the winner, already fixed and trained, meets the test rows once."""

from __future__ import annotations

from certus.workflow.evaluation_record import Evaluation
from certus.workflow.findings import Finished
from certus.workflow.models.conformal_sets import hold_against_test_rows
from certus.workflow.race.baseline import baseline_value
from certus.workflow.state import State
from certus.workflow.tasks import Judged
from certus.workflow.unit_bounds import bound_by_group, with_assumptions


def evaluate_winner(state: State) -> None:
    """Measure and certify the winner, hold its sets against the test rows, and gather what else can be told."""
    task, confidence = state.task, state.options.confidence
    state.baseline = baseline_value(state.learning, task.measure)
    state.evaluation = _evaluate(state)
    if state.best.gives_sets:
        test = state.split.test
        state.sets, outside = hold_against_test_rows(
            state.best, state.used[test], state.values[test], state.split, confidence
        )
        state.level.append(outside)
    state.progress("looking at the winner", *state.race.work_done())
    finished = Finished(
        task=task,
        split=state.split,
        learning=state.learning,
        race=state.race,
        complete=state.complete,
        winner=state.winner,
        baseline=state.baseline,
        model=state.best,
        frame=state.used,
        values=state.values,
        evaluation=state.evaluation,
        confidence=confidence,
        threads=state.threads,
    )
    state.findings = task.find(finished, state.in_time)


def _evaluate(state: State) -> Evaluation:
    """The measure on the test rows, and the bound that belongs to it."""
    task, split, options = state.task, state.split, state.options
    validated = state.learning.y[state.learning.validated(state.race.depth)]
    threshold = task.tolerance(validated, state.winner.out_of_fold)
    truth = state.values[split.test]
    predictions, probabilities = task.respond(state.best, state.used[split.test])
    judged = Judged(
        task.positions(truth),
        task.positions(predictions),
        probabilities,
        options.confidence,
        threshold,
        options.loss_range,
    )
    value = task.measure.value(judged.truth, judged.predictions, probabilities)
    if split.unit == "group":
        certificate = bound_by_group(*task.plain_losses(judged), split, options.confidence)
    else:
        certificate = task.certify(judged)
    return Evaluation(value, with_assumptions(certificate, split), truth, predictions, probabilities)
