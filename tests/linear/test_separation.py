"""Separable data without a penalty: a verified direction, one clear warning, and never a silent huge coefficient."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import certus
from certus.guarantees import CertificateError
from certus.guarantees.training import SELF_CONCORDANT
from certus.linear import GammaRegressor, LogisticRegression, LogisticRegressionCV, PoissonRegressor
from certus.linear.evidence.separating_direction import find_direction, label_rows

FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])


def table(rows: int = 40, columns: int = 3, seed: int = 0) -> tuple[np.random.Generator, Any]:
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=(rows, columns))


def fit(model: Any, *data: Any, match: str = "separated") -> Any:
    with pytest.warns(ConvergenceWarning, match=match) as caught:
        model.fit(*data)
    assert len(caught) == 1
    assert not model.converged_
    return model


@FORMS
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "saga"])
def test_complete_separation(form: Any, solver: str) -> None:
    _, X = table()
    y = (X @ [1.0, 2.0, 3.0] > 0.5).astype(int)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*ill-conditioned Hessian.*")
        model = fit(
            LogisticRegression(C=np.inf, solver=solver), form(X), y, match="perfectly separated by a combination"
        )
    certificate = model.report_["separation"]
    assert certificate.value == 40
    assert certificate.check((X, y))
    assert "without exception" in certificate.claim
    assert np.isfinite(model.coef_).all()
    assert (model.predict(X) == y).all()


@FORMS
@pytest.mark.parametrize("classes", [2, 3])
def test_quasi_complete_separation(form: Any, classes: int) -> None:
    """One level of an indicator column has one class only: ties on all other rows."""
    rng, X = table()
    X = np.hstack([X, np.arange(40)[:, None] < 5])
    y = rng.integers(0, classes, size=40)
    y[:5] = 1
    model = fit(LogisticRegression(C=np.inf), form(X), y, match="quasi-completely .* column 3 alone")
    certificate = model.report_["separation"]
    assert certificate.value == 5 * (classes - 1)
    assert certificate.check((X, y))
    assert "except for ties" in certificate.claim


def test_ties_on_a_sloping_plane_are_exact() -> None:
    """Ten rows on x_0 + x_1 = 0 with mixed labels; tenths are not representable, the ties hold all the same."""
    rng, X = table(30, 2)
    X = np.round(X, 1)
    y = (X @ [1.0, 1.0] > 0).astype(int)
    X[:10, 1] = -X[:10, 0]
    y[:10] = rng.integers(0, 2, size=10)
    model = fit(LogisticRegression(C=np.inf, fit_intercept=False), X, y, match="quasi-completely")
    assert model.report_["separation"].value == np.sum(X.sum(axis=1) != 0)
    assert model.report_["separation"].check((X, y))


def test_three_separated_classes() -> None:
    X = np.array([[0.0, 0.0], [0.1, 0.2], [5.0, 0.0], [5.1, 0.3], [0.0, 5.0], [0.2, 5.2]])
    y = np.array(["a", "a", "b", "b", "c", "c"])
    model = fit(LogisticRegression(C=np.inf), X, y, match="perfectly separated")
    assert model.report_["separation"].value == 12
    assert model.report_["separation"].check((X, y))


def test_rows_without_weight_do_not_count() -> None:
    _, X = table()
    y = (X @ [1.0, 2.0, 3.0] > 0).astype(int)
    y[0] = 1 - y[0]
    weights = np.ones(40)
    weights[0] = 0.0
    model = fit(LogisticRegression(C=np.inf), X, y, weights)
    assert model.report_["separation"].value == 39
    assert model.report_["separation"].check((X, y, weights))
    with pytest.raises(CertificateError, match="wrong side"):
        model.report_["separation"].check((X, y))


def test_column_names_are_told() -> None:
    rng, X = table()
    frame = pd.DataFrame(X, columns=["age", "size", "leak"])
    y = (frame["leak"] > 0.1).astype(int)
    fit(LogisticRegression(C=np.inf), frame, y, match="'leak' alone")
    del rng


def test_penalties_and_overlap_say_nothing() -> None:
    rng, X = table()
    y = (X[:, 0] > 0).astype(int)
    assert "separation" not in [c.quantity for c in LogisticRegression().fit(X, y).report_]
    model = LogisticRegression(C=np.inf).fit(X, rng.integers(0, 2, size=40))
    assert [c.quantity for c in model.report_] == ["optimality gap"]
    assert model.converged_


def test_the_chosen_model_of_a_search() -> None:
    _, X = table()
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegressionCV(Cs=[np.inf], l1_ratios=(0,), scoring="accuracy", use_legacy_attributes=False)
    with pytest.warns(ConvergenceWarning, match="column 0 alone"):
        model.fit(X, y)
    assert model.report_["separation"].check((X, y))


def test_counts() -> None:
    rng, X = table()
    X = np.hstack([X, np.arange(40)[:, None] < 5])
    y = rng.poisson(2.0, size=40)
    y[:5] = 0
    model = fit(PoissonRegressor(alpha=0.0), X, y, match="count of 0 are separated .* by column 3")
    assert model.report_["separation"].value == 5
    assert model.report_["separation"].check((X, y))
    y[0] = 1
    with pytest.raises(CertificateError, match="wrong side"):
        model.report_["separation"].check((X, y))
    assert PoissonRegressor(alpha=0.0).fit(X, y).converged_


@example(212251, 14, 3, 3, False)
@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(3, 14), st.integers(1, 3), st.integers(2, 3), st.booleans())
def test_exactly_one_of_two_proofs(seed: int, rows: int, columns: int, classes: int, intercept: bool) -> None:
    """On small whole numbers, with many ties: either a proof that a minimizer exists, or one that none does."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(rows, columns)).astype(float)
    y = rng.integers(0, classes, size=rows)
    y[:classes] = np.arange(classes)
    whole = np.hstack([X, np.ones((rows, int(intercept)))])
    assume(np.linalg.matrix_rank(whole) == whole.shape[1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LogisticRegression(C=np.inf, fit_intercept=intercept, tol=1e-8, max_iter=1000).fit(X, y)
    kinds = {c.quantity: c for c in model.report_}
    assert ("separation" in kinds) != (kinds["optimality gap"].theorem == SELF_CONCORDANT)
    assert all(c.check((X, y)) for c in model.report_)
    assert ("separation" in kinds) == any("separated" in str(w.message) for w in caught)


@pytest.mark.parametrize("kind", [PoissonRegressor, GammaRegressor])
def test_gap_without_penalty(kind: Any) -> None:
    rng, X = table()
    y = rng.poisson(3.0, size=40) + 1.0
    model = kind(alpha=0.0).fit(X, y)
    certificate = model.report_["optimality gap"]
    assert certificate.theorem == SELF_CONCORDANT
    assert model.gap_ <= 1e-12 * certificate.witness["objective_at_zero"]
    assert certificate.check((X, y))
    with pytest.raises(CertificateError, match="optimality gap"):
        dataclasses.replace(certificate, witness={**certificate.witness, "reach": 1e30}).check()


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.sampled_from((1, 2, 3, 5)), st.booleans())
def test_gap_without_penalty_is_true(seed: int, classes: int, steps: int, intercept: bool) -> None:
    """The checker's own search from the certified point finds nothing that is better by more than the gap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = rng.integers(0, classes, size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(C=np.inf, fit_intercept=intercept, max_iter=steps).fit(X, y)
    assert model.report_.check()
    assert model.report_["optimality gap"].check((X, y))


def test_tampering_is_noticed(tmp_path: Path) -> None:
    _, X = table()
    y = (X[:, 0] > 0).astype(int)
    model = fit(LogisticRegression(C=np.inf), X, y)
    certus.save(model, tmp_path / "model.certus")
    assert certus.load(tmp_path / "model.certus").report_["separation"].check((X, y))
    certificate = model.report_["separation"]
    for name, forged in (("strict", 39), ("total", 41)):
        with pytest.raises(CertificateError, match="separation"):
            dataclasses.replace(certificate, witness={**certificate.witness, name: forged}).check()
    with pytest.raises(CertificateError, match="wrong side"):
        certificate.check((X, 1 - y))


def test_no_direction_is_invented() -> None:
    """The classes overlap by one unit in the last place: a program's tolerance hides that, exact numbers do not."""
    X = np.array([[0.0], [np.nextafter(1.0, 2.0)], [1.0], [2.0]])
    assert find_direction(label_rows(X, np.array([0, 0, 1, 1]), 2, intercept=True), np.array([1.0, -1.0])) is None
