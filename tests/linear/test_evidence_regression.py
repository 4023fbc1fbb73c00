"""Bayesian ridge and automatic relevance: stationary evidence, weights as repetition, honest deviations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn import linear_model

from certus.linear import ARDRegression, BayesianRidge, Ridge


def regression(seed: int, rows: int = 60, columns: int = 6, noise: float = 0.5) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.uniform(-0.5, 0.5, columns)
    coef = np.where(np.arange(columns) < 3, rng.normal(size=columns), 0.0)
    return X, X @ coef + 3.0 + noise * rng.normal(size=rows), coef


def log_evidence(X: Any, y: Any, alpha: float, precisions: Any) -> float:
    """Of targets without intercept, by their own normal distribution."""
    covariance = np.eye(len(X)) / alpha + (X / precisions) @ X.T
    return float(multivariate_normal(np.zeros(len(X)), covariance).logpdf(y))


@pytest.mark.parametrize("shape", [(60, 6), (12, 20)])
def test_the_precisions_are_where_the_evidence_is_stationary(shape: tuple[int, int]) -> None:
    X, y, _ = regression(1, *shape)
    none = {"alpha_1": 0.0, "alpha_2": 0.0, "lambda_1": 0.0, "lambda_2": 0.0, "fit_intercept": False}
    model = BayesianRidge(tol=1e-12, max_iter=100_000, compute_score=True, **none).fit(X, y)
    ones = np.ones(X.shape[1])
    best = log_evidence(X, y, model.alpha_, model.lambda_ * ones)
    assert model.scores_[-1] == pytest.approx(best, abs=1e-7)
    assert len(model.scores_) == model.n_iter_ + 1
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert log_evidence(X, y, factor * model.alpha_, model.lambda_ * ones) < best + 1e-9
        assert log_evidence(X, y, model.alpha_, factor * model.lambda_ * ones) < best + 1e-9
    sparse = ARDRegression(tol=1e-12, max_iter=100_000, threshold_lambda=1e8, **none).fit(X[:, :3], y)
    best = log_evidence(X[:, :3], y, sparse.alpha_, sparse.lambda_)
    for column in range(3):
        for factor in (0.9, 1.1):
            other = sparse.lambda_.copy()
            other[column] *= factor
            assert log_evidence(X[:, :3], y, sparse.alpha_, other) < best + 1e-9


def test_the_mean_is_ridge_and_both_agree_with_the_peer() -> None:
    X, y, _ = regression(2)
    for ours, theirs in (
        (BayesianRidge, linear_model.BayesianRidge),
        (ARDRegression, linear_model.ARDRegression),
    ):
        mine, other = ours(tol=1e-10, max_iter=5000).fit(X, y), theirs(tol=1e-10, max_iter=5000).fit(X, y)
        np.testing.assert_allclose(mine.coef_, other.coef_, rtol=1e-6, atol=1e-9)
        for one, another in zip(mine.predict(X, return_std=True), other.predict(X, return_std=True), strict=True):
            np.testing.assert_allclose(one, another, rtol=1e-6)
    model = BayesianRidge().fit(X, y)
    ridge = Ridge(alpha=model.lambda_ / model.alpha_).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)


@pytest.mark.parametrize("learner", [BayesianRidge, ARDRegression])
def test_a_weight_is_a_repetition_also_for_the_deviation(learner: type) -> None:
    X, y, _ = regression(3)
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = learner(tol=1e-11, max_iter=5000).fit(X, y, sample_weight=weights)
    repeated = learner(tol=1e-11, max_iter=5000).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for one, another in zip(weighted.predict(X, return_std=True), repeated.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-7)


def test_relevance_finds_the_columns_that_matter() -> None:
    X, y, coef = regression(4, rows=200, columns=40, noise=0.05)
    model = ARDRegression(threshold_lambda=1e3).fit(X, y)
    assert np.abs(model.coef_ - coef).max() < 0.05
    assert model.sigma_.shape == (int((model.lambda_ < 1e3).sum()),) * 2
    assert (model.coef_[3:] == 0).sum() > 20


@pytest.mark.parametrize("learner", [BayesianRidge, ARDRegression])
def test_the_deviation_is_that_of_new_rows(learner: type) -> None:
    """Standardized errors of 4000 new rows of 40 tables have variance 1, up to four standard errors and the plug-in."""
    squares = []
    for seed in range(40):
        X, y, _ = regression(seed, rows=400)
        mean, std = learner().fit(X[:300], y[:300]).predict(X[300:], return_std=True)
        squares.append(float((((y[300:] - mean) / std) ** 2).mean()))
    assert 0.9 < np.mean(squares) < 1.1


def test_offsets_and_single_precision_keep_their_digits() -> None:
    X, y, _ = regression(5)
    plain = BayesianRidge(tol=1e-10).fit(X, y)
    np.testing.assert_allclose(BayesianRidge(tol=1e-10).fit(X + 1e6, y + 1e6).coef_, plain.coef_, rtol=1e-6)
    single = BayesianRidge(tol=1e-10).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, plain.coef_, rtol=1e-4, atol=1e-6)


def test_an_exact_fit_and_a_constant_target() -> None:
    X, _, coef = regression(6)
    for learner in (BayesianRidge, ARDRegression):
        exact = learner(alpha_2=0.0).fit(X, X @ coef)
        np.testing.assert_allclose(exact.predict(X), X @ coef, atol=1e-6)
        constant = learner().fit(X, np.full(len(X), 7.0))
        np.testing.assert_allclose(constant.predict(X), 7.0, atol=1e-6)
    with pytest.warns(UserWarning, match="raise max_iter"):
        BayesianRidge(max_iter=2, tol=0.0).fit(X, X @ coef)
