"""Huber's regression where its best scale is 0: absolute deviations with a ridge penalty.

With epsilon near 1, or few rows, the objective falls as the scale shrinks to 0. In that limit

    P = 2 epsilon sum_i s_i |r_i| + alpha |w|^2

and some rows Z are fitted exactly (r = 0, |v| <= 2 epsilon), the others have v = 2 epsilon sign(r):

    2 alpha w - X_Z'(s v)_Z = X_N'(s v)_N,      sum_Z s v = - sum_N s v,      X_Z w + b = y_Z.

Newton steps at a few fixed, shrinking scales show which rows Z are; the linear equations then give the solution itself.
It is optimal if |v_Z| <= 2 epsilon and the scale wants to stay at 0, sum s (1 - v^2/4) >= 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.linear.problems.huber_problem import LEAST_SCALE, HuberPoint, HuberProblem
from certus.linear.solvers.newton import least_norm_solve
from certus.linear.solvers.normal_equations import ScaledCholesky

Array = NDArray[np.float64]
Search = Callable[[HuberProblem, HuberPoint, Array, Array], HuberPoint | None]
SMALL_SCALE = 0.01  # of the mean absolute residual: then the limit is tried
FIRST_SCALE = 0.1  # of the same: where the steps towards it begin
SHRINK = 0.2  # from one scale to the next
STEPS = 30  # Newton steps at one scale
SLACK = 1e-9  # in the conditions for optimality


def near_limit(problem: HuberProblem, at: HuberPoint) -> bool:
    """Whether the scale is small and still wants to shrink."""
    return at.scale <= SMALL_SCALE * _typical(problem, at) and (at.gradient[-1] > 0.0 or at.scale <= LEAST_SCALE)


def solve_limit(
    problem: HuberProblem, at: HuberPoint, line_search: Search, budget: int
) -> tuple[HuberPoint | None, int]:
    """The solution with scale 0, or None if that is not optimal; and the Newton steps it took, at most ``budget``."""
    used = 0
    scale = max(at.scale, FIRST_SCALE * _typical(problem, at), LEAST_SCALE)
    while scale >= LEAST_SCALE and used < budget:
        at = problem.at(at.coef, at.center, scale)
        at, steps = _at_fixed_scale(problem, at, line_search, min(STEPS, budget - used))
        used += steps
        found = _interpolated(problem, at)
        if found is not None:
            return found, max(used, 1)
        scale *= SHRINK
    return None, used


def _typical(problem: HuberProblem, at: HuberPoint) -> float:
    return float(problem.s @ np.abs(at.residual)) / float(problem.s.sum())


def _at_fixed_scale(problem: HuberProblem, at: HuberPoint, line_search: Search, limit: int) -> tuple[HuberPoint, int]:
    """Newton steps in coefficients and intercept; the objective is piecewise quadratic, so that they end."""
    free = np.ones(len(at.coef) + 1, dtype=bool)
    free[-1] = problem.has_intercept
    for step in range(limit):
        gradient = at.gradient.copy()
        gradient[-1] = 0.0
        if float(np.abs(gradient).max()) <= 1e-12 * float(problem.s.sum()):
            return at, step
        matrix = np.ascontiguousarray(problem.hessian(at)[:-1, :-1][np.ix_(free, free)])
        right = -gradient[:-1][free]
        factor = ScaledCholesky(matrix, 0.0)
        way = np.zeros_like(gradient)
        way[:-1][free] = factor.solve(right[:, None])[:, 0] if factor.rcond > 1e-13 else least_norm_solve(matrix, right)
        if not float(way @ gradient) < 0.0:
            way = -gradient
        found = line_search(problem, at, gradient, way)
        if found is None:
            return at, step
        at = found
    return at, limit


def _interpolated(problem: HuberProblem, at: HuberPoint) -> HuberPoint | None:
    """The solution that fits the rows inside exactly, if it is optimal."""
    inside = (np.abs(at.residual) <= problem.epsilon * at.scale) & (problem.s > 0.0)
    columns, fitted = len(at.coef), int(inside.sum())
    if fitted > 4 * (columns + 1):
        return None
    v = np.where(inside, 0.0, 2.0 * problem.epsilon * np.sign(at.residual))
    weighted = problem.s * v
    slope = np.asarray(problem.X.T @ weighted) - problem.mean * weighted.sum()
    rows = problem.X[inside].toarray() if sparse.issparse(problem.X) else problem.X[inside]
    rows = rows - problem.mean
    one = np.full(fitted, float(problem.has_intercept))
    size = columns + 1 + fitted
    matrix, right = np.zeros((size, size)), np.zeros(size)
    matrix[:columns, :columns] = 2.0 * problem.alpha * np.eye(columns)
    matrix[:columns, columns + 1 :] = -(rows * problem.s[inside, None]).T
    matrix[columns, columns + 1 :] = one * problem.s[inside]
    matrix[columns + 1 :, :columns] = rows
    matrix[columns + 1 :, columns] = one
    right[:columns], right[columns] = slope, -float(weighted.sum()) * float(problem.has_intercept)
    right[columns + 1 :] = problem.y[inside]
    solution = np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0], dtype=np.float64)
    v[inside] = solution[columns + 1 :]
    found = problem.at(solution[:columns], float(solution[columns]), LEAST_SCALE)
    others = ~inside & (problem.s > 0.0)
    scale = float(np.abs(problem.y).max(initial=0.0)) + float(np.abs(found.residual).max(initial=0.0))
    optimal = (
        float(np.abs(v).max(initial=0.0)) <= 2.0 * problem.epsilon * (1.0 + SLACK)
        and float(problem.s @ (1.0 - 0.25 * v * v)) >= -SLACK * float(problem.s.sum())
        and float(np.abs(found.residual[inside]).max(initial=0.0)) <= 1e-9 * scale
        and bool((np.sign(found.residual[others]) == np.sign(at.residual[others])).all())
    )
    return found if optimal else None
