"""Ridge and least squares by LSQR (Paige, Saunders 1982): only products with the table, so it may be sparse.

    min_w |sqrt(W) (y - mean_y - (X - 1 mean_x') w)|^2 + alpha |w|^2

Centering is implicit: the sparse table is never filled in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, lsqr

from certus.linear._native_calls import smooth_kernels
from certus.linear.design.column_copies import constant_columns
from certus.linear.design.design_matrix import DenseDesign, SparseDesign

Array = NDArray[np.float64]


@dataclass(frozen=True)
class KrylovResult:
    """Coefficients (d x t), iterations per target, and whether the tolerance was reached for all."""

    coef: Array
    iterations: NDArray[np.int32]
    converged: bool


def _operator(design: DenseDesign | SparseDesign, root: Array, mean: Array, live: Array) -> LinearOperator:
    """sqrt(W) (X - 1 mean') as an operator, in columns whose ``live`` is 1; others count as 0."""
    if isinstance(design, SparseDesign):
        table, transposed, threads = design.X, design.transposed, design.threads

        def times(w: Array) -> Array:
            return smooth_kernels.sparse_product(table, w[:, None], threads)[:, 0]

        def transposed_times(r: Array) -> Array:
            return smooth_kernels.sparse_product(transposed, r[:, None], threads)[:, 0]
    else:
        dense = design.X.astype(np.float64, copy=False)

        def times(w: Array) -> Array:
            return dense @ w

        def transposed_times(r: Array) -> Array:
            return dense.T @ r

    def forward(w: Array) -> Array:
        w = live * w.ravel()
        return root * (times(w) - mean @ w)

    def backward(r: Array) -> Array:
        r = root * r.ravel()
        return live * (transposed_times(r) - mean * r.sum())

    return LinearOperator((design.rows, design.columns), matvec=forward, rmatvec=backward, dtype=np.float64)


def solve(
    design: DenseDesign | SparseDesign,
    Y: Array,
    weights: Array | None,
    alphas: Array,
    *,
    mean_x: Array,
    mean_y: Array,
    tol: float,
    max_iter: int | None,
) -> KrylovResult:
    """One LSQR run per target, to a relative gradient of ``tol``."""
    root = np.ones(design.rows) if weights is None else np.sqrt(weights)
    coef = np.empty((design.columns, Y.shape[1]))
    iterations = np.empty(Y.shape[1], dtype=np.int32)
    converged = True
    # A constant column is 0 when centered, but for rounding errors, which would be fitted.
    constant = constant_columns(design.X, weights) & (mean_x != 0.0)
    operator = _operator(design, root, mean_x, np.where(constant, 0.0, 1.0))
    limit = max(1000, 4 * min(design.rows, design.columns)) if max_iter is None else max_iter
    for k, alpha in enumerate(alphas):
        right = root * (Y[:, k] - mean_y[k])
        run: Any = lsqr(operator, right, damp=float(np.sqrt(alpha)), atol=tol, btol=tol, conlim=0.0, iter_lim=limit)
        coef[:, k], reason, iterations[k] = run[0], run[1], run[2]
        converged = converged and reason != 7
    return KrylovResult(coef, iterations, converged)
