"""Hard margins and tubes: the exact solution where there is one, else the least violation and the proof."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from certus.guarantees import CertificateError
from certus.svm import SVC, SVR
from certus.svm.evidence.impossibility_certificate import GRID, whole_shares


def least_violation(rows: np.ndarray, demand: np.ndarray) -> float:
    """min sum(xi) over rows @ w + xi >= demand, xi >= 0, by linear programming."""
    count, width = rows.shape
    cost = np.concatenate([np.zeros(width), np.ones(count)])
    bounds = [(None, None)] * width + [(0.0, None)] * count
    return float(linprog(cost, -np.hstack([rows, np.eye(count)]), -demand, bounds=bounds, method="highs").fun)


def fit_hard(machine: Any, X: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(X, y)


def test_toys_have_the_known_solutions() -> None:
    two = SVC(kernel="linear", C=np.inf).fit([[1.0, 1.0], [-1.0, -1.0]], [1, -1])
    assert_allclose(two.dual_coef_, [[-0.25, 0.25]], rtol=1e-8)
    assert_allclose(two.coef_, [[0.5, 0.5]], rtol=1e-8)
    xor = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=np.inf)
    xor.fit([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [-1, 1, 1, -1])
    assert_allclose(np.abs(xor.dual_coef_), np.full((1, 4), 1 / 8), rtol=1e-8)
    origin = SVC(kernel="linear", C=np.inf, fit_intercept=False).fit([[2.0, 0.0], [0.0, -2.0]], [1, -1])
    assert_allclose(origin.coef_, [[0.5, 0.5]], rtol=1e-8)
    assert origin.intercept_ == [0.0]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(25, 150), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_margin_is_hard_or_its_violation_is_the_least(seeds: range, fit_intercept: bool) -> None:
    outcomes = set()
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(int(rng.integers(4, 40)), int(rng.integers(1, 5))))
        X = np.round(X) if seed % 3 == 0 else X
        y = np.where(X[:, 0] + rng.choice([0.0, 0.5]) * rng.normal(size=len(X)) > 0.1, 1, -1)
        y[:2] = [1, -1]
        machine = fit_hard(SVC(kernel="linear", C=np.inf, fit_intercept=fit_intercept), X, y)
        design = np.hstack([X, np.ones((len(X), int(fit_intercept)))])
        least = least_violation(y[:, None] * design, np.ones(len(X)))
        margins = y * machine.decision_function(X)
        assert np.maximum(0.0, 1.0 - margins).sum() == pytest.approx(least, abs=1e-6)
        outcomes.add(machine.converged_)
        if machine.converged_:
            assert margins.min() >= 1.0
            assert machine.gap_ <= 1e-6 * (1.0 + float(np.sum(machine.coef_**2)))
            assert machine.report_["optimality gap"].check((X, y))
        else:
            assert machine.gap_ == np.inf
            assert machine.report_.check()
            assert machine.report_.check((X, y))
            assert machine.report_["norm that meets all constraints"].value > 1e3 * np.linalg.norm(machine.coef_)
            assert machine.report_["total violation"].value == pytest.approx(least, rel=1e-2, abs=1e-3)
            assert machine.report_["total violation"].value <= least + 1e-9
    assert outcomes == {True, False}


@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 100), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_tube_is_hard_or_its_violation_is_the_least(seeds: range) -> None:
    outcomes = set()
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(int(rng.integers(4, 30)), int(rng.integers(1, 4))))
        noise, epsilon = rng.choice([0.02, 0.5]), 0.2
        y = X @ rng.normal(size=X.shape[1]) + noise * rng.normal(size=len(X))
        machine = fit_hard(SVR(kernel="linear", C=np.inf, epsilon=epsilon), X, y)
        design = np.hstack([X, np.ones((len(X), 1))])
        demands = np.concatenate([y - epsilon, -y - epsilon])
        least = least_violation(np.vstack([design, -design]), demands)
        missed = np.maximum(0.0, np.abs(y - machine.predict(X)) - epsilon).sum()
        assert missed == pytest.approx(least, abs=1e-6)
        outcomes.add(machine.converged_)
        if machine.converged_:
            assert machine.report_["optimality gap"].check((X, y))
            soft = SVR(kernel="linear", C=1e4, epsilon=epsilon, tol=1e-7).fit(X, y)
            assert_allclose(machine.predict(X), soft.predict(X), atol=1e-4)
        else:
            assert machine.report_.check((X, y))
            assert machine.report_["total violation"].value == pytest.approx(least, rel=1e-2, abs=1e-3)
    assert outcomes == {True, False}


def test_the_warning_says_what_is_missed_and_names_the_remedy() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    with pytest.warns(
        ConvergenceWarning, match=r"No function meets all constraints of SVC with C=inf.*misses .*\nHint: use"
    ):
        machine = SVC(kernel="linear", C=np.inf).fit(X, [0, 1, 0, 1])
    assert machine.withheld_ == "C is infinite, and no function meets all constraints"
    with pytest.warns(ConvergenceWarning, match="No function meets all constraints of SVR"):
        SVR(kernel="linear", C=np.inf, epsilon=0.1).fit(X, [0.0, 1.0, 0.0, 1.0])


def test_only_the_pairs_that_overlap_are_impossible() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(size=(20, 2)) + 20.0])
    y = np.repeat(["a", "b", "c"], 20)
    with pytest.warns(ConvergenceWarning, match="No function meets"):
        machine = SVC(kernel="linear", C=np.inf).fit(X, y)
    claims = [certificate.claim for certificate in machine.report_]
    assert any("separates the classes 'a' and 'b'" in claim for claim in claims)
    assert not any("'c'" in claim for claim in claims)
    assert (machine.predict(X[40:]) == "c").all()


def test_equal_rows_with_both_labels_under_any_kernel() -> None:
    X = np.array([[0.0], [1.0], [1.0], [2.0]])
    y = [0, 0, 1, 1]
    for machine, table in [
        (SVC(gamma=1.0, C=np.inf), X),
        (SVC(gamma=1.0, C=np.inf), sparse.csr_array(X)),
        (SVC(kernel="precomputed", C=np.inf), np.exp(-((X - X.T) ** 2))),
    ]:
        with pytest.warns(ConvergenceWarning, match="No function meets"):
            machine.fit(table, y)
        assert machine.report_.check((table, np.array(y)))
        assert machine.report_["total violation"].value == pytest.approx(2.0, rel=1e-3)


def test_a_contradiction_that_is_none_is_refused() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    machine = fit_hard(SVC(kernel="linear", C=np.inf), X, y)
    norm = machine.report_["norm that meets all constraints"]
    with pytest.raises(CertificateError, match="on these data the shares give"):
        norm.check((X, np.array([0, 0, 1, 1])))
    with pytest.raises(CertificateError, match="states"):
        replace(norm, value=2.0 * norm.value).check()
    shares = list(norm.witness["shares"])
    shares[0] -= 1
    with pytest.raises(CertificateError, match="signed sum of the shares is not zero"):
        replace(norm, witness={**norm.witness, "shares": shares}).check((X, y))


def test_whole_shares_cancel_exactly() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        sign = rng.choice([-1, 1], 20).astype(np.int8)
        sign[:2] = [1, -1]
        shares = rng.random(20) * (rng.random(20) < 0.6)
        counts = whole_shares(shares, sign)
        assert int((counts * sign).sum()) == 0
        assert (counts >= 0).all()
        assert counts.max(initial=0) <= GRID
