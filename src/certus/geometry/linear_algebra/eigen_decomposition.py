"""All eigenpairs of a symmetric matrix by Rayleigh quotients and deflation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from certus.geometry.linear_algebra.eigenpairs import deflate, rayleigh_maximizer
from certus.geometry.linear_algebra.matrix_inputs import (
    EPSILON,
    Floats,
    check_symmetric,
    check_tolerance,
    rescaled,
    unscaled,
)
from certus.geometry.linear_algebra.vector_bases import gram_schmidt


class Eigenpairs(NamedTuple):
    """Eigenvalues in descending order, and their orthonormal eigenvectors as columns in the same order."""

    values: Floats
    vectors: Floats


def eigen_by_deflation(A: Any, *, tol: float = 1e-10) -> Eigenpairs:
    """The spectrum of a symmetric matrix as a proof would find it: largest first, taken away, and again.

    The vector of the largest Rayleigh quotient is an eigenvector; deflation sets its eigenvalue to 0, and the next
    largest follows, while there is one above 0. Then the same with -A for the negative ones. What is orthogonal to all
    of them has eigenvalue 0, and Gram-Schmidt completes the basis.

    Every pair inherits the errors of those before: with a loose ``tol`` later pairs lose digits, which
    `eigen_residuals` shows. Eigenvalues whose magnitude is below ``tol`` times the largest are called 0. LAPACK
    (`numpy.linalg.eigh`) is faster and loses nothing; this is to be read.

    Parameters
    ----------
    A : array-like of shape (n, n)
        A symmetric matrix.
    tol : float, default=1e-10
        Largest residual of each pair with respect to the matrix it is taken from, relative to the largest row sum of A.
        It is not pushed below rounding.

    Returns
    -------
    Eigenpairs
        ``values`` (descending) and ``vectors`` (columns).

    Examples
    --------
    >>> from certus.geometry import eigen_by_deflation
    >>> values, vectors = eigen_by_deflation([[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    >>> values.round(9) + 0.0
    array([ 2.,  0., -2.])
    """
    check_tolerance(tol)
    matrix, exponent = unscaled(check_symmetric(A))
    size = len(matrix)
    scale = max(tol, 8 * size * EPSILON) * float(np.abs(matrix).sum(axis=1).max())
    values: list[float] = []
    vectors: list[Floats] = []
    for sign in (1.0, -1.0):
        rest = sign * matrix
        for value, vector in zip(values, vectors, strict=True):
            rest = deflate(rest, sign * value, vector)
        while len(values) < size:
            value, vector = rayleigh_maximizer(rest, scale)
            if value <= scale:
                break
            for _ in range(2):  # deflation leaves a trace of earlier vectors, as large as their errors
                vector = vector - sum((other * (other @ vector) for other in vectors), np.zeros(size))
                vector = vector / np.linalg.norm(vector)
            values.append(sign * value)
            vectors.append(vector)
            rest = deflate(rest, value, vector)
    basis = gram_schmidt([*vectors, *np.eye(size)])
    found = rescaled(np.array(values + [0.0] * (size - len(values))), exponent)
    order = np.argsort(-found, kind="stable")
    return Eigenpairs(found[order], basis.T[:, order])
