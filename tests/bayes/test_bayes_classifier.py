"""Any density per class: against discriminant analysis, conjugate models, density estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from sklearn.neighbors import KernelDensity

from certus.bayes import BayesClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from certus.distributions import GaussianModel, MultivariateGaussian, MultivariateGaussianModel, PoissonModel


def clouds(classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    y = generator.integers(0, classes, 150)
    return generator.normal(size=(150, 2)) @ [[1.0, 0.4], [0.0, 1.0]] + np.column_stack([y, -y]), y


@pytest.mark.parametrize("classes", [2, 3])
def test_shared_covariance_is_linear_discriminant_analysis(classes: int) -> None:
    X, y = clouds(classes)
    ours, lda = BayesClassifier("shared_gaussian").fit(X, y), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), lda.predict_proba(X), rtol=1e-5)
    linear = ours.to_linear()
    np.testing.assert_allclose(linear.coef, lda.coef_, rtol=1e-5)
    np.testing.assert_allclose(linear.intercept, lda.intercept_, rtol=1e-5)


def test_two_classes_are_the_logistic_model() -> None:
    X, y = clouds(2)
    model = BayesClassifier("shared_gaussian").fit(X, y)
    coef, intercept = model.to_linear()
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(X @ coef[0] + intercept[0]), rtol=1e-9)
    mean, covariance = model.parameters_["mean"], model.parameters_["covariance"][0]
    inverse = np.linalg.inv(covariance)
    np.testing.assert_allclose(coef[0], inverse @ (mean[1] - mean[0]))
    prior = np.log(model.class_prior_[1] / model.class_prior_[0])
    np.testing.assert_allclose(intercept, -mean[1] @ inverse @ mean[1] / 2 + mean[0] @ inverse @ mean[0] / 2 + prior)


def test_gaussians_by_likelihood_are_quadratic_discriminant_analysis() -> None:
    X, y = clouds()
    model = BayesClassifier().fit(X, y)
    joint = np.column_stack(
        [MultivariateGaussian.fit(X[y == c]).log_density(X) + np.log((y == c).mean()) for c in range(3)]
    )
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-5)
    agree = model.predict(X) == QuadraticDiscriminantAnalysis().fit(X, y).predict(X)  # divisor n - 1 there
    assert agree.mean() > 0.97


@pytest.mark.parametrize("estimation", ["ml", "map", "predictive"])
def test_a_model_as_prior(estimation: str) -> None:
    X, y = clouds()
    prior = MultivariateGaussianModel([0.0, 0.0], 1.0, 4.0, np.eye(2))
    model = BayesClassifier(prior, estimation=estimation).fit(X, y)
    for c in range(3):
        law = getattr(prior.update(X[y == c]), estimation)
        expected = law.log_density(X) + np.log((y == c).mean())
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, c], expected)
    one = BayesClassifier(GaussianModel(0.0, 1.0, 1.0, 1.0), estimation=estimation).fit(X[:, :1], y)
    np.testing.assert_allclose(one.predict_proba(X[:, :1]).sum(axis=1), 1)


def test_predictives_know_less_than_estimates_from_few_rows() -> None:
    X, y = np.array([[0.0], [0.2], [5.0], [5.3]]), np.array([0, 0, 1, 1])
    sure = BayesClassifier(estimation="map").fit(X, y).predict_proba([[20.0]]).max()
    honest = BayesClassifier(estimation="predictive").fit(X, y).predict_proba([[20.0]]).max()
    assert honest < sure


def test_density_estimators_are_cloned_per_class() -> None:
    X, y = clouds()
    model = BayesClassifier(KernelDensity(bandwidth=0.7)).fit(X, y)
    for c in range(3):
        expected = KernelDensity(bandwidth=0.7).fit(X[y == c]).score_samples(X) + np.log((y == c).mean())
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, c], expected)
    assert model.sample(4, label=1)[0].shape == (4, 2)


def test_weights_are_repetitions() -> None:
    X, y = clouds()
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    for density in ("gaussian", "shared_gaussian", "diagonal_gaussian"):
        one = BayesClassifier(density).fit(X, y, weights)
        other = BayesClassifier(density).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9)


def test_draws_come_from_the_classes() -> None:
    X, y = clouds()
    model = BayesClassifier().fit(X, y)
    rows, labels = model.sample(20_000, random_state=0)
    for c in range(3):
        assert abs((labels == c).mean() - model.class_prior_[c]) < 6 * np.sqrt(0.25 / 20_000)
        slack = 6 * np.sqrt(np.diag(model.parameters_["covariance"][c]) / (labels == c).sum())
        assert (np.abs(rows[labels == c].mean(axis=0) - model.parameters_["mean"][c]) <= slack).all()
    only, same = model.sample(5, label=2, random_state=1)
    assert only.shape == (5, 2)
    assert (same == 2).all()
    counts = BayesClassifier("multinomial", estimation="map").fit([[3, 0], [0, 4]], [0, 1])
    assert counts.sample(3, length=7)[0].sum(axis=1).tolist() == [7, 7, 7]
    waits = BayesClassifier(PoissonModel(1.0, 1.0), estimation="predictive").fit([[3], [0], [4]], [0, 1, 0])
    assert (waits.sample(10, random_state=0)[0] >= 0).all()


def test_multinomial_by_likelihood_excludes_unseen_words() -> None:
    X, y = [[3, 0, 1], [0, 4, 1]], [0, 1]
    assert BayesClassifier("multinomial").fit(X, y).predict_joint_log_proba([[1, 0, 0]])[0, 1] == -np.inf
    assert np.isfinite(
        BayesClassifier("multinomial", estimation="map").fit(X, y).predict_joint_log_proba([[1, 0, 0]])
    ).all()
    predictive = BayesClassifier("multinomial", estimation="predictive").fit(X, y)
    np.testing.assert_allclose(predictive.predict_proba([[1, 0, 0], [0, 0, 0]]).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X, y: BayesClassifier("circle").fit(X, y), "density"),
        (lambda X, y: BayesClassifier("shared_gaussian", estimation="map").fit(X, y), "estimation must be 'ml'"),
        (lambda X, y: BayesClassifier(GaussianModel(0, 1, 1, 1)).fit(X, y), "with one column"),
        (lambda X, y: BayesClassifier().fit(X, y).to_linear(), "not linear"),
        (lambda X, y: BayesClassifier().fit(X, y).sample(2, label="z"), "label must be one of"),
        (lambda X, y: BayesClassifier("multinomial").fit(X, y), "needs counts"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    X, y = clouds()
    with pytest.raises(ValueError, match=message):
        make(X, y)
