"""Step 6, the evaluation: the winner, already fixed and trained, meets the test rows once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from certus.guarantees.records import ordinal, share, without_promise
from certus.workflow.evaluation_record import Evaluation
from certus.workflow.findings import Finished
from certus.workflow.held_out_rows import look_at_test_rows, named_rows, write_audit_rows
from certus.workflow.models.conformal_sets import hold_against_test_rows
from certus.workflow.race.baseline import baseline_value
from certus.workflow.sealed_test import (
    SEALED,
    sealed_evaluation,
    validation_judged,
    validation_split,
    what_is_asked,
)
from certus.workflow.state import State
from certus.workflow.tasks import Judged
from certus.workflow.unit_bounds import bound_by_group, group_means, with_assumptions


def evaluate_winner(state: State) -> None:
    """Measure and certify the winner, hold its sets against the test rows, and gather what else can be told."""
    task, confidence = state.task, state.options.confidence
    state.baseline = baseline_value(state.learning, task.measure)
    judged, sealed = _judged(state), state.options.sealed
    look, shown, split = state.look, judged, state.split
    _mark_levels(state)
    if sealed:
        shown, split = validation_judged(state, judged.threshold), validation_split(state)
        state.evaluation = _as_known(state, sealed_evaluation(state, judged, shown))
    else:
        state.evaluation = _as_known(state, _evaluate(state, judged))
    write_audit_rows(state)
    if state.best.gives_sets and not sealed:
        test = state.split.test
        state.sets, outside = hold_against_test_rows(
            state.best, state.used[test], state.values[test], state.split, confidence, judged.confidence
        )
        outside = named_rows(outside, state)
        state.level.append(outside if look is None else look.marked(outside))
    state.progress("looking at the winner", *state.race.work_done())
    finished = Finished(
        task=task,
        split=split,
        learning=state.learning,
        race=state.race,
        complete=state.complete,
        winner=state.winner,
        baseline=state.baseline,
        model=state.best,
        frame=state.used,
        values=state.values,
        evaluation=state.evaluation,
        confidence=shown.confidence,
        threads=state.threads,
    )
    caution = SEALED if sealed else "" if look is None else look.caution
    rows = state.evaluation.rows
    state.findings = replace(task.find(finished, state.in_time), caution=caution, rows=rows)
    _keep_density(state)
    state.verdict = replace(task.judge(shown, state.learning.y, state.findings), caution=caution, rows=rows)


def _keep_density(state: State) -> None:
    """The certificate of a mixture of Gaussians, among those of the study."""
    density = state.findings.density
    if density is None or density.bound is None:
        return
    bound = with_assumptions(density.bound, state.split)
    bound = bound if state.look is None else state.look.marked(bound)
    state.level.append(bound)
    state.findings = replace(state.findings, density=replace(density, bound=bound))


def _mark_levels(state: State) -> None:
    """What an earlier report told about the calibration rows may have chosen this winner: its sets are estimates.

    A sealed report tells about these rows as well; it seals the test rows only.
    """
    look = state.look
    if look is None or (look.promised and not (state.options.sealed and look.earlier)):
        return
    which = f"{ordinal(look.number)} look at these rows"
    state.level = [without_promise(one, which) if one.guaranteed else one for one in state.level]


def _as_known(state: State, found: Evaluation) -> Evaluation:
    """With the certificate as others can know it: by the fingerprint of its rows, its assumptions, and its look."""
    certificate = named_rows(with_assumptions(found.certificate, state.split), state)
    return replace(found, certificate=certificate if state.look is None else state.look.marked(certificate))


def _judged(state: State) -> Judged:
    """What the winner predicts for the test rows."""
    task, split, options = state.task, state.split, state.options
    validated = state.learning.y[state.learning.validated(state.race.depth)]
    threshold = task.tolerance(validated, state.winner.out_of_fold)
    predictions, probabilities = task.respond(state.best, state.used[split.test])
    asked = what_is_asked(predictions, threshold) if options.sealed else predictions
    state.look = look_at_test_rows(state, asked)
    groups = np.unique(split.test_groups, return_inverse=True)[1] if split.unit == "group" else None
    return Judged(
        task.positions(state.values[split.test]),
        task.positions(predictions),
        probabilities,
        options.confidence if state.look is None or options.sealed else share(options.confidence, state.look.uses),
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
    truth = state.values[split.test]
    predictions = task.respond(state.best, state.used[split.test])[0]
    return Evaluation(value, baseline, replace(certificate, trivial=reached), truth, predictions, judged.probabilities)
