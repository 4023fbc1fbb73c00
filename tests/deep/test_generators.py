"""Learners that make new rows."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

torch = pytest.importorskip("torch")

import certus
from certus.neural.deep import GenerativeAdversarialNetwork, VariationalAutoencoder
from certus.neural.deep.generators.bound_estimate import bound_estimate

RANDOM = np.random.default_rng(0)
CODES = RANDOM.normal(size=(600, 1))
LINE = CODES @ [[1.0, -2.0, 0.5]] + 0.4 * RANDOM.normal(size=(600, 3)) + [10.0, 0.0, -3.0]
KINDS = [VariationalAutoencoder, GenerativeAdversarialNetwork]


def linear(**parameters: Any) -> VariationalAutoencoder:
    return VariationalAutoencoder(1, hidden_layer_sizes=(), learning_rate=0.02, random_state=0, **parameters)


def exact(model: VariationalAutoencoder, X: np.ndarray) -> np.ndarray:
    """The log-density of a linear model: normal with the covariance W W' + noise."""
    weights = model.weights_
    W = weights["decoder.0.weight"].astype(float) * model.scale_[:, None]
    noise = np.exp(2 * weights["log_noise"].astype(float)) * model.scale_**2
    mean = weights["decoder.0.bias"] * model.scale_ + model.center_
    return multivariate_normal(mean, W @ W.T + np.diag(noise)).logpdf(X)


@pytest.mark.parametrize("epochs", [1, 5, 60])
def test_the_bound_is_below_the_log_density_and_comes_near(epochs: int) -> None:
    model = linear(max_epochs=epochs).fit(LINE)
    bounds, truth = model.lower_bound(LINE, 400), exact(model, LINE)
    assert bounds.mean() < truth.mean() + 0.01
    if epochs == 60:  # the posterior of a linear model is normal, so that nothing is lost
        assert bounds.mean() > truth.mean() - 0.05
        best = multivariate_normal(LINE.mean(axis=0), np.cov(LINE.T)).logpdf(LINE).mean()
        assert truth.mean() > best - 0.1


def test_new_rows_are_like_the_old_ones() -> None:
    made = linear(max_epochs=60).fit(LINE).sample(20_000)
    np.testing.assert_allclose(made.mean(axis=0), LINE.mean(axis=0), atol=0.15)
    np.testing.assert_allclose(np.cov(made.T), np.cov(LINE.T), atol=0.4)


def test_bent_rows_are_coded() -> None:
    t = RANDOM.uniform(-1, 1, 600)
    X = np.column_stack([t, t**2, np.sin(3 * t)]) + 0.05 * RANDOM.normal(size=(600, 3))
    model = VariationalAutoencoder(1, random_state=0).fit(X)
    codes = model.transform(X)
    assert abs(np.corrcoef(np.argsort(np.argsort(codes[:, 0])), np.argsort(np.argsort(t)))[0, 1]) > 0.95
    assert ((model.inverse_transform(codes) - X) ** 2).mean() < 0.1 * X.var(axis=0).mean()


def test_the_report_is_an_estimate() -> None:
    model = linear(max_epochs=20).fit(LINE)
    (certificate,) = model.report_
    assert (certificate.kind, certificate.confidence, certificate.guaranteed) == ("estimate", 0.0, False)
    assert certificate.value == pytest.approx(exact(model, LINE).mean(), abs=0.5)
    assert certificate.check()
    assert not list(linear(max_epochs=2, validation_fraction=0).fit(LINE).report_)


@pytest.mark.parametrize("change", [{"value": -1.0}, {"kind": "exact", "confidence": 1.0}])
def test_changed_estimates_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(certus.CertificateError):
        replace(bound_estimate(-30.0, 10, 3), **change).check()


def test_a_generator_deceives_its_discriminator() -> None:
    model = GenerativeAdversarialNetwork(random_state=0, max_epochs=150).fit(LINE)
    made = model.sample(5_000)
    np.testing.assert_allclose(made.mean(axis=0), LINE.mean(axis=0), atol=0.5)
    np.testing.assert_allclose(made.std(axis=0), LINE.std(axis=0), rtol=0.35)
    assert np.corrcoef(made.T)[0, 1] < -0.7
    assert model.loss_curve_[-1] == pytest.approx(2 * math.log(2), abs=0.2)  # nearly guessing
    assert np.isfinite(model.score_samples(LINE)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_saved_resumed_and_seeded(kind: type, tmp_path: Path) -> None:
    def make(epochs: int, **parameters: Any) -> Any:
        return kind(max_epochs=epochs, schedule="constant", random_state=0, **parameters).fit(LINE)

    whole = make(4)
    certus.save(whole, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    make(2, checkpoint=tmp_path / "c")
    for other in (whole, loaded, make(4), make(4, checkpoint=tmp_path / "c", resume=True)):
        np.testing.assert_array_equal(other.sample(5), whole.sample(5))
        np.testing.assert_array_equal(other.sample(5, random_state=1), whole.sample(5, random_state=1))
    assert not np.array_equal(whole.sample(5), whole.sample(5, random_state=1))


@pytest.mark.parametrize("kind", KINDS)
def test_errors(kind: type) -> None:
    model = kind(max_epochs=1, random_state=0).fit(LINE)
    for count in (0, -1, 2.5, True, "a"):
        with pytest.raises(ValueError, match="n_samples must be a whole number of at least 1, got"):
            model.sample(count)
    with pytest.raises(ValueError, match="some that overflow"):
        kind(max_epochs=1).fit([[1e308, 1.0], [-1e308, 2.0]])
    constant = kind(max_epochs=2, random_state=0).fit(np.column_stack([LINE, np.full(600, 7.0)]))
    assert np.isfinite(constant.sample(100)).all()
    if kind is VariationalAutoencoder:
        with pytest.raises(ValueError, match=r"needs codes of 2 numbers per row; got the shape \(1, 3\)"):
            model.inverse_transform([[1.0, 2.0, 3.0]])
        with pytest.raises(ValueError, match="n_draws must be a whole number of at least 1, got 0"):
            model.lower_bound(LINE, 0)
