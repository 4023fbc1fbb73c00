"""The only caller of the native kernels in this family: allocates the outputs, fills in what is absent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus import _native
from certus.losses import KnownLoss, native_loss

Array = NDArray[np.float64]
_NO_WEIGHTS = np.empty(0)


def _weights(weights: Array | None) -> Array:
    return _NO_WEIGHTS if weights is None else weights


def shifted_gram(X: NDArray[Any], Y: Array, weights: Array | None, shift: Array, threads: int) -> Array:
    """Z'WZ for Z = [X - shift_x, Y - shift_y, 1]."""
    width = X.shape[1] + Y.shape[1] + 1
    out = np.empty((width, width))
    _native.shifted_gram(X, Y, _weights(weights), shift, threads, out)
    return out


def gram_chain(rows: int, width: int) -> int:
    """Longest chain of additions behind an entry of `shifted_gram`."""
    return int(_native.gram_chain(rows, width))


def gradient_chain(rows: int, cols: int, outputs: int) -> int:
    """Longest chain of additions behind an entry of `certus.losses.loss_gradient`."""
    return int(_native.gradient_chain(rows, cols, outputs))


def hessian_product(
    loss: KnownLoss,
    X: NDArray[Any],
    weights: Array | None,
    curvature: Array,
    coef: Array,
    intercept: Array,
    threads: int,
) -> tuple[Array, Array]:
    """Hessian of the loss times the direction (coef, intercept)."""
    product, product_intercept = np.empty_like(coef), np.empty_like(intercept)
    _native.hessian_product(
        native_loss(loss), X, _weights(weights), curvature, coef, intercept, threads, product, product_intercept
    )
    return product, product_intercept


def newton_pass(
    loss: KnownLoss,
    X: NDArray[Any],
    target: Array,
    weights: Array | None,
    coef: Array,
    intercept: Array,
    shift: Array,
    threads: int,
) -> tuple[float, Array, Array, Array]:
    """Loss, gradients, and [X - shift, 1]' diag(curvature) [X - shift, 1] of a model with one output."""
    gradient, gradient_intercept = np.empty_like(coef), np.empty_like(intercept)
    hessian = np.empty((X.shape[1] + 1, X.shape[1] + 1))
    value = _native.newton_pass(
        native_loss(loss),
        X,
        target,
        _weights(weights),
        coef,
        intercept,
        shift,
        threads,
        gradient,
        gradient_intercept,
        hessian,
    )
    return value, gradient, gradient_intercept, hessian


def scores_and_lengths(
    X: NDArray[Any], coef: Array, intercept: Array, shift: Array, scale: Array, threads: int
) -> tuple[Array, Array]:
    """Scores X coef' + intercept and the lengths |(x - shift) / scale| of all rows."""
    scores, lengths = np.empty((X.shape[0], len(coef))), np.empty(X.shape[0])
    _native.scores_and_lengths(X, coef, intercept, shift, scale, threads, scores, lengths)
    return scores, lengths


def scores(X: NDArray[Any], coef: Array, intercept: Array, threads: int) -> Array:
    """Scores X coef' + intercept of all rows."""
    found, nothing = np.empty((X.shape[0], len(coef))), np.empty(0)
    _native.scores_and_lengths(X, coef, intercept, nothing, nothing, threads, found, nothing)
    return found


def sparse_product(matrix: Any, dense: Array, threads: int) -> Array:
    """A CSR matrix times a dense one."""
    out = np.empty((matrix.shape[0], dense.shape[1]))
    _native.sparse_product(matrix.indptr, matrix.indices, matrix.data, dense, threads, out)
    return out


def sparse_squares(matrix: Any, scale: Array, threads: int) -> Array:
    """Sum over every CSR row of its entries' (value / scale)^2."""
    out = np.empty(matrix.shape[0])
    _native.sparse_squares(matrix.indptr, matrix.indices, matrix.data, scale, threads, out)
    return out


def apply_loss(
    loss: KnownLoss, target: Array, weights: Array | None, scores: Array, threads: int
) -> tuple[float, Array, Array]:
    """Loss of given scores, derivatives (which overwrite the scores) and curvature."""
    curvature = np.empty_like(scores)
    value = _native.apply_loss(native_loss(loss), target, _weights(weights), threads, scores, curvature)
    return value, scores, curvature


def apply_curvature(loss: KnownLoss, curvature: Array, weights: Array | None, directions: Array, threads: int) -> None:
    """Multiply directions by the curvature of every row, in place."""
    _native.apply_curvature(native_loss(loss), curvature, _weights(weights), threads, directions)


def descend_blocks(
    hessian: Array, gradient: Array, at: Array, starts: NDArray[np.int64], l1: Array, *, tol: float, max_sweeps: int
) -> Array:
    """Step of the quadratic model (hessian, gradient) around ``at`` with l1[b] times the length of every block b."""
    step = np.zeros_like(at)
    _native.descend_blocks(hessian, gradient, at, starts, l1, tol, max_sweeps, step)
    return step


def descend_gram(
    hessian: Array,
    gradient: Array,
    at: Array,
    *,
    start: Array,
    l1: float,
    l2: float,
    penalized: int,
    tol: float,
) -> Array:
    """Elastic-net step for the quadratic model (hessian, gradient) around ``at``."""
    step = start.copy()
    _native.descend_gram(hessian, gradient, at, l1, l2, penalized, tol, step)
    return step


def descend_columns(
    transposed: Any,
    curvature: Array,
    diagonal: Array,
    gradient: Array,
    at: Array,
    *,
    l1: float,
    l2: float,
    penalized: int,
    tol: float,
) -> Array:
    """The same for the Hessian X'diag(curvature)X, X given by the CSR form of its transpose."""
    step, scores = np.zeros_like(at), np.empty(len(curvature))
    _native.descend_columns(
        transposed.indptr,
        transposed.indices,
        transposed.data,
        curvature,
        diagonal,
        gradient,
        at,
        l1,
        l2,
        penalized,
        tol,
        step,
        scores,
    )
    return step
