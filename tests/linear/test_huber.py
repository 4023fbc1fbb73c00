"""HuberRegressor: true and small gaps, forms of the table, tampering."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from sklearn.exceptions import ConvergenceWarning

from certus.guarantees import CertificateError
from certus.linear import HuberRegressor
from certus.linear.problems.huber_problem import HuberProblem


def _data(seed, rows, columns):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) + 1.0
    y = X @ rng.standard_normal(columns) + rng.standard_t(1.5, rows)
    return X, y, rng


def _objective(X, y, s, epsilon, alpha):
    def objective(both):
        w, b, scale = both[:-2], both[-2], np.exp(both[-1])
        size = np.abs(y - X @ w - b) / scale
        return s @ (scale + scale * np.where(size <= epsilon, size**2, 2 * epsilon * size - epsilon**2)) + alpha * w @ w

    return objective


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(2, 60),
    columns=st.integers(1, 5),
    epsilon=st.sampled_from([1.01, 1.35, 3.0]),
    alpha=st.sampled_from([1e-4, 0.1, 5.0]),
    fit_intercept=st.booleans(),
    form=st.sampled_from([np.asarray, sparse.csr_array, np.asfortranarray]),
)
def test_gap_is_true_and_small(seed, rows, columns, epsilon, alpha, fit_intercept, form):
    X, y, rng = _data(seed, rows, columns)
    s = rng.integers(0, 3, rows).astype(float)
    s[:2] = 1.0
    model = HuberRegressor(epsilon=epsilon, alpha=alpha, fit_intercept=fit_intercept, max_iter=500)
    with warnings.catch_warnings():  # with few rows the best scale can be 0; what is not reached is told
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(form(X), y, s)
    certificate = model.report_["optimality gap"]
    assert certificate.check((X, y, s))
    if epsilon > 1.1 and np.count_nonzero(s) > 4 * (columns + 1):
        assert model.converged_
    if model.converged_:
        assert model.gap_ <= 2e-5 * certificate.witness["objective_at_zero"]
    objective = _objective(X, y, s, epsilon, alpha)
    at = np.concatenate([model.coef_, [model.intercept_, np.log(model.scale_)]])
    reached = objective(at)
    for _ in range(20):
        step = 0.05 * rng.standard_normal(len(at))
        step[-2] *= fit_intercept
        assert reached <= objective(at + step) + model.gap_ + 1e-12 * reached


@pytest.mark.parametrize("seed", range(5))
def test_dual_bound_is_below_what_another_optimizer_finds(seed):
    X, y, rng = _data(seed, 40, 3)
    s = np.ones(40)
    objective = _objective(X, y, s, 1.35, 0.01)
    start = np.append(np.zeros(4), np.log(np.median(np.abs(y))))
    best = optimize.minimize(objective, start, method="Nelder-Mead", options={"maxiter": 20000, "fatol": 1e-10}).fun
    mean = X.mean(axis=0)
    problem = HuberProblem(X, y, s, 1.35, 0.01, mean, True, 1)
    for size in (0.0, 0.3, 2.0):  # at any point, not only at the solution
        evidence, _ = problem.evidence(problem.at(size * rng.standard_normal(3), size, 1.0 + size))
        assert evidence.objective - best <= evidence.gap + 1e-9
    model = HuberRegressor(alpha=0.01).fit(X, y)
    assert model.report_["optimality gap"].witness["objective"] <= best + 1e-6


def test_many_columns_by_limited_memory(monkeypatch):
    from certus.linear.solvers import huber_solver

    X, y, _ = _data(1, 80, 6)
    newton = HuberRegressor(alpha=0.1).fit(X, y)
    monkeypatch.setattr(huber_solver, "EXPLICIT_HESSIAN", 0)
    limited = HuberRegressor(alpha=0.1, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(limited.coef_, newton.coef_, atol=1e-4)
    assert limited.gap_ <= 1e-6 * limited.history_[-1]


def test_perfect_fit_has_almost_no_scale():
    X = np.linspace(0.0, 1.0, 20)[:, None]
    model = HuberRegressor(alpha=0.0, max_iter=500).fit(X, 3.0 * X[:, 0] + 1.0)
    np.testing.assert_allclose(model.predict(X), 3.0 * X[:, 0] + 1.0, atol=1e-6)
    assert model.scale_ < 1e-6


def test_tampered_certificate():
    X, y, _ = _data(3, 30, 2)
    certificate = HuberRegressor(alpha=0.1).fit(X, y).report_["optimality gap"]
    with pytest.raises(CertificateError, match="second route"):
        replace(certificate, value=certificate.value / 10.0).check()
    moved = {**certificate.witness, "coef": [9.0, 9.0]}
    with pytest.raises(CertificateError, match="the gap is"):
        replace(certificate, witness=moved).check((X, y))
    infeasible = {**certificate.witness, "dual_point": [9.0] * 30}
    with pytest.raises(CertificateError, match="not feasible"):
        replace(certificate, witness=infeasible).check((X, y))


@pytest.mark.parametrize("epsilon", [1.0, 1.0001, 1.01, 1.03])
@pytest.mark.parametrize("shape", [(12, 3), (100, 4), (300, 8)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_scale_that_vanishes_is_solved_exactly(epsilon, shape, seed):
    """Near epsilon = 1 the best scale is 0: the limit, absolute deviations, is solved by its own equations."""
    X, y, _ = _data(seed, *shape)
    model = HuberRegressor(epsilon=epsilon).fit(X, y)
    certificate = model.report_["optimality gap"]
    assert model.converged_
    assert certificate.check((X, y))
    assert model.gap_ <= 1e-9 * certificate.witness["objective_at_zero"]


@pytest.mark.parametrize("rows", [12, 100])
@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_far_off_columns_cost_no_quality(rows: int, offset: float) -> None:
    rng = np.random.default_rng(rows)
    X, y = rng.normal(size=(rows, 40 if rows == 12 else 4)), rng.standard_t(3, rows)
    for alpha in (0.0, 1e-4, 1.0):
        plain, model = (HuberRegressor(alpha=alpha, max_iter=300).fit(table, y) for table in (X, X + offset))
        certificate, at_zero = model.report_[0], plain.report_[0].witness["objective_at_zero"]
        assert certificate.check((X + offset, y))
        assert model.gap_ <= plain.gap_ + 1e-4 * at_zero
        assert certificate.witness["objective"] <= plain.report_[0].witness["objective"] + plain.gap_ + 1e-4 * at_zero
