"""Positive semidefinite matrices, asked three ways: eigenvalues, sums of squares, a factor B'B."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from certus.geometry.linear_algebra.matrix_inputs import EPSILON, Floats, check_symmetric, rescaled, unscaled


@dataclass(frozen=True)
class Definiteness:
    """Whether x'Ax >= 0 for all x, and what shows it.

    Attributes
    ----------
    holds : bool
        Whether the matrix is positive semidefinite, to rounding.
    definite : bool
        Whether it is positive definite: x'Ax > 0 for all x but 0, beyond rounding.
    factor : ndarray of shape (n, n) or None
        B with B'B = A, if it holds.
    witness : ndarray of shape (n,) or None
        A vector of length 1 with x'Ax < 0 beyond rounding, if it does not hold.
    smallest : float
        The smallest eigenvalue.
    ways : dict
        What each of the three ways says: ``'eigenvalues'`` (none below 0), ``'squares'`` (x'Ax as a sum of squares has
        no negative one) and ``'factor'`` (B'B gives A back). They can differ only where the smallest eigenvalue is
        rounding; ``holds`` is then the answer of the eigenvalues.
    """

    holds: bool
    definite: bool
    factor: Floats | None
    witness: Floats | None
    smallest: float
    ways: dict[str, bool]

    def __bool__(self) -> bool:
        return self.holds


def is_positive_semidefinite(A: Any) -> Definiteness:
    """Whether a symmetric matrix has x'Ax >= 0 for all x: a factor if so, a vector that contradicts it if not.

    Three conditions are equal: no eigenvalue is negative; x'Ax >= 0 for all x; A = B'B for some real B. Each is tried
    by its own route: LAPACK's eigenvalues; the sum of squares x'Ax = sum of d_i (l_i'x)^2 that symmetric elimination
    gives; B = sqrt(eigenvalues) V', multiplied out again. Negative means below -4 n eps max |eigenvalue|.

    Parameters
    ----------
    A : array-like of shape (n, n)
        A symmetric matrix.

    Returns
    -------
    Definiteness
        ``holds``, ``definite``, ``factor``, ``witness``, ``smallest`` and ``ways``.

    Examples
    --------
    >>> from certus.geometry import is_positive_semidefinite
    >>> found = is_positive_semidefinite([[1, 2], [2, 1]])
    >>> found.holds, found.smallest, found.witness.round(4)
    (False, -1.0, array([ 0.7071, -0.7071]))
    >>> found = is_positive_semidefinite([[2, 1], [1, 2]])
    >>> (found.factor.T @ found.factor).round(9)
    array([[2., 1.],
           [1., 2.]])
    """
    matrix, exponent = unscaled(check_symmetric(A))
    values, vectors = np.linalg.eigh(matrix)
    rounding = 4 * len(matrix) * EPSILON * float(np.abs(values).max())
    factor = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    ways = {
        "eigenvalues": bool(values[0] >= -rounding),
        "squares": bool(_least_of_squares(matrix) >= -rounding),
        "factor": bool(np.linalg.norm(factor.T @ factor - matrix, 2) <= 2 * rounding),
    }
    holds = ways["eigenvalues"]
    return Definiteness(
        holds,
        bool(values[0] > rounding),
        _at_scale(factor, exponent) if holds else None,
        None if holds else _upright(vectors[:, 0]),
        float(rescaled(values[0], exponent)),
        ways,
    )


def _least_of_squares(matrix: Floats) -> float:
    """The smallest x'Ax / x'x among the directions of the squares: A = L D L', so that w = L'x gives w'Dw."""
    lower, middle, _ = linalg.ldl(matrix)
    values, directions = np.linalg.eigh(middle)
    found = linalg.solve(lower.T, directions[:, values < 0])
    quotients = np.einsum("ij,ij->j", found, matrix @ found) / np.einsum("ij,ij->j", found, found)
    return float(quotients.min(initial=0.0))


def _at_scale(factor: Floats, exponent: int) -> Floats:
    """B for A, from that for A / 2^exponent: half of the exponent goes to each factor."""
    half, odd = divmod(exponent, 2)
    return np.asarray(np.ldexp(factor * 2.0 ** (odd / 2), half))


def _upright(vector: Floats) -> Floats:
    """The vector or its opposite, whichever has its first large entry positive."""
    first = np.argmax(np.abs(vector) >= 0.5 * np.abs(vector).max())
    return np.asarray(vector if vector[first] > 0 else -vector)
