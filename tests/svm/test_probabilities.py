"""Platt's sigmoids: fitted to decisions on rows that the machine did not learn from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from certus.svm import SVC


def with_probabilities(X: np.ndarray, y: np.ndarray, **parameters: Any) -> SVC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # scikit-learn has deprecated the parameter
        return SVC(probability=True, random_state=0, **parameters).fit(X, y)


def test_noise_gets_no_sure_answers() -> None:
    """The machine separates its own rows; sigmoids of these decisions would say 0 and 1."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, size=200)
    model = with_probabilities(X, y, C=1e3, gamma=5.0)
    assert (model.predict(X) == y).all()
    shares = model.predict_proba(X)
    assert_allclose(shares.sum(axis=1), 1.0)
    assert np.abs(shares - 0.5).max() < 0.3


def test_shares_follow_the_true_probabilities() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-3.0, 3.0, size=(1500, 1))
    truth = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    model = with_probabilities(X, (rng.random(len(X)) < truth).astype(int), kernel="linear")
    fresh = np.linspace(-3.0, 3.0, 31)[:, None]
    assert_allclose(model.predict_proba(fresh)[:, 1], 1.0 / (1.0 + np.exp(-2.0 * fresh[:, 0])), atol=0.06)
