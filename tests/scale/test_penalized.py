"""Lasso and elastic net in blocks: the optimum of the whole table, and a duality gap from sums over blocks."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.base import clone

from certus import CertificateError
from certus.linear import ElasticNet, Lasso
from tests.scale.pieces import cut, every_cut, numbers_table

LEARNERS = [
    Lasso(alpha=0.5),
    Lasso(alpha=0.2, positive=True, gap_tol=1e-10),
    Lasso(alpha=0.2, fit_intercept=False, tol=1e-8),
    ElasticNet(alpha=0.3, l1_ratio=0.4, tol=1e-8),
]


@every_cut
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_the_optimum(learner, cuts):
    X, y = numbers_table()
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    data = X, y, weights
    exact = clone(learner).set_params(tol=1e-14).fit(*data)
    local, blocks = clone(learner).fit(*data), clone(learner).fit(*cut(data, cuts))

    def objective(model):
        residual = y - model.predict(X)
        penalty = learner.l1_ratio * np.abs(model.coef_).sum() + (1 - learner.l1_ratio) / 2 * np.sum(model.coef_**2)
        return float(weights @ residual**2 / (2 * weights.sum()) + learner.alpha * penalty)

    assert objective(blocks) <= objective(exact) + blocks.gap_ + 1e-13 * objective(exact)
    assert blocks.gap_ <= max(2.0 * local.gap_, 2.0 * learner.tol * np.average(y**2, weights=weights))
    np.testing.assert_allclose(blocks.coef_, exact.coef_, atol=2e-2)
    assert blocks.converged_
    assert blocks.report_.check(data)
    assert [item.quantity for item in blocks.report_] == [item.quantity for item in local.report_]


def test_several_targets_and_a_mutant():
    X, y = numbers_table()
    Y = np.column_stack([y, X[:, 0] - y])
    local, blocks = Lasso(alpha=0.1, tol=1e-10).fit(X, Y), Lasso(alpha=0.1, tol=1e-10).fit(*cut((X, Y), 3))
    np.testing.assert_allclose(blocks.coef_, local.coef_, rtol=1e-6)
    assert len(blocks.n_iter_) == 2
    # A certificate that claims a smaller gap than the coefficients have is contradicted by the rows.
    model = Lasso(alpha=0.1, tol=1e-10).fit(*cut((X, Y), 3))
    certificate = next(iter(model.report_))
    coef = np.array(certificate.witness["coef"], dtype=float) + 0.1
    wrong = dataclasses.replace(certificate, witness={**certificate.witness, "coef": coef})
    with pytest.raises(CertificateError):
        wrong.check((X, Y))


def test_what_needs_the_whole_table():
    X, y = cut(numbers_table(), 2)
    with pytest.raises(TypeError, match="no L1 penalty"):
        ElasticNet(l1_ratio=0.0).fit(X, y)
    with pytest.raises(TypeError, match="given Gram matrix"):
        Lasso(precompute=np.eye(4)).fit(X, y)
