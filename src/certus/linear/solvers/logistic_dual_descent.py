"""Logistic regression by dual coordinate descent (Yu, Huang, Lin 2011): LIBLINEAR's method, with its stop rule.

Rows are visited in random order. The rule looks at the violation of the optimality condition of each row, which says
little about the objective; what was reached is measured afterwards by the certificate of the gap. The passes come in
stages that double in length; after each the objective is told to whoever watches.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from certus.linear._native_calls.machine_kernels import LogisticDual, logistic_descent, table_rows
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.dual_coordinate_descent import stages
from certus.linear.solvers.newton import NewtonResult

Array = NDArray[np.float64]
FIRST_SHARE = 1e-3  # of its weight is the multiplier of a row at the start


def dual_descent(
    problem: SmoothProblem,
    *,
    tol: float,
    max_iter: int,
    seed: int,
    watch: Callable[[Array, Array, dict[str, float]], bool],
) -> NewtonResult:
    """Minimize the logistic loss of two classes with a ridge penalty on all columns and no intercept of its own."""
    X, codes = problem.design.X, problem.target[:, 0]
    weights = np.ones(len(codes)) if problem.weights is None else problem.weights
    signs = np.where(codes > 0.5, 1.0, -1.0)
    multipliers = FIRST_SHARE * weights
    w = np.append(X.T @ (signs * multipliers) / problem.strength, 0.0)
    dual, table = LogisticDual(signs, weights, multipliers, w), table_rows(X)
    center, done, converged, history = np.zeros(1), 0, False, []
    for stage, passes in stages(max_iter):
        made, converged = logistic_descent(
            table, dual, strength=problem.strength, tol=tol, max_passes=passes, seed=seed, stage=stage
        )
        done += made
        coef = dual.w[None, :-1].copy()
        history.append({"objective": problem.evaluate(coef, center).value})
        if watch(coef, center, history[-1]) or converged:
            break
    return NewtonResult(coef, center, done, converged, history)
