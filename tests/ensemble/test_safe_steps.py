"""Rounds of boosting that never raise the training loss, whatever the classes, the weights and the learning rate."""

from __future__ import annotations

import numpy as np
import pytest

from certus.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from certus.ensemble.boosting.descent_report import ROUNDING, descent_report
from certus.guarantees import CertificateError
from certus.trees.growing.weight_units import counted_weights


def rare_classes(seed: int, rows: int = 6_000):
    """Five classes by rules, one in a corner, one of nine rows at random; one label in twenty is wrong."""
    r = np.random.default_rng(seed)
    X = r.integers(0, 6, (rows, 12)).astype(float)
    y = (X @ r.normal(size=(12, 5))).argmax(1)
    y[(X[:, :3] == 5).all(1) & (X[:, 3] >= 4)] = 5
    y[r.choice(rows, 9, replace=False)] = 6
    flip = r.random(rows) < 0.05
    y[flip] = r.integers(0, 5, flip.sum())
    return X, y


def targets(loss: str, r: np.random.Generator, mean: np.ndarray) -> np.ndarray:
    if loss == "poisson":
        return r.poisson(np.exp(mean)).astype(float)
    if loss == "gamma":
        return r.gamma(1.0, np.exp(mean)) + 1e-6
    return mean + r.standard_t(2, len(mean))


@pytest.mark.parametrize(("seed", "least"), [(0, 0.83), (1, 0.79), (2, 0.83)])
def test_rare_classes_do_not_ruin_the_others(seed, least):
    X, y = rare_classes(seed)
    model = HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=0).fit(X[:5000], y[:5000])
    probabilities = model.predict_proba(X)
    assert model.score(X[5000:], y[5000:]) >= least
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert np.abs(model.decision_function(X)).max() < 100.0
    assert len(model.history_) == model.n_iter_ + 1
    assert (np.diff(model.history_) <= ROUNDING * model.history_[0]).all()


@pytest.mark.parametrize("learning_rate", [0.1, 1.0])
def test_exact_trees_survive_rare_classes(learning_rate):
    X, y = rare_classes(0, 1_500)
    model = GradientBoostingClassifier(n_estimators=25, learning_rate=learning_rate, random_state=0)
    model.fit(X[:1200], y[:1200])
    assert model.score(X[1200:], y[1200:]) >= 0.75
    assert (np.diff(model.history_) <= ROUNDING * model.history_[0]).all()
    (certificate,) = model.report_
    certificate.check((model, X[:1200], y[:1200]))


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma", "quantile"])
@pytest.mark.parametrize("learning_rate", [0.1, 5.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_falls_for_every_loss(loss, learning_rate, weighted):
    r = np.random.default_rng(3)
    X = r.normal(size=(400, 4))
    y = targets(loss, r, X[:, 0] + np.sin(3 * X[:, 1]))
    weights = r.random(400) if weighted else None
    model = HistGradientBoostingRegressor(
        loss, quantile=0.3 if loss == "quantile" else None, learning_rate=learning_rate, max_iter=15
    ).fit(X, y, sample_weight=weights)
    (certificate,) = model.report_
    assert certificate.check((model, X, y, weights))
    assert certificate.value <= 2 * ROUNDING * np.abs(model.history_).max()
    assert model.history_[-1] < model.history_[0]


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_too_long_steps_are_halved(loss):
    r = np.random.default_rng(4)
    X = r.normal(size=(300, 3))
    y = targets(loss, r, X[:, 0])
    model = GradientBoostingRegressor(loss=loss, learning_rate=7.0, n_estimators=10, random_state=0).fit(X, y)
    if loss == "huber":  # its border moves from round to round
        assert not list(model.report_)
    else:
        (certificate,) = model.report_
        assert certificate.check((model, X, y))
        assert (np.diff(model.history_) <= ROUNDING * model.history_[0]).all()


def test_the_certificate_knows_the_training_rows():
    X, y = rare_classes(5, 12_000)
    model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(X, y)  # some rows are held out
    (certificate,) = model.report_
    assert model.do_early_stopping_
    assert certificate.check((model, X, y))
    with pytest.raises(CertificateError, match="other losses"):
        certificate.check((model, X, np.roll(y, 1)))


def test_a_rise_is_not_certified():
    (certificate,) = descent_report([1.0, 0.5, 0.6])
    with pytest.raises(CertificateError, match="round 2 raised"):
        certificate.check()


def test_a_warm_start_continues_the_history():
    X, y = rare_classes(6, 1_000)
    model = HistGradientBoostingClassifier(max_iter=4, warm_start=True, random_state=0).fit(X, y)
    whole = HistGradientBoostingClassifier(max_iter=8, random_state=0).fit(X, y)
    model.set_params(max_iter=8).fit(X, y)
    np.testing.assert_allclose(model.history_, whole.history_, rtol=1e-12)
    other = np.random.default_rng(0).permutation(y)
    model.set_params(max_iter=10).fit(X, other)
    assert len(model.history_) == 3
    (certificate,) = model.report_
    assert certificate.check((model, X, other))


@pytest.mark.parametrize("kind", ["equal", "whole", "any"])
@pytest.mark.parametrize("factor", [1e12, 3.0, 2.0**-40, 1e-12])
def test_the_scale_of_weights_does_not_matter(kind, factor):
    r = np.random.default_rng(7)
    X = r.normal(size=(1_000, 4))
    y = X[:, 0] + X[:, 1] ** 2 + r.normal(size=1_000)
    weights = {"equal": np.ones(1_000), "whole": r.integers(1, 4, 1_000).astype(float), "any": r.random(1_000)}[kind]
    for learner, target in (
        (HistGradientBoostingRegressor, y),
        (HistGradientBoostingClassifier, np.digitize(y, [0.0, 2.0])),
    ):
        first = learner(max_iter=10, random_state=0).fit(X, target, sample_weight=weights)
        second = learner(max_iter=10, random_state=0).fit(X, target, sample_weight=factor * weights)
        np.testing.assert_array_equal(first.trees_.column, second.trees_.column)
        np.testing.assert_allclose(first.trees_.value, second.trees_.value, rtol=1e-9, atol=1e-12)


def test_units_of_weights():
    assert counted_weights(np.array([6.0, 9.0])).unit == 3.0
    assert counted_weights(np.full(3, 1e12)).weights is None
    np.testing.assert_array_equal(counted_weights(0.1 * np.array([1.0, 2.0, 3.0])).weights, [1.0, 2.0, 3.0])
    spread = counted_weights(np.array([1e-300, 0.5, 1e50]))
    assert np.isfinite(spread.weights).all()


@pytest.mark.parametrize("growth", ["best_first", "depth_wise"])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma", "quantile"])
def test_every_loss_keeps_the_order_of_monotone_columns(loss, growth):
    r = np.random.default_rng(8)
    X = r.normal(size=(800, 3))
    y = targets(loss, r, 0.3 * np.tanh(2 * X[:, 0]) - 0.3 * X[:, 1] + np.sin(3 * X[:, 2]))
    model = HistGradientBoostingRegressor(
        loss, quantile=0.2 if loss == "quantile" else None, growth=growth, max_iter=40, monotonic_cst=[1, -1, 0]
    ).fit(X, y)
    for column, sign in ((0, 1), (1, -1)):
        rows = np.repeat(X[:50], 40, axis=0)
        rows[:, column] = np.tile(np.linspace(-3, 3, 40), 50)
        changes = np.diff(model.predict(rows).reshape(50, 40), axis=1)
        assert (sign * changes >= -1e-12).all()
        assert (sign * changes > 0).any()


def test_frequent_values_leave_bins_for_the_tails():
    """Nine rows in ten hold one of twenty values; the target follows the long tail of the others."""
    r = np.random.default_rng(9)
    late = r.random(12_000) < 0.1
    x = np.where(late, 20 + r.exponential(100.0, 12_000), r.integers(0, 20, 12_000))
    X = np.c_[x, r.normal(size=12_000)]
    y = x + r.normal(size=12_000)
    model = HistGradientBoostingRegressor(max_iter=60, min_samples_leaf=5, early_stopping=False, random_state=0)
    error = model.fit(X[:8000], y[:8000]).predict(X[8000:]) - y[8000:]
    assert np.sqrt(np.mean(error**2)) < 0.05 * y.std()
    borders = np.unique(model.trees_.threshold[model.trees_.column == 0])
    assert (borders > 20).sum() > 100


def test_the_only_row_of_a_class_is_never_held_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    X[17], y[17] = [9.0, 9.0, 9.0], 2
    for seed in range(5):
        model = HistGradientBoostingClassifier(
            max_iter=30, early_stopping=True, validation_fraction=0.5, min_samples_leaf=1, random_state=seed
        ).fit(X, y)
        assert model.predict(X[17:18]) == [2]
