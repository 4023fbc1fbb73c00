"""Diffusions, the Fokker-Planck equation, discretization, and exact Bayesian regression."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from certus.linear import Ridge
from certus.sampling import (
    BayesianLinearRegression,
    Target,
    brownian_motion,
    discretization_bias,
    euler_maruyama,
    fokker_planck,
    langevin,
    ula_distance_bound,
    ula_variance,
)


def test_brownian_motion_has_variance_t_and_independent_increments() -> None:
    times = np.array([0.0, 0.3, 1.0, 4.0])
    paths = brownian_motion(times, paths=20_000, random_state=0)[:, :, 0]
    slack = 6 * np.sqrt(2 / 20_000)
    np.testing.assert_allclose(paths.var(axis=0), times, rtol=slack)
    steps = np.diff(paths, axis=1)
    assert np.abs(np.corrcoef(steps.T) - np.eye(3)).max() < 6 / np.sqrt(20_000)
    assert (paths[:, 0] == 0).all()


def test_langevin_paths_follow_the_ornstein_uhlenbeck_law() -> None:
    s2, m0, time = 2.0, 3.0, 1.5
    times = np.linspace(0, time, 301)
    paths = langevin(lambda x: x / s2, [m0], times, paths=20_000, random_state=0)[:, -1, 0]
    mean, variance = m0 * np.exp(-time / s2), s2 * (1 - np.exp(-2 * time / s2))
    assert abs(paths.mean() - mean) < 6 * np.sqrt(variance / 20_000) + 0.01
    assert paths.var() == pytest.approx(variance, rel=6 * np.sqrt(2 / 20_000) + 0.01)


def test_one_langevin_step_is_a_step_of_ula() -> None:
    times, x = np.array([0.0, 0.1]), np.array([2.0])
    noise = np.random.default_rng(0)
    moved = langevin(lambda t: t, x, times, random_state=np.random.default_rng(1))[0, 1, 0]
    increment = (moved - (2.0 - 0.1 * 2.0)) / np.sqrt(2 * 0.1)
    assert np.isfinite(increment)
    without_noise = euler_maruyama(lambda t, _: -t, 0.0, x, times, random_state=noise)[0, 1, 0]
    assert without_noise == pytest.approx(2.0 - 0.1 * 2.0)  # gradient descent


def test_geometric_brownian_motion_has_its_mean() -> None:
    times = np.linspace(0, 1, 201)
    paths = euler_maruyama(lambda x, t: 0.5 * x, lambda x, t: 0.3 * x, [1.0], times, paths=20_000, random_state=0)[
        :, -1, 0
    ]
    assert abs(paths.mean() - np.exp(0.5)) < 6 * paths.std() / np.sqrt(20_000) + 2e-3


def test_fokker_planck_keeps_mass_and_reaches_the_target() -> None:
    x = np.linspace(-4, 4, 161)
    width = x[1] - x[0]
    target = np.exp(-((x**2 - 2) ** 2) / 2)
    start = stats.norm.pdf(x, 1.5, 0.3)
    found = fokker_planck(lambda x: 2 * x * (x**2 - 2), x, start, [0.0, 0.5, 3.0, 25.0])
    np.testing.assert_allclose(found.sum(axis=1), start.sum(), rtol=1e-9)
    assert (found >= -1e-15).all()
    np.testing.assert_allclose(found[-1] / found[-1].sum(), target / target.sum(), atol=2e-3)
    # The target itself does not move.
    again = fokker_planck(lambda x: 2 * x * (x**2 - 2), x, target, [1.0])
    np.testing.assert_allclose(again[0], target, atol=2e-3 * target.max())
    assert width == pytest.approx(0.05)


def test_fokker_planck_in_a_steep_potential_ends_in_its_lowest_cell() -> None:
    x = np.linspace(-1, 1, 21)
    (q,) = fokker_planck(lambda x: 1e5 * x, x, np.ones(21), [1.0])
    np.testing.assert_allclose(q, np.where(np.abs(x) < 0.01, 21.0, 0.0), atol=1e-9)


def test_fokker_planck_follows_the_ornstein_uhlenbeck_law() -> None:
    s2, m0, v0 = 2.0, 1.0, 0.25
    x = np.linspace(-7, 7, 201)
    for t, q in zip(
        (0.5, 2.0), fokker_planck(lambda x: x / s2, x, stats.norm.pdf(x, m0, np.sqrt(v0)), [0.5, 2.0]), strict=True
    ):
        mean = float((x * q).sum() / q.sum())
        variance = float((x**2 * q).sum() / q.sum()) - mean**2
        assert mean == pytest.approx(m0 * np.exp(-t / s2), rel=1e-3)
        assert variance == pytest.approx(s2 + (v0 - s2) * np.exp(-2 * t / s2), rel=2e-3)


def test_discretization_bias_is_exact_for_normal_targets() -> None:
    precision = np.array([[2.0, 0.5], [0.5, 1.0]])
    target = Target(lambda t: -0.5 * float(t @ precision @ t), lambda t: -precision @ t, dim=2)
    found = discretization_bias(target, 0.3)
    values = np.linalg.eigvalsh(precision)
    np.testing.assert_allclose(found.inflation, [ula_variance(1 / v, 0.3) * v - 1 for v in values], rtol=1e-5)
    with pytest.raises(ValueError, match="step_size must be below"):
        discretization_bias(target, 2.0)


def test_distance_bound_holds_for_a_normal_target_where_the_distance_is_known() -> None:
    variances = np.array([1.0, 0.25])  # m = 1, L = 4
    target = Target(
        lambda t: -0.5 * float((t**2 / variances).sum()),
        lambda t: -t / variances,
        dim=2,
        strong_convexity=1.0,
        smoothness=4.0,
    )
    start = np.array([3.0, -2.0])
    for eta in (0.01, 0.1, 0.4):
        mean, spread = start.copy(), np.zeros(2)
        for k in range(200):
            # Both laws are normal with diagonal covariance: W2^2 = |means|^2 + |stds|^2 differences.
            distance = np.sqrt((mean**2).sum() + ((np.sqrt(spread) - np.sqrt(variances)) ** 2).sum())
            assert distance <= ula_distance_bound(target, eta, k, start, np.zeros(2)) + 1e-12
            factor = 1 - eta / variances
            mean, spread = factor * mean, factor**2 * spread + 2 * eta
    with pytest.raises(ValueError, match="at most 2"):
        ula_distance_bound(target, 0.5, 1, start, np.zeros(2))


def regression_table() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(25, 2))
    return X, X @ [1.0, -0.5] + 3 + generator.normal(scale=0.4, size=25)


def test_posterior_mean_is_ridge_regression() -> None:
    X, y = regression_table()
    for intercept in (True, False):
        model = BayesianLinearRegression(prior_precision=2.0, fit_intercept=intercept).fit(X, y)
        ridge = Ridge(alpha=2.0, fit_intercept=intercept).fit(X, y)
        np.testing.assert_allclose(model.coef_, ridge.coef_)
        np.testing.assert_allclose(model.intercept_, ridge.intercept_)


def test_evidence_without_intercept_is_a_multivariate_student_density() -> None:
    X, y = regression_table()
    model = BayesianLinearRegression(prior_precision=0.7, shape=1.5, scale=0.8, fit_intercept=False).fit(X, y)
    shape_matrix = 0.8 / 1.5 * (np.eye(25) + X @ X.T / 0.7)
    exact = stats.multivariate_t.logpdf(y, np.zeros(25), shape_matrix, df=3.0)
    assert model.log_evidence_ == pytest.approx(exact)


def test_a_flat_intercept_is_the_limit_of_a_wide_prior() -> None:
    X, y = regression_table()
    model = BayesianLinearRegression(prior_precision=0.7, shape=1.5, scale=0.8).fit(X, y)
    wide = 1e6  # prior variance of the intercept, in units of s2
    cover = 0.8 / 1.5 * (np.eye(25) + X @ X.T / 0.7 + wide)
    exact = stats.multivariate_t.logpdf(y, np.zeros(25), cover, df=3.0)
    # The flat prior has density 1 where the wide one has 1 / sqrt(2 pi wide s2).
    x = np.array([[0.3, 1.2]])
    joined = np.vstack([X, x])
    cover = 0.8 / 1.5 * (np.eye(26) + joined @ joined.T / 0.7 + wide)
    inverse = np.linalg.inv(cover[:25, :25])
    mean = cover[25, :25] @ inverse @ y
    np.testing.assert_allclose(model.predict(x)[0], mean, rtol=1e-4)
    df = 3.0 + 25
    spread = (3.0 + y @ inverse @ y) / df * (cover[25, 25] - cover[25, :25] @ inverse @ cover[:25, 25])
    df_flat = 2 * model.shape_  # one degree less: the flat intercept takes it
    _, std = model.predict(x, return_std=True)
    assert df_flat == df - 1
    assert std[0] == pytest.approx(np.sqrt(spread * df / df_flat * df_flat / (df_flat - 2)), rel=2e-2)
    assert np.isfinite(exact)


def test_intervals_hold_new_targets_as_often_as_they_say() -> None:
    generator = np.random.default_rng(1)
    hits = []
    for _ in range(1500):
        s2 = 1 / generator.gamma(3.0, 1 / 2.0)
        w = generator.normal(0, np.sqrt(s2), 2)
        X = generator.normal(size=(9, 2))
        y = X @ w + 1.7 + generator.normal(0, np.sqrt(s2), 9)
        low, high = BayesianLinearRegression(shape=3.0, scale=2.0).fit(X[:8], y[:8]).interval(X[8:], 0.8)[0]
        hits.append(low <= y[8] <= high)
    assert abs(np.mean(hits) - 0.8) < 6 * np.sqrt(0.16 / 1500)


def test_weights_are_repetitions() -> None:
    X, y = regression_table()
    weights = np.arange(25) % 3
    one, other = (
        BayesianLinearRegression().fit(X, y, weights),
        BayesianLinearRegression().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)),
    )
    assert one.log_evidence_ == pytest.approx(other.log_evidence_)
    np.testing.assert_allclose(one.predict(X, return_std=True)[1], other.predict(X, return_std=True)[1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: brownian_motion([1.0, 0.5]), "times must be"),
        (lambda: fokker_planck(lambda x: x, [0, 1, 3], [1, 1, 1], [1]), "equidistant"),
        (lambda: fokker_planck(lambda x: x, [0, 1, 2], [1, -1, 1], [1]), "not negative"),
        (lambda: fokker_planck(lambda x: x * np.nan, [0, 1, 2], [1, 1, 1], [1]), "gradient must give 2 finite"),
        (lambda: fokker_planck(lambda x: 1.0, [0, 1, 2], [1, 1, 1], [1]), "gradient must give 2 finite"),
        (lambda: fokker_planck(lambda x: x, [0, 1, 2], [1, 1, 1], [np.nan]), "times must be finite"),
        (lambda: brownian_motion([1.0], paths=-1), "paths must be"),
        (lambda: brownian_motion([1.0], dim=0), "dim must be"),
        (lambda: BayesianLinearRegression().fit([[1.0], [2.0]], [1, 2]).interval([[1.0]], 1.5), "level must be"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
