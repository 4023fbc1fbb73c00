"""Minimizes `HuberProblem`: Newton steps on the rows that are not outliers, L-BFGS where the Hessian is too large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.linear.problems.huber_problem import LEAST_SCALE, HuberPoint, HuberProblem
from certus.linear.solvers.huber_limit import near_limit, solve_limit
from certus.linear.solvers.lbfgs import LimitedMemory
from certus.linear.solvers.newton import least_norm_solve
from certus.linear.solvers.normal_equations import ScaledCholesky

Array = NDArray[np.float64]
EXPLICIT_HESSIAN = 1500  # columns up to which the Hessian is formed
SMALL_GAP = 1e-11  # share of the objective at which iterations end
ROUGH_GAP = 1e-5  # share of the objective up to which it counts as converged when nothing falls visibly any more


@dataclass(frozen=True)
class HuberResult:
    """Where the iterations ended."""

    point: HuberPoint
    iterations: int
    converged: bool
    history: list[float]


def minimize_huber(
    problem: HuberProblem,
    start: HuberPoint,
    *,
    tol: float,
    max_iter: int,
    good_enough: Callable[[HuberPoint], bool],
    watch: Callable[[HuberPoint], bool],
) -> HuberResult:
    """Iterate until the gradient is at most ``tol`` and the gap negligible, or nothing falls visibly any more."""
    at, history = start, [start.value]
    newton = len(at.coef) <= EXPLICIT_HESSIAN
    memory = LimitedMemory()
    iterations, converged, tried = 0, False, False
    while True:
        gradient = _projected(at)
        small = float(np.abs(gradient).max(initial=0.0)) <= tol
        if small and (problem.alpha == 0.0 or problem.gap(at) <= SMALL_GAP * at.value) and good_enough(at):
            converged = True
            break
        if iterations == max_iter:
            break
        if newton and near_limit(problem, at) and not tried:
            tried = True
            limit, steps = solve_limit(problem, at, _line_search, max_iter - iterations)
            if limit is not None and limit.value <= at.value:
                at, iterations, converged = limit, iterations + steps, good_enough(limit)
                history.append(at.value)
                watch(at)
                break
        way = _newton_step(problem, at, gradient) if newton else memory.direction(gradient)
        found = _line_search(problem, at, gradient, way)
        if found is None and not newton:
            memory = LimitedMemory()
            found = _line_search(problem, at, gradient, memory.direction(gradient))
        if newton and (found is None or at.value - found.value < 0.1 * problem.gap(at)):
            found = _majorized_step(problem, at if found is None else found) or found
        if found is None:  # rounding hides any further decrease
            converged = problem.alpha == 0.0 or problem.gap(at) <= ROUGH_GAP * at.value
            break
        memory.remember(_vector(found) - _vector(at), _projected(found) - gradient)
        at = found
        iterations += 1
        history.append(at.value)
        if watch(at):
            break
    return HuberResult(at, iterations, converged, history[1:])


def _vector(at: HuberPoint) -> Array:
    return np.concatenate([at.coef, [at.center, at.scale]])


def _projected(at: HuberPoint) -> Array:
    """The gradient without what only pushes the scale against its bound."""
    gradient = at.gradient.copy()
    if at.scale <= LEAST_SCALE and gradient[-1] > 0.0:
        gradient[-1] = 0.0
    return gradient


def _newton_step(problem: HuberProblem, at: HuberPoint, gradient: Array) -> Array:
    hessian = problem.hessian(at)
    free = np.ones(len(gradient), dtype=bool)
    free[-2] = problem.has_intercept
    free[-1] = at.scale > LEAST_SCALE or at.gradient[-1] < 0.0
    matrix = np.ascontiguousarray(hessian[np.ix_(free, free)])
    right = -gradient[free]
    factor = ScaledCholesky(matrix, 0.0)
    step = np.zeros_like(gradient)
    step[free] = factor.solve(right[:, None])[:, 0] if factor.rcond > 1e-13 else least_norm_solve(matrix, right)
    return step if float(step @ gradient) < 0.0 else -gradient


def _majorized_step(problem: HuberProblem, at: HuberPoint) -> HuberPoint | None:
    """The minimum of the quadratic above P, then the best scale: slower than Newton's step, but it always falls."""
    hessian = problem.majorizer(at)
    free = np.ones(len(hessian), dtype=bool)
    free[-1] = problem.has_intercept
    matrix, right = np.ascontiguousarray(hessian[np.ix_(free, free)]), -at.gradient[:-1][free]
    factor = ScaledCholesky(matrix, 0.0)
    step = np.zeros(len(hessian))
    step[free] = factor.solve(right[:, None])[:, 0] if factor.rcond > 1e-13 else least_norm_solve(matrix, right)
    coef, center = at.coef + step[:-1], at.center + step[-1]
    moved = problem.at(coef, center, at.scale)
    trial = problem.at(coef, center, problem.best_scale(moved.residual))
    return trial if trial.value < at.value * (1.0 - 4.0 * np.finfo(float).eps) else None


def _line_search(problem: HuberProblem, at: HuberPoint, gradient: Array, way: Array) -> HuberPoint | None:
    """Shorten the step until the objective falls enough (Armijo); the scale loses at most nine tenths at a time."""
    length = 1.0
    noise = 8.0 * np.finfo(float).eps * abs(at.value)
    for _ in range(50):
        step = length * way
        scale = max(at.scale + step[-1], 0.1 * at.scale, LEAST_SCALE)
        step[-1] = scale - at.scale
        slope = float(gradient @ step)
        trial = problem.at(at.coef + step[:-2], at.center + step[-2], scale)
        if trial.value <= at.value + 1e-4 * slope and trial.value < at.value:
            return trial
        if abs(slope) <= noise:
            # Values no longer tell; the gradient still may.
            better = np.linalg.norm(_projected(trial)) < 0.5 * np.linalg.norm(gradient)
            return trial if better and trial.value <= at.value + noise else None
        length *= 0.5
    return None
