"""The table as a linear map, dense or sparse: products, losses and curvatures without copying it.

Solvers see one interface. Scores are F = X W' + 1 b' with coefficients W (outputs x columns) and intercepts b.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.linear._native_calls import smooth_kernels
from certus.losses import KnownLoss, Squared, loss_gradient

Array = NDArray[np.float64]
SMALL = 100_000  # entries of a table up to which one thread is faster


class DenseDesign:
    """A dense table of either float type, any strides."""

    def __init__(self, X: NDArray[Any], threads: int) -> None:
        self.X = X
        self.threads = threads
        self.rows, self.columns = X.shape
        self.layout: Literal["C", "F"] = "C"

    def loss_gradient(
        self, loss: KnownLoss, target: Array, weights: Array | None, coef: Array, intercept: Array
    ) -> tuple[float, Array, Array, Array]:
        return loss_gradient(loss, self.X, target, weights, coef, intercept, self.threads, want_curvature=True)

    def hessian_product(
        self, loss: KnownLoss, weights: Array | None, curvature: Array, coef: Array, intercept: Array
    ) -> tuple[Array, Array]:
        return smooth_kernels.hessian_product(loss, self.X, weights, curvature, coef, intercept, self.threads)

    def newton_pass(
        self, loss: KnownLoss, target: Array, weights: Array | None, coef: Array, intercept: Array, shift: Array
    ) -> tuple[float, Array, Array, Array]:
        """Loss, gradients and explicit Hessian of a model with one output, in one reading of the table."""
        return smooth_kernels.newton_pass(loss, self.X, target, weights, coef, intercept, shift, self.threads)

    def scores_and_lengths(self, coef: Array, intercept: Array, shift: Array, scale: Array) -> tuple[Array, Array]:
        return smooth_kernels.scores_and_lengths(self.X, coef, intercept, shift, scale, self.threads)

    def scores(self, coef: Array, intercept: Array) -> Array:
        """X coef' + intercept."""
        return smooth_kernels.scores(self.X, coef, intercept, self.threads)

    def image(self, values: Array) -> Array:
        """X' values: the gradient of the squared loss at 0 with the target -values."""
        target, zero = -values[:, None], np.zeros((1, self.columns))
        return loss_gradient(Squared(), self.X, target, None, zero, np.zeros(1), self.threads)[1][0]

    def squares(self) -> Array:
        """The squared lengths of the rows."""
        zero, one = np.zeros(self.columns), np.ones(self.columns)
        return smooth_kernels.scores_and_lengths(self.X, zero[None], np.zeros(1), zero, one, self.threads)[1] ** 2

    def mean(self, weights: Array | None) -> Array:
        # With coefficients 0, intercept 1 and target 0 the squared loss has the gradient sum_i w_i x_i.
        nothing, one, target = np.zeros((1, self.columns)), np.ones(1), np.zeros((self.rows, 1))
        _, total, weight, _ = loss_gradient(Squared(), self.X, target, weights, nothing, one, self.threads)
        return total[0] / weight[0]

    def spread(self, mean: Array) -> Array:
        sample = self.X[:: max(1, self.rows // 2048)].astype(np.float64)
        return np.sqrt(np.mean((sample - mean) ** 2, axis=0))

    def chain(self, outputs: int) -> int:
        return smooth_kernels.gradient_chain(self.rows, self.columns, outputs)


class SparseDesign:
    """A sparse table. The transposed copy makes X'R a product over independent rows as well."""

    def __init__(self, X: Any, threads: int) -> None:
        self.X = _with_one_index_type(sparse.csr_array(X))
        self.transposed = _with_one_index_type(sparse.csr_array(self.X.T))
        self.threads = threads
        self.rows, self.columns = X.shape
        self.layout: Literal["C", "F"] = "F"

    def loss_gradient(
        self, loss: KnownLoss, target: Array, weights: Array | None, coef: Array, intercept: Array
    ) -> tuple[float, Array, Array, Array]:
        scores = self.scores(coef, intercept)
        value, derivatives, curvature = smooth_kernels.apply_loss(loss, target, weights, scores, self.threads)
        return value, *self.gradient_of(derivatives), curvature

    def gradient_of(self, derivatives: Array) -> tuple[Array, Array]:
        """Gradients for coef and intercept, if the losses' derivatives in the scores are known already."""
        return self._transposed_product(derivatives), derivatives.sum(axis=0)

    def hessian_product(
        self, loss: KnownLoss, weights: Array | None, curvature: Array, coef: Array, intercept: Array
    ) -> tuple[Array, Array]:
        directions = self.scores(coef, intercept)
        smooth_kernels.apply_curvature(loss, curvature, weights, directions, self.threads)
        return self._transposed_product(directions), directions.sum(axis=0)

    def scores_and_lengths(self, coef: Array, intercept: Array, shift: Array, scale: Array) -> tuple[Array, Array]:
        # |x - m| <= |x| + |m|: exact centered lengths would cost as much as a dense table.
        lengths = np.sqrt(smooth_kernels.sparse_squares(self.X, scale, self.threads))
        return self.scores(coef, intercept), lengths + np.linalg.norm(shift / scale)

    def lengths(self, weights: Array | None) -> Array:
        """Lengths of the columns, rows multiplied by the roots of their weights."""
        with np.errstate(divide="ignore"):
            scale = np.ones(self.rows) if weights is None else 1.0 / np.sqrt(weights)
        return np.sqrt(smooth_kernels.sparse_squares(self.transposed, scale, self.threads))

    def mean(self, weights: Array | None) -> Array:
        weight = np.ones((self.rows, 1)) if weights is None else weights[:, None]
        return (
            smooth_kernels.sparse_product(self.transposed, np.ascontiguousarray(weight), self.threads)[:, 0]
            / weight.sum()
        )

    def spread(self, mean: Array) -> Array:
        squares = smooth_kernels.sparse_squares(self.transposed, np.ones(self.rows), self.threads)
        return np.sqrt(np.maximum(squares / self.rows - mean**2, 0.0))

    def chain(self, outputs: int) -> int:
        longest_column = int(np.diff(self.transposed.indptr).max(initial=0))
        return max(longest_column, 64 + self.rows // 8)  # NumPy adds in pairs of blocks; this is above it

    def scores(self, coef: Array, intercept: Array) -> Array:
        """Scores of all rows."""
        scores = smooth_kernels.sparse_product(self.X, np.ascontiguousarray(coef.T), self.threads)
        scores += intercept
        return scores

    def _transposed_product(self, derivatives: Array) -> Array:
        return smooth_kernels.sparse_product(self.transposed, derivatives, self.threads).T


def make_design(X: Any, threads: int) -> DenseDesign | SparseDesign:
    """The design for a checked table; small ones are not worth waking a second thread."""
    if hasattr(X, "loss_gradient"):  # rows in blocks: `BlockDesign` stands for the table already
        return X
    cells = X.nnz if sparse.issparse(X) else X.size
    threads = threads if cells > SMALL else 1
    return SparseDesign(X, threads) if sparse.issparse(X) else DenseDesign(X, threads)


def _with_one_index_type(matrix: Any) -> Any:
    if matrix.indptr.dtype != matrix.indices.dtype:
        matrix.indptr = matrix.indptr.astype(np.int64)
        matrix.indices = matrix.indices.astype(np.int64)
    return matrix
