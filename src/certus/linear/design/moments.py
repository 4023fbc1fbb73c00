"""Second moments of a table and its targets, with a bound on their rounding error.

From Z'WZ of the shifted table (one pass, `smooth_kernels.shifted_gram`) follow the centered moments

    gram  = sum_i w_i (x_i - mean)(x_i - mean)',      cross = sum_i w_i (x_i - mean)(y_i - mean)'

(without intercept: the plain ones). The shift is near the mean, so that subtracting the means loses nothing; if
it turns out not to have been near enough, the pass is repeated with the mean itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.linear._native_calls import smooth_kernels

Array = NDArray[np.float64]
UNIT = 2.0**-53  # rounding unit of double


def gamma(terms: int) -> float:
    """Relative error of a sum or product of this many rounded operations (Higham 2002, section 3.1)."""
    return terms * UNIT / (1.0 - terms * UNIT)


@dataclass(frozen=True)
class Moments:
    """Moments of n rows, d columns and t targets.

    ``column_size`` and ``target_size`` are the roots of the diagonal before centering; every entry (i, j) of gram
    (cross) is within ``error * size_i * size_j`` of the exact one.
    """

    rows: int
    weight: float
    mean_x: Array
    mean_y: Array
    gram: Array
    cross: Array
    target_squares: Array
    column_size: Array
    target_size: Array
    error: float
    # What rounding took from the means: differences of means far from 0 keep their digits.
    low_x: Array | float = 0.0
    low_y: Array | float = 0.0


def compute_moments(X: NDArray[Any], Y: Array, weights: Array | None, *, center: bool, threads: int) -> Moments | None:
    """Moments of a dense table, or None if a number in them is not finite."""
    d = X.shape[1]
    shift = _near_mean(X, Y, weights) if center else np.zeros(d + Y.shape[1])
    for _ in range(2):
        if not np.isfinite(shift).all():
            return None
        raw = smooth_kernels.shifted_gram(X, Y, weights, shift, threads)
        if not np.isfinite(np.diag(raw)).all():
            return None
        moments, lost = _from_raw(raw, shift, d, X.shape[0], center)
        if not lost:
            break
        shift = np.concatenate([moments.mean_x, moments.mean_y])
    return moments


def sparse_moments(X: Any, Y: Array, weights: Array | None, *, center: bool, threads: int) -> Moments | None:
    """Moments of a sparse table with few columns, or None if a number in them is not finite.

    Zeros keep a sparse column's mean small against its spread, so no shift is needed.
    """
    del threads  # one sparse product, in a fixed order
    table = sparse.csr_array(X, dtype=np.float64)
    weight = np.ones(table.shape[0]) if weights is None else weights
    extra = np.column_stack([Y, np.ones(len(Y))])
    weighted = sparse.csr_array(table.multiply(weight[:, None]))
    cross = weighted.T @ extra
    raw = np.block([[(table.T @ weighted).toarray(), cross], [cross.T, extra.T @ (weight[:, None] * extra)]])
    if not np.isfinite(raw).all():
        return None
    moments, _ = _from_raw(raw, np.zeros(len(raw) - 1), table.shape[1], table.shape[0], center)
    return replace(moments, error=max(moments.error, 4.0 * gamma(table.shape[0] + 8)))


def _near_mean(X: NDArray[Any], Y: Array, weights: Array | None) -> Array:
    """Mean over some 256 evenly spaced rows that count."""
    some: Any = slice(None, None, max(1, len(Y) // 256))
    if weights is not None:
        rows = np.flatnonzero(weights)
        some = rows[:: max(1, len(rows) // 256)]
    with np.errstate(over="ignore", invalid="ignore"):
        return np.concatenate([X[some].mean(axis=0, dtype=np.float64), Y[some].mean(axis=0)])


def without_constants(moments: Moments) -> Moments:
    """Columns and targets that are constant up to rounding as exactly constant, as `compute_moments` has them."""
    column = _constant(np.diag(moments.gram), moments.mean_x, moments.column_size, moments)
    target = _constant(moments.target_squares, moments.mean_y, moments.target_size, moments)
    if not (column.any() or target.any()):
        return moments
    gram, cross, squares = moments.gram.copy(), moments.cross.copy(), moments.target_squares.copy()
    sizes = []
    for constant, spread, size in (
        (column, np.diag(gram), moments.column_size),
        (target, squares, moments.target_size),
    ):
        neglected = np.sqrt(np.maximum(spread, 0.0) + moments.error * size**2)
        sizes.append(np.where(constant, np.maximum(size, neglected / moments.error), size))
    gram[column, :] = 0.0
    gram[:, column] = 0.0
    cross[column, :] = 0.0
    cross[:, target] = 0.0
    squares[target] = 0.0
    return replace(moments, gram=gram, cross=cross, target_squares=squares, column_size=sizes[0], target_size=sizes[1])


def _constant(spread: Array, mean: Array, size: Array, moments: Moments) -> NDArray[np.bool_]:
    """What rounding alone makes of a constant column."""
    return np.asarray(spread <= moments.weight * (4.0 * UNIT * np.abs(mean)) ** 2 + 2.0 * moments.error * size**2)


def _from_raw(raw: Array, shift: Array, d: int, rows: int, center: bool) -> tuple[Moments, bool]:
    """Centered moments, and whether centering cancelled more than two digits somewhere."""
    sums, weight = raw[:-1, -1], float(raw[-1, -1])
    size = np.sqrt(np.diag(raw)[:-1])
    error = 4.0 * gamma(smooth_kernels.gram_chain(rows, len(raw)) + 8)
    lost = False
    if center:
        offset = sums / weight
        second = raw[:-1, :-1] - np.outer(sums, offset)
        mean = shift + offset
        low = rounded_off(shift, offset, mean)
        spread = np.diag(second).copy()
        # What rounding alone makes of a constant column: treat it as exactly constant.
        constant = spread <= weight * (4.0 * UNIT * np.abs(mean)) ** 2 + 2.0 * error * size**2
        # What is neglected so counts as rounding error: a centered column of length v has entries up to v |other|.
        neglected = np.sqrt(np.maximum(spread, 0.0) + error * size**2)
        second[constant, :] = 0.0
        second[:, constant] = 0.0
        lost = bool((size[~constant] ** 2 > 100.0 * spread[~constant]).any())
        size = np.where(constant, np.maximum(size, neglected / error), size)
    else:
        second, mean, low = raw[:-1, :-1].copy(), np.zeros(len(size)), np.zeros(len(size))
    moments = Moments(
        rows=rows,
        weight=weight,
        mean_x=mean[:d],
        mean_y=mean[d:],
        gram=np.ascontiguousarray(second[:d, :d]),
        cross=np.ascontiguousarray(second[:d, d:]),
        target_squares=np.diag(second)[d:].copy(),
        column_size=size[:d],
        target_size=size[d:],
        error=error,
        low_x=low[:d],
        low_y=low[d:],
    )
    return moments, lost


def rounded_off(one: Array, two: Array, total: Array) -> Array:
    """What rounding took from a sum (Knuth's two-sum)."""
    second = total - one
    return (one - (total - second)) + (two - second)
