"""What linear learners refuse, and how they say that they did not reach what was asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.linear import LinearRegression, LogisticRegression, Ridge, RidgeClassifier

X = np.random.default_rng(0).normal(size=(30, 3))
Y = X @ [1.0, 2.0, 3.0] + np.random.default_rng(1).normal(size=30)
LABELS = (Y > 0).astype(int)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Ridge(-1.0), "alpha"),
        (Ridge([1.0, -1.0]), "do not correspond: 2 != 1"),
        (Ridge([-1.0]), "'alpha' parameter must be at least 0"),
        (Ridge(solver="magic"), "solver"),
        (Ridge(solver="lbfgs"), "only when positive=True"),
        (Ridge(solver="svd", positive=True), "does not support positive fitting"),
        (Ridge(max_iter=0), "max_iter"),
        (Ridge(gap_tol=0.0), "gap_tol"),
        (LinearRegression(tol=-1.0), "tol"),
        (LinearRegression(fit_intercept="yes"), "fit_intercept"),
    ],
    ids=str,
)
def test_regression(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (RidgeClassifier(-0.5), "alpha"),
        (LogisticRegression(C=0.0), "C"),
        (LogisticRegression(C=-1.0), "C"),
        (LogisticRegression(l1_ratio=1.5), "l1_ratio"),
        (LogisticRegression(l1_ratio=1.0), "Solver lbfgs supports only 'l2' or None penalties, got l1"),
        (LogisticRegression(l1_ratio=0.5, solver="liblinear"), "Only 'saga' solver supports elasticnet"),
        (LogisticRegression(C=np.inf, solver="liblinear"), "not supported for the liblinear solver"),
        (LogisticRegression(dual=True), "supports only dual=False"),
        (LogisticRegression(l1_ratio=1.0, solver="liblinear", dual=True), "is not supported"),
        (LogisticRegression(intercept_scaling=0.0, solver="liblinear"), "intercept_scaling"),
        (LogisticRegression(max_iter=-1), "max_iter"),
    ],
    ids=str,
)
def test_classification(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(X, LABELS)


def test_one_class() -> None:
    with pytest.raises(ValueError, match="at least 2 classes"):
        LogisticRegression().fit(X, np.ones(30))


def test_liblinear_takes_two_classes() -> None:
    with pytest.raises(ValueError, match="does not support multiclass"):
        LogisticRegression(solver="liblinear").fit(X, np.arange(30) % 3)


def test_sparse_refusals() -> None:
    thin = sparse.csr_array(X)
    with pytest.raises(TypeError, match="SVD solver does not support sparse"):
        Ridge(solver="svd", fit_intercept=False).fit(thin, Y)
    with pytest.raises(ValueError, match="does not support fitting the intercept on sparse data"):
        Ridge(solver="cholesky").fit(thin, Y)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(), RidgeClassifier(), LogisticRegression()], ids=str)
def test_missing_values_are_named(model: Any) -> None:
    holed = X.copy()
    holed[4, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(holed, LABELS)


def test_overflowing_squares_are_named() -> None:
    with pytest.raises(ValueError, match="squares of the values in X or y overflow"):
        Ridge().fit(X * 1e200, Y)


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (LogisticRegression(max_iter=1), LABELS),
        (LogisticRegression(max_iter=1, solver="saga", l1_ratio=1.0, C=10.0), LABELS),
        (Ridge(1e-3, solver="lsqr", max_iter=1, tol=1e-10), Y),
    ],
    ids=str,
)
def test_warning_states_the_gap(model: Any, target: Any) -> None:
    with pytest.warns(ConvergenceWarning, match="certified to be within .* of its minimum"):
        model.fit(X, target)
    assert not model.converged_
    assert model.report_.check()


@pytest.mark.parametrize("limit", [1e-4, 1e-10, 1e-14])
@pytest.mark.parametrize("model", [LogisticRegression(), Ridge(), RidgeClassifier(), LinearRegression()], ids=str)
def test_gap_tol_is_honoured(model: Any, limit: float) -> None:
    target = Y if isinstance(model, Ridge | LinearRegression) else LABELS
    model.set_params(gap_tol=limit).fit(X, target)
    assert model.gap_ <= limit * model.report_["optimality gap"].witness["objective_at_zero"]
    assert model.converged_


def test_gap_tol_beyond_the_arithmetic_warns() -> None:
    with pytest.warns(ConvergenceWarning, match="more than gap_tol asks for"):
        Ridge(gap_tol=1e-300).fit(X, Y)
