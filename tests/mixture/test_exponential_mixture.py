"""Mixtures of exponential families: the likelihood never falls, steps are those of SciPy's densities."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from certus.mixture import ExponentialMixture

FAMILIES = ("bernoulli", "poisson", "exponential", "categorical", "gaussian")
every_family = pytest.mark.parametrize("family", FAMILIES)


def rows_of(family: str, seed: int, rows: int = 80, width: int = 3) -> np.ndarray:
    """Rows of two components."""
    rng = np.random.default_rng(seed)
    which, means = rng.integers(0, 2, rows), rng.uniform(0.1, 0.9, (2, width))
    drawn: dict[str, Any] = {
        "bernoulli": lambda: rng.uniform(size=(rows, width)) < means[which],
        "poisson": lambda: rng.poisson(10 * means[which]),
        "exponential": lambda: rng.exponential(5 * means[which]),
        "categorical": lambda: rng.binomial(3, means[which]),
        "gaussian": lambda: rng.normal(8 * means[which]),
    }
    return drawn[family]().astype(float)


def fitted(X: np.ndarray, family: str, **options: Any) -> ExponentialMixture:
    weights = options.pop("sample_weight", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ExponentialMixture(family=family, **options).fit(X, sample_weight=weights)


@every_family
def test_the_likelihood_never_falls_and_the_plain_twin_agrees(family: str) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X, weights = rows_of(family, seed), rng.uniform(0.1, 2, 80)
        X[rng.uniform(size=X.shape) < 0.1 * (seed % 3)] = np.nan
        model = fitted(
            X, family, n_components=3, max_iter=8, tol=0.0, n_init=1, random_state=seed, sample_weight=weights
        )
        assert (np.diff(model.history_) > -1e-11 * (1 + np.abs(model.history_[:-1]))).all()
        assert model.report_["gain of one more EM step"].check((X, weights))


@every_family
def test_parameters_of_a_large_sample_are_found(family: str) -> None:
    rng = np.random.default_rng(1)
    low, high = ([0.1, 0.2, 0.1, 0.3, 0.2, 0.1], [0.9, 0.7, 0.8, 0.9, 0.8, 0.6])
    which = (rng.uniform(size=6000) < 0.3).astype(int)
    means = np.array([low, high])[which]
    scale = {"bernoulli": 1.0, "categorical": 1.0, "poisson": 10.0, "exponential": 40.0, "gaussian": 6.0}[family]
    X = {
        "bernoulli": lambda: (rng.uniform(size=means.shape) < means).astype(float),
        "categorical": lambda: rng.binomial(1, means).astype(float),
        "poisson": lambda: rng.poisson(scale * means).astype(float),
        "exponential": lambda: rng.exponential(scale * means),
        "gaussian": lambda: rng.normal(scale * means),
    }[family]()
    model = ExponentialMixture(2, family=family, random_state=0).fit(X)
    found = model.parameters_[..., 1] if family == "categorical" else model.parameters_
    order = np.argsort(found[:, 0])
    assert_allclose(found[order], scale * np.array([low, high]), rtol=0.15, atol=0.03 * scale)
    assert_allclose(model.weights_[order], [0.7, 0.3], atol=0.04)
    drawn, component = model.sample(40_000)
    assert_allclose(drawn.mean(axis=0), X.mean(axis=0), rtol=0.05, atol=0.01)
    assert_allclose(np.bincount(component) / 40_000, model.weights_, atol=0.02)


def test_densities_are_those_of_scipy() -> None:
    X = rows_of("poisson", 2)
    model = fitted(X, "poisson", n_components=2, random_state=0)
    logs = [np.log(w) + stats.poisson.logpmf(X, m).sum(axis=1) for w, m in zip(model.weights_, model.parameters_)]
    assert_allclose(model.score_samples(X), logsumexp(logs, axis=0), rtol=1e-12)


def test_what_no_component_can_give_has_no_density() -> None:
    model = ExponentialMixture(family="bernoulli").fit([[1.0, 0.0], [1.0, 1.0]])
    assert_array_equal(model.score_samples([[0.0, 1.0], [1.0, 1.0]]), [-np.inf, np.log(0.5)])
    codes = ExponentialMixture(family="categorical").fit([[0.0], [1.0]])
    assert_array_equal(codes.score_samples([[2.0], [np.nan]]), [-np.inf, 0.0])


@every_family
def test_weights_are_repetitions(family: str) -> None:
    X, weights = rows_of(family, 3), np.random.default_rng(3).integers(0, 3, 80).astype(float)
    weighted = fitted(X, family, n_components=2, random_state=0, sample_weight=weights)
    repeated = fitted(np.repeat(X, weights.astype(int), axis=0), family, n_components=2, random_state=0)
    assert_allclose(weighted.parameters_, repeated.parameters_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("family", "X", "words"),
    [
        ("bernoulli", [[0.0], [2.0]], "0 or 1.*row 1, column 0"),
        ("poisson", [[1.5], [2.0]], "whole number"),
        ("exponential", [[-1.0], [2.0]], "at least 0"),
        ("categorical", [[0.5], [2.0]], "whole number"),
        ("exponential", [[0.0], [0.0]], "only zeros left in column 0"),
        ("gaussian", [[np.nan, 1.0], [np.nan, 2.0]], "column 0 with none"),
    ],
)
def test_refusals(family: str, X: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ExponentialMixture(family=family).fit(X)
