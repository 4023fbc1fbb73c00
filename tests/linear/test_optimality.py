"""What is returned is the optimum: normal equations, least norm, sign constraints, stationarity, known numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certus.linear import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from certus.linear.solvers import choice
from tests.linear.independent import Logistic


def data(rows: int = 80, columns: int = 5, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X @ rng.normal(size=columns) + rng.normal(size=rows) + 2.0


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg"])
def test_ridge_solves_the_normal_equations(solver: str) -> None:
    X, y = data()
    model = Ridge(0.7, solver=solver).fit(X, y)
    residual = y - X @ model.coef_ - model.intercept_
    np.testing.assert_allclose(X.T @ residual, 0.7 * model.coef_, atol=1e-5)
    assert abs(residual.sum()) < 1e-5


def test_normal_equations_by_hand() -> None:
    """Rows (1, 2, 3) and targets (1, 2, 2): slope 1/2 and offset 2/3; the penalty alpha = 2 halves the slope."""
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 2.0])
    ordinary, ridge = LinearRegression().fit(X, y), Ridge(2.0).fit(X, y)
    np.testing.assert_allclose([ordinary.coef_[0], ordinary.intercept_], [1 / 2, 2 / 3], rtol=1e-14)
    np.testing.assert_allclose([ridge.coef_[0], ridge.intercept_], [1 / 4, 7 / 6], rtol=1e-14)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(40, 6), (5, 12)])
def test_least_norm_when_there_are_many_optima(shape: tuple[int, int], intercept: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=shape)
    X[:, -1] = X[:, 0]
    y = rng.normal(size=shape[0])
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    shift = X.mean(axis=0) if intercept else 0.0
    expected = np.linalg.pinv(X - shift, rcond=1e-10) @ (y - (y.mean() if intercept else 0.0))
    np.testing.assert_allclose(model.coef_, expected, atol=1e-9)
    assert model.rank_ == np.linalg.matrix_rank(X - shift)


@pytest.mark.parametrize("condition", [1e3, 1e5, 3e5])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_ill_conditioned_columns_keep_their_digits(condition: float, noise: float) -> None:
    """Singular values over many decades: the coefficients are those of an orthogonal factorization of the table."""
    rng = np.random.default_rng(7)
    rotation = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    X = (rng.normal(size=(3000, 12)) * np.geomspace(1.0, 1.0 / condition, 12)) @ rotation + rng.normal(size=12)
    y = X @ rng.normal(size=12) + noise * rng.normal(size=3000)
    model = LinearRegression().fit(X, y)
    exact = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    assert model.rank_ == 12
    np.testing.assert_allclose(model.coef_, exact, rtol=1e-8, atol=1e-8 * np.abs(exact).max())


@pytest.mark.parametrize("model", [LinearRegression(positive=True), Ridge(0.5, positive=True)], ids=str)
def test_sign_constraint_satisfies_kkt(model: Any) -> None:
    X, y = data(seed=4)
    model.fit(X, y)
    alpha = getattr(model, "alpha", 0.0)
    slope = X.T @ (X @ model.coef_ + model.intercept_ - y) + alpha * model.coef_
    inside = model.coef_ > 0
    assert (model.coef_ >= 0).all()
    assert 0 < inside.sum() < len(inside)
    np.testing.assert_allclose(slope[inside], 0.0, atol=1e-9)
    assert (slope[~inside] >= -1e-9).all()
    assert model.gap_ <= 1e-12 * np.sum((y - y.mean()) ** 2)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky"])
def test_logistic_gradient_vanishes(classes: int, C: float, solver: str) -> None:
    X, y = data(seed=2)
    labels = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    model = LogisticRegression(C=C, solver=solver).fit(X, labels)
    smooth = Logistic(X, labels, np.ones(len(X)), classes, 1 / C, fit_intercept=True)
    offset = model.intercept_ + model.coef_ @ smooth.mean.astype(float)
    gradient = smooth.gradient(np.column_stack([model.coef_, offset]))
    assert np.abs(gradient).max() <= 1e-4 * len(X)  # tol bounds the mean gradient
    assert model.converged_


@pytest.mark.parametrize("ratio", [0.3, 1.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_l1_subgradient(ratio: float, classes: int) -> None:
    X, y = data(columns=8, seed=2)
    labels = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    C = 0.15
    model = LogisticRegression(C=C, solver="saga", l1_ratio=ratio, tol=1e-9).fit(X, labels)
    smooth = Logistic(X, labels, np.ones(len(X)), classes, (1 - ratio) / C, fit_intercept=True)
    offset = model.intercept_ + model.coef_ @ smooth.mean.astype(float)
    gradient = smooth.gradient(np.column_stack([model.coef_, offset]))
    slope, active = gradient[:, :-1], model.coef_ != 0
    assert 0 < active.sum() < active.size
    np.testing.assert_allclose(slope[active], -ratio / C * np.sign(model.coef_[active]), atol=1e-2)
    assert (np.abs(slope[~active]) <= ratio / C + 1e-2).all()
    np.testing.assert_allclose(gradient[:, -1], 0.0, atol=1e-3)


def test_excess_risk_of_least_squares() -> None:
    """For fixed rows the mean excess risk is sigma^2 d / n: n = 60, d = 5, sigma = 0.7 give 0.040833."""
    rng = np.random.default_rng(7)
    X, truth = rng.normal(size=(60, 5)), rng.normal(size=5)
    draws = 2000
    Y = (X @ truth)[:, None] + 0.7 * rng.normal(size=(60, draws))
    model = LinearRegression(fit_intercept=False).fit(X, Y)
    excess = np.mean((X @ (model.coef_ - truth).T) ** 2, axis=0)
    error = excess.std() / np.sqrt(draws)
    assert abs(excess.mean() - 0.040833) < 4 * error + 1e-6
    variance = np.mean((Y - X @ model.coef_.T) ** 2, axis=0)  # sigma^2 (n - d) / n
    assert abs(variance.mean() - 0.449167) < 4 * variance.std() / np.sqrt(draws) + 1e-6


def test_ridge_classifier_is_ridge_on_codes() -> None:
    X, y = data(seed=6)
    labels = np.digitize(y, [1.0, 3.0])
    model = RidgeClassifier(0.3).fit(X, labels)
    twin = Ridge(0.3).fit(X, 2.0 * np.eye(3)[labels] - 1.0)
    np.testing.assert_allclose(model.coef_, twin.coef_, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), np.argmax(twin.predict(X), axis=1))


@pytest.mark.parametrize("gap_tol", [1e-4, 1e-7])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_l1_logistic_reaches_gap_tol(form: Any, classes: int, gap_tol: float) -> None:
    """The certified gap, intercepts and rounding included, is what gap_tol asks for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1200)) * (rng.uniform(size=(500, 1200)) < 0.02)
    score = X[:, :40] @ rng.normal(size=40) + 0.3 * rng.normal(size=500)
    labels = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
    model = LogisticRegression(C=1.0, l1_ratio=1.0, solver="saga", gap_tol=gap_tol, max_iter=1000).fit(form(X), labels)
    assert model.converged_
    assert model.gap_ <= gap_tol * len(X) * np.log(classes)


@pytest.mark.parametrize("C", [1.0, 20.0])
def test_quasi_newton_steps_reach_the_optimum(C: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table whose penalty outweighs its rows goes by L-BFGS; the gap says that it arrived."""
    monkeypatch.setattr(choice, "HUGE", 50)
    rng = np.random.default_rng(3)
    X = sparse.random_array((300, 60), density=0.1, rng=rng, format="csr")
    y = np.asarray(X @ rng.normal(size=(60, 4))).argmax(axis=1)
    used: list[str] = []
    choose = choice.steps_by_shape
    monkeypatch.setattr(choice, "steps_by_shape", lambda *given, **more: _noted(choose(*given, **more), used))
    model = LogisticRegression(C=C, gap_tol=1e-8).fit(X, y)
    assert used[-1] == ("QuasiNewtonSteps" if C == 1.0 else "ConjugateGradientSteps")
    assert model.converged_
    assert model.gap_ <= 1e-8 * 300 * np.log(4.0)
    assert model.report_["optimality gap"].check()
    exact = LogisticRegression(C=C, solver="newton-cg").fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-4)


def _noted(steps: Any, used: list[str]) -> Any:
    used.append(type(steps).__name__)
    return steps
