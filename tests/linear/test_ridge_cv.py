"""RidgeCV and RidgeClassifierCV: leave-one-out errors against n honest fits, and the choice made from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certus.linear import Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV

ALPHAS = [1e-3, 0.1, 10.0]


def _errors_by_fitting(X, Y, weights, alpha, fit_intercept):
    """Leave-one-out errors by n fits."""
    errors = np.empty_like(Y)
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        w = None if weights is None else weights[rest]
        model = Ridge(alpha=alpha, fit_intercept=fit_intercept, solver="svd").fit(X[rest], Y[rest], w)
        errors[i] = Y[i] - model.predict(X[i : i + 1])[0]
    return errors


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(4, 14),
    columns=st.integers(1, 14),
    fit_intercept=st.booleans(),
    weighted=st.booleans(),
    form=st.sampled_from(["dense", "float32", "csr", "csc", "svd"]),
)
def test_errors_are_those_of_n_fits(seed, rows, columns, fit_intercept, weighted, form):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)).astype(np.float32).astype(np.float64) + 1.0
    Y = rng.standard_normal((rows, 2))
    weights = rng.integers(0, 4, rows).astype(float) if weighted else None
    if weighted and np.count_nonzero(weights) < 3:
        weights[:3] = 1.0
    table = {"csr": sparse.csr_array, "csc": sparse.csc_array, "float32": np.float32}.get(form, np.asarray)(X)
    mode = "svd" if form == "svd" else None
    model = RidgeCV(ALPHAS, fit_intercept=fit_intercept, store_cv_results=True, gcv_mode=mode, alpha_per_target=True)
    model.fit(table, Y, weights)
    row_weights = np.ones(rows) if weights is None else weights
    tolerance = 1e-4 if form == "float32" else 1e-7
    expected = np.stack(
        [row_weights[:, None] * _errors_by_fitting(X, Y, weights, a, fit_intercept) ** 2 for a in ALPHAS], axis=2
    )
    np.testing.assert_allclose(model.cv_results_, expected, rtol=tolerance, atol=tolerance * expected.max())
    np.testing.assert_array_equal(model.alpha_, np.array(ALPHAS)[(-expected.mean(axis=0)).argmax(axis=1)])
    again = Ridge(alpha=model.alpha_, fit_intercept=fit_intercept).fit(X, Y, weights)
    np.testing.assert_allclose(model.coef_, again.coef_, rtol=1e-3, atol=1e-5)
    assert all(certificate.check() for certificate in model.report_)


@pytest.mark.parametrize("shape", [(30, 5), (12, 40)])
def test_rows_of_weight_zero_are_predicted_by_the_model_that_never_saw_them(shape):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal(shape), rng.standard_normal(shape[0])
    weights = (np.arange(shape[0]) % 3 > 0).astype(float)
    model = RidgeCV([0.5], store_cv_results=True, scoring="neg_mean_squared_error").fit(X, y, weights)
    without = Ridge(alpha=0.5).fit(X[weights > 0], y[weights > 0])
    unseen = weights == 0
    np.testing.assert_allclose(model.cv_results_[unseen, 0], without.predict(X[unseen]), rtol=1e-8)
    np.testing.assert_allclose(model.coef_, without.coef_, rtol=1e-8, atol=1e-12)


def test_tiny_penalties_use_singular_values():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 6)) @ np.diag([1e6, 1e3, 1.0, 1e-2, 1e-4, 1e-4])
    y = X @ np.array([1e-6, 1e-3, 1.0, 1e2, 1e4, -1e4]) + rng.standard_normal(40)
    alpha = 1e-9
    model = RidgeCV([alpha], store_cv_results=True).fit(X, y)
    expected = _errors_by_fitting(X, y[:, None], None, alpha, True)[:, 0] ** 2
    np.testing.assert_allclose(model.cv_results_[:, 0], expected, rtol=1e-4)


@pytest.mark.parametrize("classes", [2, 3])
def test_classifier(classes):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 5))
    codes = (X[:, 0] + 0.3 * rng.standard_normal(60) > 0).astype(int)
    labels = np.array(["a", "b", "c"])[codes + (X[:, 1] > 1) if classes == 3 else codes]
    model = RidgeClassifierCV(ALPHAS, scoring="accuracy", store_cv_results=True).fit(X, labels)
    best = []
    for alpha in ALPHAS:
        right = 0
        for i in range(60):
            rest = np.arange(60) != i
            right += RidgeClassifier(alpha=alpha).fit(X[rest], labels[rest]).predict(X[i : i + 1])[0] == labels[i]
        best.append(right / 60)
    assert model.best_score_ == pytest.approx(max(best))
    assert model.alpha_ == ALPHAS[int(np.argmax(best))]
    assert {c.quantity for c in model.report_} == {"optimality gap", "labels of the exact optimum"}
    assert all(certificate.check() for certificate in model.report_)


def test_refusals():
    X, y = np.ones((1, 2)), np.ones(1)
    with pytest.raises(ValueError, match=r"n_samples = 1 where at least 2"):
        RidgeCV().fit(X, y)
    with pytest.raises(ValueError, match="alphas is empty"):
        RidgeCV([]).fit(np.eye(3), np.arange(3.0))
    with pytest.raises(ValueError, match="store_cv_results=True are incompatible"):
        RidgeCV(cv=2, store_cv_results=True).fit(np.eye(4), np.arange(4.0))
    with pytest.raises(ValueError, match="row 1, column 0"):
        RidgeCV().fit(np.array([[1.0], [np.nan], [2.0]]), np.arange(3.0))
    with pytest.raises(ValueError, match="'cv' parameter of RidgeCV"):
        RidgeCV(cv=1).fit(np.eye(4), np.arange(4.0))
