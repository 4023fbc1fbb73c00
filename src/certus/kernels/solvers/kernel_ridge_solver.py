"""Kernel ridge regression as linear equations, and how far the solution found can be from the best one.

With the matrix K of kernel values, weights s and f = sum_j c_j k(x_j, .) the objective is

    P(c) = sum_i s_i (y_i - (Kc)_i)^2 + alpha c'Kc

Its minimum solves (S K S + alpha I) u = S y with S = diag(sqrt(s)) and c = S u. The gradient of P in the space of
functions is -2 sum_i r_i k(x_i, .) with r = s (y - Kc) - alpha c, and its Hessian is twice alpha plus the sum of
s_i k(x_i, .) k(x_i, .)'. Leaving out the one or the other part of the Hessian,

    P(c) - min P  <=  min(r'Kr / alpha, sum_i r_i^2 / s_i).
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from certus.base import warn_user
from certus.guarantees.training import GapEvidence, ScaledGradient
from certus.kernels import _native_calls
from certus.kernels._native_calls import Array

UNIT = float(np.finfo(np.float64).eps) / 2.0


def solve_ridge(K: Array, Y: Array, weights: Array | None, alphas: Array, threads: int) -> Array:
    """Coefficients c (n x targets)."""
    root = np.ones(len(K)) if weights is None else np.sqrt(weights)
    right = root[:, None] * Y
    solution = np.empty_like(right)
    for alpha in np.unique(alphas):
        targets = np.flatnonzero(alphas == alpha)
        solution[:, targets] = _solve(K, root, float(alpha), right[:, targets], threads)
    return root[:, None] * solution


def _solve(K: Array, root: Array, alpha: float, right: Array, threads: int) -> Array:
    matrix = _shifted(K, root, alpha)
    least = len(K) * UNIT * float(np.diagonal(matrix).max(initial=0.0))
    factored = _native_calls.factor_cholesky(matrix, threads)
    if not factored or float(np.diagonal(matrix).min(initial=np.inf)) ** 2 <= least:
        warn_user("Singular matrix in solving dual problem. Using least-squares solution instead.\nHint: raise alpha.")
        return np.asarray(linalg.lstsq(_shifted(K, root, alpha), right)[0])
    factor = (matrix.T, False)  # the transpose is in LAPACK's order: nothing is copied
    solution = linalg.cho_solve(factor, right, check_finite=False)
    residual = right - root[:, None] * (K @ (root[:, None] * solution)) - alpha * solution
    return np.asarray(solution + linalg.cho_solve(factor, residual, check_finite=False))


def _shifted(K: Array, root: Array, alpha: float) -> Array:
    matrix = K.copy() if (root == 1.0).all() else K * root[:, None] * root
    matrix[np.diag_indices(len(K))] += alpha
    return matrix


def is_semidefinite(K: Array, threads: int) -> bool:
    """Whether K is symmetric without eigenvalues below 0, up to rounding: with a tiny multiple of I it has a factor."""
    rounding = 8.0 * len(K) * UNIT
    if float(np.abs(K - K.T).max(initial=0.0)) > rounding * float(np.abs(K).max(initial=0.0)):
        return False
    shifted = 0.5 * (K + K.T)
    shifted[np.diag_indices(len(K))] += rounding * max(float(np.trace(K)), 0.0) + 1e-300
    return _native_calls.factor_cholesky(shifted, threads)


def ridge_evidence(K: Array, Y: Array, weights: Array | None, alphas: Array, coef: Array) -> GapEvidence:
    """Evidence for these coefficients (n x targets); K must be positive semidefinite.

    The norms are of the residuals r in the metric K / alpha or 1 / s, the better for each target, all together.

    In such a matrix |K_ij| <= sqrt(K_ii K_jj), which bounds the rounding errors of products with K.
    """
    s = (np.ones(len(K)) if weights is None else weights)[:, None]
    fitted = K @ coef
    difference = Y - fitted
    residual = s * difference - alphas * coef
    size = np.sqrt(np.maximum(np.diagonal(K), 0.0))[:, None]
    chain = (len(K) + 8) * UNIT
    fitted_error = chain * size * (size * np.abs(coef)).sum(axis=0)
    residual_error = s * fitted_error + 4.0 * UNIT * (s * (np.abs(Y) + np.abs(fitted)) + alphas * np.abs(coef))
    penalty = alphas * np.einsum("it,it->t", coef, fitted)
    objective = float((s * (np.abs(difference) + fitted_error) ** 2).sum() + np.maximum(penalty, 0.0).sum())
    objective += float(2.0 * chain * (alphas * (size * np.abs(coef)).sum(axis=0) ** 2).sum())
    norms, errors = _best_metric(K, s, alphas, residual, residual_error, size)
    return GapEvidence(
        objective * (1.0 + chain),
        float((s * Y**2).sum()),
        ScaledGradient(*(float(np.linalg.norm(part)) * (1.0 + chain) for part in (norms, errors))),
    )


def _best_metric(K: Array, s: Array, alphas: Array, residual: Array, error: Array, size: Array) -> tuple[Array, Array]:
    """Per target the norm of the residuals and of their error, in the metric that gives the smaller gap."""
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=s > 0)  # where s = 0, so are c and r
    norms = np.sqrt((inverse * residual**2).sum(axis=0))
    errors = np.sqrt((inverse * error**2).sum(axis=0))
    if not (alphas > 0).all():
        return norms, errors
    square = np.einsum("it,it->t", residual, K @ residual)
    slack = 2.0 * (len(K) + 8) * UNIT * (size * np.abs(residual)).sum(axis=0) ** 2
    other_norms = np.sqrt((np.maximum(square, 0.0) + slack) / alphas)
    other_errors = (size * error).sum(axis=0) / np.sqrt(alphas)
    better = other_norms + other_errors < norms + errors
    return np.where(better, other_norms, norms), np.where(better, other_errors, errors)
