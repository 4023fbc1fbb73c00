"""RidgeCV on rows in blocks: exact leave-one-out errors of all penalties in a second pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.base.blocks import Block, RowBlocks
from certus.linear.fitting.regression_fit import store_regression
from certus.linear.fitting.ridge_leave_one_out import SQUARED, LeaveOneOutState, errors_in
from certus.linear.fitting.ridge_search import checked_alphas
from certus.linear.in_blocks.block_moments import moments_in_blocks
from certus.linear.in_blocks.ridge_in_blocks import block_problem, ridge_solution
from certus.linear.in_blocks.targets import Numbers
from certus.linear.solvers.least_squares import Problem
from certus.linear.solvers.ridge_solvers import penalties

Array = NDArray[np.float64]


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    if learner.cv is not None or learner.scoring is not None:
        return "cv" if learner.cv is not None else "scoring"
    if learner.store_cv_results:
        return "store_cv_results"
    return "gcv_mode='svd'" if learner.gcv_mode == "svd" else None


@dataclass(frozen=True)
class _Request:
    targets: Any
    center: bool
    state: LeaveOneOutState


def _squares(block: Block, request: _Request) -> Array:
    """Weighted squared errors of the rows of a block (targets x penalties)."""
    target, weights = request.targets.of(block)
    problem = Problem(block.X, target, weights, np.zeros(target.shape[1]), request.center, resolve_threads())
    squares = errors_in(problem, request.state) ** 2
    return np.asarray((squares if weights is None else squares * weights[:, None, None]).sum(axis=0))


def _added(one: Array, two: Array) -> Array:
    return one + two


def fit_ridge_choice(learner: Any, rows: RowBlocks) -> None:
    """Choose the penalty and find the best coefficients for it."""
    alphas, targets = checked_alphas(learner), Numbers()
    moments = moments_in_blocks(rows, targets, center=learner.fit_intercept)
    state = LeaveOneOutState.of(moments, alphas)
    if rows.rows <= rows.columns + 1 or alphas.min() < SQUARED * max(state.largest, 0.0):
        raise ValueError(
            f"{type(learner).__name__}: with rows in blocks the smallest penalty must be at least {SQUARED:g} times "
            f"the largest eigenvalue of the columns' products, {state.largest:g}, and rows more than columns; "
            f"got alpha = {alphas.min():g} and {rows.rows} rows.\nHint: try larger alphas, or scale the columns."
        )
    squares = rows.reduce(_squares, _added, _Request(targets, learner.fit_intercept, state)) / rows.rows
    if learner.alpha_per_target and squares.shape[0] > 1:
        best = squares.argmin(axis=1)
        learner.alpha_, learner.best_score_ = alphas[best], -squares[np.arange(len(best)), best]
    else:
        scores = -squares.mean(axis=0)
        learner.alpha_, learner.best_score_ = float(alphas[int(scores.argmax())]), scores.max()
    problem = block_problem(rows, targets, moments, np.zeros(len(squares)), learner.fit_intercept)
    problem = replace(problem, alphas=penalties(learner.alpha_, len(squares)))
    solution = ridge_solution(problem, moments)
    store_regression(learner, problem, solution, rows.target_shape == (), flat=len(squares) == 1)
