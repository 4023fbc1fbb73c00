"""Variational mixtures: the ELBO never falls, is exact for one component, and agrees with a plain twin."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, multigammaln
from sklearn import mixture as namesakes
from sklearn.exceptions import ConvergenceWarning

from certus.mixture import BayesianGaussianMixture

KINDS = ("full", "tied", "diag", "spherical")
PRIORS = ("dirichlet_process", "dirichlet_distribution")
every_kind = pytest.mark.parametrize("kind", KINDS)
every_prior = pytest.mark.parametrize("prior", PRIORS)
NAME = "gain of one more EM step"


def blobs(seed: int, rows: int = 60, width: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)) @ rng.normal(size=(width, width)) + 6.0 * rng.integers(0, 3, (rows, 1))


def fitted(X: np.ndarray, **options: object) -> BayesianGaussianMixture:
    weights = options.pop("sample_weight", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BayesianGaussianMixture(**options).fit(X, sample_weight=weights)


@every_kind
@every_prior
def test_the_elbo_never_falls_and_the_plain_twin_agrees(kind: str, prior: str) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X = blobs(seed, rows=int(rng.integers(12, 60)), width=int(rng.integers(1, 4)))
        weights = rng.integers(0, 3, len(X)) + rng.uniform(0.1, 1, len(X)) if seed % 2 else np.ones(len(X))
        if seed % 3 == 0 and X.shape[1] > 1:
            X[rng.uniform(size=X.shape) < 0.2] = np.nan
            X[0] = 0.0
        options = {"covariance_type": kind, "weight_concentration_prior_type": prior, "init_params": "random"}
        model = fitted(
            X, n_components=3, reg_covar=0.0, max_iter=8, tol=0, random_state=seed, sample_weight=weights, **options
        )
        assert (np.diff(model.history_) > -1e-10 * (1 + np.abs(model.history_[:-1]))).all()
        assert model.report_[NAME].check((X, weights))
        with_more = fitted(X, reg_covar=0.1, max_iter=3, **options)
        assert with_more.report_[NAME].check(X)


def _evidence(X: np.ndarray, kind: str) -> float:
    """ln p(rows) of one component under the default prior, in closed form."""
    n, p = X.shape
    away = X - X.mean(axis=0)  # the mean of the rows is that of the prior
    if kind in ("full", "tied"):
        before, after = np.cov(X.T), np.cov(X.T) + away.T @ away
        found = multigammaln(0.5 * (p + n), p) - multigammaln(0.5 * p, p) - 0.5 * n * p * np.log(np.pi)
        found += 0.5 * p * np.linalg.slogdet(before)[1] - 0.5 * (p + n) * np.linalg.slogdet(after)[1]
        return float(found - 0.5 * p * np.log(n + 1))
    many = p if kind == "spherical" else 1  # columns that share a variance
    variances = X.var(axis=0, ddof=1)
    before = np.array([variances.mean() * p]) if many > 1 else variances
    after = before + ((away**2).sum() if many > 1 else (away**2).sum(axis=0))
    found = gammaln(0.5 * many * (p + n)) - gammaln(0.5 * many * p) - 0.5 * n * many * np.log(np.pi)
    found += 0.5 * many * p * np.log(before) - 0.5 * many * (p + n) * np.log(after)
    return float(found.sum() - 0.5 * p * np.log(n + 1))


@every_kind
def test_of_one_component_the_elbo_is_the_evidence(kind: str) -> None:
    X = blobs(1, rows=15, width=2)
    model = fitted(
        X, covariance_type=kind, weight_concentration_prior_type="dirichlet_distribution", reg_covar=0.0, tol=1e-12
    )
    assert_allclose(model.lower_bound_ * len(X), _evidence(X, kind), rtol=1e-10)


@every_kind
@every_prior
def test_optima_are_those_of_the_namesake_up_to_its_digammas(kind: str, prior: str) -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(center, 1.0, (80, 2)) for center in (0.0, 10.0, 20.0)])
    options = {"n_components": 3, "covariance_type": kind, "weight_concentration_prior_type": prior, "tol": 1e-9}
    ours = BayesianGaussianMixture(**options, max_iter=500, random_state=0).fit(X)
    theirs = namesakes.BayesianGaussianMixture(**options, max_iter=500, random_state=0).fit(X)
    order, other = np.argsort(ours.means_[:, 0]), np.argsort(theirs.means_[:, 0])
    assert_allclose(ours.means_[order], theirs.means_[other], rtol=1e-5)
    assert_allclose(ours.mean_precision_[order], theirs.mean_precision_[other], rtol=1e-5)
    each = (order, other) if kind != "tied" else (slice(None), slice(None))
    assert_allclose(ours.covariances_[each[0]], theirs.covariances_[each[1]], rtol=1e-4)
    assert_allclose(np.sort(ours.weights_), np.sort(theirs.weights_), rtol=1e-3 if prior == PRIORS[1] else 0.05)


@every_prior
def test_components_that_nobody_needs_are_left_empty(prior: str) -> None:
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(center, 1.0, (100, 2)) for center in (0.0, 12.0)])
    options = {"weight_concentration_prior": 1e-3, "weight_concentration_prior_type": prior}
    model = fitted(X, n_components=8, max_iter=1000, random_state=0, **options)
    assert (model.weights_ > 0.02).sum() == 2


@every_kind
def test_weights_are_repetitions(kind: str) -> None:
    X = blobs(5, rows=30)
    weights = np.random.default_rng(5).integers(0, 3, 30).astype(float)
    options = {"n_components": 2, "covariance_type": kind, "random_state": 0, "max_iter": 20}
    weighted = fitted(X, sample_weight=weights, **options)
    repeated = fitted(np.repeat(X, weights.astype(int), axis=0), **options)
    assert_allclose(weighted.means_, repeated.means_, rtol=1e-8)
    assert_allclose(weighted.lower_bound_, repeated.lower_bound_, rtol=1e-10)


@every_kind
def test_singular_tables(kind: str) -> None:
    X = np.column_stack([np.ones(20), np.random.default_rng(9).normal(size=20)])
    model = fitted(X, n_components=2, covariance_type=kind, random_state=0)
    assert np.isfinite(model.history_).all()
    if kind != "spherical":
        with pytest.raises(ValueError, match="covariance is regular"):
            fitted(X, covariance_type=kind, reg_covar=0.0)


def test_warm_starts_go_on() -> None:
    X = blobs(6)
    options = {"n_components": 3, "random_state": 0, "reg_covar": 0.0, "tol": 0.0}
    once = fitted(X, max_iter=6, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        twice = BayesianGaussianMixture(max_iter=3, warm_start=True, **options).fit(X).fit(X)
    assert_allclose(twice.means_, once.means_, rtol=1e-8)
    assert_allclose(twice.lower_bound_, once.lower_bound_, rtol=1e-10)


def test_missing_cells_are_imputed_and_scored() -> None:
    rng = np.random.default_rng(7)
    X = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 300)
    model = fitted(X, random_state=0)
    filled = model.impute([[1.0, np.nan]])
    assert_allclose(filled, [[1.0, 0.9]], atol=0.1)
    assert np.isfinite(model.score_samples([[np.nan, 1.0], [np.nan, np.nan]])).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"degrees_of_freedom_prior": 1.0}, "degrees_of_freedom_prior"),
        ({"mean_prior": [0.0]}, "means"),
        ({"covariance_prior": [[1.0, 2.0], [2.0, 1.0]]}, "positive-definite"),
        ({"covariance_prior": [1.0, -1.0], "covariance_type": "diag"}, "positive"),
        ({"weight_concentration_prior": 0.0}, "weight_concentration_prior"),
        ({"n_components": 9}, "n_samples >= n_components"),
    ],
)
def test_refusals(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        BayesianGaussianMixture(**options).fit(blobs(8, rows=8))
