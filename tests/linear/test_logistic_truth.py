"""The certified gap of logistic regression is never smaller than the true one, near the optimum and far from it."""

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
from certus.linear import LogisticRegression
from certus.linear.design.design_matrix import make_design
from certus.linear.fitting.logistic_fit import evidence_for, logistic_problem
from certus.losses import ElasticNet
from tests.linear.independent import (
    elastic_net_minimizer,
    logistic_minimizer,
    logistic_objective,
    logistic_rounding,
)
from tests.linear.problems import Table, tables

STRENGTHS = (1e-6, 1e-2, 1.0, 1e3, 1e6)  # values of C


def labels_for(table: Table, classes: int) -> Any:
    """Labels that depend on the first column, every class present among the rows of positive weight."""
    order = np.argsort(np.argsort(table.X[:, 0] + table.rng.normal() * table.rng.normal(size=len(table.X))))
    labels = order * classes // len(order)
    labels[: min(classes, len(labels))] = np.arange(classes)[: len(labels)]
    return labels


def fit(model: Any, table: Table, labels: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table.X, labels, sample_weight=table.sample_weight)


def check_truth(model: Any, table: Table, labels: Any, l1: float, l2: float, best: tuple[Any, Any]) -> None:
    """The gap, and the labels where those are certified."""
    arguments = (table.X, labels, table.weights, l1, l2)
    stored = (model.coef_.astype(np.float64), model.intercept_.astype(np.float64))
    reached = logistic_objective(*arguments, *stored)
    over = float(reached - logistic_objective(*arguments, *best))
    floor = sum(logistic_rounding(table.X, table.weights, *point) for point in (best, stored))
    assert over <= model.gap_ + floor + 1e-17 * float(reached)
    assert model.report_.check()
    assert model.gap_ == model.report_["optimality gap"].value
    certificate = [c for c in model.report_ if c.quantity == "labels of the exact optimum"]
    scores = table.X.astype(np.longdouble) @ best[0].T + best[1]
    label = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else np.argmax(scores, axis=1)
    assert all(c.value <= np.sum(model.predict(table.X) == label) for c in certificate)


@settings(max_examples=60)
@given(
    tables(largest_rows=30, largest_columns=6), st.integers(2, 4), st.sampled_from(STRENGTHS), st.booleans(), st.data()
)
def test_ridge_penalty(table: Table, classes: int, C: float, intercept: bool, data: Any) -> None:
    classes = min(classes, len(table.X))
    labels = labels_for(table, classes)
    steps = data.draw(st.sampled_from((1, 2, 3, 100)))
    solver = data.draw(st.sampled_from(("lbfgs", "newton-cg", "newton-cholesky")))
    model = LogisticRegression(C=C, fit_intercept=intercept, max_iter=steps, solver=solver)
    fit(model, table, labels)
    best = logistic_minimizer(table.X, labels, table.weights, classes, 1 / C, fit_intercept=intercept)
    check_truth(model, table, labels, 0.0, 1 / C, best)


@settings(max_examples=40)
@given(
    tables(largest_rows=25, largest_columns=5),
    st.integers(2, 3),
    st.sampled_from((1e-3, 0.1, 1.0, 100.0)),
    st.sampled_from((0.1, 0.5, 1.0)),
    st.booleans(),
    st.sampled_from((1, 2, 100)),
)
def test_l1_and_elastic_net(table: Table, classes: int, C: float, ratio: float, intercept: bool, steps: int) -> None:
    classes = min(classes, len(table.X))
    labels = labels_for(table, classes)
    l1, l2 = ratio / C, (1 - ratio) / C
    model = LogisticRegression(C=C, l1_ratio=ratio, fit_intercept=intercept, solver="saga", max_iter=steps)
    fit(model, table, labels)
    best = elastic_net_minimizer(table.X, labels, table.weights, classes, l1, l2, fit_intercept=intercept, steps=1000)
    check_truth(model, table, labels, l1, l2, best)


@settings(max_examples=80)
@given(
    tables(largest_rows=20, largest_columns=4, dtypes=(np.float64,)),
    st.integers(2, 4),
    st.sampled_from((0.0, 0.5, 1.0)),
    st.sampled_from((1e-2, 1.0, 30.0)),
    st.booleans(),
    st.sampled_from((1e-6, 1e-3, 0.1, 1.0)),
)
def test_any_point(table: Table, classes: int, ratio: float, strength: float, intercept: bool, away: float) -> None:
    """The bounds are theorems about every point, not only about what the solver returns."""
    classes = min(classes, len(table.X))
    labels = labels_for(table, classes)
    penalty = ElasticNet(ratio * strength, (1 - ratio) * strength)
    arguments = (table.X, labels, table.weights, classes)
    if ratio == 0.0:
        best = logistic_minimizer(*arguments, penalty.l2, fit_intercept=intercept)
    else:
        best = elastic_net_minimizer(*arguments, penalty.l1, penalty.l2, fit_intercept=intercept, steps=1000)
    scale = away / np.maximum(1.0, np.abs(table.X).max(axis=0))
    coef = best[0] + scale * table.rng.normal(size=best[0].shape)
    offset = best[1] + (away * table.rng.normal(size=best[1].shape) if intercept else 0.0)
    offset = offset.astype(np.float64)
    problem = logistic_problem(
        make_design(np.ascontiguousarray(table.X), 1),
        labels,
        table.sample_weight,
        classes=classes,
        penalty=penalty,
        fit_intercept=intercept,
    )
    evidence = evidence_for(problem, penalty, coef, offset)

    def value(*point: Any) -> Any:
        return logistic_objective(table.X, labels, table.weights, penalty.l1, penalty.l2, *point)

    reached = value(coef, offset)
    floor = sum(logistic_rounding(table.X, table.weights, *point) for point in (best, (coef, offset)))
    assert float(reached - value(*best)) <= evidence.gap + floor + 1e-17 * float(reached)
    if ratio == 0.0 and np.isfinite(evidence.distance):
        accuracy = 1e-6 * (1.0 + np.linalg.norm(best[0]))
        assert np.linalg.norm(coef - best[0]) <= evidence.distance + accuracy


@pytest.mark.parametrize("ratio", [0.0, 1.0])
@pytest.mark.parametrize("scaling", [1.0, 10.0])
def test_liblinear_penalizes_the_intercept(ratio: float, scaling: float) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    labels = (X[:, 0] + rng.normal(size=60) > -1.0).astype(int)
    model = LogisticRegression(C=0.3, l1_ratio=ratio, solver="liblinear", intercept_scaling=scaling).fit(X, labels)
    wide = np.hstack([X, np.full((60, 1), scaling)])
    l1, l2 = ratio / 0.3, (1 - ratio) / 0.3
    best, _ = elastic_net_minimizer(wide, labels, np.ones(60), 2, l1, l2, fit_intercept=False, steps=20_000)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_ / scaling), best[0], atol=2e-4)
    whole = np.append(model.coef_, model.intercept_ / scaling)[None]
    value = [logistic_objective(wide, labels, np.ones(60), l1, l2, W, np.zeros(1)) for W in (whole, best)]
    assert float(value[0] - value[1]) <= model.gap_ + 1e-16
    assert model.report_.check((X, labels))


def fitted(**parameters: Any) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(50, 3))
    labels = (X[:, 0] + rng.normal(size=50) > 0).astype(int)
    return X, labels, LogisticRegression(**parameters).fit(X, labels)


@pytest.mark.parametrize("parameters", [{}, {"solver": "saga", "l1_ratio": 1.0}])
def test_tampered_value(parameters: dict[str, Any]) -> None:
    certificate = fitted(**parameters)[2].report_["optimality gap"]
    with pytest.raises(CertificateError, match="optimality gap"):
        dataclasses.replace(certificate, value=certificate.value / 2).check()


@pytest.mark.parametrize(
    ("parameters", "name", "forged"),
    [
        ({}, "slope", 1.0),
        ({}, "center_share", 1.0),
        ({}, "strength", 1e-9),
        ({"solver": "saga", "l1_ratio": 1.0}, "dual", 0.0),
        ({"solver": "saga", "l1_ratio": 1.0}, "objective", 100.0),
    ],
)
def test_tampered_witness(parameters: dict[str, Any], name: str, forged: float) -> None:
    certificate = fitted(**parameters)[2].report_["optimality gap"]
    with pytest.raises(CertificateError, match="optimality gap"):
        dataclasses.replace(certificate, witness={**certificate.witness, name: forged}).check()


@pytest.mark.parametrize("parameters", [{}, {"solver": "saga", "l1_ratio": 0.5}])
def test_the_checker_looks_at_the_data(parameters: dict[str, Any]) -> None:
    X, labels, model = fitted(**parameters)
    certificate = model.report_["optimality gap"]
    assert certificate.check((X, labels))
    with pytest.raises(CertificateError, match="another solution is better"):
        certificate.check((X, 1 - labels))


def test_tampered_label_count() -> None:
    certificate = fitted()[2].report_["labels of the exact optimum"]
    with pytest.raises(CertificateError, match="labels of the exact optimum"):
        dataclasses.replace(certificate, witness={**certificate.witness, "undecided": 7}).check()
