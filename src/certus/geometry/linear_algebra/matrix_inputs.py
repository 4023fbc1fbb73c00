"""Vectors and matrices as linear algebra reads them: finite doubles, and powers of two that take their scale away.

Multiplying by a power of two changes no digit, so that an answer is the same for lengths of 1e-150, 1 and 1e150.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EPSILON = float(np.finfo(np.float64).eps)


def check_vector(v: Any, name: str = "v", length: int | None = None) -> Floats:
    """A vector of finite doubles, of a given length if there is one."""
    vector = _finite(v, name)
    if vector.ndim != 1 or not vector.size or (length is not None and vector.size != length):
        wanted = "of at least one number" if length is None else f"of {length} numbers"
        raise ValueError(f"{name} must be a vector {wanted}, got an array of shape {vector.shape}.")
    return vector


def check_matrix(matrix: Any, name: str = "vectors") -> Floats:
    """A matrix of finite doubles with at least one row and one column."""
    table = _finite(matrix, name)
    if table.ndim != 2 or not table.size:
        raise ValueError(
            f"{name} must be a matrix with rows and columns, got an array of shape {table.shape}.\n"
            "Hint: vectors and bases are the rows of a matrix; write one vector as [[1, 2, 3]]."
        )
    return table


def check_square(A: Any, name: str = "A") -> Floats:
    """A square matrix of finite doubles."""
    matrix = check_matrix(A, name)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be square, got a matrix of shape {matrix.shape}.")
    return matrix


def check_symmetric(A: Any, name: str = "A") -> Floats:
    """A square matrix that equals its transpose but for rounding; the mean of both is given back."""
    matrix, exponent = unscaled(check_square(A, name))
    unlike = np.abs(matrix / 2 - matrix.T / 2)
    i, j = (int(place) for place in np.unravel_index(int(np.argmax(unlike)), unlike.shape))
    if unlike[i, j] > 1e-12 * np.abs(matrix).max():
        raise ValueError(
            f"{name} must be symmetric, got {name}[{i}, {j}] = {np.ldexp(matrix[i, j], exponent):.10g} "
            f"and {name}[{j}, {i}] = {np.ldexp(matrix[j, i], exponent):.10g}.\n"
            f"Hint: a quadratic form x'Mx is that of the symmetric matrix (M + M') / 2."
        )
    return np.asarray(np.ldexp(matrix / 2 + matrix.T / 2, exponent))


def unscaled(values: Floats) -> tuple[Floats, int]:
    """Values whose largest is between 1/2 and 1, and the power of two that they were divided by; zeros stay."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def rescaled(values: Any, exponent: int) -> Floats:
    """Eigenvalues of the unscaled matrix times the power of two, if they are doubles."""
    with np.errstate(over="ignore"):
        found = np.asarray(np.ldexp(values, exponent))
    if not np.isfinite(found).all():
        raise ValueError(
            "A must have eigenvalues within the range of doubles, got one beyond 1.8e308.\n"
            "Hint: divide A by 1024 first."
        )
    return found


def check_tolerance(tol: float) -> None:
    """Refuse what is no tolerance."""
    if not tol >= 0:
        raise ValueError(f"tol must be at least 0, got {tol!r}.")


def unscaled_rows(matrix: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Every row divided by a power of two, so that its largest entry is between 1/2 and 1, and the exponents."""
    exponents = np.frexp(np.abs(matrix).max(axis=1))[1].astype(np.int64)
    return np.ldexp(matrix, -exponents[:, None]), exponents


def unit_rows(matrix: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Rows of length 1 (or 0), with what they were divided by: a number near 1 and a power of two for each."""
    near, exponents = unscaled_rows(matrix)
    lengths = np.sqrt(np.einsum("ij,ij->i", near, near))
    lengths[lengths == 0] = 1.0
    return near / lengths[:, None], lengths, exponents


def _finite(values: Any, name: str) -> Floats:
    try:
        array = np.asarray(values)
        if array.dtype.kind != "c":
            array = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers in rows of equal length, got {values!r}.") from error
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must be real, got complex numbers.")
    floats: Floats = array
    if not np.isfinite(floats).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(floats))[0])
        raise ValueError(f"{name} must be finite, got {floats[place]} at {place}.")
    return floats
