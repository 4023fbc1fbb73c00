"""Gaps of lasso, elastic net and multi-task solutions are true: no other point is better by more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certus.guarantees import CertificateError
from certus.linear import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    MultiTaskElasticNet,
    MultiTaskElasticNetCV,
    MultiTaskLassoCV,
    lasso_path,
)
from tests.linear.plain_descent import Plain
from tests.linear.problems import Table, tables

FORMS = st.sampled_from((np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array))


def check_gap(model: Any, table: Table, y: Any, *, ratio: float, joint: bool) -> None:
    """The certified gap covers what plain descent in extended precision finds, and listed zeros are zeros."""
    positive = bool(getattr(model, "positive", False))
    plain = Plain(
        table.X,
        y,
        table.weights,
        alpha=model.alpha,
        ratio=ratio,
        center=model.fit_intercept,
        joint=joint,
        positive=positive,
    )
    coef = np.atleast_2d(model.coef_)
    reached = plain.objective(coef, np.atleast_1d(model.intercept_))
    better = plain.descend(coef, 40)
    found = plain.objective(better)
    assert float(reached - found) <= model.gap_ + 1e-17 * float(reached)
    assert model.gap_ <= float(reached) * (1 + 1e-3) + 1e-9
    assert model.report_.check()
    for certificate in model.report_:
        assert certificate.value <= len(table.X[0]) or certificate.quantity == "optimality gap"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=60)
@given(tables(), FORMS, st.floats(-6, 1), st.sampled_from((1.0, 0.7, 0.2, 0.0)), st.booleans(), st.booleans())
def test_elastic_net_gap(table: Table, form: Any, power: float, ratio: float, center: bool, positive: bool) -> None:
    y = table.X.astype(float) @ table.rng.normal(size=table.X.shape[1]) + table.rng.normal(size=len(table.X))
    scale = float(np.std(y)) * float(np.median(np.std(table.X.astype(float), axis=0)) + 1e-9)
    model = ElasticNet(10.0**power * scale, l1_ratio=ratio, fit_intercept=center, positive=positive, tol=1e-7)
    model.set_params(max_iter=3000).fit(form(table.X), y, sample_weight=table.sample_weight)
    check_gap(model, table, y, ratio=ratio, joint=False)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=25)
@given(tables(), st.integers(1, 4), st.sampled_from((1.0, 0.5)))
def test_gap_of_unfinished_solutions(table: Table, sweeps: int, ratio: float) -> None:
    """Also a solution that was stopped early has a true gap."""
    y = table.X.astype(float) @ table.rng.normal(size=table.X.shape[1])
    model = ElasticNet(1e-3 * float(np.std(y)) + 1e-9, l1_ratio=ratio, max_iter=sweeps, tol=1e-12)
    model.fit(table.X, y, sample_weight=table.sample_weight)
    check_gap(model, table, y, ratio=ratio, joint=False)


@pytest.mark.parametrize("shape", [(200, 20), (40, 300)])
@pytest.mark.parametrize("gap_tol", [1e-4, 1e-8, 1e-11])
def test_gap_tol_is_reached(shape: tuple[int, int], gap_tol: float) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=shape)
    y = X[:, :5] @ rng.normal(size=5) + rng.normal(size=shape[0])
    model = Lasso(0.05, gap_tol=gap_tol).fit(X, y)
    assert model.converged_
    assert model.gap_ <= gap_tol * 0.5 * np.var(y)


def test_sparse_working_sets() -> None:
    """Many sparse columns: what the solver measures on its working sets is the gap of the whole problem."""
    rng = np.random.default_rng(8)
    X = sparse.csc_array(rng.normal(size=(400, 3000)) * (rng.uniform(size=(400, 3000)) < 0.01))
    y = X @ (rng.normal(size=3000) * (rng.uniform(size=3000) < 0.05)) + rng.normal(size=400)
    largest = np.abs(X.T @ (y - y.mean())).max() / 400
    for share in (0.3, 0.02):
        model = Lasso(share * largest, tol=1e-7).fit(X, y)
        assert model.converged_
        assert model.gap_ <= 1.1e-7 * np.var(y)
        assert model.dual_gap_ <= model.gap_


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_provable_zeros(ratio: float) -> None:
    """With a small gap nearly all zeros are proven, and never a coefficient that the optimum uses."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 60))
    y = X[:, :5] @ [3, -2, 1, 2, -1] + 0.5 * rng.normal(size=100)
    model = ElasticNet(0.1, l1_ratio=ratio, tol=1e-10).fit(X, y)
    certificate = model.report_["columns that every optimum leaves out"]
    shown = np.array(certificate.witness["shown"])
    exact = ElasticNet(0.1, l1_ratio=ratio, tol=1e-14).fit(X, y).coef_
    assert (exact[shown] == 0.0).all()
    assert len(shown) >= 0.9 * (exact == 0.0).sum() > 0
    assert certificate.check((X, y))


def test_altered_certificates_are_refused() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 8))
    y = X[:, 0] + 0.1 * rng.normal(size=50)
    model = Lasso(0.1).fit(X, y)
    gap = model.report_["optimality gap"]
    assert gap.check((X, y))
    record = gap.to_dict()
    record["witness"]["coef"] = [[0.0] * 8]
    with pytest.raises(CertificateError, match="another solution is better"):
        type(gap).from_dict(record).check((X, y))
    record = gap.to_dict()
    record["value"] = gap.value / 2 if gap.value > 0 else 1.0
    with pytest.raises(CertificateError, match="optimality gap"):
        type(gap).from_dict(record).check()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=30)
@given(tables(), FORMS, st.floats(-4, 1), st.sampled_from((1.0, 0.5, 0.0)), st.booleans())
def test_multi_task_gap(table: Table, form: Any, power: float, ratio: float, center: bool) -> None:
    y = table.X.astype(float) @ table.rng.normal(size=(table.X.shape[1], 3)) + table.rng.normal(size=(len(table.X), 3))
    scale = float(np.std(y)) * float(np.median(np.std(table.X.astype(float), axis=0)) + 1e-9)
    model = MultiTaskElasticNet(10.0**power * scale, l1_ratio=ratio, fit_intercept=center, max_iter=20_000)
    model.fit(form(table.X), y, sample_weight=table.sample_weight)
    check_gap(model, table, y, ratio=ratio, joint=True)


@pytest.mark.parametrize("shape", [(120, 15), (30, 80)])
@pytest.mark.parametrize("form", [np.asfortranarray, sparse.csc_array])
def test_paths_agree_with_single_fits(shape: tuple[int, int], form: Any) -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=shape)
    y = X[:, :4] @ rng.normal(size=4) + rng.normal(size=shape[0])
    alphas, coefs, gaps = lasso_path(form(X), y, alphas=8, eps=0.05, tol=1e-10)
    assert (np.diff(alphas) < 0).all()
    assert (coefs[:, 0] == 0).all()
    assert gaps.max() <= 1e-10 * np.mean(y**2)
    for alpha, coef in zip(alphas, coefs.T, strict=True):
        single = Lasso(alpha, fit_intercept=False, tol=1e-12).fit(X, y).coef_
        np.testing.assert_allclose(coef, single, atol=1e-4)


@pytest.mark.parametrize("learner", [LassoCV, ElasticNetCV, MultiTaskLassoCV, MultiTaskElasticNetCV])
def test_cross_validation_chooses_the_least_error(learner: Any) -> None:
    """The chosen penalty has the least error over the folds, which single fits on the folds confirm."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 8))
    y = X[:, :3] @ rng.normal(size=(3, 2)) + rng.normal(size=(60, 2))
    y = y if learner in (MultiTaskLassoCV, MultiTaskElasticNetCV) else y[:, 0]
    model = learner(alphas=5, cv=3, tol=1e-10).fit(X, y)
    mean = model.mse_path_.mean(axis=1)
    assert model.alpha_ == model.alphas_[mean.argmin()]
    assert model.converged_
    assert model.report_.check()
    train, test = np.arange(20, 60), np.arange(20)
    shared = {"l1_ratio": model.l1_ratio_} if hasattr(model, "l1_ratio_") else {}
    single = model._single(alpha=model.alphas_[2], tol=1e-12, **shared).fit(X[train], y[train])
    assert np.mean((single.predict(X[test]) - y[test]) ** 2) == pytest.approx(model.mse_path_[2, 0], rel=1e-5)
