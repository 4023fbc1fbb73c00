"""Gaussian naive Bayes against its definition, written out slowly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm

from certus.bayes import GaussianNB


def twin(X: np.ndarray, y: np.ndarray, weights: np.ndarray, rows: np.ndarray, smoothing: float) -> np.ndarray:
    """log P(c) + sum_j log N(x_j; mean, variance), straight from the formula."""
    overall = np.average(X, axis=0, weights=weights)
    added = smoothing * np.average((X - overall) ** 2, axis=0, weights=weights).max()
    columns = []
    for label in np.unique(y):
        mine, share = X[y == label], weights[y == label]
        mean = np.average(mine, axis=0, weights=share)
        deviation = np.sqrt(np.average((mine - mean) ** 2, axis=0, weights=share) + added)
        columns.append(np.log(share.sum() / weights.sum()) + norm.logpdf(rows, mean, deviation).sum(axis=1))
    return np.stack(columns, axis=1)


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 20))
def test_joint_log_likelihood_is_the_formula(seed: int, classes: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), np.arange(classes), rng.integers(0, classes, 30)])
    X = rng.normal(size=(len(y), columns)) * rng.lognormal(size=columns) + rng.normal(size=columns)
    weights = rng.integers(1, 4, len(y)).astype(float)
    model = GaussianNB(var_smoothing=1e-3).fit(X, y, sample_weight=weights)
    expected = twin(X, y, weights, X, 1e-3)
    assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-9, atol=1e-9)
    assert (model.predict(X) == expected.argmax(axis=1)).all()
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_variance_survives_a_large_offset() -> None:
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(40_000, 3)), np.tile([0, 1], 20_000)
    far = GaussianNB(var_smoothing=0).fit(noise + 1e9, y)
    assert_allclose(far.var_, GaussianNB(var_smoothing=0).fit(noise, y).var_, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batches_give_the_same_as_one_fit(dtype: type) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(500, 4)).astype(dtype), rng.choice(["a", "b", "c"], 500)
    whole, parts = GaussianNB().fit(X, y), GaussianNB()
    for rows in np.array_split(np.arange(500), 7):
        parts.partial_fit(X[rows], y[rows], classes=["a", "b", "c"])
    tolerance = 1e-12 if dtype is np.float64 else 1e-4
    assert_allclose(parts.theta_, whole.theta_, rtol=tolerance, atol=tolerance)
    assert_allclose(parts.var_, whole.var_, rtol=tolerance)
    assert_allclose(parts.class_count_, whole.class_count_)


def test_class_that_has_not_come_yet_is_never_predicted() -> None:
    model = GaussianNB().partial_fit([[0.0], [1.0]], ["a", "a"], classes=["a", "b"])
    assert set(model.predict([[0.0], [100.0]])) == {"a"}


def test_messages() -> None:
    X, y = [[0.0], [1.0]], ["a", "b"]
    with pytest.raises(ValueError, match=r"classes must be passed.*\n.*Hint"):
        GaussianNB().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"label\(s\) \['b'\] in y do not exist"):
        GaussianNB().partial_fit(X, y, classes=["a", "c"])
    with pytest.raises(ValueError, match=r"sum of the priors should be 1\. Got 0\.9"):
        GaussianNB(priors=[0.5, 0.4]).fit(X, y)
