"""Lasso and elastic net on rows in blocks: coordinate descent on the second moments of one pass, the gap from another.

The dual point is the residual of every row; what the gap needs of it are sums over the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base import Iterations
from certus.base.blocks import RowBlocks
from certus.linear.design.block_design import BlockDesign
from certus.linear.design.moments import Moments
from certus.linear.fitting.penalized_fit import (
    effort_of,
    finish_penalized,
    solve_part,
    solve_watched,
    store_penalized,
    warn_without_penalty,
)
from certus.linear.in_blocks.block_moments import moments_in_blocks
from certus.linear.in_blocks.targets import Numbers
from certus.linear.problems.penalized_problem import PenalizedProblem, of_one_target
from certus.linear.solvers.penalized_solver import start_from


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    if learner.alpha == 0 or learner.l1_ratio == 0:
        return "no L1 penalty (use Ridge or LinearRegression, which take blocks)"
    return None if isinstance(learner.precompute, bool | str) else "a given Gram matrix (precompute)"


def fit_penalized_in_blocks(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets."""
    warn_without_penalty(learner)
    center = bool(learner.fit_intercept)
    moments = moments_in_blocks(rows, Numbers(), center=center)
    parts = [_part(rows, moments, k, center) for k in range(moments.cross.shape[1])]
    effort, last = effort_of(learner), None
    if learner.warm_start and hasattr(learner, "coef_"):
        last = np.atleast_2d(learner.coef_)
    runs = []
    with Iterations(learner, None) as iterations:
        for k, part in enumerate(parts):
            start = None if last is None or k >= len(last) else start_from(last[k], part)
            solve = solve_watched if iterations.watched else solve_part
            runs.append(solve(learner, part, effort, start, None, iterations))
    shape = (0,) if rows.target_shape == () else (0, len(parts))
    store_penalized(learner, parts, runs, rows.dtype, np.empty(shape), joint=False)
    finish_penalized(learner, parts, runs, effort, joint=False)


def _part(rows: RowBlocks, moments: Moments, k: int, center: bool) -> PenalizedProblem:
    """The problem of one target, known by its moments and by passes over the rows."""
    one = of_one_target(moments, k)
    problem = PenalizedProblem(BlockDesign(rows, Numbers(k), one), np.empty((0, 1)), None, center, 1)
    squares = float(one.target_squares[0])
    problem.__dict__.update(moments=one, weight=one.weight, mean_y=one.mean_y, target_squares=squares)
    return problem
