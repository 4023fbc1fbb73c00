"""Rayleigh quotients, power iteration and deflation beside LAPACK."""

from __future__ import annotations

import numpy as np
import pytest

from certus.geometry import (
    deflate,
    eigen_by_deflation,
    eigen_residuals,
    map_matrix,
    power_iteration,
    rayleigh_quotient,
)

SCALES = [1e-150, 1.0, 1e150]


def with_spectrum(values: list[float], seed: int = 0) -> np.ndarray:
    """A symmetric matrix with these eigenvalues."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))[0]
    A = turn @ np.diag(values) @ turn.T
    return (A + A.T) / 2


@pytest.mark.parametrize("seed", range(10))
def test_rayleigh_quotients_lie_between_the_eigenvalues_and_reach_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = with_spectrum(rng.normal(size=5).tolist(), seed)
    values, vectors = np.linalg.eigh(A)
    quotients = [rayleigh_quotient(A, v) for v in rng.normal(size=(200, 5))]
    assert values[0] <= min(quotients) <= max(quotients) <= values[-1]
    np.testing.assert_allclose([rayleigh_quotient(A, 7 * v) for v in vectors.T], values, atol=1e-13)
    assert rayleigh_quotient(1e150 * A, 1e150 * vectors[:, 0]) == pytest.approx(1e150 * values[0])
    assert rayleigh_quotient(1e-150 * A, 1e-150 * vectors[:, 0]) == pytest.approx(1e-150 * values[0])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(10))
def test_power_iteration_finds_the_largest_magnitude(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    A = with_spectrum(rng.normal(size=int(rng.integers(1, 12))).tolist(), seed)
    values, vectors = np.linalg.eigh(A)
    top = int(np.argmax(np.abs(values)))
    found = power_iteration(scale * A)
    assert found.value == pytest.approx(scale * values[top], rel=1e-9)
    assert abs(found.vector @ vectors[:, top]) == pytest.approx(1, abs=1e-8)
    assert np.linalg.norm(A @ found.vector - found.value / scale * found.vector) <= 1e-10 * np.abs(A).max() * 1.01
    assert found.residual <= 1e-10 * scale * np.abs(A).max()


@pytest.mark.parametrize(
    ("values", "value"),
    [
        ([1.0, 1.0 - 1e-7, 0.5], 1.0),  # a ratio for which products need 1e8 steps
        ([-3.0, -3.0, 1.0], -3.0),
        ([0.0, 0.0], 0.0),
        ([-2.0, 2.0 - 1e-6, 0.0], -2.0),
    ],
)
def test_power_iteration_of_close_and_opposite_eigenvalues(values: list[float], value: float) -> None:
    found = power_iteration(with_spectrum(values))
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.residual <= 1e-10 * max(map(abs, values))
    assert np.linalg.norm(found.vector) == pytest.approx(1)


@pytest.mark.parametrize("A", [[[0, 1], [1, 0]], with_spectrum([2.0, -2.0, 1.0]), np.diag([1.0, -1.0, 1.0, -1.0])])
def test_power_iteration_finds_one_of_two_opposite_eigenvalues(A: object) -> None:
    found = power_iteration(A)
    assert abs(found.value) == pytest.approx(np.linalg.eigvalsh(A)[-1], rel=1e-9)
    assert eigen_residuals(A, [found.value], found.vector[:, None])[0] < 1e-9


def test_power_iteration_of_matrices_that_are_not_symmetric() -> None:
    A = np.random.default_rng(0).uniform(size=(6, 6))  # positive: the largest eigenvalue is real
    found = power_iteration(A)
    assert found.value == pytest.approx(np.abs(np.linalg.eigvals(A)).max(), rel=1e-9)
    # One eigenvector only: without symmetry the eigenvalue is known to the root of the residual.
    assert power_iteration([[1, 1], [0, 1]]).value == pytest.approx(1, abs=1e-4)
    assert power_iteration([[0, 1], [0, 0]]).value == 0
    with pytest.raises(ValueError, match="powers do not settle"):
        power_iteration([[0, -1], [1, 0]])


@pytest.mark.parametrize("seed", range(5))
def test_deflation_sets_one_eigenvalue_to_zero_and_leaves_the_others(seed: int) -> None:
    A = with_spectrum([5.0, 3.0, 1.0, -2.0], seed)
    values, vectors = np.linalg.eigh(A)
    for value, vector in zip(values, vectors.T, strict=True):
        rest = deflate(A, value, 3 * vector)
        np.testing.assert_allclose(rest @ vector, 0, atol=1e-14)
        np.testing.assert_allclose(np.linalg.eigvalsh(rest), np.sort(np.where(values == value, 0, values)), atol=1e-13)


def test_deflation_on_the_complement_gives_the_second_on_the_span_the_first_again() -> None:
    X = np.random.default_rng(0).normal(size=(50, 4)) * [4, 3, 2, 1]
    _, vectors = np.linalg.eigh(X.T @ X)
    first, second = vectors[:, -1], vectors[:, -2]
    w = power_iteration(X.T @ X).vector
    complement, span = X - np.outer(X @ w, w), np.outer(X @ w, w)
    assert abs(power_iteration(complement.T @ complement).vector @ second) == pytest.approx(1, abs=1e-9)
    assert abs(power_iteration(span.T @ span).vector @ first) == pytest.approx(1, abs=1e-9)
    rest = deflate(X.T @ X, power_iteration(X.T @ X).value, w)
    np.testing.assert_allclose(rest, complement.T @ complement, atol=1e-6)


SPECTRA = {
    "positive": [5.0, 3.0, 2.0, 0.1],
    "negative": [-1.0, -2.0, -3.0],
    "mixed": [4.0, 1.0, 0.0, 0.0, -2.0, -4.0],
    "equal": [2.0, 2.0, 2.0, -1.0, -1.0],
    "close": [1.0, 1.0 - 1e-9, 1.0 - 1e-6, 0.3],
    "zero": [0.0, 0.0, 0.0],
    "one": [-7.0],
    "wide": [1.0, 1e-3, 1e-6, 1e-8, -1e-8],
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_spectra_are_those_of_lapack(spectrum: list[float], scale: float) -> None:
    A = with_spectrum(spectrum)
    values, vectors = eigen_by_deflation(scale * A)
    largest = max(map(abs, spectrum))
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose(values / scale, np.linalg.eigvalsh(A)[::-1], atol=1e-9 * largest)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(A)), atol=1e-13)
    assert eigen_residuals(scale * A, values, vectors).max() < 1e-8


def test_larger_matrices() -> None:
    A = np.random.default_rng(3).normal(size=(40, 40))
    A = A + A.T
    values, vectors = eigen_by_deflation(A)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[::-1], atol=1e-8)
    assert eigen_residuals(A, values, vectors).max() < 1e-7


def test_later_pairs_lose_the_digits_that_a_loose_tolerance_gives_away() -> None:
    A = with_spectrum([9.0, 8.0, 7.0, 6.0, 5.0, 4.0])
    residuals = {tol: eigen_residuals(A, *eigen_by_deflation(A, tol=tol)) for tol in (1e-2, 1e-10)}
    assert residuals[1e-10].max() < 1e-8
    assert 1e-6 < residuals[1e-2].max() < 1


@pytest.mark.parametrize("seed", range(10))
def test_matrix_identities(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    M, N = rng.normal(size=(2, size, size))
    np.testing.assert_allclose((M @ N).T, N.T @ M.T, atol=1e-13)
    assert np.trace(M @ N) == pytest.approx(np.trace(N @ M))
    np.testing.assert_allclose(M @ np.linalg.inv(M), np.eye(size), atol=1e-9)
    eigenvalues = np.linalg.eigvals(M)  # complex in general: n of them, with multiplicity
    assert np.prod(eigenvalues).real == pytest.approx(np.linalg.det(M))
    assert eigenvalues.sum().real == pytest.approx(np.trace(M))
    low = M[:, :2] @ N[:2]
    assert np.linalg.matrix_rank(low) == np.linalg.matrix_rank(low.T) == 2


@pytest.mark.parametrize("seed", range(10))
def test_symmetric_matrices_are_diagonal_in_their_eigenbasis(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(5, 5))
    A = A + A.T
    values, V = eigen_by_deflation(A)
    assert eigen_residuals(A, values, V).max() < 1e-8  # eigenpairs,
    np.testing.assert_allclose(V.T @ V, np.eye(5), atol=1e-13)  # orthogonal for different values
    np.testing.assert_allclose(V.T @ A @ V, np.diag(values), atol=1e-7)
    np.testing.assert_allclose(map_matrix(A, V.T, V.T), np.diag(values), atol=1e-7)  # scales along each vector
    np.testing.assert_allclose(np.linalg.det(A), np.prod(values), rtol=1e-6)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="A must be symmetric"):
        eigen_by_deflation([[0, -1], [1, 0]])
    with pytest.raises(ValueError, match="v must have a length above 0"):
        rayleigh_quotient(np.eye(2), [0, 0])
    with pytest.raises(ValueError, match="A must be square"):
        power_iteration([[1, 2]])
    with pytest.raises(ValueError, match="eigenvalues within the range of doubles"):
        power_iteration(np.full((2, 2), 1.7e308))
    with pytest.raises(ValueError, match="tol must be at least 0"):
        eigen_by_deflation(np.eye(2), tol=np.nan)
    with pytest.raises(ValueError, match="value must be finite"):
        deflate(np.eye(2), np.nan, [1, 0])
