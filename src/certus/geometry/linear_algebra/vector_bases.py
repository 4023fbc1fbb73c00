"""Bases: coordinates in them, matrices of linear maps between them, orthonormal ones. Vectors are rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from certus.geometry.linear_algebra.matrix_inputs import (
    EPSILON,
    Floats,
    check_matrix,
    check_vector,
    unit_rows,
)
from certus.geometry.linear_algebra.spans import dependency, in_span


def coordinates(basis: Any, v: Any) -> Floats:
    """The coordinates of v in a basis: the one x with v = x_1 b_1 + ... + x_k b_k.

    Parameters
    ----------
    basis : array-like of shape (n_vectors, dimension)
        Independent vectors, as rows, of the whole space or of a subspace.
    v : array-like of shape (dimension,) or (n, dimension)
        A vector of the span, or several as rows.

    Returns
    -------
    ndarray of shape (n_vectors,) or (n, n_vectors)

    Examples
    --------
    >>> from certus.geometry import coordinates
    >>> coordinates([[1, 1, 1], [1, 1, 0], [1, 0, 0]], [-1, 3, 3]).round(9)
    array([ 3.,  0., -4.])
    """
    rows = _check_basis(basis, "basis")
    if np.ndim(v) == 2:
        return np.array([_coordinates(rows, one) for one in check_matrix(v, "v")])
    return _coordinates(rows, check_vector(v, length=rows.shape[1]))


def map_matrix(matrix_or_function: Any, basis_from: Any, basis_to: Any) -> Floats:
    """The matrix of a linear map in two bases: column j holds the coordinates of the image of the j-th basis vector.

    If x are coordinates of v in ``basis_from``, then Mx are those of the image of v in ``basis_to``. For a map given by
    a matrix A in standard coordinates, M = C^-1 A B with the bases as columns of B and C.

    Parameters
    ----------
    matrix_or_function : array-like of shape (n_outputs, dimension) or callable
        The map, as its matrix A in standard coordinates or as a function of a vector. A function is tried on two
        combinations of the basis, and is refused if it is not linear there.
    basis_from : array-like of shape (n_from, dimension)
        Basis of the vectors, as rows.
    basis_to : array-like of shape (n_to, n_outputs)
        Basis of the images, as rows.

    Returns
    -------
    ndarray of shape (n_to, n_from)

    Examples
    --------
    >>> from certus.geometry import map_matrix
    >>> map_matrix(lambda x: [x[0] + x[1], x[0] - x[1]], [[1, 1], [1, -1]], [[1, 0], [0, 1]]).round(9)
    array([[2., 0.],
           [0., 2.]])
    """
    source, target = _check_basis(basis_from, "basis_from"), _check_basis(basis_to, "basis_to")
    if callable(matrix_or_function):
        images = _images(matrix_or_function, source, target.shape[1])
    else:
        matrix = check_matrix(matrix_or_function, "matrix_or_function")
        if matrix.shape != (target.shape[1], source.shape[1]):
            raise ValueError(
                f"matrix_or_function must have the shape {(target.shape[1], source.shape[1])} "
                f"to map rows of basis_from to rows of basis_to, got {matrix.shape}."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            images = source @ matrix.T  # what is not finite is refused with its coordinates
    return np.column_stack([_coordinates(target, image) for image in images])


def transition_matrix(basis_from: Any, basis_to: Any) -> Floats:
    """The matrix P that turns coordinates in one basis into those in another of the same space: x' = P x.

    Its columns are the coordinates of ``basis_from`` in ``basis_to``; it is the matrix of the identity map. The way
    back has the inverse matrix.

    Parameters
    ----------
    basis_from, basis_to : array-like of shape (n_vectors, dimension)
        Two bases of one space, as rows.

    Returns
    -------
    ndarray of shape (n_vectors, n_vectors)

    Examples
    --------
    >>> from certus.geometry import transition_matrix
    >>> standard, other = [[1, 0], [0, 1]], [[3, 1], [-2, 1]]
    >>> transition_matrix(other, standard).round(9)
    array([[ 3., -2.],
           [ 1.,  1.]])
    >>> transition_matrix(standard, other).round(9)
    array([[ 0.2,  0.4],
           [-0.2,  0.6]])
    """
    source, target = _check_basis(basis_from, "basis_from"), _check_basis(basis_to, "basis_to")
    if source.shape != target.shape:
        raise ValueError(
            f"basis_from and basis_to must be bases of one space, got shapes {source.shape} and {target.shape}."
        )
    return np.column_stack([_coordinates(target, vector) for vector in source])


def gram_schmidt(vectors: Any) -> Floats:
    """An orthonormal basis of the span: each vector without its part along those before, at length 1.

    The part along earlier vectors is taken away twice, since the first time leaves rounding behind that a short rest
    magnifies. Vectors of which no more than rounding is left depend on earlier ones and give no row.

    Parameters
    ----------
    vectors : array-like of shape (n_vectors, dimension)
        The vectors, as rows.

    Returns
    -------
    ndarray of shape (rank, dimension)
        Orthonormal rows; the first k of them span what the first k independent vectors span.

    Examples
    --------
    >>> from certus.geometry import gram_schmidt
    >>> gram_schmidt([[3, 4], [6, 8], [1, 0]]).round(9)
    array([[ 0.6,  0.8],
           [ 0.8, -0.6]])
    """
    rows = check_matrix(vectors)
    units = unit_rows(rows)[0]
    basis = np.empty((0, rows.shape[1]))
    for unit in units:
        rest = unit - (basis @ unit) @ basis
        rest = rest - (basis @ rest) @ basis
        if np.linalg.norm(rest) > 4 * max(rows.shape) * EPSILON and len(basis) < rows.shape[1]:
            basis = np.vstack([basis, _orthogonal_unit(rest, basis)])
    return basis


def unit_vector(v: Any) -> Floats:
    """V divided by its length, whatever its scale.

    Examples
    --------
    >>> from certus.geometry import unit_vector
    >>> unit_vector([3e-200, 4e-200])
    array([0.6, 0.8])
    """
    vector = check_vector(v)
    if not vector.any():
        raise ValueError("v must have a length above 0 to have a direction, got a vector of zeros.")
    return np.asarray(unit_rows(vector[None])[0][0])


def angle(x: Any, y: Any) -> float:
    """The angle between two vectors, in radians from 0 to pi: cos(angle) = <x, y> / (|x| |y|).

    It is computed as 2 atan(|u - w| / |u + w|) of the unit vectors u and w, since the cosine of a small angle has lost
    half of its digits.

    Parameters
    ----------
    x, y : array-like of shape (dimension,)
        Vectors of lengths above 0.

    Returns
    -------
    float

    Examples
    --------
    >>> from certus.geometry import angle
    >>> round(angle([1, 0], [1, 1]), 9), angle([1, 0], [1, 1e-12])
    (0.785398163, 1e-12)
    """
    u = unit_vector(x)
    w = unit_vector(check_vector(y, "y", length=u.size))
    return 2 * float(np.arctan2(np.linalg.norm(u - w), np.linalg.norm(u + w)))


def _orthogonal_unit(rest: Floats, basis: Floats) -> Floats:
    """The rest at length 1, freed once more of what its small length let through."""
    unit = rest / np.linalg.norm(rest)
    unit = unit - (basis @ unit) @ basis
    return np.asarray(unit / np.linalg.norm(unit))


def _check_basis(basis: Any, name: str) -> Floats:
    rows = check_matrix(basis, name)
    witness = dependency(rows)
    if witness is not None:
        raise ValueError(
            f"{name} must be independent vectors, got rows whose combination by {np.round(witness, 6).tolist()} is 0.\n"
            "Hint: gram_schmidt gives a basis of the span of any vectors."
        )
    return rows


def _coordinates(basis: Floats, v: Floats) -> Floats:
    found = in_span(basis, v)
    if found is None:
        raise ValueError(
            f"v must be in the span of the basis, got {v.tolist()}.\n"
            "Hint: in_span returns None for vectors outside instead of this error."
        )
    return found


def _images(function: Callable[[Floats], Any], basis: Floats, outputs: int) -> Floats:
    """Images of the basis, after two combinations of it have shown no contradiction to linearity."""
    images = np.array([check_vector(function(one), "the image", length=outputs) for one in basis])
    powers = 2.0 ** -np.frexp(np.abs(basis).max(axis=1))[1]  # vectors of one scale, so that each has its say
    for weights in (np.ones(len(basis)), 1.0 + np.arange(len(basis))[::-1]):
        coefficients = weights * powers
        image = check_vector(function(coefficients @ basis), "the image", length=outputs)
        pieces = coefficients[:, None] * images
        wrong = np.abs(image - pieces.sum(axis=0)).max()
        if wrong > 1e-9 * max(np.abs(image).max(), np.abs(pieces).max()):
            raise ValueError(
                f"matrix_or_function must be linear, got a function whose value at {(coefficients @ basis).tolist()} "
                f"is {image.tolist()}, and that of its parts together {pieces.sum(axis=0).tolist()}.\n"
                "Hint: check_linear looks for a contradiction among more vectors."
            )
    return images
