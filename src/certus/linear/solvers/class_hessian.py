"""Exact Newton steps for several classes, where conjugate gradients need many products and the Hessian is small.

With probabilities p (rows x classes), weights s and centered rows z_i, a constant as their last entry, the Hessian is

    H_kl = sum_i s_i (p_ik [k = l] - p_ik p_il) z_i z_i' + strength [k = l]        (no penalty on the constant)

It is singular along equal changes of all classes' constants, along which the gradient vanishes; their square is added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from certus.linear.design.design_matrix import DenseDesign
from certus.linear.problems.smooth_problem import Evaluation, SmoothProblem

Array = NDArray[np.float64]
MANY_PRODUCTS = 40  # of one step by conjugate gradients from which on the Hessian is cheaper
LARGEST = 600  # unknowns
MOST_CELLS = 4_000_000  # rows times unknowns


def small_hessian(problem: SmoothProblem) -> bool:
    """Whether the Hessian of all classes can be formed at little cost."""
    unknowns = problem.outputs * (problem.design.columns + 1)
    dense = isinstance(problem.design, DenseDesign) and problem.loss.name == "multinomial"
    return dense and unknowns <= LARGEST and problem.design.rows * unknowns <= MOST_CELLS


def exact_step(problem: SmoothProblem, at: Evaluation) -> tuple[Array, Array] | None:
    """The Newton step at a point, or None if the matrix is not positive definite to working precision."""
    return step_with(problem, at, class_hessian(problem, at.detail))


def step_with(problem: SmoothProblem, at: Evaluation, matrix: Array) -> tuple[Array, Array] | None:
    """The step with this Hessian, or None."""
    classes, columns = at.gradient.shape
    right = -np.hstack([at.gradient, at.gradient_center[:, None]]).ravel()
    if not problem.has_intercept:
        constants = np.arange(classes) * (columns + 1) + columns
        matrix[constants, constants] = 1.0
    scale = 1.0 / np.sqrt(np.maximum(np.diagonal(matrix), 1e-300))
    try:
        factor = linalg.cho_factor(matrix * scale * scale[:, None], lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    step = scale * linalg.cho_solve(factor, scale * right, check_finite=False)
    if not (np.isfinite(step).all() and float(step @ right) > 0.0):
        return None
    step = step.reshape(classes, columns + 1)
    return np.ascontiguousarray(step[:, :columns]), np.ascontiguousarray(step[:, columns])


def class_hessian(problem: SmoothProblem, p: Array) -> Array:
    """H plus the square of the direction in which it is singular; unknowns class by class, the constant last."""
    matrix = hessian_of_rows(problem.design.X, problem.weights, p, problem.mean, constant=problem.has_intercept)
    return finished_hessian(problem, matrix)


def hessian_of_rows(X: Any, weights: Array | None, p: Array, mean: Array, *, constant: bool) -> Array:
    """The sum over rows in H; sums over parts of the rows add up to it."""
    classes, width = p.shape[1], X.shape[1] + 1
    matrix = np.zeros((classes * width, classes * width))
    step = max(1, MOST_CELLS // (classes * width))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        rows, share = X[part].astype(np.float64), p[part]
        Z = np.column_stack([rows - mean, np.full(len(rows), float(constant))])
        if weights is not None:
            Z *= np.sqrt(weights[part])[:, None]
        both = (share[:, :, None] * Z[:, None, :]).reshape(len(Z), classes * width)
        matrix -= both.T @ both
        for k in range(classes):
            block = slice(k * width, (k + 1) * width)
            matrix[block, block] += (share[:, k, None] * Z).T @ Z
    return matrix


def finished_hessian(problem: SmoothProblem, matrix: Array) -> Array:
    """Add the penalty, and the square of the direction in which H is singular."""
    classes, width = problem.outputs, problem.design.columns + 1
    places = np.arange(len(matrix)).reshape(classes, width)
    penalized = places[:, :-1].ravel()
    matrix[penalized, penalized] += problem.strength
    if problem.has_intercept:
        matrix[np.ix_(places[:, -1], places[:, -1])] += problem.total_weight / classes**2
    return matrix
