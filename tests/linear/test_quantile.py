"""QuantileRegressor: exact solutions, true gaps, forms of the table."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certus.guarantees import CertificateError
from certus.linear import QuantileRegressor
from certus.linear.evidence.quantile_gap import pinball


def _objective(X, y, s, w, b, q, alpha):
    return s @ pinball(y - X @ w - b, q) + alpha * s.sum() * np.abs(w).sum()


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 40),
    columns=st.integers(1, 6),
    q=st.sampled_from([0.1, 0.5, 0.77]),
    alpha=st.sampled_from([0.0, 0.01, 0.3]),
    fit_intercept=st.booleans(),
    form=st.sampled_from([np.asarray, sparse.csr_array, sparse.csc_array]),
)
def test_gap_is_true_and_small(seed, rows, columns, q, alpha, fit_intercept, form):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((rows, columns)), rng.standard_t(2, rows)
    s = rng.integers(0, 3, rows).astype(float)
    s[0] = 1.0
    model = QuantileRegressor(quantile=q, alpha=alpha, fit_intercept=fit_intercept).fit(form(X), y, s)
    reached = _objective(X, y, s, model.coef_, model.intercept_, q, alpha)
    certificate = model.report_["optimality gap"]
    assert certificate.check((X, y, s))
    assert model.gap_ <= 1e-6 * max(certificate.witness["objective_at_zero"], 1.0)
    for _ in range(20):  # no nearby point is better by more
        w = model.coef_ + 0.1 * rng.standard_normal(columns)
        b = model.intercept_ + (0.1 * rng.normal() if fit_intercept else 0.0)
        assert reached <= _objective(X, y, s, w, b, q, alpha) + model.gap_ + 1e-12


def test_against_all_lines_through_two_points():
    """Without penalty some optimal line passes through two of the points."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(12), rng.standard_normal(12)
    best = np.inf
    for i, j in itertools.combinations(range(12), 2):
        slope = (y[i] - y[j]) / (x[i] - x[j])
        best = min(best, pinball(y - slope * x - (y[i] - slope * x[i]), 0.3).sum())
    model = QuantileRegressor(quantile=0.3, alpha=0.0).fit(x[:, None], y)
    reached = _objective(x[:, None], y, np.ones(12), model.coef_, model.intercept_, 0.3, 0.0)
    assert reached == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(("alpha", "scales"), [(0.0, 1.0), (0.01, 1.0), (0.0, np.array([1e-9, 1.0, 1e9]))])
@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_far_off_columns_cost_no_quality(alpha, scales, offset):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((120, 3)), rng.standard_t(3, 120)
    far = scales * (X + offset)
    plain, model = (QuantileRegressor(alpha=alpha).fit(table, y) for table in (scales * X, far))
    certificate = model.report_["optimality gap"]
    assert certificate.check((far, y))
    assert certificate.witness["objective"] == pytest.approx(plain.report_[0].witness["objective"], rel=1e-6)
    assert model.gap_ <= 1e-5 * certificate.witness["objective_at_zero"]


def test_tampered_certificate():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    certificate = QuantileRegressor(alpha=0.01).fit(X, y).report_["optimality gap"]
    with pytest.raises(CertificateError, match="second route"):
        replace(certificate, value=certificate.value / 10.0).check()
    moved = {**certificate.witness, "coef": [0.5, 0.5]}
    with pytest.raises(CertificateError, match="the gap is"):
        replace(certificate, witness=moved).check((X, y))
    infeasible = {**certificate.witness, "dual_point": [1.0] * 30}
    with pytest.raises(CertificateError, match="not feasible"):
        replace(certificate, witness=infeasible).check((X, y))
