"""Bayesian logistic regression: the posterior against quadrature, weights, scales, files, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import certus
from certus.sampling import BayesianLogisticRegression, sample
from certus.sampling.logistic_posterior import LogisticPosterior

SMALL: dict[str, Any] = {"draws": 300, "tune": 200, "chains": 2, "random_state": 0, "n_jobs": 1}


def labeled(seed: int, rows: int = 80, columns: int = 2, classes: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    scores = X @ rng.normal(size=(columns, classes)) * 1.5
    return X, np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_gradient_and_hessian_are_those_of_the_log_density(classes: int, intercept: bool) -> None:
    X, y = labeled(1, classes=classes)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    posterior = LogisticPosterior(X, y, classes, weights, 0.7, intercept)
    theta = 0.3 * np.random.default_rng(1).normal(size=posterior.dim)
    steps = 1e-5 * np.eye(posterior.dim)
    pairs = [(posterior.value_and_gradient(theta + s), posterior.value_and_gradient(theta - s)) for s in steps]
    slopes = [(up[0] - down[0]) / 2e-5 for up, down in pairs]
    np.testing.assert_allclose(posterior.value_and_gradient(theta)[1], slopes, atol=1e-6)
    curves = [(down[1] - up[1]) / 2e-5 for up, down in pairs]
    np.testing.assert_allclose(posterior.hessian(theta), curves, atol=1e-5)
    np.testing.assert_allclose(posterior._curvature(theta), np.diag(posterior.hessian(theta)), rtol=1e-10)
    mode = posterior.whitening().center
    assert np.abs(posterior.value_and_gradient(mode)[1]).max() < 1e-4


def test_mean_and_deviation_against_quadrature() -> None:
    """One column, no intercept: the posterior is an integral over a line; six standard errors."""
    X, y = labeled(2, rows=20, columns=1)
    model = BayesianLogisticRegression(**{**SMALL, "draws": 1500}, fit_intercept=False, prior_precision=2.0).fit(X, y)
    grid = np.linspace(-15, 15, 20_001)
    signs = np.where(y == 1, 1.0, -1.0)
    log = -np.logaddexp(0, -signs[:, np.newaxis] * X * grid).sum(axis=0) - grid**2
    density = np.exp(log - log.max())
    density /= density.sum()
    mean = float(density @ grid)
    assert abs(model.coef_[0, 0] - mean) < 6 * model.draws_.mcse[0]
    new = np.array([[0.5], [-3.0]])
    exact = expit(new * grid) @ density
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], exact, atol=0.02)


def test_weights_are_repetitions_of_the_posterior() -> None:
    X, y = labeled(3, classes=3)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    kept = weights > 0
    one = LogisticPosterior(X[kept], y[kept], 3, weights[kept], 1.0, True)
    two = LogisticPosterior(
        np.repeat(X, weights.astype(int), axis=0), np.repeat(y, weights.astype(int)), 3, None, 1.0, True
    )
    theta = np.random.default_rng(1).normal(size=one.dim)
    assert one.value_and_gradient(theta)[0] == pytest.approx(two.value_and_gradient(theta)[0], rel=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_offsets_leave_the_predictions_alone(classes: int) -> None:
    X, y = labeled(4, columns=3, classes=classes)
    plain = BayesianLogisticRegression(**SMALL).fit(X, y)
    moved = BayesianLogisticRegression(**SMALL).fit(X + 1e6, y)
    np.testing.assert_allclose(moved.predict_proba(X + 1e6), plain.predict_proba(X), atol=0.05)
    assert (plain.draws_.rhat < 1.1).all()
    assert plain.coef_.shape == ((1, 3) if classes == 2 else (3, 3))


def test_less_sure_than_the_mode_far_away_and_intervals_say_so() -> None:
    X, y = labeled(5, rows=30)
    model = BayesianLogisticRegression(**SMALL).fit(X, y)
    far = 50 * np.sign(model.coef_)
    best = expit(far @ model.coef_.T + model.intercept_)[0, 0]
    assert model.predict_proba(far)[0, 1] < best
    ends = model.predict_interval(X, level=0.9)
    assert ends.shape == (30, 2, 2)
    inside = (ends[..., 0] <= model.predict_proba(X)) & (model.predict_proba(X) <= ends[..., 1])
    assert inside.all()
    with pytest.raises(ValueError, match="level must be above 0 and below 1"):
        model.predict_interval(X, level=1.0)


def test_many_columns_and_a_sampler_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = labeled(6, columns=4)
    plain = BayesianLogisticRegression(**SMALL).fit(X, y)
    monkeypatch.setattr("certus.sampling.logistic_posterior.MOST", 2)
    scales = BayesianLogisticRegression(**{**SMALL, "sampler": certus.sampling.HMC()}).fit(X, y)
    np.testing.assert_allclose(scales.predict_proba(X), plain.predict_proba(X), atol=0.05)


def test_a_file_keeps_the_draws(tmp_path: Path) -> None:
    X, y = labeled(7)
    model = BayesianLogisticRegression(**SMALL).fit(X, np.where(y == 1, "yes", "no"))
    certus.save(model, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.draws_.summary() == model.draws_.summary()


def test_an_interrupted_fit_is_no_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = labeled(8)

    def cut(*arguments: Any, **options: Any) -> Any:
        return sample(*arguments, **{**options, "draws": 10})

    monkeypatch.setattr("certus.sampling.bayesian_logistic_regression.sample", cut)
    model = BayesianLogisticRegression(**SMALL)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "coef_")
