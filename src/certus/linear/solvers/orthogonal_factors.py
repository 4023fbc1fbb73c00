"""Least squares by orthogonal factorizations of the (centered, weighted) table itself.

Slower than the normal equations, but the error grows with the condition number instead of its square. Tall
tables are first reduced to a square by QR.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Array = NDArray[np.float64]


def _reduced(X: Array, Y: Array) -> tuple[Array, Array]:
    """A table and targets with the same least-squares problem and at most as many rows as columns."""
    if X.shape[0] <= 2 * X.shape[1]:
        return X, Y
    Q, R = linalg.qr(X, mode="economic", check_finite=False)
    return R, Q.T @ Y


def minimum_norm(X: Array, Y: Array, tol: float) -> tuple[Array, int, Array]:
    """Coefficients (d x t) of least norm among the least-squares solutions, rank, singular values.

    Singular values at most ``tol`` times the largest count as zero. In tall tables the columns are first scaled
    to unit length for that decision, so that it does not depend on their units.
    """
    X, Y = _reduced(X, Y)
    singular = linalg.svdvals(X, check_finite=False)
    tall = X.shape[0] >= X.shape[1]
    length = np.linalg.norm(X, axis=0)
    scale = np.where(length > 0.0, length, 1.0) if tall else np.ones(X.shape[1])
    U, values, Vt = linalg.svd(X / scale, full_matrices=False, check_finite=False)
    least = tol * values[0] if len(values) else 0.0
    kept = values > max(least, np.finfo(float).eps * max(X.shape) * (values[0] if len(values) else 0.0))
    solution = Vt[kept].T @ ((U[:, kept].T @ Y) / values[kept, None]) / scale[:, None]
    rank = int(kept.sum())
    if tall and 0 < rank < X.shape[1]:
        # Scaling changed what "least norm" means: remove what lies in the null space of the unscaled table.
        empty, _ = np.linalg.qr(Vt[~kept].T / scale[:, None])
        solution -= empty @ (empty.T @ solution)
    return solution, rank, singular


def ridge_by_svd(X: Array, Y: Array, alphas: Array) -> Array:
    """Coefficients (d x t) of ridge regression with one penalty per target."""
    X, Y = _reduced(X, Y)
    U, values, Vt = linalg.svd(X, full_matrices=False, check_finite=False)
    kept = values > np.finfo(float).eps * max(X.shape) * (values[0] if len(values) else 0.0)
    values = values[kept, None]
    return Vt[kept].T @ ((U[:, kept].T @ Y) * (values / (values**2 + alphas)))
