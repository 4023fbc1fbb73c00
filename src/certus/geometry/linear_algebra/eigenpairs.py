"""Eigenvalues one at a time: the Rayleigh quotient, the power iteration, deflation. Vectors are columns here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from certus.geometry.linear_algebra.matrix_inputs import (
    EPSILON,
    Floats,
    check_matrix,
    check_square,
    check_symmetric,
    check_tolerance,
    check_vector,
    rescaled,
    unscaled,
)
from certus.geometry.linear_algebra.vector_bases import unit_vector

_SQUARINGS = 60  # 2^60 steps tell eigenvalues apart that differ in the last digit of a double


def rayleigh_quotient(A: Any, v: Any) -> float:
    """V'Av / v'v: between the smallest and the largest eigenvalue of a symmetric A, and one of them at its eigenvector.

    Parameters
    ----------
    A : array-like of shape (n, n)
        The matrix.
    v : array-like of shape (n,)
        A vector of a length above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> from certus.geometry import rayleigh_quotient
    >>> rayleigh_quotient([[2, 1], [1, 2]], [1, 1]), rayleigh_quotient([[2, 1], [1, 2]], [5, 0])
    (3.0, 2.0)
    """
    matrix, exponent = unscaled(check_square(A))
    vector = unscaled(check_vector(v, length=len(matrix)))[0]
    if not vector.any():
        raise ValueError("v must have a length above 0, got a vector of zeros.")
    return float(rescaled(vector @ (matrix @ vector) / (vector @ vector), exponent))


def eigen_residuals(A: Any, values: Any, vectors: Any) -> Floats:
    """|A v - lambda v| / |v| for every pair, relative to the largest entry of A: 0 for eigenpairs.

    For a symmetric A some eigenvalue is within that of lambda, times the largest entry of A.

    Parameters
    ----------
    A : array-like of shape (n, n)
        The matrix.
    values : array-like of shape (k,)
        Eigenvalues.
    vectors : array-like of shape (n, k)
        Their vectors, as columns, none of them 0.

    Returns
    -------
    ndarray of shape (k,)

    Examples
    --------
    >>> from certus.geometry import eigen_residuals
    >>> eigen_residuals([[2, 1], [1, 2]], [3, 1.5], [[1, 1], [1, -1]])
    array([0.  , 0.25])
    """
    matrix, exponent = unscaled(check_square(A))
    columns = check_matrix(vectors, "vectors")
    numbers = np.ldexp(check_vector(values, "values", length=columns.shape[1]), -exponent)
    units = np.column_stack([unit_vector(check_vector(column, length=len(matrix))) for column in columns.T])
    largest = np.abs(matrix).max()
    return np.asarray(np.linalg.norm(matrix @ units - units * numbers, axis=0) / (largest if largest > 0 else 1.0))


@dataclass(frozen=True)
class PowerIteration:
    """An eigenpair found by multiplying with the matrix again and again.

    Attributes
    ----------
    value : float
        The eigenvalue of largest magnitude.
    vector : ndarray of shape (n,)
        Its eigenvector, of length 1.
    residual : float
        |Av - value v|. For a symmetric matrix an eigenvalue lies within it of ``value``.
    n_iter : int
        Products with the matrix.
    squarings : int
        How often the matrix was squared after that, since the products had not converged; 0 if they had.
    """

    value: float
    vector: Floats
    residual: float
    n_iter: int
    squarings: int


def power_iteration(A: Any, *, tol: float = 1e-10, max_iter: int = 1000, seed: int = 0) -> PowerIteration:
    """The eigenvalue of largest magnitude: v <- Av / |Av| turns a random vector toward its eigenvector.

    A step costs n^2, and the error falls by the ratio of the two largest magnitudes in each, slowly if they are close.
    After ``max_iter`` steps the matrix itself is squared, A^2, A^4, A^8 ..., so that k squarings are worth 2^k steps.
    If two eigenvalues differ in sign only, one of them is found.

    Parameters
    ----------
    A : array-like of shape (n, n)
        The matrix, symmetric or not. Its eigenvalue of largest magnitude must be real.
    tol : float, default=1e-10
        Largest residual, relative to the largest entry of A. It is not pushed below rounding.
    max_iter : int, default=1000
        Most products before the matrix is squared.
    seed : int, default=0
        Seed of the first vector.

    Returns
    -------
    PowerIteration
        ``value``, ``vector``, ``residual``, ``n_iter`` and ``squarings``.

    Examples
    --------
    >>> from certus.geometry import power_iteration
    >>> found = power_iteration([[2, 1], [1, 2]])
    >>> round(found.value, 9), found.vector.round(6)
    (3.0, array([0.707107, 0.707107]))
    """
    check_tolerance(tol)
    matrix, exponent = unscaled(check_square(A))
    accepted = max(tol, 8 * len(matrix) * EPSILON) * float(np.abs(matrix).max())
    vector = np.random.default_rng(seed).normal(size=len(matrix))
    vector = vector / np.linalg.norm(vector)
    steps = squarings = 0
    value, residual, image = _measured(matrix, vector)
    while residual > accepted and steps < max_iter and image.any():
        vector = image / np.linalg.norm(image)
        value, residual, image = _measured(matrix, vector)
        steps += 1
    if residual > accepted:
        vector, squarings = _by_squaring(matrix, accepted)
        value, residual, _ = _measured(matrix, vector)
    if residual > accepted:
        raise ValueError(
            "A must have a real eigenvalue of largest magnitude with an eigenvector that can be told from others, "
            f"got a matrix for which powers do not settle (residual {residual:.3g} relative to the largest entry).\n"
            "Hint: a pair of complex eigenvalues does this; numpy.linalg.eigvals shows it."
        )
    vector = vector if vector[np.argmax(np.abs(vector))] > 0 else -vector
    return PowerIteration(
        float(rescaled(value, exponent)), vector, float(rescaled(residual, exponent)), steps, squarings
    )


def deflate(A: Any, value: float, vector: Any) -> Floats:
    """A - lambda x x' with x of length 1: the eigenvalue lambda becomes 0, all others of a symmetric A stay.

    Parameters
    ----------
    A : array-like of shape (n, n)
        A symmetric matrix.
    value : float
        An eigenvalue lambda.
    vector : array-like of shape (n,)
        Its eigenvector, of any length above 0.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> from certus.geometry import deflate
    >>> deflate([[2, 1], [1, 2]], 3, [1, 1]).round(9)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    matrix = check_symmetric(A)
    unit = unit_vector(check_vector(vector, "vector", length=len(matrix)))
    if not np.isfinite(value):
        raise ValueError(f"value must be finite, got {value!r}.")
    return np.asarray(matrix - value * np.outer(unit, unit))


def rayleigh_maximizer(matrix: Floats, accepted: float) -> tuple[float, Floats]:
    """The largest Rayleigh quotient of a symmetric matrix near 1, and its vector.

    Adding the largest row sum makes all eigenvalues nonnegative without changing their order or vectors: the largest
    one is then that of largest magnitude.
    """
    shift = float(np.abs(matrix).sum(axis=1).max())
    if shift == 0.0:
        return 0.0, np.eye(len(matrix))[0]
    vector, _ = _by_squaring(matrix + shift * np.eye(len(matrix)), accepted)
    return _measured(matrix, vector)[0], vector


def _by_squaring(matrix: Floats, accepted: float) -> tuple[Floats, int]:
    """A column of A^2, A^4, A^8 ... that is an eigenvector; what comes nearest if none is."""
    power = matrix
    best, least, used = np.eye(len(matrix))[0], np.inf, 0
    for squarings in range(_SQUARINGS + 1):
        column = power[:, np.argmax(np.einsum("ij,ij->j", power, power))]
        if not column.any():
            return best, used
        vector = column / np.linalg.norm(column)
        residual = _measured(matrix, vector)[1]
        if residual < least:
            best, least, used = vector, residual, squarings
        if least <= accepted:
            return best, used
        power = unscaled(power @ power)[0]
    return _of_one_sign(matrix, vector, best), _SQUARINGS


def _of_one_sign(matrix: Floats, mixed: Floats, best: Floats) -> Floats:
    """The part for m of a vector that mixes those for m and -m: m v + Av with m^2 = |A^2 v|, if that is nearer."""
    image = matrix @ mixed
    part = np.sqrt(np.linalg.norm(matrix @ image)) * mixed + image
    if not part.any():
        return best
    part = part / np.linalg.norm(part)
    return np.asarray(part if _measured(matrix, part)[1] < _measured(matrix, best)[1] else best)


def _measured(matrix: Floats, vector: Floats) -> tuple[float, float, Floats]:
    """Rayleigh quotient of a vector of length 1, its residual, and its image."""
    image = matrix @ vector
    value = float(vector @ image)
    return value, float(np.linalg.norm(image - value * vector)), image
