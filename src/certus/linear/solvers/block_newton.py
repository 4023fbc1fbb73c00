"""Proximal Newton steps for a smooth loss with a penalty on the length of every group of coefficients.

    P(w, c) = L(w, c) + sum_g l1_g |w_g|

Every iteration takes the quadratic model of L in some groups: those that are in use and those whose gradients are
longest for their l1, up to a few times as many (a working set; Boisbunon et al. 2014, Massias et al. 2018). Each group
is turned to the eigenvectors of its part of the Hessian, which changes no length; then blocks are minimized exactly in
turn. For the squared loss the model is exact.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.linear._native_calls import smooth_kernels
from certus.linear.design.design_matrix import SparseDesign
from certus.linear.problems.smooth_problem import Evaluation, ScoreOverflowError, SmoothProblem
from certus.linear.solvers.newton import NewtonResult, Point
from certus.losses import GroupL2

Array = NDArray[np.float64]
ALL = 300  # columns up to which every group is in the working set
FIRST = 64  # columns of the smallest working set
SWEEPS = 10_000
EPSILON = float(np.finfo(float).eps)
ACCURACY = 1e-24  # share of the objective that a sweep may still gain; the gap falls with its root


def minimize_blocks(
    problem: SmoothProblem,
    penalty: GroupL2,
    start: Point,
    *,
    max_iter: int,
    good_enough: Callable[[Array, Array], bool],
    watch: Callable[[Array, Array, dict[str, float]], bool],
) -> NewtonResult:
    """Iterate until a point is good enough or rounding hides any decrease."""
    coef, center = start
    at = problem.evaluate(coef, center)
    value, promised = at.value + penalty.value(coef[0]), math.inf
    history: list[dict[str, float]] = []
    while True:
        good = good_enough(coef, center)
        if good or len(history) == max_iter:
            return NewtonResult(coef, center, len(history), good, history)
        way = _step(problem, penalty, coef, at)
        slope = float(np.vdot(at.gradient, way[0])) + float(at.gradient_center @ way[1])
        slope += penalty.value((coef + way[0])[0]) - penalty.value(coef[0])
        # Where values no longer tell, steps go on as long as they promise much less than the ones before.
        blind = -slope <= 16.0 * EPSILON * abs(value)
        if blind and -slope > 0.25 * promised:
            return NewtonResult(coef, center, len(history), False, history)
        found = _search(problem, penalty, (coef, center), value, way, math.inf if blind else slope)
        if found is None:
            return NewtonResult(coef, center, len(history), False, history)
        (coef, center), at, value = found
        promised = -slope
        history.append({"objective": value})
        if watch(coef, center, history[-1]):
            return NewtonResult(coef, center, len(history), False, history)


def _search(
    problem: SmoothProblem, penalty: GroupL2, point: Point, value: float, way: Point, slope: float
) -> tuple[Point, Evaluation, float] | None:
    """Halve the step until the objective falls in proportion to the slope (infinite: any); None if it does not."""
    length = 1.0
    while slope != 0.0 and length > 1e-10:
        coef, center = point[0] + length * way[0], point[1] + length * way[1]
        try:
            trial = problem.evaluate(coef, center)
        except ScoreOverflowError:
            length *= 0.25
            continue
        reached = trial.value + penalty.value(coef[0])
        if slope == math.inf or reached <= value + 1e-4 * length * slope:
            return (coef, center), trial, reached
        length *= 0.5
    return None


def _step(problem: SmoothProblem, penalty: GroupL2, coef: Array, at: Evaluation) -> Point:
    """The minimizer of the quadratic model in the working set, minus the point."""
    chosen = _working_set(penalty, coef[0], at.gradient[0])
    sizes = penalty.sizes[chosen]
    columns = penalty.order[np.repeat(np.isin(np.arange(len(penalty.sizes)), chosen), penalty.sizes)]
    hessian = _hessian(problem, columns, at.detail[:, 0])
    gradient, w = np.append(at.gradient[0, columns], at.gradient_center), np.append(coef[0, columns], 0.0)
    starts = np.append(np.cumsum(np.append(0, sizes)), len(columns) + 1).astype(np.int64)
    l1 = np.append(penalty.strength * penalty.factors[chosen], 0.0)
    if not problem.has_intercept:
        hessian, gradient, w = hessian[:-1, :-1], gradient[:-1], w[:-1]
        starts, l1 = starts[:-1], l1[:-1]
    turns = _turns(hessian, starts)
    for block, turn in turns:
        hessian[:, block] = hessian[:, block] @ turn
        hessian[block] = turn.T @ hessian[block]
        gradient[block], w[block] = gradient[block] @ turn, w[block] @ turn
    tol = ACCURACY * max(abs(at.value), math.ulp(1.0) * problem.null)
    hessian = np.ascontiguousarray(hessian)
    step = smooth_kernels.descend_blocks(hessian, gradient, w, starts, l1, tol=tol, max_sweeps=SWEEPS)
    # What is 0 in turned coordinates must be 0 in the others as well.
    target = w + step
    for block, turn in turns:
        target[block] = turn @ target[block]
    way, way_center = np.zeros_like(coef), np.zeros(1)
    way[0, columns] = target[: len(columns)] - coef[0, columns]
    if problem.has_intercept:
        way_center[0] = target[-1]
    return way, way_center


def _turns(hessian: Array, starts: NDArray[np.int64]) -> list[tuple[slice, Array]]:
    """Eigenvectors of the blocks of several columns."""
    blocks = [slice(a, b) for a, b in itertools.pairwise(starts) if b - a > 1]
    return [(block, np.linalg.eigh(hessian[block, block])[1]) for block in blocks]


def _working_set(penalty: GroupL2, w: Array, gradient: Array) -> NDArray[np.intp]:
    """Groups in use, and those that are nearest to being used."""
    if len(w) <= ALL:
        return np.arange(len(penalty.sizes))
    used = penalty.lengths(w) > 0.0
    nearness = penalty.lengths(gradient) / np.maximum(penalty.factors, 1e-300)
    ranked = np.argsort(np.where(used, -np.inf, -nearness), kind="stable")
    room = max(FIRST, 2 * int(penalty.sizes[used].sum()))
    count = max(int(used.sum()) + 1, int(np.searchsorted(np.cumsum(penalty.sizes[ranked]), room, side="right")))
    return np.sort(ranked[:count])


def _hessian(problem: SmoothProblem, columns: NDArray[np.intp], curvature: Array) -> Array:
    """[X - mean, 1]' diag(curvature) [X - mean, 1] in some columns."""
    design, mean = problem.design, problem.mean[columns]
    whole = len(columns) == design.columns and (np.diff(columns) == 1).all()
    X: Any = design.X if whole else design.X[:, columns]
    if not isinstance(design, SparseDesign):
        return smooth_kernels.shifted_gram(X, np.empty((len(X), 0)), curvature, mean, design.threads)
    X = sparse.csr_array(X)
    weighted = sparse.csr_array(X.multiply(curvature[:, None]))
    totals, all_of_it = np.asarray(weighted.sum(axis=0)).ravel(), float(curvature.sum())
    gram = np.empty((len(columns) + 1, len(columns) + 1))
    gram[:-1, :-1] = (X.T @ weighted).toarray() - np.outer(totals, mean) - np.outer(mean, totals)
    gram[:-1, :-1] += all_of_it * np.outer(mean, mean)
    gram[:-1, -1] = gram[-1, :-1] = totals - all_of_it * mean
    gram[-1, -1] = all_of_it
    return gram
