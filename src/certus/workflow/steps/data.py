"""Step 2, the data: which rows and columns are used, what is odd about them, and which rows nobody touches."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.tables import as_floats
from certus.workflow.columns import ASKED, can_be_kept, classify_columns
from certus.workflow.leakage import leakage_suspects
from certus.workflow.profile import profile_table
from certus.workflow.split import split_rows
from certus.workflow.state import State
from certus.workflow.study_error import StudyError


def prepare_data(state: State) -> None:
    """Leave out rows without a target, sort the columns by kind, profile the table, and set test rows aside."""
    if state.options.sealed and not state.task.targets:
        raise StudyError("sealed must come with a target: without one there is no count of errors.", options=["sealed"])
    _leave_out_rows(state)
    task, options = state.task, state.options
    aside = [*task.targets, *(name for name in (options.group, options.weight) if name)]
    state.columns = classify_columns(state.frame, aside, drop=options.drop, keep=options.keep, types=options.types)
    _tell_guesses(state)
    state.split = split_rows(
        state.frame,
        state.columns.used,
        task.targets,
        holdout=options.holdout,
        seed=options.seed,
        group=options.group,
        order=options.order,
        spare=task.calibrates,
        own_test=state.own_test,
    )
    if options.order is not None and len(state.split.test) > 1.5 * options.holdout * state.frame.height:
        state.note(
            f"{len(state.split.test)} of {state.frame.height} rows are test rows: rows of one moment of "
            f"{options.order!r} stay together"
        )
    described = state.frame
    if options.sealed:  # the profile shows class sizes and drifts of what it sees
        described = described[np.setdiff1d(np.arange(described.height), state.split.test)]
    state.profile = profile_table(
        described, state.columns, task.targets, task.class_sizes(described), ordered=options.order is not None
    )
    state.notes += state.profile.remarks()
    if state.split.copies:
        state.note(
            "the table holds copies of rows, far more than chance gives: no split divides them, and each counts once "
            "in the test, so that the certificate is about distinct rows"
        )
    state.values = task.values(state.frame)
    state.weights = _weights(state)
    _look_for_leaks(state)


def _weights(state: State) -> NDArray[np.float64] | None:
    """What every row counts in training; one on average over the learning rows."""
    name, learn = state.options.weight, state.split.learn
    if name is None:
        return None
    if state.task.kind in ("clustering", "multi-label"):
        raise StudyError(f"weight must come with one target, got a {state.task.kind} task.", options=["weight"])
    if name in state.task.targets or name in (state.options.group, state.options.order):
        raise StudyError(f"weight must be a column of its own, got {name!r}.", options=["weight"])
    numbers = as_floats(state.frame[name])
    wrong = ~(np.isfinite(numbers) & (numbers > 0.0))
    if not state.options.refit_all:
        wrong[state.split.test] = False  # nothing is trained on test rows
    if wrong.any():
        found = state.frame[name][int(np.argmax(wrong))]
        raise StudyError(
            f"weight must be a positive number in every row, got {found!r} in column {name!r}.\n"
            "Hint: leave out rows that shall not count.",
            options=["weight"],
        )
    return numbers / float(np.mean(numbers[learn]))


def _tell_guesses(state: State) -> None:
    """Columns that are left out, and texts that are read word by word, with the option that says otherwise."""
    for column, why in state.columns.left_out.items():
        if why != ASKED:
            way = f" (keep={column} uses it)" if can_be_kept(state.frame[column]) else ""
            state.note(f"column {column!r} is not used: {why}{way}", "keep")
    for column in state.columns.texts:
        state.note(f"column {column!r} is read as text, by words and letters (types={column}=category)", "types")
    for column in state.columns.dates:
        state.note(f"column {column!r} is read as dates (types={column}=category)", "types")


def _leave_out_rows(state: State) -> None:
    """Rows without a target teach nothing."""
    if not state.task.targets:
        return
    known = state.frame.select(pl.all_horizontal(pl.col(list(state.task.targets)).is_not_null())).to_series()
    filled = state.frame.filter(known)
    if state.own_test is not None:
        state.own_test = state.own_test[known.to_numpy()]
    if state.as_read.width:
        state.as_read = state.as_read.filter(known)
    if filled.height < state.frame.height:
        missing = state.frame.height - filled.height
        state.note(f"{missing} {'row' if missing == 1 else 'rows'} without a value of {state.task.target!r} left out")
    state.frame = filled


def _look_for_leaks(state: State) -> None:
    """Name the columns that alone nearly give the target away."""
    learn = state.split.learn
    y = state.task.positions(state.values[learn])
    if not state.task.can_be_learned(y):
        raise StudyError("All rows that are left to learn from have the same target.\nHint: bring more rows.")
    suspects = leakage_suspects(state.task, state.used[learn], y, state.columns, state.options.seed)
    for name in suspects:
        state.note(
            f"column {name!r} alone nearly gives the target away: leave it out (drop={name}) if it is not known "
            "beforehand",
            "drop",
        )
