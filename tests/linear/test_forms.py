"""Weights mean repetition, and neither the table's storage nor its type changes what is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certus.linear import LinearRegression, LogisticRegression, Ridge, RidgeClassifier

MODELS = {
    "ols": (LinearRegression, {}),
    "ols without intercept": (LinearRegression, {"fit_intercept": False}),
    "ridge": (Ridge, {"alpha": 0.5}),
    "ridge classifier": (RidgeClassifier, {}),
    "logistic": (LogisticRegression, {"tol": 1e-8}),
    "logistic l1": (LogisticRegression, {"solver": "saga", "l1_ratio": 1.0, "C": 0.5, "tol": 1e-9}),
    "logistic liblinear": (LogisticRegression, {"solver": "liblinear", "tol": 1e-8}),
}
each_model = pytest.mark.parametrize("name", MODELS)


def make(name: str) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(60, 4)) * (rng.uniform(size=(60, 4)) < 0.6)
    y = X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=60)
    kind, parameters = MODELS[name]
    classifier = kind in (RidgeClassifier, LogisticRegression)
    several = classifier and "liblinear" not in name
    return kind(**parameters), X, np.digitize(y, [-0.5, 0.5] if several else [0.0]) if classifier else y


def assert_equal_fits(one: Any, other: Any, tolerance: float = 1e-5) -> None:
    np.testing.assert_allclose(one.coef_, other.coef_, atol=tolerance)
    np.testing.assert_allclose(one.intercept_, other.intercept_, atol=tolerance)


@each_model
def test_weights_are_repetitions(name: str) -> None:
    model, X, y = make(name)
    counts = np.random.default_rng(0).integers(0, 4, size=len(X))
    repeated = make(name)[0].fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    model.fit(X, y, sample_weight=counts.astype(float))
    assert_equal_fits(model, repeated)
    assert model.report_.check()


@each_model
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_is_dense(name: str, form: Any) -> None:
    model, X, y = make(name)
    thin = make(name)[0].fit(form(X), y)
    assert_equal_fits(model.fit(X, y), thin)
    assert thin.report_.check()
    np.testing.assert_allclose(model.predict(X), thin.predict(form(X)), atol=1e-4)
    certificate = thin.report_["optimality gap"]
    if name != "ridge classifier":  # whose data are the coded labels
        assert certificate.check((form(X), y))


@each_model
def test_order_in_memory(name: str) -> None:
    model, X, y = make(name)
    model.fit(X, y)
    assert_equal_fits(model, make(name)[0].fit(np.asfortranarray(X), y), 1e-9)
    spread = np.zeros((120, 8))
    spread[::2, ::2] = X
    assert_equal_fits(model, make(name)[0].fit(spread[::2, ::2], y), 1e-9)


@each_model
def test_single_precision(name: str) -> None:
    model, X, y = make(name)
    narrow = make(name)[0].fit(X.astype(np.float32), y)
    assert_equal_fits(model.fit(X, y), narrow, 2e-4)
    assert narrow.coef_.dtype == (np.float64 if "liblinear" in name else np.float32)
    assert narrow.report_.check()


@each_model
def test_certified_gap_is_small(name: str) -> None:
    model, X, y = make(name)
    model.fit(X, y)
    assert model.gap_ <= 1e-6 * model.report_["optimality gap"].witness["objective_at_zero"]
    assert model.converged_
