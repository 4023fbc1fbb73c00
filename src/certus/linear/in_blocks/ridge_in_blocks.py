"""Least squares and ridge regression on rows in blocks: one pass for the second moments.

Where these are too ill-conditioned, a second pass finds the triangular factor and a third one the true residuals.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import class_weights, resolve_threads
from certus.base.blocks import Block, RowBlocks
from certus.linear.design.block_design import BlockDesign
from certus.linear.design.design_matrix import make_design
from certus.linear.design.moments import Moments
from certus.linear.evidence.linear_labels import LabelLimits, label_certificate
from certus.linear.evidence.quadratic_gap import QuadraticEvidence
from certus.linear.fitting.regression_fit import store_regression
from certus.linear.in_blocks.block_moments import moments_in_blocks
from certus.linear.in_blocks.targets import Codes, Numbers
from certus.linear.in_blocks.triangle import triangle
from certus.linear.solvers.least_squares import (
    Problem,
    Solution,
    by_cholesky,
    by_svd,
    nonnegative,
    ordinary,
    ordinary_from_moments,
)
from certus.linear.solvers.ridge_solvers import penalties

Array = NDArray[np.float64]


def whole_table_needed(learner: Any) -> str | None:
    """Which setting of a ridge regression needs the whole table."""
    if learner.positive and learner.max_iter is not None:
        return "positive=True and max_iter"
    return None if learner.solver in ("auto", "cholesky", "svd", "lbfgs") else f"solver={learner.solver!r}"


def fit_linear_regression(learner: Any, rows: RowBlocks) -> None:
    """`LinearRegression`."""
    targets = Numbers()
    moments = moments_in_blocks(rows, targets, center=learner.fit_intercept)
    problem = block_problem(rows, targets, moments, np.zeros(moments.cross.shape[1]), learner.fit_intercept)
    solution = _ordinary(problem, moments, learner.tol, positive=learner.positive)
    store_regression(learner, problem, solution, rows.target_shape == (), positive=learner.positive)
    learner._store_rank(solution, dense=not learner.positive)


def fit_ridge(learner: Any, rows: RowBlocks) -> None:
    """`Ridge`."""
    targets = Numbers()
    moments = moments_in_blocks(rows, targets, center=learner.fit_intercept)
    alphas = penalties(learner.alpha, moments.cross.shape[1])
    problem = block_problem(rows, targets, moments, alphas, learner.fit_intercept)
    _store_ridge(learner, problem, moments, one_target=rows.target_shape == (), flat=len(alphas) == 1)


def fit_ridge_classifier(learner: Any, rows: RowBlocks) -> None:
    """`RidgeClassifier`: labels of one column."""
    labels, _, counts = rows.label_counts()
    learner.classes_, learner.multilabel_ = labels, False
    weights = class_weights(learner.class_weight or None, labels, labels, counts)
    targets = Codes(labels, weights, signs=True)
    moments = moments_in_blocks(rows, targets, center=learner.fit_intercept)
    problem = block_problem(
        rows, targets, moments, penalties(learner.alpha, moments.cross.shape[1]), learner.fit_intercept
    )
    declared = {"classes": labels.tolist(), "class_weights": weights.tolist()}
    solution, evidence = _store_ridge(learner, problem, moments, one_target=False, labels=declared)
    certify_labels(learner, problem, solution, evidence)


def _undecided(block: Block, limits: LabelLimits) -> int:
    return limits.undecided(make_design(block.X, resolve_threads()))


def certify_labels(learner: Any, problem: Problem, solution: Solution, evidence: QuadraticEvidence) -> None:
    """Add how many training labels are those of the exact optimum; one more pass."""
    limits = learner._label_limits(solution, evidence, problem.X.moments.weight)
    if limits is not None:
        undecided = problem.X.table.reduce(_undecided, operator.add, limits)
        learner.report_ = learner.report_.with_([label_certificate(undecided, problem.X.rows, evidence.distance)])


def _store_ridge(learner: Any, problem: Problem, moments: Moments, **stored: Any) -> tuple[Solution, QuadraticEvidence]:
    if learner.positive:
        solution = _in_triangle(problem, moments, nonnegative)
    else:
        solution = ridge_solution(problem, moments, squared=learner.solver != "svd")
    evidence = store_regression(learner, problem, solution, positive=learner.positive, **stored)
    learner.n_iter_ = None
    learner.solver_ = solution.method
    return solution, evidence


def ridge_solution(problem: Problem, moments: Moments, *, squared: bool = True) -> Solution:
    """From the second moments, or from the triangular factor where they are not accurate."""
    found = by_cholesky(problem, moments) if squared else None
    return _in_triangle(problem, moments, by_svd) if found is None else found


def _ordinary(problem: Problem, moments: Moments, tol: float, *, positive: bool) -> Solution:
    if positive:
        return _in_triangle(problem, moments, nonnegative)
    found = ordinary_from_moments(problem, moments, tol) if problem.X.rows > problem.X.columns else None
    if found is not None:
        return found
    return _in_triangle(problem, moments, lambda small: ordinary(small, tol))


def block_problem(rows: RowBlocks, targets: Any, moments: Moments, alphas: Array, center: bool) -> Problem:
    """The problem with the design in place of the table, and no targets of its own."""
    return Problem(BlockDesign(rows, targets, moments), np.empty((0, len(alphas))), None, alphas, center, 1)


def _in_triangle(problem: Problem, moments: Moments, solve: Any) -> Solution:
    """Solve the small problem of the triangular factor, which needs no intercept."""
    design = problem.X
    X, Y = triangle(design.table, design.targets, moments.mean_x, moments.mean_y)
    X[:, np.diag(moments.gram) == 0.0] = 0.0  # constant columns: what rounding leaves of them would be fitted
    small = replace(problem, X=X, Y=Y, center=False)
    found = solve(small)
    well = found.moments is not None
    return replace(
        found,
        mean_x=moments.mean_x,
        mean_y=moments.mean_y,
        moments=moments if well else None,
        factors=found.factors if well else {},
    )
