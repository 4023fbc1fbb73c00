"""Coordinates, matrices of maps, changes of basis, orthonormal bases and angles."""

from __future__ import annotations

import numpy as np
import pytest

from certus.geometry import angle, coordinates, gram_schmidt, map_matrix, transition_matrix, unit_vector

SCALES = [1e-150, 1.0, 1e150]
A = np.array([[2, -1, 0, 1], [0, 1, -2, 1], [1, 1, -2, 0]])
B = np.array([[1, 0, 0, 0], [0, 1, -1, 0], [0, 0, 0, 1], [0, 1, 1, 1]])
C = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0]])
M = np.array([[1, 3, 0, -1], [-1, 0, 1, 1], [2, -4, 0, 0]])


def test_worked_example_of_a_map_in_two_bases() -> None:
    def transform(x: np.ndarray) -> list[float]:
        return [2 * x[0] - x[1] + x[3], x[1] - 2 * x[2] + x[3], x[0] + x[1] - 2 * x[2]]

    np.testing.assert_array_equal(B @ A.T, [[2, 0, 1], [-1, 3, 3], [1, 1, 0], [0, 0, -1]])
    np.testing.assert_allclose(map_matrix(transform, B, C), M, atol=1e-14)
    np.testing.assert_allclose(map_matrix(A, B, C), M, atol=1e-14)
    np.testing.assert_allclose(map_matrix(A, B, C), np.linalg.inv(C.T) @ A @ B.T, atol=1e-14)


def test_worked_example_of_a_change_of_basis() -> None:
    standard, other = np.eye(2), [[3, 1], [-2, 1]]
    P = transition_matrix(other, standard)
    np.testing.assert_allclose(P, [[3, -2], [1, 1]], atol=1e-15)
    np.testing.assert_allclose(transition_matrix(standard, other), np.array([[1, 2], [-1, 3]]) / 5, atol=1e-15)
    np.testing.assert_allclose(P @ [1, 1], [1, 2], atol=1e-15)


@pytest.mark.parametrize("scale", SCALES)
def test_coordinates_are_those_of_lapack(scale: float) -> None:
    rng = np.random.default_rng(1)
    for size in range(1, 9):
        basis, v = rng.normal(size=(size, size)), rng.normal(size=(4, size))
        expected = np.linalg.solve(basis.T, v.T).T
        np.testing.assert_allclose(coordinates(scale * basis, scale * v), expected, rtol=1e-9)
        np.testing.assert_allclose(coordinates(basis, v[0]), expected[0], rtol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_maps_and_changes_of_basis_compose(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    first, second, third = rng.normal(size=(3, size, size))
    one, two = rng.normal(size=(2, size, size))
    np.testing.assert_allclose(
        map_matrix(two @ one, first, third), map_matrix(two, second, third) @ map_matrix(one, first, second), atol=1e-8
    )
    there, back = transition_matrix(first, second), transition_matrix(second, first)
    np.testing.assert_allclose(there @ back, np.eye(size), atol=1e-8)
    v = rng.normal(size=size)
    np.testing.assert_allclose(there @ coordinates(first, v), coordinates(second, v), atol=1e-8)


def test_a_basis_of_a_plane() -> None:
    plane, other = [[1, 0, 1], [0, 1, 1]], [[1, 1, 2], [1, -1, 0]]
    np.testing.assert_allclose(coordinates(plane, [2, 3, 5]), [2, 3], atol=1e-14)
    np.testing.assert_allclose(transition_matrix(other, plane), [[1, 1], [1, -1]], atol=1e-14)
    with pytest.raises(ValueError, match="in the span of the basis"):
        coordinates(plane, [2, 3, 6])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(10))
def test_gram_schmidt_is_orthonormal_and_has_the_span(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    rank, dimension = 3, 6
    vectors = rng.normal(size=(7, rank)) @ rng.normal(size=(rank, dimension))
    basis = gram_schmidt(scale * 10.0 ** rng.integers(-9, 9, size=(7, 1)) * vectors)
    assert basis.shape == (rank, dimension)
    np.testing.assert_allclose(basis @ basis.T, np.eye(rank), atol=1e-14)
    np.testing.assert_allclose(vectors @ basis.T @ basis, vectors, atol=1e-12)
    np.testing.assert_allclose(basis[0], unit_vector(vectors[0]), rtol=1e-12)


def test_gram_schmidt_stays_orthonormal_for_nearly_dependent_vectors() -> None:
    hilbert = 1 / (1.0 + np.arange(10)[:, None] + np.arange(10))
    basis = gram_schmidt(hilbert)
    assert len(basis) == 10
    assert np.abs(basis @ basis.T - np.eye(10)).max() < 1e-14


@pytest.mark.parametrize("scale", SCALES)
def test_angles(scale: float) -> None:
    assert angle([scale, 0], [0, 3]) == pytest.approx(np.pi / 2, abs=1e-15)
    assert angle([scale, 0], [-scale, 0]) == pytest.approx(np.pi, abs=1e-15)
    assert angle([1, 2, 3], [scale, 2 * scale, 3 * scale]) == pytest.approx(0, abs=1e-15)
    assert angle([scale, 0], [scale, 1e-9 * scale]) == pytest.approx(1e-9, rel=1e-12)
    x, y = np.random.default_rng(0).normal(size=(2, 5))
    cosine = x @ y / np.sqrt((x @ x) * (y @ y))
    assert np.cos(angle(scale * x, y)) == pytest.approx(cosine, rel=1e-12)
    np.testing.assert_allclose(unit_vector([3 * scale, 4 * scale]), [0.6, 0.8], rtol=1e-15)


def test_bad_input() -> None:
    with pytest.raises(
        ValueError, match=r"basis must be independent vectors, got rows whose combination by \[1.0, -0.5"
    ):
        coordinates([[1, 2], [2, 4]], [1, 2])
    with pytest.raises(ValueError, match="must be linear"):
        map_matrix(lambda x: x**2, np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match="must be linear"):
        map_matrix(lambda x: x + 1, np.eye(2), np.eye(2))
    with pytest.raises(ValueError, match=r"must have the shape \(3, 4\)"):
        map_matrix(A.T, B, C)
    with pytest.raises(ValueError, match="bases of one space"):
        transition_matrix(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match="length above 0"):
        angle([0, 0], [1, 0])
    with pytest.raises(ValueError, match="y must be a vector of 2 numbers"):
        angle([0, 1], [1, 0, 0])
