"""Exact leave-one-out errors of ridge regression for many penalties, from one decomposition.

Leaving out row i changes its error from e_i to e_i / (1 - h_i) with the leverage

    h_i = s_i [ (x_i - m)' (gram + alpha I)^-1 (x_i - m) + 1 / sum s ]

(Allen 1974; weights s, the last term only with an intercept). Tall tables: the eigenvectors of the second moments
make this a sum over p terms for every penalty at once. Wide tables: 1 - h_i would cancel, so the same quotient
comes from the kernel matrix G = K + alpha I as (G^-1 y)_i / (G^-1)_ii (Rifkin, Lippert 2007), where the direction of
the intercept is taken out exactly. Penalties too small for squared condition numbers: singular values of the table.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.linalg import lapack

from certus.linear._native_calls import leverage_kernels
from certus.linear.design.moments import Moments
from certus.linear.solvers.least_squares import Problem, Solution, centered_table, kernel_matrix, moments_of

Array = NDArray[np.float64]
SQUARED = 1e-10  # penalties below this share of the largest eigenvalue go through singular values
FEW = 5  # penalties up to which as many inverses of a kernel matrix cost less than its eigenvectors
SPARSE_BLOCK = 4_000_000  # entries of a sparse table that are filled in at a time


@dataclass(frozen=True)
class LeaveOneOut:
    """``errors[i, k, a]``: target k of row i minus its prediction without row i under penalty a."""

    errors: Array
    moments: Moments | None = None
    solve: Callable[[Array], Solution] | None = None  # for penalties (one per target) of those that were tried


def leave_one_out(problem: Problem, penalties: Array, *, singular: bool) -> LeaveOneOut:
    """Errors for all penalties; ``singular`` asks for singular values of the (dense) table."""
    rows, columns = problem.X.shape
    if rows <= columns + 1:
        return _wide(problem, penalties, singular)
    if singular:
        return LeaveOneOut(_tall_by_singular_values(problem, penalties))
    moments = moments_of(problem)
    values, vectors = np.linalg.eigh(moments.gram)
    if penalties.min() < SQUARED * max(float(values[-1]), 0.0):
        return LeaveOneOut(_tall_by_singular_values(problem, penalties), moments)
    return LeaveOneOut(errors_in(problem, LeaveOneOutState.at(moments, values, vectors, penalties)), moments)


@dataclass(frozen=True)
class LeaveOneOutState:
    """What rows need to know for their errors under every penalty; the rest is theirs."""

    mean_x: Array
    mean_y: Array
    weight: float
    vectors: Array
    damping: Array
    directions: Array
    largest: float

    @classmethod
    def of(cls, moments: Moments, penalties: Array) -> LeaveOneOutState:
        """From the second moments of all rows."""
        return cls.at(moments, *np.linalg.eigh(moments.gram), penalties)

    @classmethod
    def at(cls, moments: Moments, values: Array, vectors: Array, penalties: Array) -> LeaveOneOutState:
        """From their eigenvectors."""
        damping = 1.0 / (np.maximum(values, 0.0)[:, None] + penalties)
        directions = (damping[:, :, None] * (vectors.T @ moments.cross)[:, None, :]).reshape(len(vectors), -1)
        return cls(moments.mean_x, moments.mean_y, moments.weight, vectors, damping, directions, float(values[-1]))


def errors_in(problem: Problem, state: LeaveOneOutState) -> Array:
    """The errors of the rows of a problem, which may be some rows of the table behind the state."""
    leverages, fitted = _rotated(problem, state.mean_x, state.vectors, state.damping, state.directions)
    if problem.weights is not None:
        leverages *= problem.weights[:, None]
    return _quotients(problem, leverages, fitted, state.mean_y, state.weight)


def _rotated(problem: Problem, mean: Array, vectors: Array, damping: Array, directions: Array) -> tuple[Array, Array]:
    if not problem.is_sparse:
        return leverage_kernels.ridge_leverages(problem.X, mean, vectors, damping, directions, problem.threads)
    table = sparse.csr_array(problem.X)
    block = max(1, SPARSE_BLOCK // table.shape[1])
    parts = [
        leverage_kernels.ridge_leverages(
            table[first : first + block].toarray(), mean, vectors, damping, directions, problem.threads
        )
        for first in range(0, table.shape[0], block)
    ]
    leverages, fitted = zip(*parts, strict=True)
    return np.concatenate(leverages), np.concatenate(fitted)


def _quotients(problem: Problem, leverages: Array, fitted: Array, mean_y: Array, weight: float | None = None) -> Array:
    """Errors / (1 - leverage) from the parts without intercept; ``weight`` is that of all rows."""
    rows, targets = problem.Y.shape
    errors = problem.Y[:, None, :] - mean_y - fitted.reshape(rows, -1, targets)
    kept = 1.0 - leverages - _intercept_leverage(problem, weight)[:, None]
    return np.moveaxis(errors / kept[:, :, None], 1, 2)


def _intercept_leverage(problem: Problem, weight: float | None = None) -> Array:
    rows = problem.X.shape[0]
    if not problem.center:
        return np.zeros(rows)
    if problem.weights is None:
        return np.full(rows, 1.0 / (rows if weight is None else weight))
    return problem.weights / (problem.weights.sum() if weight is None else weight)


def _tall_by_singular_values(problem: Problem, penalties: Array) -> Array:
    table, target, _, mean_y = centered_table(problem)
    left, singular, _ = linalg.svd(table, full_matrices=False, check_finite=False)
    share = singular[:, None] ** 2 / (singular[:, None] ** 2 + penalties)
    fitted = np.einsum("ik,ka,kt->iat", left, share, left.T @ target)
    root = _roots(problem)[:, None, None]
    # Rows of weight 0 are not in the decomposition; their leverage is 0 and they keep the full model's error.
    counted = root > 0.0
    fitted = np.where(counted, fitted / np.where(counted, root, 1.0), 0.0)
    errors = _quotients(problem, left**2 @ share, fitted.reshape(len(left), -1), mean_y)
    return _with_unweighted_rows(problem, penalties, errors)


def _wide(problem: Problem, penalties: Array, singular: bool) -> LeaveOneOut:
    """Errors by way of the kernel matrix of the centered, weighted table."""
    root = _roots(problem)
    parts = _kernel(problem, root)
    kernel, size = parts.kernel, max(float(np.trace(parts.kernel)) / len(root), np.finfo(float).tiny)
    direction = root / np.linalg.norm(root)
    if problem.center:
        kernel = kernel + size * np.outer(direction, direction)
    enough = penalties.min() >= SQUARED * float(np.abs(kernel).sum(axis=0).max())
    if enough and not singular and len(penalties) <= FEW:
        diagonal, solved = _by_inverses(kernel, parts.target, penalties)
    else:
        diagonal, solved = _by_decomposition(problem, parts, kernel, size, penalties, singular)
    if problem.center:
        diagonal -= (direction**2)[:, None] / (size + penalties)
    errors = solved / diagonal[:, None, :] / np.where(root > 0.0, root, 1.0)[:, None, None]
    errors = _with_unweighted_rows(problem, penalties, errors)
    if parts.table is None or not enough:
        return LeaveOneOut(errors)
    return LeaveOneOut(errors, solve=functools.partial(_primal, parts, penalties, solved))


def _by_inverses(kernel: Array, target: Array, penalties: Array) -> tuple[Array, Array]:
    """Diagonals of (kernel + alpha I)^-1 (rows x penalties), and its products with the targets."""
    diagonal, solved = np.empty((len(kernel), len(penalties))), np.empty((*target.shape, len(penalties)))
    for a, alpha in enumerate(penalties):
        matrix = np.array(kernel, order="F")
        matrix[np.diag_indices_from(matrix)] += alpha
        factor, _ = lapack.dpotrf(matrix, lower=True, clean=False, overwrite_a=True)
        solved[:, :, a] = lapack.dpotrs(factor, target, lower=True)[0]
        diagonal[:, a] = lapack.dpotri(factor, lower=True, overwrite_c=True)[0].diagonal()
    return diagonal, solved


def _by_decomposition(
    problem: Problem, parts: _Dual, kernel: Array, size: float, penalties: Array, singular: bool
) -> tuple[Array, Array]:
    """The same from eigenvalues, or from singular values where the penalties are too small for squares."""
    values, vectors = np.linalg.eigh(kernel)
    small = penalties.min() < SQUARED * max(float(values[-1]), 0.0)
    if parts.table is not None and (singular or small):
        direction = _roots(problem) / np.linalg.norm(_roots(problem))
        table = np.column_stack([parts.table, np.sqrt(size) * direction]) if problem.center else parts.table
        vectors, values, _ = linalg.svd(table, full_matrices=True, check_finite=False)
        values = np.concatenate([values**2, np.zeros(len(vectors) - len(values))])
    damping = 1.0 / (np.maximum(values, 0.0)[:, None] + penalties)
    along = vectors.T @ parts.target
    solved = np.stack([vectors @ (factor[:, None] * along) for factor in damping.T], axis=2)
    return vectors**2 @ damping, solved


@dataclass(frozen=True)
class _Dual:
    """Kernel matrix, the dense table behind it if there is one, and the targets; all centered and weighted."""

    kernel: Array
    table: Array | None
    target: Array
    mean_x: Array
    mean_y: Array


def _primal(parts: _Dual, penalties: Array, solved: Array, alphas: Array) -> Solution:
    """The coefficients X'(K + alpha I)^-1 y."""
    dual = np.array([solved[:, k, int(np.flatnonzero(penalties == alpha)[0])] for k, alpha in enumerate(alphas)])
    return Solution(dual @ parts.table, parts.mean_x, parts.mean_y, "cholesky")


def _kernel(problem: Problem, root: Array) -> _Dual:
    if not problem.is_sparse:
        table, target, mean_x, mean_y = centered_table(problem)
        return _Dual(kernel_matrix(table, problem.threads), table, target, mean_x, mean_y)
    table = sparse.csr_array(problem.X, dtype=np.float64)
    kernel = (table @ table.T).toarray()
    target = problem.Y
    if problem.center:
        share = _intercept_leverage(problem)
        along = kernel @ share
        kernel = kernel - along[:, None] - along + share @ along
        target = target - share @ target
    unused = np.empty(0)
    return _Dual(kernel * np.outer(root, root), None, target * root[:, None], unused, unused)


def _roots(problem: Problem) -> Array:
    return np.ones(problem.X.shape[0]) if problem.weights is None else np.sqrt(problem.weights)


def _with_unweighted_rows(problem: Problem, penalties: Array, errors: Array) -> Array:
    """Rows of weight 0 get the error of the full model, which never saw them."""
    if problem.weights is None or problem.weights.all():
        return errors
    left_out = problem.weights == 0.0
    kept = _rows_of(problem, ~left_out)
    table, target, mean_x, mean_y = centered_table(kept)
    left, singular, right = linalg.svd(table, full_matrices=False, check_finite=False)
    X: Any = problem.X[left_out] if not problem.is_sparse else sparse.csr_array(problem.X)[left_out].toarray()
    factor = singular[:, None] / (singular[:, None] ** 2 + penalties)
    fitted = np.einsum("ik,ka,kt->ita", (X - mean_x) @ right.T, factor, left.T @ target)
    errors[left_out] = (problem.Y[left_out] - mean_y)[:, :, None] - fitted
    return errors


def _rows_of(problem: Problem, chosen: NDArray[np.bool_]) -> Problem:
    X = sparse.csr_array(problem.X)[chosen] if problem.is_sparse else problem.X[chosen]
    weights = None if problem.weights is None else problem.weights[chosen]
    return Problem(X, problem.Y[chosen], weights, problem.alphas, problem.center, problem.threads)
