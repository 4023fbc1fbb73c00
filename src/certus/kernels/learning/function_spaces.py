"""The space in which a kernel machine is solved: coefficients on the rows, or on the features of a finite map.

A function is f = sum_j c_j k(x_j, .) in the one and f = w.phi(.) in the other. With scores F = f(x_i), both offer the
same few operations; with a diagonal matrix W of row weights, Newton steps need the inverse of

    H = alpha I + W K       (coefficients c; its inverse is (I - S (alpha I + S K S)^-1 S K) / alpha, S = sqrt(W))
    H = alpha I + Z'W Z     (coefficients w, features Z)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from certus.kernels import _native_calls
from certus.kernels._native_calls import Array

Solve = Callable[[Array], Array]
BarrierSolve = Callable[[Array, Array], tuple[Array, Array]]
UNIT = float(np.finfo(np.float64).eps) / 2.0
STEPS = 10  # Newton steps that the comparison of costs reckons with


class Space(Protocol):
    """Functions as coefficients (one column per function) and what can be done with them."""

    form: str
    rows: int
    size: int  # number of coefficients
    lengths: Array  # sqrt k(x_i, x_i)

    def scores(self, coef: Array) -> Array:
        """The values f(x_i)."""
        ...

    def combine(self, weights: Array) -> Array:
        """The coefficients of sum_i weights_i k(x_i, .)."""
        ...

    def inner(self, left: Array, right: Array, right_scores: Array) -> float:
        """The inner product of two functions, summed over the columns."""
        ...

    def newton(self, row_weights: Array, alpha: float) -> Solve:
        """The inverse of H, for coefficients."""
        ...

    def barrier(self, row_weights: Array, alpha: float) -> BarrierSolve:
        """Solves delta + f(x_i) = right, alpha f = sum_i W_ii delta_i k(x_i, .) - rest: (right, rest) -> (f, delta)."""
        ...

    def expansion(self, weights: Array, near: Array) -> Array:
        """The coefficients of sum_i weights_i k(x_i, .), given coefficients that are near."""
        ...

    def score_error(self, coef: Array) -> Array:
        """Bound on the rounding error of every score."""
        ...

    def norm_bound(self, coef: Array, error: Array) -> Array:
        """Upper bounds on the norms of functions whose coefficients are known up to an error."""
        ...

    def combine_error(self, weights: Array) -> Array:
        """Bound on the rounding error of every coefficient of `combine`."""
        ...


class GramSpace:
    """Coefficients on the rows, with the positive semidefinite matrix K of kernel values."""

    form = "dual"

    def __init__(self, K: Array, threads: int) -> None:
        self._K = K
        self._threads = threads
        self.rows = self.size = len(K)
        self.lengths: Array = np.sqrt(np.maximum(np.diagonal(K), 0.0))

    def scores(self, coef: Array) -> Array:
        return np.asarray(self._K @ coef)

    def combine(self, weights: Array) -> Array:
        return weights

    def inner(self, left: Array, right: Array, right_scores: Array) -> float:
        del right
        return float(np.vdot(left, right_scores))

    def newton(self, row_weights: Array, alpha: float) -> Solve:
        active = np.flatnonzero(row_weights > 0.0)
        root = np.sqrt(row_weights[active])
        solve = _factored(self._scaled(active, root), alpha, self._threads)

        def inverse(right: Array) -> Array:
            columns = right.reshape(len(right), -1)
            out = columns.copy()
            out[active] -= root[:, None] * solve(root[:, None] * self.scores(columns)[active])
            return np.asarray(out.reshape(right.shape) / alpha)

        return inverse

    def _scaled(self, active: NDArray[np.intp], root: Array) -> Callable[[float], Array]:
        """The matrix S K S + shift I of some rows, for a given shift."""
        return lambda shift: _native_calls.scale_and_shift(self._K, active, root, shift, self._threads)

    def barrier(self, row_weights: Array, alpha: float) -> BarrierSolve:
        # With S = sqrt(W): delta = alpha S^-1 (alpha I + S K S)^-1 S right, free of cancellation. There is no rest.
        active = np.flatnonzero(row_weights > 0.0)
        root = np.sqrt(row_weights[active])
        solve = _factored(self._scaled(active, root), alpha, self._threads)

        def solved(right: Array, rest: Array) -> tuple[Array, Array]:
            del rest
            inner = solve(root * right[active])
            coef, delta = np.zeros_like(right), np.zeros_like(right)
            coef[active], delta[active] = root * inner, alpha * inner / root
            return coef, delta

        return solved

    def expansion(self, weights: Array, near: Array) -> Array:
        del near
        return weights

    def score_error(self, coef: Array) -> Array:
        # |K_ij| <= sqrt(K_ii K_jj), since K is positive semidefinite.
        chain = (self.rows + 8) * UNIT
        return np.asarray(chain * np.multiply.outer(self.lengths, self.lengths @ np.abs(coef)))

    def norm_bound(self, coef: Array, error: Array) -> Array:
        square = np.einsum("it,it->t", coef, self.scores(coef))
        slack = 2.0 * (self.rows + 8) * UNIT * (self.lengths @ np.abs(coef)) ** 2
        return np.asarray(np.sqrt(np.maximum(square, 0.0) + slack) + self.lengths @ error)

    def combine_error(self, weights: Array) -> Array:
        return np.zeros_like(weights)


class FeatureSpace:
    """Coefficients on the features Z = phi(X)."""

    form = "primal"

    def __init__(self, Z: Array, threads: int) -> None:
        self._Z = np.ascontiguousarray(Z)
        self._threads = threads
        self.rows, self.size = self._Z.shape
        self.lengths: Array = np.sqrt(np.einsum("ij,ij->i", self._Z, self._Z))

    def scores(self, coef: Array) -> Array:
        return np.asarray(self._Z @ coef)

    def combine(self, weights: Array) -> Array:
        return np.asarray(self._Z.T @ weights)

    def inner(self, left: Array, right: Array, right_scores: Array) -> float:
        del right_scores
        return float(np.vdot(left, right))

    def newton(self, row_weights: Array, alpha: float) -> Solve:
        active = np.flatnonzero(row_weights > 0.0)
        scaled = np.sqrt(row_weights[active])[:, None] * self._Z[active]

        def shifted(shift: float) -> Array:
            matrix = np.ascontiguousarray(scaled.T @ scaled)
            matrix[np.diag_indices(self.size)] += shift
            return matrix

        return _factored(shifted, alpha, self._threads)

    def barrier(self, row_weights: Array, alpha: float) -> BarrierSolve:
        solve = self.newton(row_weights, alpha)

        def solved(right: Array, rest: Array) -> tuple[Array, Array]:
            coef = solve(self.combine(row_weights * right) - rest)
            return coef, right - self.scores(coef)

        return solved

    def expansion(self, weights: Array, near: Array) -> Array:
        del weights  # the sum over many rows would lose digits that the coefficients themselves have
        return near

    def score_error(self, coef: Array) -> Array:
        chain = (self.size + 8) * UNIT
        return np.asarray(chain * np.multiply.outer(self.lengths, np.linalg.norm(coef, axis=0)))

    def norm_bound(self, coef: Array, error: Array) -> Array:
        chain = 1.0 + (self.size + 8) * UNIT
        return np.asarray((np.linalg.norm(coef, axis=0) + np.linalg.norm(error, axis=0)) * chain)

    def combine_error(self, weights: Array) -> Array:
        return np.asarray((self.rows + 8) * UNIT * (np.abs(self._Z).T @ np.abs(weights)))


def _factored(shifted: Callable[[float], Array], alpha: float, threads: int) -> Solve:
    """The inverse of the positive definite matrix ``shifted(alpha)``, of which the lower triangle is read.

    Where rounding makes it indefinite, the shift grows until it is not: a step is then shorter, but still a descent.
    """
    matrix, more = shifted(alpha), 0.0
    largest = float(np.diagonal(matrix).max(initial=0.0))
    while len(matrix) and not _native_calls.factor_cholesky(matrix, threads):
        more = 10.0 * more or len(matrix) * UNIT * largest
        if not more <= largest:  # NaN and infinity too
            raise linalg.LinAlgError("the matrix of a Newton step is not positive definite")
        matrix = shifted(alpha + more)
    factor = (matrix.T, False)  # the transpose is in LAPACK's order: nothing is copied

    def solve(right: Array) -> Array:
        return np.asarray(linalg.cho_solve(factor, right, check_finite=False)) if len(matrix) else right

    return solve


def primal_is_cheaper(rows: int, columns: int, features: int | None) -> bool:
    """Whether Newton steps on the features cost fewer multiplications than on the matrix of kernel values.

    Per step n N^2 + N^3 / 3 for N features against n^3 / 3; before them the features, n N, against the matrix, n^2 p.
    """
    if features is None or features > 8 * rows:  # the features alone would need far more memory than the matrix
        return False
    n, p, size = float(rows), float(columns), float(features)
    return STEPS * (n * size**2 + size**3 / 3.0) + n * size < STEPS * n**3 / 3.0 + n**2 * p
