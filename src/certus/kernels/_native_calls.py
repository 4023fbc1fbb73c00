"""The one place of this family that calls compiled code."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native

Array = NDArray[np.float64]
Rows: TypeAlias = Array | sparse.csr_array  # numbers, checked
Function = tuple[int, float, float, int]  # kind, gamma, offset, degree; see cpp/kernels/gram.hpp

(
    LINEAR,
    POLYNOMIAL,
    EXPONENTIAL,
    GAUSSIAN,
    TANH,
    ARC_COSINE,
    LAPLACIAN,
    MATERN,
    ALL_SUBSETS,
    ANOVA,
    MINIMUM,
    SPLINE,
) = range(12)


def gram(function: Function, left: Rows, right: Rows | None, threads: int) -> Array:
    """The kernel matrix; ``right`` None means the same rows again. Tables are float64, dense in C order or sparse."""
    if sparse.issparse(left) or sparse.issparse(right):
        if function[0] <= ARC_COSINE:
            return _of_sparse_rows(function, left, right, threads)
        left = dense_rows(left)
        right = None if right is None else dense_rows(right)
    symmetric = right is None
    other = left if right is None else right
    out = np.empty((left.shape[0], other.shape[0]))
    _native.kernel_gram(left, other, symmetric, function, threads, out)
    return out


def _of_sparse_rows(function: Function, left: Rows, right: Rows | None, threads: int) -> Array:
    symmetric = right is None
    other = left if right is None else right
    product = left @ other.T
    products = dense_rows(product)
    norms = squared_norms(left)
    _native.kernel_map_products(
        products, norms, norms if symmetric else squared_norms(other), symmetric, function, threads
    )
    return products


def squared_norms(rows: Rows) -> Array:
    """|x_i|^2 of every row."""
    if isinstance(rows, np.ndarray):
        return np.einsum("ij,ij->i", rows, rows)
    return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()


def dense_rows(rows: Rows) -> Array:
    """Rows as a dense array in C order."""
    return np.ascontiguousarray(rows if isinstance(rows, np.ndarray) else rows.toarray())


def factor_cholesky(matrix: Array, threads: int) -> bool:
    """Overwrite the lower triangle by the Cholesky factor; False if the matrix is not positive definite."""
    return bool(_native.kernel_cholesky(matrix, threads) == len(matrix))


def scale_and_shift(K: Array, rows: NDArray[np.int64], scale: Array, shift: float, threads: int) -> Array:
    """The lower triangle of S K S + shift I for these rows; what is above the diagonal is not to be used."""
    out = np.empty((len(rows), len(rows)))
    _native.kernel_scale_and_shift(K, rows, scale, float(shift), threads, out)
    return out


def perceptron_block(K: Array, y: Array, scores: Array, changes: Array, wrong: NDArray[np.int64]) -> int:
    """One pass of the kernel perceptron over a block of rows; see cpp/kernels/perceptron.hpp."""
    return int(_native.kernel_perceptron_block(K, y, scores, changes, wrong))
