"""Step 6, the evaluation: the winner, already fixed and trained, meets the test rows once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from certus.guarantees.records import share
from certus.workflow.evaluation_record import Evaluation
from certus.workflow.findings import Finished
from certus.workflow.held_out_rows import look_at_test_rows, named_rows, write_audit_rows
from certus.workflow.models.conformal_sets import hold_against_test_rows
from certus.workflow.race.baseline import baseline_value
from certus.workflow.state import State
from certus.workflow.tasks import Judged
from certus.workflow.unit_bounds import bound_by_group, group_means, with_assumptions


def evaluate_winner(state: State) -> None:
    """Measure and certify the winner, hold its sets against the test rows, and gather what else can be told."""
    task, confidence = state.task, state.options.confidence
    state.baseline = baseline_value(state.learning, task.measure)
    judged = _judged(state)
    look = state.look
    if look is not None and not look.promised:  # an earlier report told about the calibration rows as well
        state.level = [look.marked(one) if one.guaranteed else one for one in state.level]
    state.evaluation = _evaluate(state, judged)
    write_audit_rows(state)
    if state.best.gives_sets:
        test = state.split.test
        state.sets, outside = hold_against_test_rows(
            state.best, state.used[test], state.values[test], state.split, confidence, judged.confidence
        )
        outside = named_rows(outside, state)
        state.level.append(outside if look is None else look.marked(outside))
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
        confidence=judged.confidence,
        threads=state.threads,
    )
    caution = "" if look is None else look.caution
    state.findings = replace(task.find(finished, state.in_time), caution=caution)
    state.verdict = replace(task.judge(judged, state.learning.y, state.findings), caution=caution)


def _judged(state: State) -> Judged:
    """What the winner predicts for the test rows."""
    task, split, options = state.task, state.split, state.options
    validated = state.learning.y[state.learning.validated(state.race.depth)]
    threshold = task.tolerance(validated, state.winner.out_of_fold)
    predictions, probabilities = task.respond(state.best, state.used[split.test])
    state.look = look_at_test_rows(state, predictions)
    groups = np.unique(split.test_groups, return_inverse=True)[1] if split.unit == "group" else None
    return Judged(
        task.positions(state.values[split.test]),
        task.positions(predictions),
        probabilities,
        options.confidence if state.look is None else share(options.confidence, state.look.uses),
        threshold,
        options.loss_range,
        groups,
    )


def _evaluate(state: State, judged: Judged) -> Evaluation:
    """The measure on the test rows, beside that of the best constant, and the bound that belongs to it."""
    task, split, measure = state.task, state.split, state.task.measure
    constant = judged.always(task.best_constant(judged.truth, measure, task.classes))
    value, baseline = (measure.value(one.truth, one.predictions, one.probabilities) for one in (judged, constant))
    if split.unit == "group":
        certificate = bound_by_group(*task.plain_losses(judged), split, judged.confidence)
        reached = float(group_means(task.plain_losses(constant)[0], split).mean())
    else:
        certificate = task.certify(judged)
        reached = task.certified_value(constant, certificate)
    certificate = named_rows(replace(with_assumptions(certificate, split), trivial=reached), state)
    certificate = certificate if state.look is None else state.look.marked(certificate)
    truth = state.values[split.test]
    predictions = task.respond(state.best, state.used[split.test])[0]
    return Evaluation(value, baseline, certificate, truth, predictions, judged.probabilities)
