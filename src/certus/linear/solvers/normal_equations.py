"""(X'WX + alpha I) w = X'Wy by Cholesky, and what its conditioning allows to promise.

The matrix is first scaled to unit diagonal, which makes everything independent of the columns' units:
A = S^-1 (gram + alpha I) S^-1 with S = sqrt(diag). A reciprocal condition number then decides whether the
solution is good as it is, good after refinement with true residuals, or has to come from an orthogonal method.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from certus.linear.design.moments import UNIT, Moments, gamma

Array = NDArray[np.float64]


class ScaledCholesky:
    """Factor of the scaled matrix; ``rcond`` is 0 when it is not positive definite."""

    def __init__(self, matrix: Array, alpha: float) -> None:
        diagonal = np.diag(matrix) + alpha
        self.scale = np.sqrt(np.maximum(diagonal, 0.0))
        self.rcond = 0.0
        self._lower = np.empty((0, 0))
        if not (self.scale > 0.0).all() or not np.isfinite(self.scale).all():
            return
        self._scaled = matrix / self.scale / self.scale[:, None]
        np.fill_diagonal(self._scaled, 1.0)
        factor, failed = lapack.dpotrf(self._scaled, lower=True, clean=False)
        if failed:
            return
        norm = np.abs(self._scaled).sum(axis=0).max()
        self.rcond, _ = lapack.dpocon(factor, norm, uplo="L")
        self._norm = float(norm)
        self._lower = factor

    def solve(self, right: Array) -> Array:
        """Solution of (matrix + alpha I) w = right."""
        solution, _ = lapack.dpotrs(self._lower, right / self.scale[:, None], lower=True)
        return solution / self.scale[:, None]

    def least_share(self) -> float:
        """The least eigenvalue of the scaled matrix over its largest one."""
        values = np.linalg.eigvalsh(self._scaled)
        return float(values[0] / values[-1])

    def smallest_eigenvalue(self, entry_error: Array) -> float:
        """A verified lower bound on the least eigenvalue of the exact scaled matrix; 0 if none was found.

        If Cholesky of A - m I runs through in floating point, then A >= (m - c) I for a constant c of rounding
        (Rump 2006, verification of positive definiteness). ``entry_error`` bounds the error of A's entries by
        entry_error_i * entry_error_j.
        """
        if self.rcond <= 0.0:
            return 0.0
        size = len(self._scaled)
        noise = 2.0 * gamma(size + 2) * size + float(entry_error @ entry_error)
        guess = self.rcond * self._norm
        for factor in (0.9, 0.3, 0.05, 0.005):
            trial = self._scaled.copy()
            np.fill_diagonal(trial, 1.0 - factor * guess)
            _, failed = lapack.dpotrf(trial, lower=True, clean=False, overwrite_a=True)
            if not failed:
                return max(0.0, factor * guess - noise - 4.0 * UNIT)
        return 0.0


def minimum_norm(moments: Moments, tol: float) -> tuple[Array, int] | None:
    """Least-squares solution of least norm from the moments alone, if the rank is beyond doubt.

    Singular values of the scaled table at most ``tol`` times the largest count as zero. Their squares are the
    eigenvalues here; if one lies too near the cut for the moments to tell, None is returned.
    """
    size = np.sqrt(np.diag(moments.gram))
    scale = np.where(size > 0.0, size, 1.0)
    values, vectors = np.linalg.eigh(moments.gram / scale / scale[:, None])
    largest = values[-1] if len(values) else 0.0
    if largest <= 0.0:
        return np.zeros_like(moments.cross), 0
    cut = tol * tol * largest
    kept = values > max(1e-8 * largest, 100.0 * cut)
    gone = values < 0.25 * cut
    if 0.25 * cut < 1e-13 or not (kept | gone).all():  # 1e-13: what rounding makes of a zero eigenvalue
        return None
    right = vectors[:, kept].T @ (moments.cross / scale[:, None])
    solution = vectors[:, kept] @ (right / values[kept, None]) / scale[:, None]
    empty, _ = np.linalg.qr(vectors[:, ~kept] / scale[:, None])
    solution -= empty @ (empty.T @ solution)
    return solution, int(kept.sum())
