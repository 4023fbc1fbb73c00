"""Tall tables are solved from a sample of their rows; whatever the sample is like, the optimum is that of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from certus.linear import LogisticRegression, PoissonRegressor
from certus.linear.design.design_matrix import make_design
from certus.linear.problems.smooth_problem import make_problem
from certus.linear.solvers import chord_newton

ROWS, COLUMNS = 28_000, 20


def tall_table(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS)) @ (np.eye(COLUMNS) + 0.2 * rng.normal(size=(COLUMNS, COLUMNS)))
    chance = 1.0 / (1.0 + np.exp(-X @ rng.normal(size=COLUMNS) / 3.0 - 0.5))
    return X, (rng.random(ROWS) < chance).astype(int)


def misleading(kind: str) -> tuple[Any, Any, Any]:
    X, y = tall_table(1)
    weights = None
    sampled = np.arange(ROWS) % 8 == 0
    if kind == "one class":
        y[sampled] = 1
    elif kind == "other scale":
        X[sampled] *= 1e-3
    elif kind == "outliers":
        X[~sampled & (np.arange(ROWS) % 97 == 1)] *= 100.0
    elif kind == "no weight":
        weights = np.where(sampled, 0.0, 1.0)
    elif kind == "constant column":
        X[sampled, 3] = 1.0
    return X, y, weights


def test_sample_steers_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is read with an explicit Hessian only in samples, and the gap is reached."""
    X, y = tall_table(0)
    full = []
    exact = chord_newton.CholeskySteps.evaluate

    def evaluate(self: Any, coef: Any, center: Any) -> Any:
        full.append(self.problem.design.rows)
        return exact(self, coef, center)

    monkeypatch.setattr(chord_newton.CholeskySteps, "evaluate", evaluate)
    model = LogisticRegression(gap_tol=1e-7).fit(X, y)
    assert full
    assert max(full) == ROWS // 8
    assert model.converged_
    assert model.gap_ <= 1e-7 * ROWS * np.log(2.0)
    assert model.report_["optimality gap"].check((X, y))


@pytest.mark.parametrize("kind", ["one class", "other scale", "outliers", "no weight", "constant column"])
def test_misleading_samples_cost_no_accuracy(kind: str) -> None:
    X, y, weights = misleading(kind)
    model = LogisticRegression(gap_tol=1e-9, max_iter=1000).fit(X, y, weights)
    plain = LogisticRegression(gap_tol=1e-9, max_iter=1000, solver="newton-cholesky").fit(X, y, weights)
    assert model.converged_
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, plain.intercept_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_counts_of_tall_tables(fit_intercept: bool) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = rng.poisson(np.exp(0.2 * X @ rng.normal(size=COLUMNS) + 1.0)).astype(float)
    model = PoissonRegressor(alpha=1e-3, gap_tol=1e-8, fit_intercept=fit_intercept).fit(X, y)
    plain = PoissonRegressor(alpha=1e-3, gap_tol=1e-8, solver="newton-cholesky", fit_intercept=fit_intercept).fit(X, y)
    assert model.converged_
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-6)


def test_default_tolerance_is_as_sharp_as_exact_steps() -> None:
    X, y = tall_table(2)
    model, plain = LogisticRegression().fit(X, y), LogisticRegression(solver="newton-cholesky").fit(X, y)
    assert model.gap_ <= 1e-9 * ROWS
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-7)


def test_single_precision_rows_give_the_same_sums() -> None:
    """Rows in single precision are read without a copy; the sums are those of the same numbers in double."""
    X, y = tall_table(3)
    single = X.astype(np.float32)
    coef, center = np.full((1, COLUMNS), 0.1), np.array([0.2])
    weights = np.random.default_rng(0).random(ROWS)
    tables = (single, single.astype(np.float64), np.asfortranarray(single))
    problems = [
        make_problem(make_design(table, 2), y, weights, classes=2, strength=1.0, fit_intercept=True) for table in tables
    ]
    first, *others = [problem.evaluate(coef, center) for problem in problems]
    for other in others:
        assert first.value == pytest.approx(other.value, rel=1e-13)
        np.testing.assert_allclose(first.gradient, other.gradient, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(first.detail, other.detail, rtol=1e-12)


def test_warm_start_is_kept() -> None:
    """A fit that starts at the optimum does not leave it for the minimum of a sample."""
    X, y = tall_table(4)
    model = LogisticRegression(gap_tol=1e-8, warm_start=True).fit(X, y)
    first = model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_[0] <= 1
    np.testing.assert_allclose(model.coef_, first, atol=1e-6)
