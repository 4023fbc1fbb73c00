"""Linear and quadratic discriminant analysis against their definitions, written out slowly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.linalg import LinAlgError
from scipy.special import expit
from scipy.stats import multivariate_normal
from sklearn.covariance import EmpiricalCovariance, ledoit_wolf

from certus.bayes import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from certus.bayes.estimation.class_covariance import ledoit_wolf as our_ledoit_wolf


def sample(seed: int, classes: int, columns: int, rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(classes), columns + 3), rng.integers(0, classes, rows)])
    mix = rng.normal(size=(columns, columns)) + 2.0 * np.eye(columns)
    return rng.normal(size=(len(y), columns)) @ mix + rng.normal(size=(classes, columns))[y] + 5.0, y


def moments(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Prior, mean and covariance of each class."""
    found = []
    for label in np.unique(y):
        rows, share = X[y == label], weights[y == label]
        mean = np.average(rows, axis=0, weights=share)
        covariance = np.atleast_2d(np.cov(rows.T, aweights=share, ddof=0))
        found.append((share.sum() / weights.sum(), mean, covariance))
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 6), st.sampled_from(["svd", "lsqr", "eigen"]))
def test_linear_posteriors_are_bayes_rule(seed: int, classes: int, columns: int, solver: str) -> None:
    X, y = sample(seed, classes, columns)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    model = LinearDiscriminantAnalysis(solver=solver, tol=0.0).fit(X, y, sample_weight=weights)
    parts = moments(X, y, weights)
    pooled = sum(prior * covariance for prior, _, covariance in parts)
    joint = np.stack([prior * multivariate_normal(mean, pooled).pdf(X) for prior, mean, _ in parts], axis=1)
    assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-6, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 6), st.sampled_from(["svd", "eigen"]))
def test_quadratic_posteriors_are_bayes_rule(seed: int, classes: int, columns: int, solver: str) -> None:
    X, y = sample(seed, classes, columns)
    weights = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    model = QuadraticDiscriminantAnalysis(solver=solver, tol=0.0).fit(X, y, sample_weight=weights)
    parts = moments(X, y, weights)
    joint = np.stack([p * multivariate_normal(mean, covariance).pdf(X) for p, mean, covariance in parts], axis=1)
    assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-6, atol=1e-9)


def test_two_classes_with_shared_covariance_are_the_logistic_model() -> None:
    X, y = sample(3, 2, 4, rows=200)
    (p0, m0, S0), (p1, m1, S1) = moments(X, y, np.ones(len(y)))
    inverse = np.linalg.inv(p0 * S0 + p1 * S1)
    theta = inverse @ (m1 - m0)
    intercept = -0.5 * m1 @ inverse @ m1 + 0.5 * m0 @ inverse @ m0 + np.log(p1 / p0)
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.coef_[0], theta, rtol=1e-8)
    assert_allclose(model.intercept_, intercept, rtol=1e-8)
    assert_allclose(model.predict_proba(X)[:, 1], expit(X @ theta + intercept), rtol=1e-8, atol=1e-12)


def test_a_nearly_singular_table_goes_by_the_singular_values() -> None:
    X, y = sample(0, 3, 4)
    X = np.column_stack([X, X[:, 0] + 1e-7 * np.random.default_rng(0).normal(size=len(X))])
    model = LinearDiscriminantAnalysis().fit(X, y)
    without = LinearDiscriminantAnalysis().fit(X[:, :4], y)
    assert_allclose(model.predict_proba(X), without.predict_proba(X[:, :4]), atol=1e-5)


def test_ledoit_wolf_is_scikit_learns() -> None:
    X, _ = sample(1, 2, 7)
    centered = X - X.mean(axis=0)
    assert_allclose(our_ledoit_wolf(centered, np.ones(len(X))), ledoit_wolf(X)[0], rtol=1e-10)


def test_far_from_zero_nothing_is_lost() -> None:
    X, y = sample(2, 3, 3)
    near, far = LinearDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis().fit(X + 1e6, y)
    assert_allclose(far.predict_proba(X + 1e6), near.predict_proba(X), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_refusals(learner: type) -> None:
    X, y = sample(0, 2, 3)
    with pytest.raises(ValueError, match=r"covariance.estimator.*not supported with.*svd"):
        learner(covariance_estimator=EmpiricalCovariance()).fit(X, y)
    with pytest.raises(NotImplementedError, match="shrinkage not supported with 'svd' solver"):
        learner(shrinkage="auto").fit(X, y)
    with pytest.raises(ValueError, match=r"'priors' parameter .* has shape"):
        learner(priors=[0.2, 0.3, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight cannot be combined with covariance_estimator"):
        learner(solver="eigen", covariance_estimator=EmpiricalCovariance()).fit(X, y, sample_weight=y + 1.0)
    with pytest.raises(ValueError, match="parameters are not None"):
        learner(solver="eigen", covariance_estimator=EmpiricalCovariance(), shrinkage=0.5).fit(X, y)


def test_a_class_without_spread_is_named() -> None:
    X, y = sample(0, 2, 3)
    X[y == 1, 2] = 4.0
    with pytest.raises(LinAlgError, match="covariance matrix of class 1 is not full rank"):
        QuadraticDiscriminantAnalysis().fit(X, y)
    with pytest.raises(ValueError, match="number of samples must be more than the number of classes"):
        LinearDiscriminantAnalysis().fit(X[:2], [0, 1])
