"""Which kernels are proved positive semi-definite, and how far rounding can move a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from certus.svm._native_calls import GAUSSIAN, GIVEN, LINEAR, POLYNOMIAL, Floats, Kernel, Table

EPSILON = 2.0**-52
EIGEN_ROWS = 2000  # a given kernel matrix of up to this many rows is factorized to see whether it is PSD


def proved_psd(kernel: Kernel, table: Table) -> bool:
    """Whether weak duality is certain: the kernel is positive semi-definite by theorem or by factorization.

    A given matrix passes if it is symmetric and has a Cholesky factor once n epsilon max(diagonal) is added.
    """
    kind, gamma, coef0, _ = kernel
    if kind in (LINEAR, GAUSSIAN):
        return True
    if kind == POLYNOMIAL:
        return gamma >= 0.0 and coef0 >= 0.0
    if kind != GIVEN or table.shape[0] > EIGEN_ROWS:
        return False
    largest = float(np.abs(table).max(initial=0.0))
    if not np.allclose(table, table.T, rtol=0.0, atol=8.0 * EPSILON * largest):
        return False
    shifted = (table + table.T) / 2.0
    shifted[np.diag_indices_from(shifted)] += matrix_shift(table)
    try:
        linalg.cholesky(shifted, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return False
    return True


def matrix_shift(table: Table) -> float:
    """What is added to the diagonal of a given matrix before it is factorized."""
    return 4.0 * table.shape[0] * EPSILON * float(np.abs(np.diagonal(table)).max(initial=0.0))


def diagonal(kernel: Kernel, table: Table) -> Floats:
    """k(x, x) of every row."""
    kind, gamma, coef0, degree = kernel
    if kind == GIVEN:
        return np.diagonal(table).copy()
    if kind == GAUSSIAN:
        return np.ones(table.shape[0])
    norms = squared_norms(table)
    return norms if kind == LINEAR else (gamma * norms + coef0) ** degree


def squared_norms(table: Table) -> Floats:
    """|x|^2 of every row."""
    if isinstance(table, np.ndarray):
        return np.einsum("ij,ij->i", table, table)
    return np.asarray(table.multiply(table).sum(axis=1), dtype=np.float64).ravel()


def kernel_error(kernel: Kernel, table: Table) -> float:
    """Bound on the rounding error of one computed kernel value, to first order in the machine precision."""
    kind, gamma, coef0, degree = kernel
    if kind == GIVEN:
        return 0.0
    terms = float(table.shape[1] + 16)
    if kind == GAUSSIAN:
        center = 0.0 if sparse.issparse(table) else table.mean(axis=0)
        spread = float(squared_norms(table - center if not sparse.issparse(table) else table).max(initial=0.0))
        return terms * EPSILON * (1.0 + 16.0 * gamma * spread)
    largest = float(squared_norms(table).max(initial=0.0))
    if kind == LINEAR:
        return terms * EPSILON * largest
    base = abs(gamma) * largest + abs(coef0)
    return terms * EPSILON * max(degree, 1) * max(base, 1.0) ** max(degree, 1)


@dataclass(frozen=True)
class KernelFacts:
    """What the certificates need to know about a kernel on a table, computed once."""

    kernel: Kernel
    psd: bool
    diagonal: Floats
    largest: float  # bound on |k(x, z)| over the rows
    value_error: float
    shift: float

    @classmethod
    def of(cls, kernel: Kernel, table: Table) -> KernelFacts:
        """The facts of a kernel on the rows of a table."""
        own = diagonal(kernel, table)
        given = kernel[0] == GIVEN
        largest = float(np.abs(table if given else own).max(initial=0.0))
        shift = matrix_shift(table) if given else 0.0
        return cls(kernel, proved_psd(kernel, table), own, largest, kernel_error(kernel, table), shift)

    def score_error(self, coefficients: Floats) -> float:
        """Bound on the rounding error of F_i = sum_j beta_j k(x_i, x_j)."""
        used = int(np.count_nonzero(coefficients))
        error = self.value_error + (used + 8) * EPSILON * self.largest
        return float(np.abs(coefficients).sum()) * error
