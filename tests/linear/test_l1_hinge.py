"""L1HingeClassifier: exact optima, true gaps, l_p by reweighting as an estimate."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.guarantees import CertificateError
from certus.linear import L1HingeClassifier
from certus.linear.evidence.hinge_gap import feasible_hinge_dual
from certus.linear.solvers.hinge_program import HingeProblem


def objective(X, signs, costs, w, b, p=1.0):
    return (np.abs(w) ** p).sum() + costs @ np.maximum(0.0, 1.0 - signs * (X @ w + b))


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(4, 40),
    columns=st.integers(1, 6),
    C=st.sampled_from([0.05, 1.0, 30.0]),
    labels=st.integers(2, 4),
    fit_intercept=st.booleans(),
    form=st.sampled_from([np.asarray, sparse.csr_array]),
    offset=st.sampled_from([0.0, 1e5]),
)
def test_gap_is_true_and_small(seed, rows, columns, C, labels, fit_intercept, form, offset):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((rows, columns)) + offset, rng.integers(0, labels, rows)
    y[:labels] = np.arange(labels)
    s = rng.integers(0, 3, rows).astype(float)
    s[:labels] = 1.0
    model = L1HingeClassifier(C, fit_intercept=fit_intercept).fit(form(X), y, s)
    assert model.report_["optimality gap"].check((X, y, s))
    assert model.gap_ <= 1e-4 * model.report_[0].witness["objective_at_zero"]
    signs = (
        np.where(y == 1, 1.0, -1.0)[:, None] if labels == 2 else np.where(y[:, None] == np.arange(labels), 1.0, -1.0)
    )
    total = sum(
        objective(X, sign, C * s, w, b) for sign, w, b in zip(signs.T, model.coef_, model.intercept_, strict=True)
    )
    for _ in range(20):  # no nearby point is better by more
        w = model.coef_ + 0.1 * rng.standard_normal(model.coef_.shape)
        b = model.intercept_ - (w - model.coef_) @ X.mean(axis=0) * fit_intercept
        other = sum(objective(X, sign, C * s, *at) for sign, *at in zip(signs.T, w, b, strict=True))
        assert total <= other + model.gap_ + 1e-9 * total


def test_against_every_vertex():
    """In one dimension the optimum is where two of the pieces meet: a margin of a row is 1, or w is 0."""
    rng = np.random.default_rng(0)
    x, signs = rng.standard_normal(9), np.array([1.0, -1.0] * 4 + [1.0])
    ends = [(0.0, b) for b in (-1.0, 1.0)]
    for i, j in itertools.combinations(range(9), 2):
        w, b = np.linalg.solve([[x[i], 1.0], [x[j], 1.0]], [signs[i], signs[j]])
        ends.append((w, b))
    best = min(objective(x[:, None], signs, 0.7 * np.ones(9), np.array([w]), b) for w, b in ends)
    model = L1HingeClassifier(0.7).fit(x[:, None], signs)
    reached = objective(x[:, None], signs, 0.7 * np.ones(9), model.coef_[0], model.intercept_[0])
    assert reached == pytest.approx(best, rel=1e-9)


def test_few_columns_of_many_are_used_and_smaller_powers_use_fewer():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 60))
    y = np.where(X[:, 7] - X[:, 30] + 0.4 * rng.normal(size=150) > 0.0, "yes", "no")
    one, half = L1HingeClassifier().fit(X, y), L1HingeClassifier(p=0.5).fit(X, y)
    assert {7, 30} <= set(np.flatnonzero(half.coef_[0])) < set(np.flatnonzero(one.coef_[0]))
    signs, costs = np.where(y == "yes", 1.0, -1.0), np.ones(150)
    values = [objective(X, signs, costs, m.coef_[0], m.intercept_[0], 0.5) for m in (half, one)]
    assert values[0] < values[1]
    assert (np.diff(half.history_) <= 0.0).all()
    certificate = half.report_[0]
    assert not certificate.guaranteed
    assert "not convex" in certificate.claim
    assert certificate.check((X, y))
    assert one.report_[0].guaranteed
    with pytest.warns(ConvergenceWarning, match="Reweighting ended after 2 programs"):
        L1HingeClassifier(p=0.5, max_iter=2).fit(X, y)


def test_tampered_certificates_and_infeasible_points_are_refused():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    certificate = L1HingeClassifier().fit(X, y).report_[0]
    with pytest.raises(CertificateError, match="second route"):
        replace(certificate, value=certificate.value / 10.0).check()
    with pytest.raises(CertificateError, match="the gap is"):
        replace(certificate, witness={**certificate.witness, "coef": [[0.5, 0.5, 0.5]]}).check((X, y))
    with pytest.raises(CertificateError, match="not feasible"):
        replace(certificate, witness={**certificate.witness, "dual_point": [[1.0]] * 30}).check((X, y))


def test_any_point_is_made_feasible():
    rng = np.random.default_rng(3)
    problem = HingeProblem(
        rng.normal(size=(20, 3)), np.zeros(3), rng.choice([-1.0, 1.0], 20), rng.random(20), 0.1 * np.ones(3), True
    )
    for _ in range(50):
        u = feasible_hinge_dual(rng.normal(size=20), problem)
        assert (u >= 0.0).all()
        assert (u <= problem.s).all()
        assert abs(problem.y @ u) < 1e-14
        assert np.abs(problem.X.T @ (problem.y * u)).max() <= 0.1 * (1.0 + 1e-12)


def test_one_class_is_refused():
    X = np.eye(3)
    for y, s in (([1, 1, 1], None), ([0, 1, 1], [0.0, 1.0, 1.0])):
        with pytest.raises(ValueError, match="needs rows of at least 2 classes"):
            L1HingeClassifier().fit(X, y, s)
