"""Poisson and gamma regression: certified gaps against better optimizers, forms of the table, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from certus.linear import GammaRegressor, PoissonRegressor
from certus.linear.design.design_matrix import make_design
from certus.linear.evidence.mean_gap import mean_evidence
from certus.linear.problems.mean_problem import make_mean_problem
from certus.losses import named_loss

LEARNERS = {"poisson": PoissonRegressor, "gamma": GammaRegressor}


def _data(seed, rows, columns, loss):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    mean = np.exp(0.5 * X @ rng.standard_normal(columns) + rng.normal())
    y = rng.poisson(mean).astype(float) if loss == "poisson" else rng.gamma(2.0, mean / 2.0) + 1e-9
    if loss == "poisson" and not y.any():
        y[0] = 1.0
    return X, y, rng


def _minimum(X, y, weights, loss, strength, fit_intercept):
    def objective(both):
        scores = X @ both[:-1] + (both[-1] if fit_intercept else 0.0)
        slope = weights * (np.exp(scores) - y if loss == "poisson" else 1.0 - y * np.exp(-scores))
        gradient = np.append(X.T @ slope + strength * both[:-1], slope.sum() if fit_intercept else 0.0)
        value = weights @ named_loss(loss).value(y, scores) + 0.5 * strength * both[:-1] @ both[:-1]
        return value, gradient

    start = np.zeros(X.shape[1] + 1)
    start[-1] = np.log(np.average(y, weights=weights))
    run = optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options={"ftol": 0.0, "gtol": 1e-12})
    return run.fun, objective


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(2, 60),
    columns=st.integers(1, 8),
    loss=st.sampled_from(["poisson", "gamma"]),
    alpha=st.sampled_from([1e-4, 0.1, 3.0]),
    fit_intercept=st.booleans(),
    form=st.sampled_from(["dense", "csr", "float32", "fortran"]),
)
def test_gap_is_true_and_small(seed, rows, columns, loss, alpha, fit_intercept, form):
    X, y, rng = _data(seed, rows, columns, loss)
    X = X.astype(np.float32).astype(np.float64)
    weights = rng.integers(1, 4, rows).astype(float)
    table = {"csr": sparse.csr_array, "float32": np.float32, "fortran": np.asfortranarray}.get(form, np.asarray)(X)
    model = LEARNERS[loss](alpha=alpha, fit_intercept=fit_intercept).fit(table, y, weights)
    best, objective = _minimum(X, y, weights, loss, alpha * weights.sum(), fit_intercept)
    reached = objective(np.append(model.coef_.astype(float), float(model.intercept_)))[0]
    assert reached - best <= model.gap_ + 1e-12 * max(1.0, reached)
    null = model.report_["optimality gap"].witness["objective_at_zero"]
    if form != "float32" and null > 1e-6:
        assert model.gap_ <= 1e-9 * max(null, weights.sum())
    assert model.report_["optimality gap"].check((X, y, weights))


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(["poisson", "gamma"]),
    fit_intercept=st.booleans(),
    step=st.floats(1e-6, 1.0),
)
def test_gap_is_true_at_any_point(seed, loss, fit_intercept, step):
    X, y, rng = _data(seed, 30, 3, loss)
    weights = rng.uniform(0.5, 2.0, 30)
    best, objective = _minimum(X, y, weights, loss, 0.5 * weights.sum(), fit_intercept)
    problem = make_mean_problem(make_design(X, 1), named_loss(loss), y, weights, alpha=0.5, fit_intercept=fit_intercept)
    coef = step * rng.standard_normal((1, 3))
    intercept = np.array([np.log(y.mean()) + step * rng.normal()]) if fit_intercept else np.zeros(1)
    evidence = mean_evidence(problem, coef, intercept)
    assert objective(np.append(coef[0], intercept))[0] - best <= evidence.gap * (1.0 + 1e-9) + 1e-12


def test_weights_are_repetitions():
    X, y, rng = _data(0, 40, 3, "poisson")
    weights = rng.integers(0, 3, 40)
    weighted = PoissonRegressor(alpha=0.2).fit(X, y, weights)
    repeated = PoissonRegressor(alpha=0.2).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)


def test_large_counts_do_not_overflow():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 2))
    y = np.round(np.exp(8.0 * X[:, 0] + 10.0))
    model = PoissonRegressor(alpha=1e-6, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.coef_, [8.0, 0.0], atol=1e-2)


def test_tampered_certificate():
    X, y, _ = _data(2, 50, 3, "poisson")
    certificate = PoissonRegressor().fit(X, y).report_["optimality gap"]
    from dataclasses import replace

    from certus.guarantees import CertificateError

    with pytest.raises(CertificateError, match="second route"):
        replace(certificate, value=certificate.value / 10.0).check()
    moved = {**certificate.witness, "coef": (np.array(certificate.witness["coef"]) + 0.3).tolist()}
    with pytest.raises(CertificateError, match="another solution is better"):
        replace(certificate, witness=moved).check((X, y))


def test_refusals():
    X = np.eye(4)
    with pytest.raises(ValueError, match=r"needs y at least 0, row 2 has -1"):
        PoissonRegressor().fit(X, [1.0, 2.0, -1.0, 0.0])
    with pytest.raises(ValueError, match=r"needs y greater than 0, row 3 has 0"):
        GammaRegressor().fit(X, [1.0, 2.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="no finite value"):
        PoissonRegressor().fit(X, np.zeros(4))
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="certified to be within"):
        PoissonRegressor(max_iter=1, alpha=0.001).fit(X * 5.0, [1.0, 20.0, 300.0, 4.0])
