"""Derivatives of matrix expressions, checked by differences that find wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

from certus.geometry import gradient_check, matrix_derivatives


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize("seed", range(5))
def test_identities(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    M, y, x = rng.normal(size=(4, 4)), rng.normal(size=4), scale * rng.normal(size=4)
    found = matrix_derivatives(M, y)
    assert set(found) == {"Mx", "y'Mx", "x'x", "x'Mx"}
    for name, (function, gradient) in found.items():
        check = gradient_check(function, gradient, x)
        assert check, name
        assert check.error < 1e-9
        assert check.witness == ()
    np.testing.assert_array_equal(found["Mx"].gradient(x), M)  # a row for every output, not its transpose
    assert "x'Mx, M symmetric" in matrix_derivatives(M + M.T)
    assert gradient_check(*matrix_derivatives(M + M.T)["x'Mx, M symmetric"], x)
    assert set(matrix_derivatives(M[:2])) == {"Mx", "x'x"}


def test_wrong_derivatives_are_found() -> None:
    rng = np.random.default_rng(0)
    M, x = rng.normal(size=(3, 3)), rng.normal(size=3)
    function, _ = matrix_derivatives(M)["x'Mx"]
    assert not gradient_check(function, lambda x: 2 * M @ x, x)  # true for symmetric matrices only
    assert not gradient_check(lambda x: M @ x, lambda _: M.T, x)
    check = gradient_check(lambda x: np.sin(x).sum(), lambda x: np.cos(x) + 1e-4 * np.eye(3)[1], x)
    assert check.witness == (1,)
    assert check.given[1] - check.differences[1] == pytest.approx(1e-4, rel=1e-3)
    assert not gradient_check(lambda x: x @ x, lambda x: np.full(3, np.nan), x)


def test_odd_points() -> None:
    assert gradient_check(lambda x: np.exp(x).sum(), np.exp, np.zeros(3))
    assert gradient_check(lambda x: 5.0, lambda x: np.zeros(2), [1.0, 2.0])
    assert gradient_check(lambda x: (x**3).sum(), lambda x: 3 * x**2, [1e-8, 1.0])
    with pytest.raises(ValueError, match=r"gradient must give an array of shape \(2,\)"):
        gradient_check(lambda x: x @ x, lambda x: 2 * x[:1], [1.0, 2.0])
    with pytest.raises(ValueError, match="x must be a vector"):
        gradient_check(lambda x: x @ x, lambda x: 2 * x, [[1.0, 2.0]])
