"""Stochastic average gradients (SAG, SAGA): the optimum, the stop rule, weights, the certified gap."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.base.callbacks import EarlyStopping, History
from certus.linear import LogisticRegression, Ridge, RidgeClassifier


def table(classes: int = 2, dtype: Any = np.float64) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.6) + 0.1
    scores = X @ rng.normal(size=4) + rng.normal(size=60)
    return X.astype(dtype), np.digitize(scores, np.quantile(scores, np.arange(1, classes) / classes))


@pytest.mark.parametrize("solver", ["sag", "saga"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_reaches_the_logistic_optimum(classes: int, intercept: bool, form: Any, solver: str) -> None:
    X, y = table(classes)
    settings: dict[str, Any] = {"C": 0.5, "fit_intercept": intercept, "max_iter": 20000}
    exact = LogisticRegression(**settings, tol=1e-10).fit(X, y)
    drawn = LogisticRegression(**settings, tol=1e-9, solver=solver, random_state=0).fit(form(X), y)
    np.testing.assert_allclose(drawn.coef_, exact.coef_, atol=1e-5)
    np.testing.assert_allclose(drawn.intercept_, exact.intercept_, atol=1e-4)
    assert drawn.converged_
    assert len(drawn.history_) == drawn.n_iter_[0]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["sag", "saga"])
def test_reaches_the_ridge_optimum(solver: str, intercept: bool, form: Any) -> None:
    X, y = table(7)
    Y, weights = np.column_stack([y, -(y**2.0)]), np.linspace(0.0, 3.0, 60)
    exact = Ridge([0.5, 2.0], fit_intercept=intercept).fit(X, Y, weights)
    drawn = Ridge([0.5, 2.0], fit_intercept=intercept, solver=solver, tol=1e-12, max_iter=5000, random_state=0)
    if solver == "saga" and intercept and form is not np.asarray:
        with pytest.raises(ValueError, match="does not support fitting the intercept on sparse data"):
            drawn.fit(form(X), Y, weights)
        return
    drawn.fit(form(X), Y, weights)
    np.testing.assert_allclose(drawn.coef_, exact.coef_, atol=1e-8)
    np.testing.assert_allclose(drawn.intercept_, exact.intercept_, atol=1e-8)
    assert drawn.solver_ == solver
    assert drawn.n_iter_.shape == (2,)


@pytest.mark.parametrize("solver", ["sag", "saga"])
def test_weights_are_repetitions_and_zero_removes(solver: str) -> None:
    X, y = table(3)
    weights = np.arange(60) % 3
    settings: dict[str, Any] = {"solver": solver, "tol": 1e-10, "max_iter": 20000, "random_state": 1}
    weighted = LogisticRegression(**settings).fit(X, y, weights)
    repeated = LogisticRegression(**settings).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)
    kept = weights > 0
    removed = LogisticRegression(**settings).fit(X[kept], y[kept], weights[kept])
    np.testing.assert_array_equal(weighted.coef_, removed.coef_)


@pytest.mark.parametrize("solver", ["sag", "saga"])
def test_single_precision_and_same_random_state(solver: str) -> None:
    X, y = table(2, np.float32)
    settings: dict[str, Any] = {"solver": solver, "max_iter": 1000, "random_state": 3}
    first, second = (LogisticRegression(**settings).fit(X, y) for _ in range(2))
    double = LogisticRegression(**settings).fit(X.astype(np.float64), y)
    assert first.coef_.dtype == np.float32
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_allclose(first.coef_, double.coef_, rtol=1e-5)


@pytest.mark.parametrize("solver", ["sag", "saga"])
@pytest.mark.parametrize("classes", [2, 3])
def test_gap_is_above_the_true_distance(classes: int, solver: str) -> None:
    """After a few epochs the certificate bounds how far the objective is from that of the optimum."""
    X, y = table(classes)
    best = LogisticRegression(tol=1e-12).fit(X, y)
    for epochs in (1, 3, 10):
        with pytest.warns(ConvergenceWarning, match="The max_iter was reached"):
            early = LogisticRegression(solver=solver, tol=1e-12, max_iter=epochs, random_state=0).fit(X, y)
        distance = early.history_[-1] - best.history_[-1]
        assert 0.0 < distance <= early.gap_
        assert early.n_iter_[0] == epochs


def test_warning_states_the_gap_of_ridge() -> None:
    X, y = table(5)
    with pytest.warns(ConvergenceWarning, match=r"(?s)The max_iter was reached.*certified to be within"):
        model = Ridge(solver="sag", tol=1e-12, max_iter=2, random_state=0).fit(X, y)
    exact = Ridge().fit(X, y)

    def objective(fitted: Any) -> float:
        return float(((y - fitted.predict(X)) ** 2).sum() + (fitted.coef_**2).sum())

    assert 0.0 < objective(model) - objective(exact) <= model.gap_


@pytest.mark.parametrize("solver", ["sag", "saga"])
@pytest.mark.parametrize("model", [LogisticRegression, Ridge, RidgeClassifier])
def test_gap_tol_is_reached_by_the_exact_method(model: Any, solver: str) -> None:
    X, y = table(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model(solver=solver, max_iter=20, tol=1e-3, gap_tol=1e-10, random_state=0).fit(X, y)
    assert fitted.converged_
    assert fitted.gap_ <= 1e-10 * max(60.0 * np.log(2.0), np.sum((y - y.mean()) ** 2) * 4)


def test_callbacks_see_epochs_and_stop_them() -> None:
    X, y = table(2)
    history = History()
    model = LogisticRegression(solver="sag", tol=0.0, max_iter=50, random_state=0)
    model.set_callbacks(history, EarlyStopping("objective", below=45.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    assert [row["objective"] for row in history.rows] == model.history_.tolist()
    assert len(history.rows) < 50


def test_bad_input() -> None:
    zeros = np.zeros((4, 2))
    for model in (LogisticRegression(solver="sag", fit_intercept=False), Ridge(solver="sag", fit_intercept=False)):
        with pytest.raises(ZeroDivisionError, match="all rows are zero"):
            model.fit(zeros, [0, 1, 0, 1])
    X = np.array([[1.0], [np.nan], [2.0]])
    with pytest.raises(ValueError, match="NaN"):
        Ridge(solver="sag").fit(X, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="overflow"):
        Ridge(solver="sag", fit_intercept=False).fit([[1e200], [2e200]], [1.0, 2.0])


def test_limited_iterations_with_sign_constraint() -> None:
    X, y = table(7)
    exact = Ridge(0.3, positive=True).fit(X, y)
    enough = Ridge(0.3, positive=True, solver="lbfgs", max_iter=500).fit(X, y)
    np.testing.assert_allclose(enough.coef_, exact.coef_, atol=1e-8)
    assert (enough.coef_ >= 0.0).all()
    with pytest.warns(ConvergenceWarning, match="lbfgs solver did not converge"):
        Ridge(0.3, positive=True, solver="lbfgs", max_iter=1).fit(X, y)
