"""Spans and dependencies: the coefficients that are given do combine the vectors, and None is true."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from certus.geometry import dependency, in_span, null_dependency

SCALES = [1e-150, 1.0, 1e150]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(20))
def test_membership_is_that_of_the_ranks(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    dimension = int(rng.integers(2, 9))
    rank = int(rng.integers(1, dimension))
    vectors = rng.normal(size=(rank + 2, rank)) @ rng.normal(size=(rank, dimension))
    lengths = 10.0 ** rng.integers(-8, 9, size=rank + 2)
    inside = rng.normal(size=rank + 2) @ vectors
    outside = inside + rng.normal(size=dimension)
    assert np.linalg.matrix_rank(np.vstack([vectors, inside])) == rank
    assert np.linalg.matrix_rank(np.vstack([vectors, outside])) == rank + 1
    found = in_span(scale * lengths[:, None] * vectors, scale * inside)
    assert found is not None
    np.testing.assert_allclose((found * lengths) @ vectors, inside, rtol=1e-11, atol=1e-11)
    assert in_span(scale * lengths[:, None] * vectors, scale * outside) is None


def test_a_vector_just_outside_is_outside() -> None:
    vectors = [[1.0, 0.0, 0.0], [1.0, 1e-14, 0.0]]  # nearly parallel: large coefficients excuse no distance
    assert in_span(vectors, [0.0, 1.0, 1e-3]) is None
    assert in_span(vectors, [1.0, 0.0, 1e-7]) is None
    assert in_span(vectors, [0.0, 1.0, 0.0]) is not None
    assert in_span([[1, 0], [0, 0]], [0, 1]) is None
    np.testing.assert_array_equal(in_span([[0, 0]], [0, 0]), [0])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(20))
def test_a_dependency_combines_to_zero(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-4, 5, size=(int(rng.integers(2, 7)), int(rng.integers(2, 7)))).astype(float)
    found = dependency(scale * vectors)
    assert (found is None) == (np.linalg.matrix_rank(vectors) == len(vectors))
    if found is not None:
        assert np.abs(found).max() == 1
        np.testing.assert_allclose(found @ vectors, 0, atol=1e-13)


def test_a_dependency_is_one_of_the_shortest_beginning() -> None:
    found = dependency([[1, 2, 0], [0, 1, 1], [2, 4, 0], [0, 0, 0]])
    np.testing.assert_allclose(found, [1, 0, -0.5, 0], atol=1e-15)
    np.testing.assert_array_equal(dependency([[1, 2], [0, 0]]), [0, 1])


def test_lengths_make_no_vectors_dependent() -> None:
    assert dependency([[1e-150, 0.0], [0.0, 1e150]]) is None
    assert dependency([[1e-200, 1e-200], [1e200, -1e200]]) is None
    assert dependency([[1.0, 1.0], [1.0, 1.0 + 1e-12]]) is None
    found = dependency([[1e-200, 2e-200], [1e200, 2e200]])
    exact = [
        sum(Fraction(a) * Fraction(v) for a, v in zip(found, column, strict=True)) for column in ((1e-200, 1e200),)
    ]
    assert found.all()
    assert abs(exact[0]) <= 1e-15 * abs(Fraction(found[0]) * Fraction(1e-200))
    with pytest.raises(ValueError, match="range of doubles"):
        null_dependency([[1e-300, 1e300], [1e-300, 1e300]])
    hilbert = 1 / (1.0 + np.arange(10)[:, None] + np.arange(10))
    assert dependency(hilbert) is None  # ill-conditioned, not singular


def test_a_column_of_a_singular_matrix_is_the_sum_of_the_others() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        M = rng.integers(-3, 4, size=(5, 5)).astype(float)
        assert (null_dependency(M) is None) == (round(np.linalg.det(M)) != 0)
        M[:, 3] = M[:, 1] - 2 * M[:, 4]
        for scale in SCALES:
            found = null_dependency(scale * M)
            np.testing.assert_allclose(M @ found.coefficients, M[:, found.column], atol=1e-12)
            np.testing.assert_allclose(M @ found.null_vector, 0, atol=1e-12)
            assert found.coefficients[found.column] == 0
    assert null_dependency(np.zeros((2, 2))).column == 0


@pytest.mark.parametrize(
    ("vectors", "v", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0], "vectors must be a matrix"),
        ([[1.0, 2.0]], [1.0], "v must be a vector of 2 numbers"),
        ([[1.0, np.nan]], [1.0, 2.0], "vectors must be finite"),
        ([[1.0, 1j]], [1.0, 2.0], "vectors must be real"),
        ([[1.0, 2.0], [1.0]], [1.0, 2.0], "vectors must be numbers in rows of equal length"),
        (np.empty((0, 2)), [1.0, 2.0], "vectors must be a matrix"),
        ([[1e-200, 0]], [1e200, 0], "range of doubles"),
    ],
)
def test_bad_input(vectors: object, v: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        in_span(vectors, v)
