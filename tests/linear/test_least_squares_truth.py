"""The certified gap of least squares and ridge is never smaller than the true one."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from certus.guarantees import CertificateError
from certus.linear import LinearRegression, Ridge, RidgeClassifier
from tests.linear.independent import squared_minimizer, squared_objective
from tests.linear.problems import Table, tables

ALPHAS = (0.0, 1e-10, 1e-3, 1.0, 1e6)


def excess(model: Any, table: Table, Y: Any, alphas: Any) -> Any:
    """Objective at the stored coefficients minus that of the independent minimizer, exactly."""
    arguments = (table.X, Y, table.weights, alphas)
    coef = np.asarray(model.coef_, dtype=np.float64).reshape(Y.shape[1], -1)
    reached = squared_objective(*arguments, coef, model.intercept_)
    best = squared_objective(*arguments, *squared_minimizer(*arguments, fit_intercept=model.fit_intercept))
    return reached - best


@settings(max_examples=60)
@given(
    tables(),
    st.integers(1, 3),
    st.sampled_from(ALPHAS),
    st.booleans(),
    st.sampled_from(("auto", "svd", "cholesky", "lsqr")),
)
def test_ridge(table: Table, targets: int, alpha: float, intercept: bool, solver: str) -> None:
    Y = table.rng.normal(size=(len(table.X), targets)) * 10.0 ** table.rng.uniform(-3, 3) + table.rng.normal()
    alphas = np.full(targets, alpha) * (1.0 + np.arange(targets))
    model = Ridge(alphas, fit_intercept=intercept, solver=solver).fit(table.X, Y, sample_weight=table.sample_weight)
    assert excess(model, table, Y, alphas) <= model.gap_
    assert model.report_.check()
    assert model.gap_ == model.report_["optimality gap"].value


@pytest.mark.parametrize("model", [Ridge(1.0), Ridge(1e-3), LinearRegression()], ids=str)
def test_columns_that_vary_in_the_last_digits_only(model: Any) -> None:
    """Such a column is fitted, but its scores are rounding errors: the bound counts them, and the user is told."""
    rng = np.random.default_rng(0)
    table = Table(1e16 + 2.0 * rng.integers(-5, 6, size=(50, 1)), None, rng)
    y = table.X[:, 0] - 1e16 + rng.normal(size=50)
    with pytest.warns(ConvergenceWarning, match="so large against their spread"):
        model.fit(table.X, y)
    np.testing.assert_allclose(model.coef_, 1.0, atol=0.1)
    assert excess(model, table, y[:, None], np.array([getattr(model, "alpha", 0.0)])) <= model.gap_


@settings(max_examples=40)
@given(tables(), st.integers(1, 2), st.booleans())
def test_linear_regression(table: Table, targets: int, intercept: bool) -> None:
    Y = table.rng.normal(size=(len(table.X), targets)) + 5.0
    model = LinearRegression(fit_intercept=intercept).fit(table.X, Y, sample_weight=table.sample_weight)
    assert excess(model, table, Y, np.zeros(targets)) <= model.gap_
    assert model.report_.check()


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", [LinearRegression, Ridge])
def test_tiny_tables(rows: int, intercept: bool, kind: Any) -> None:
    rng = np.random.default_rng(rows)
    table = Table(rng.normal(size=(rows, 2)), None, rng)
    Y = rng.normal(size=(rows, 1))
    model = kind(fit_intercept=intercept).fit(table.X, Y)
    assert excess(model, table, Y, np.array([1.0 if kind is Ridge else 0.0])) <= model.gap_
    assert model.report_.check()


@settings(max_examples=40)
@given(tables(dtypes=(np.float64,)), st.sampled_from((1e-3, 1.0, 100.0)), st.booleans(), st.integers(1, 3))
def test_ridge_stopped_early(table: Table, alpha: float, intercept: bool, steps: int) -> None:
    """Far from the optimum the bound must hold too: here it is not only rounding."""
    Y = table.rng.normal(size=(len(table.X), 1))
    model = Ridge(alpha, fit_intercept=intercept, solver="lsqr", max_iter=steps, tol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some tables need no more steps
        model.fit(table.X, Y, sample_weight=table.sample_weight)
    assert excess(model, table, Y, np.array([alpha])) <= model.gap_


@settings(max_examples=40)
@given(
    tables(),
    st.integers(2, 4),
    st.sampled_from(ALPHAS[1:]),
    st.booleans(),
    st.sampled_from((None, "balanced")),
)
def test_ridge_classifier(table: Table, classes: int, alpha: float, intercept: bool, class_weight: Any) -> None:
    labels = np.arange(len(table.X)) % classes
    present = len(np.unique(labels))
    model = RidgeClassifier(alpha, fit_intercept=intercept, class_weight=class_weight)
    model.fit(table.X, labels, sample_weight=table.sample_weight)
    coded = 2.0 * (labels[:, None] == np.arange(present)) - 1.0
    coded = coded[:, 1:] if present == 2 else coded
    weights = table.weights
    if class_weight:
        counts = np.bincount(labels)
        weights = weights * (len(labels) / (present * counts))[labels]
    weighted = Table(table.X, weights, table.rng)
    alphas = np.full(coded.shape[1], alpha)
    assert excess(model, weighted, coded, alphas) <= model.gap_
    assert model.report_.check()
    coef, offset = squared_minimizer(table.X, coded, weights, alphas, fit_intercept=intercept)
    scores = table.X.astype(np.longdouble) @ coef.T + offset
    best = (scores[:, 0] > 0).astype(int) if present == 2 else np.argmax(scores, axis=1)
    certificate = [c for c in model.report_ if c.quantity == "labels of the exact optimum"]
    assert all(c.value <= np.sum(model.predict(table.X) == best) for c in certificate)


def fitted() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 4))
    y = X @ np.arange(4.0) + rng.normal(size=30)
    return X, y, Ridge(2.0).fit(X, y)


def test_the_checker_looks_at_the_data() -> None:
    X, y, model = fitted()
    certificate = model.report_["optimality gap"]
    assert certificate.check((X, y))
    with pytest.raises(CertificateError, match="another solution is better"):
        certificate.check((X, 2.0 * y))


@pytest.mark.parametrize("name", ["gradient_norm", "gradient_error", "intercept_gap"])
def test_tampered_witness(name: str) -> None:
    certificate = fitted()[2].report_["optimality gap"]
    forged = dataclasses.replace(certificate, witness={**certificate.witness, name: 1e-3})
    with pytest.raises(CertificateError, match="optimality gap"):
        forged.check()


def test_tampered_value() -> None:
    certificate = fitted()[2].report_["optimality gap"]
    with pytest.raises(CertificateError, match="optimality gap"):
        dataclasses.replace(certificate, value=certificate.value / 2).check()


def test_tampered_coefficients_are_found_with_the_data() -> None:
    X, y, model = fitted()
    certificate = model.report_["optimality gap"]
    forged = dataclasses.replace(certificate, witness={**certificate.witness, "coef": [[9.0, 9.0, 9.0, 9.0]]})
    with pytest.raises(CertificateError, match="another solution is better"):
        forged.check((X, y))


def test_tampered_label_count() -> None:
    X, y, _ = fitted()
    certificate = RidgeClassifier().fit(X, y > 0).report_["labels of the exact optimum"]
    with pytest.raises(CertificateError, match="labels of the exact optimum"):
        dataclasses.replace(certificate, value=certificate.value + 1.0).check()
    with pytest.raises(CertificateError, match="not a count of rows"):
        dataclasses.replace(certificate, witness={**certificate.witness, "undecided": 31}).check()


SCALES = [np.array([1.0, 1e8, 1.0]), np.array([1e9, 1.0, 1e-9]), np.array([1e-8, 1.0, 1.0])]


@pytest.mark.parametrize("scales", SCALES, ids=str)
@pytest.mark.parametrize("rows", [3, 60])
def test_positive_coefficients_with_columns_of_other_scales(scales: Any, rows: int) -> None:
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 3))
    y = X @ np.array([1.0, 1.0, -0.5]) + 0.1 * rng.normal(size=rows)
    plain = LinearRegression(positive=True).fit(X, y)
    model = LinearRegression(positive=True).fit(scales * X, y)
    np.testing.assert_allclose(model.predict(scales * X), plain.predict(X), atol=1e-6)
    ridge = Ridge(alpha=1e-3, positive=True).fit(scales * X, y)
    for fitted in (model, ridge):
        assert fitted.report_.check((scales * X, y))
        assert fitted.gap_ <= 1e-5 * fitted.report_[0].witness["objective_at_zero"]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_ridge_classifier_is_checked_with_its_labels(classes: int, class_weight: Any) -> None:
    rng = np.random.default_rng(classes)
    X, y = rng.normal(size=(40, 3)), np.array(["a", "b", "c"])[rng.integers(0, classes, 40)]
    weights = rng.integers(0, 3, 40).astype(float)
    model = RidgeClassifier(class_weight=class_weight).fit(X, y, sample_weight=weights)
    assert model.report_.check((X, y, weights))
    with pytest.raises(CertificateError, match="another solution is better"):
        model.report_.check((X, np.roll(y, 1), weights))
    many = rng.integers(0, 2, (40, 3))
    assert RidgeClassifier().fit(X, many).report_.check((X, many))
