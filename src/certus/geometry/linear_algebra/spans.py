"""Spans and dependencies, each with the coefficients that show it.

Whether vectors are dependent does not change with their lengths, so lengths are taken away first. What is left is
decided by singular values: a combination of unit vectors with coefficients of length 1 is zero if it is no longer than
the rounding of the vectors themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.geometry.linear_algebra.matrix_inputs import (
    EPSILON,
    Floats,
    check_matrix,
    check_vector,
    unit_rows,
    unscaled,
)

FARTHEST = 1e-8  # no vector is called part of a span from which it is farther, relative to its length


def in_span(vectors: Any, v: Any) -> Floats | None:
    """Coefficients that combine the vectors to v, or None if v is not in their span.

    v = sum of a_i v_i has a solution exactly if the vectors have the same rank with and without v. Of all solutions the
    one is given whose combined pieces a_i v_i are smallest. v may miss the span by the rounding of those pieces.

    Parameters
    ----------
    vectors : array-like of shape (n_vectors, dimension)
        The vectors, as rows.
    v : array-like of shape (dimension,)
        The vector that is looked for.

    Returns
    -------
    ndarray of shape (n_vectors,) or None
        The coefficients a.

    Examples
    --------
    >>> from certus.geometry import in_span
    >>> in_span([[1, 0, 0], [0, 2, 0]], [3, 4, 0]).round(9)
    array([3., 2.])
    >>> in_span([[1, 0, 0], [0, 2, 0]], [3, 4, 1]) is None
    True
    """
    rows = check_matrix(vectors)
    target, exponent = unscaled(check_vector(v, length=rows.shape[1]))
    units, lengths, exponents = unit_rows(rows)
    pieces = combination(units, target)
    size = float(np.linalg.norm(target))
    missed = float(np.linalg.norm(pieces @ units - target))
    rounding = 8 * max(rows.shape) * EPSILON * (float(np.abs(pieces).sum()) + size)
    if missed > min(rounding, FARTHEST * size):
        return None
    with np.errstate(over="ignore"):
        coefficients = np.ldexp(pieces / lengths, exponent - exponents)
    return _representable(coefficients, np.abs(pieces) > EPSILON)


def dependency(vectors: Any) -> Floats | None:
    """Coefficients, not all zero, whose combination of the vectors is zero; None if the vectors are independent.

    The shortest dependent beginning of the list is found, and all later coefficients are zero. The largest one is 1
    (only for lengths that differ by more than 1e300 it is not).

    Parameters
    ----------
    vectors : array-like of shape (n_vectors, dimension)
        The vectors, as rows.

    Returns
    -------
    ndarray of shape (n_vectors,) or None
        The coefficients a with sum of a_i v_i = 0.

    Examples
    --------
    >>> from certus.geometry import dependency
    >>> dependency([[1, 1, 0], [0, 1, 1], [1, 3, 2]]).round(9)
    array([ 0.5,  1. , -0.5])
    >>> dependency([[1, 1, 0], [0, 1, 1]]) is None
    True
    """
    rows = check_matrix(vectors)
    units, lengths, exponents = unit_rows(rows)
    for count in range(1, min(len(rows), rows.shape[1] + 1) + 1):
        pieces = _null_combination(units[:count])
        if pieces is not None:
            found = np.zeros(len(rows))
            found[:count] = _with_lengths(pieces / lengths[:count], -exponents[:count])
            return found
    return None


@dataclass(frozen=True)
class NullDependency:
    """A column of a singular matrix as a combination of the others.

    Attributes
    ----------
    column : int
        The column that depends on the others.
    coefficients : ndarray of shape (n_columns,)
        The column is the sum of all columns times these; its own coefficient is 0.
    null_vector : ndarray of shape (n_columns,)
        x with Mx = 0: an eigenvector of eigenvalue 0. The coefficients are -x_i / x_column.
    """

    column: int
    coefficients: Floats
    null_vector: Floats


def null_dependency(M: Any) -> NullDependency | None:
    """A column that the other columns combine to, from a null vector of the matrix; None if columns are independent.

    If Mx = 0 and x_n is not 0, column n is the sum of the other columns i times -x_i / x_n. Of the columns that can be
    taken, the one with the largest piece x_n M_n is, since dividing by it loses least.

    Parameters
    ----------
    M : array-like of shape (n_rows, n_columns)
        The matrix; a square one is singular exactly if there is an answer.

    Returns
    -------
    NullDependency or None

    Examples
    --------
    >>> from certus.geometry import null_dependency
    >>> found = null_dependency([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> found.column, found.coefficients.round(9)
    (1, array([0.5, 0. , 0.5]))
    """
    columns = check_matrix(M, "M").T
    null_vector = dependency(columns)
    if null_vector is None:
        return None
    _, lengths, exponents = unit_rows(columns)
    used = np.flatnonzero(null_vector)
    sizes = np.log2(np.abs(null_vector[used]) * lengths[used]) + exponents[used]
    column = int(used[np.argmax(sizes)])
    with np.errstate(over="ignore"):
        coefficients = -null_vector / null_vector[column]
    coefficients = _representable(coefficients, null_vector != 0)
    coefficients[column] = 0.0
    return NullDependency(column, coefficients, null_vector)


def combination(units: Floats, target: Floats) -> Floats:
    """Least-squares coefficients of the target, of least length, refined once for the digits of the residual."""
    left, sizes, right = np.linalg.svd(units.T, full_matrices=False)
    kept = sizes > max(units.shape) * EPSILON * sizes[0]
    inverse = (right[kept].T / sizes[kept]) @ left[:, kept].T
    pieces = inverse @ target
    return np.asarray(pieces + inverse @ (target - pieces @ units))


def _null_combination(units: Floats) -> Floats | None:
    """Coefficients of length 1 that combine unit vectors to zero, if their smallest singular value is rounding."""
    zero = ~units.any(axis=1)
    if zero.any():
        return np.where(zero, 1.0, 0.0)
    left, sizes, _ = np.linalg.svd(units, full_matrices=True)
    if len(units) <= units.shape[1] and sizes[-1] > max(units.shape) * EPSILON * sizes[0]:
        return None
    return np.asarray(left[:, -1])


def _with_lengths(pieces: Floats, exponents: NDArray[np.int64]) -> Floats:
    """Pieces times powers of two, up to a common factor: the largest is 1 wherever the smallest stays representable."""
    mantissas, own = np.frexp(pieces)
    powers = own + exponents
    used = powers[mantissas != 0]
    top, bottom = int(used.max()), int(used.min())
    if top - bottom > 1000:
        with np.errstate(over="ignore"):
            return _representable(np.ldexp(mantissas, powers - (top + bottom) // 2), mantissas != 0)
    scaled = np.ldexp(mantissas, powers - top)
    return scaled / np.asarray(scaled[np.argmax(np.abs(scaled))])


def _representable(coefficients: Floats, needed: NDArray[np.bool_]) -> Floats:
    """The coefficients, unless one is too large for a double, or one that is needed too small."""
    if not np.isfinite(coefficients).all() or ((coefficients == 0) & needed).any():
        raise ValueError(
            "vectors must have lengths within the range of doubles of each other, got a coefficient outside of it.\n"
            "Hint: divide the vectors by their lengths first."
        )
    return coefficients
