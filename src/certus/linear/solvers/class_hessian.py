"""Exact Newton steps for several classes, where conjugate gradients need many products and the Hessian is small.

With probabilities p (rows x classes), weights s and centered rows z_i, a constant as their last entry, the Hessian is

    H_kl = sum_i s_i (p_ik [k = l] - p_ik p_il) z_i z_i' + strength [k = l]        (no penalty on the constant)

It is singular along equal changes of all classes' constants, along which the gradient vanishes; their square is added.
"""

from __future__ import annotations

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
    classes, columns = at.gradient.shape
    matrix = class_hessian(problem, at.detail)
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
    X = np.asarray(problem.design.X, dtype=np.float64)
    Z = np.column_stack([X - problem.mean, np.full(len(X), float(problem.has_intercept))])
    root = np.ones(len(Z)) if problem.weights is None else np.sqrt(problem.weights)
    Z *= root[:, None]
    classes, width = p.shape[1], Z.shape[1]
    both = (p[:, :, None] * Z[:, None, :]).reshape(len(Z), classes * width)
    matrix = -(both.T @ both)
    penalty = np.append(np.full(width - 1, problem.strength), 0.0)
    for k in range(classes):
        block = slice(k * width, (k + 1) * width)
        matrix[block, block] += (p[:, k, None] * Z).T @ Z + np.diag(penalty)
    if problem.has_intercept:
        constants = np.arange(classes) * width + width - 1
        matrix[np.ix_(constants, constants)] += problem.total_weight / classes**2
    return matrix
