"""Tweedie regression: optimal for convex powers, stationary for others, with gaps that hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.metrics import d2_tweedie_score

from certus.linear import GammaRegressor, PoissonRegressor, Ridge, TweedieRegressor
from certus.losses import tweedie_loss

CONVEX = [(1.0, "log"), (1.2, "log"), (1.5, "log"), (1.9, "log"), (2.0, "log"), (0.0, "identity")]
OTHERS = [(0.0, "log"), (3.0, "log"), (-1.0, "log"), (1.0, "identity"), (1.5, "identity"), (2.0, "identity")]


def _data(seed=0, rows=50, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.1, 1.0, size=(rows, columns))
    mean = 0.5 + X @ rng.uniform(0.2, 1.0, columns)
    return X, rng.gamma(2.0, mean / 2.0) + 1e-3, rng.uniform(0.5, 2.0, rows)


def _objective(X, y, weights, loss, strength):
    def value_and_gradient(both):
        scores = X @ both[:-1] + both[-1]
        slopes = weights * loss.derivative(y, scores)
        gradient = np.append(X.T @ slopes + strength * both[:-1], slopes.sum())
        return float(weights @ loss.value(y, scores) + 0.5 * strength * both[:-1] @ both[:-1]), gradient

    return value_and_gradient


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("power", "link"), CONVEX)
@pytest.mark.parametrize("alpha", [1e-6, 0.1])
def test_the_gap_is_true_and_small(power, link, alpha, form):
    X, y, weights = _data()
    if 1.0 <= power < 2.0:
        y[:20] = 0.0
    model = TweedieRegressor(power=power, link=link, alpha=alpha).fit(form(X), y, sample_weight=weights)
    objective = _objective(X, y, weights, tweedie_loss(power, link), alpha * weights.sum())
    start = np.zeros(X.shape[1] + 1)
    start[-1] = tweedie_loss(power, link).best_constant(y, weights)
    best = optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options={"ftol": 0.0, "gtol": 1e-12}).fun
    reached = objective(np.append(model.coef_, model.intercept_))[0]
    assert reached - best <= model.gap_ * (1.0 + 1e-9) + 1e-12 * abs(best)
    assert model.gap_ <= 1e-9 * objective(start)[0]
    assert model.converged_
    if form is np.asarray and alpha == 0.1:
        model.report_.check((X, y, weights))


@pytest.mark.parametrize(("power", "link"), OTHERS)
def test_other_powers_reach_a_stationary_point(power, link):
    X, y, weights = _data(1)
    model = TweedieRegressor(power=power, link=link, alpha=0.01, max_iter=500).fit(X, y, sample_weight=weights)
    objective = _objective(X, y, weights, tweedie_loss(power, link), 0.01 * weights.sum())
    value, gradient = objective(np.append(model.coef_, model.intercept_))
    assert np.abs(gradient).max() <= 2e-4 * weights.sum()
    assert value <= model.gap_ * (1.0 + 1e-9)
    model.report_.check((X, y, weights))


def test_special_powers_are_the_other_learners():
    X, y, weights = _data(2)
    for power, other in ((1.0, PoissonRegressor()), (2.0, GammaRegressor())):
        model = TweedieRegressor(power=power).fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(model.coef_, other.fit(X, y, sample_weight=weights).coef_)
        assert model.report_[0].inputs == other.report_[0].inputs
    model = TweedieRegressor(power=0.0, alpha=0.3).fit(X, y)
    np.testing.assert_allclose(model.coef_, Ridge(alpha=0.3 * len(y)).fit(X, y).coef_, rtol=1e-6)


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0, 3.0])
def test_score_is_the_share_of_the_deviance(power):
    X, y, weights = _data(3)
    model = TweedieRegressor(power=power, alpha=0.01).fit(X, y)
    expected = d2_tweedie_score(y, model.predict(X), sample_weight=weights, power=power)
    assert model.score(X, y, sample_weight=weights) == pytest.approx(expected)


def test_refusals():
    X = np.eye(4)
    with pytest.raises(ValueError, match="power"):
        TweedieRegressor(power=0.5).fit(X, [1.0, 2.0, 1.0, 1.0])
    with pytest.raises(ValueError, match=r"needs y greater than 0, row 3 has 0"):
        TweedieRegressor(power=2.0).fit(X, [1.0, 2.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="mean of y must be positive"):
        TweedieRegressor(power=0.0, link="log").fit(X, [-1.0, -2.0, 1.0, 0.0])
    assert TweedieRegressor(power=0.0, link="identity").fit(X, [-1.0, -2.0, 1.0, 0.0]).gap_ < 1e-9
