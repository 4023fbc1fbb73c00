"""Positive semidefinite matrices: a factor or a witness, and three ways that agree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from certus.geometry import is_positive_semidefinite

SCALES = [1e-150, 1.0, 1e150]


def exact_form(A: np.ndarray, x: np.ndarray) -> Fraction:
    """x'Ax without rounding."""
    size = len(x)
    return sum(
        (Fraction(x[i]) * Fraction(A[i, j]) * Fraction(x[j]) for i in range(size) for j in range(size)), Fraction(0)
    )


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(15))
def test_three_ways_agree_and_show_why(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 8))
    root = rng.normal(size=(int(rng.integers(1, size + 1)), size))
    A = scale * (root.T @ root)
    found = is_positive_semidefinite(A)
    assert found
    assert set(found.ways.values()) == {True}
    assert found.witness is None
    assert found.definite == (len(root) == size)
    np.testing.assert_allclose(found.factor.T @ found.factor, A, rtol=1e-10, atol=1e-13 * np.abs(A).max())

    lower = A - 0.05 * np.abs(A).max() * np.eye(size)
    if np.linalg.eigvalsh(lower / scale)[0] < 0:
        found = is_positive_semidefinite(lower)
        assert not found
        assert set(found.ways.values()) == {False}
        assert found.factor is None
        assert exact_form(lower, found.witness) < 0
        assert found.smallest == pytest.approx(scale * np.linalg.eigvalsh(lower / scale)[0], rel=1e-9)


def test_small_negative_eigenvalues_beyond_rounding_are_found() -> None:
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    A = turn @ np.diag([1.0, 1.0, 1e-3, 0.0, -1e-13]) @ turn.T
    found = is_positive_semidefinite((A + A.T) / 2)
    assert not found.holds
    assert exact_form((A + A.T) / 2, found.witness) < 0


def test_classical_cases() -> None:
    assert is_positive_semidefinite(np.zeros((3, 3)))
    assert not is_positive_semidefinite(np.zeros((3, 3))).definite
    assert is_positive_semidefinite([[1, -1], [-1, 1]]).ways == {"eigenvalues": True, "squares": True, "factor": True}
    assert not is_positive_semidefinite([[0, 1], [1, 0]])  # no negative entry, no negative diagonal
    assert not is_positive_semidefinite([[-1e-150]])
    assert is_positive_semidefinite([[5e-324]]).definite
    assert not is_positive_semidefinite(np.diag([1.0, 0.0, -1e-9]))


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"A must be symmetric, got A\[0, 1\] = 2 and A\[1, 0\] = 3"):
        is_positive_semidefinite([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="A must be square"):
        is_positive_semidefinite([[1, 2]])
