"""LIBLINEAR's dual method: the optimum for a fine tolerance, its order by the seed, an honest gap for a coarse one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.linear import LogisticRegression


def problem(rows: int, columns: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = (X[:, 0] + rng.normal(size=rows) > 0).astype(int)
    y[:2] = 0, 1
    return X, y, rng.uniform(0.1, 2.0, size=rows)


def dual(**parameters: object) -> LogisticRegression:
    return LogisticRegression(**{"solver": "liblinear", "dual": True, "random_state": 0, **parameters})


@given(st.integers(4, 40), st.integers(1, 6), st.integers(0, 10**6), st.floats(0.01, 30.0))
@settings(max_examples=25)
def test_gradient_vanishes_and_the_gap_is_true(rows: int, columns: int, seed: int, C: float) -> None:
    X, y, weights = problem(rows, columns, seed)
    model = dual(C=C, tol=1e-9, max_iter=100_000).fit(X, y, weights)
    table = np.column_stack([X, np.ones(rows)])
    w = np.append(model.coef_[0], model.intercept_[0])
    signs = np.where(y == 1, 1.0, -1.0)
    margins = signs * (table @ w)
    gradient = w - C * table.T @ (signs * weights / (1.0 + np.exp(margins)))
    assert np.abs(gradient).max() < 1e-6 * (1.0 + C * weights.sum())
    assert model.gap_ <= 1e-9 * weights.sum() * np.log(2.0)
    assert model.report_.check()


def test_dense_sparse_and_single_precision_agree() -> None:
    X, y, weights = problem(200, 5, 0)
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    fits = [dual(tol=1e-8, max_iter=5000).fit(Z, y, weights) for Z in (X, X.astype(float), sparse.csr_matrix(X))]
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.coef_, fits[0].coef_, atol=1e-6)


def test_weights_count_rows() -> None:
    X, y, _ = problem(60, 3, 1)
    counts = np.random.default_rng(1).integers(0, 4, size=60)
    counts[:2] = 1
    weighted = dual(tol=1e-9, max_iter=10_000).fit(X, y, counts)
    repeated = dual(tol=1e-9, max_iter=10_000).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)


def test_the_seed_orders_the_rows_and_gap_tol_finishes() -> None:
    X, y, _ = problem(200, 5, 2)
    one, again, other = (dual(tol=1e-2, random_state=seed).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.coef_, again.coef_)
    assert np.abs(one.coef_ - other.coef_).max() > 1e-6
    assert dual(tol=1e-2, gap_tol=1e-11).fit(X, y).gap_ <= 1e-11 * 200 * np.log(2) * 1.0001
    with pytest.warns(ConvergenceWarning, match="liblinear solver failed to converge"):
        dual(max_iter=1).fit(X, y)


def test_rows_on_the_far_side_do_no_harm() -> None:
    X = np.array([[1e6], [-1e6], [1.0], [-1.0]])
    with pytest.warns(ConvergenceWarning, match="certified to be within"):  # such scales are slow, and it says so
        model = dual(C=1e3, max_iter=200, tol=1e-6).fit(X, [1, 0, 1, 0])
    assert np.isfinite(model.coef_).all()
    assert list(model.predict(X)) == [1, 0, 1, 0]
