"""Maximum likelihood and maximum a posteriori of any log-density, and what they are in linear models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, gammaln

from certus.distributions import Categorical, Gaussian, maximum_a_posteriori, maximum_likelihood
from certus.linear import Lasso, Ridge

ROWS = np.array([0, 1, 1, 2, 2, 2, 0, 1])


def test_normal_likelihood_has_gradient_zero_at_the_closed_form() -> None:
    rows = np.random.default_rng(0).normal(2, 3, size=50)

    def log_density(x: np.ndarray, theta: np.ndarray) -> np.ndarray:
        return -theta[1] - 0.5 * ((x - theta[0]) / np.exp(theta[1])) ** 2

    found = maximum_likelihood(log_density, rows, [0.0, 0.0])
    assert found.converged
    assert found.gradient_norm < 1e-6
    assert np.linalg.eigvalsh(found.hessian)[-1] < 0
    exact = Gaussian.fit(rows)
    np.testing.assert_allclose([found.theta[0], np.exp(2 * found.theta[1])], [exact.mean, exact.variance], rtol=1e-5)


def test_lagrange_condition_of_a_categorical_likelihood() -> None:
    found = maximum_likelihood(lambda x, p: np.log(p[x]), ROWS, [0.2, 0.3, 0.5], domain="simplex")
    np.testing.assert_allclose(found.theta, Categorical.fit(ROWS).p, atol=1e-6)
    assert found.multiplier == pytest.approx(8, rel=1e-4)  # n: the derivatives n_i / theta_i are all equal
    assert found.converged


def test_dirichlet_prior_gives_its_mode() -> None:
    found = maximum_a_posteriori(
        lambda x, p: np.log(p[x]), lambda p: float(np.log(p).sum()), ROWS, [0.2, 0.3, 0.5], domain="simplex"
    )
    np.testing.assert_allclose(found.theta, [3 / 11, 4 / 11, 4 / 11], atol=1e-6)


def test_weights_are_repetitions() -> None:
    weights = np.array([0, 1, 2, 3, 1, 1, 0, 2])
    one = maximum_likelihood(lambda x, t: x * t[0] - np.exp(t[0]), ROWS, [0.0], weights=weights)
    other = maximum_likelihood(lambda x, t: x * t[0] - np.exp(t[0]), np.repeat(ROWS, weights), [0.0])
    assert one.theta[0] == pytest.approx(other.theta[0], rel=1e-6)
    assert np.exp(one.theta[0]) == pytest.approx(np.average(ROWS, weights=weights), rel=1e-6)


def linear_problem() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    X = generator.normal(size=(40, 3))
    return X, X @ [1.0, -2.0, 0.3] + generator.normal(scale=0.5, size=40)


def test_a_normal_prior_is_ridge_regression() -> None:
    X, y = linear_problem()
    noise, spread = 0.25, 0.1  # sigma^2 and tau^2: n lambda = sigma^2 / tau^2
    table = np.column_stack([X, y])
    found = maximum_a_posteriori(
        lambda rows, w: -((rows[:, 3] - rows[:, :3] @ w) ** 2) / (2 * noise),
        lambda w: -float(w @ w) / (2 * spread),
        table,
        np.zeros(3),
    )
    np.testing.assert_allclose(found.theta, Ridge(alpha=noise / spread, fit_intercept=False).fit(X, y).coef_, atol=1e-5)


def test_a_laplace_prior_is_the_lasso() -> None:
    X, y = linear_problem()
    noise, width = 0.25, 0.05
    coef = Lasso(alpha=noise / (width * len(y)), fit_intercept=False, tol=1e-12).fit(X, y).coef_

    def log_posterior(w: np.ndarray) -> float:
        return float(-((y - X @ w) ** 2).sum() / (2 * noise) - np.abs(w).sum() / width)

    generator = np.random.default_rng(0)
    best = log_posterior(coef)
    assert all(
        log_posterior(coef + generator.normal(scale=s, size=3)) < best for s in (1e-3, 1e-2, 1) for _ in range(50)
    )


def test_excess_log_risk_is_the_divergence() -> None:
    truth, model = Gaussian(0.0, 1.0), Gaussian(0.3, 1.5)
    drawn = truth.sample(40_000, random_state=0)
    excess = truth.log_density(drawn) - model.log_density(drawn)  # R(model) - R(truth), R = -E log p
    assert abs(excess.mean() - truth.kl(model)) <= 6 * excess.std() / 200


def test_sigmoid_identities() -> None:
    z = np.linspace(-30, 30, 601)
    np.testing.assert_allclose(expit(-z), 1 - expit(z), atol=1e-15)
    slope = (expit(z + 1e-5) - expit(z - 1e-5)) / 2e-5
    np.testing.assert_allclose(slope, expit(z) * expit(-z), atol=1e-9)
    # The posterior of two normal classes with one variance is a sigmoid of a line.
    a, b = Gaussian(0.0, 2.0), Gaussian(1.0, 2.0)
    x = np.linspace(-3, 3, 7)
    posterior = 0.7 * b.density(x) / (0.7 * b.density(x) + 0.3 * a.density(x))
    np.testing.assert_allclose(posterior, expit(x / 2 - 1 / 4 + np.log(0.7 / 0.3)))


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="domain must be"):
        maximum_likelihood(lambda x, t: x, ROWS, [0.0], domain="circle")
    with pytest.raises(ValueError, match="finite at the start"):
        maximum_likelihood(lambda x, t: x * np.nan, ROWS, [0.0])
    with pytest.raises(ValueError, match="positive probabilities"):
        maximum_likelihood(lambda x, p: gammaln(p[x]), ROWS, [0.5, 0.6, 0.2], domain="simplex")
