"""Logistic, Poisson, gamma and Tweedie regression in blocks: the optimum of the whole table, and an honest gap."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from certus.linear import GammaRegressor, LogisticRegression, PoissonRegressor, TweedieRegressor
from tests.scale.pieces import classes_table, cut, every_cut, numbers_table

CLASSIFIERS = [
    LogisticRegression(),
    LogisticRegression(fit_intercept=False),
    LogisticRegression(C=0.1, class_weight="balanced", gap_tol=1e-10),
    LogisticRegression(C=np.inf),
]
MEANS = [
    PoissonRegressor(alpha=0.1),
    PoissonRegressor(alpha=0.0),
    PoissonRegressor(alpha=0.1, fit_intercept=False, gap_tol=1e-9),
    GammaRegressor(alpha=0.1),
    TweedieRegressor(power=1.5, alpha=0.01, link="log"),
]


@every_cut
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=str)
def test_classes(learner, classes, cuts):
    X, y = classes_table(classes=classes)
    X = X + np.random.default_rng(2).normal(scale=1.5, size=X.shape)
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    labels = np.array(["u", "v", "w"])[y]
    local, blocks = clone(learner).fit(X, labels, weights), clone(learner).fit(*cut((X, labels, weights), cuts))
    np.testing.assert_allclose(blocks.decision_function(X), local.decision_function(X), rtol=2e-5, atol=2e-6)
    certificate = blocks.report_[next(iter(blocks.report_)).quantity]
    assert blocks.gap_ <= 1e-9 * len(y)
    assert blocks.history_[-1] <= local.history_[-1] + blocks.gap_ + 1e-11 * len(y)
    assert blocks.history_[-1] >= local.history_[-1] - local.gap_ - 1e-11 * len(y)
    assert certificate.check((X, labels, weights))
    assert blocks.report_.check((X, labels, weights))
    if learner.C != np.inf:
        assert blocks.report_["labels of the exact optimum"].value >= len(y) - 2


@every_cut
@pytest.mark.parametrize("learner", MEANS, ids=str)
def test_means(learner, cuts):
    X, _ = numbers_table()
    X = X / 6.0
    y = np.random.default_rng(4).poisson(np.exp(X @ [0.3, -0.2, 0.1, 0.2])) + 1.0
    weights = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    local, blocks = clone(learner).fit(X, y, weights), clone(learner).fit(*cut((X, y, weights), cuts))
    np.testing.assert_allclose(blocks.predict(X), local.predict(X), rtol=1e-6)
    assert blocks.history_[-1] == pytest.approx(local.history_[-1], rel=1e-10)
    assert blocks.gap_ <= 1e-8
    assert blocks.report_.check((X, y, weights))


def test_a_gap_that_is_claimed_too_small_is_found():
    """The mutant: coefficients that are off, certified by the sums of another point."""
    X, y = classes_table(classes=2)
    with pytest.warns(Warning, match="certified gap|max_iter"):
        early = LogisticRegression(max_iter=1, gap_tol=1e-12).fit(*cut((X, y), 3))
    best = LogisticRegression(gap_tol=1e-12).fit(X, y)

    def objective(model):
        scores = model.decision_function(X)
        return float(np.logaddexp(0.0, np.where(y > 0, -scores, scores)).sum() + 0.5 * np.sum(model.coef_**2))

    off = objective(early) - objective(best)
    assert off > 1e-6
    assert off <= early.gap_


def test_one_class_and_wrong_targets():
    X, y = classes_table(classes=2)
    with pytest.raises(ValueError, match="only one class"):
        LogisticRegression().fit(*cut((X, np.zeros(200, dtype=int)), 3))
    target = np.ones(200)
    target[104] = -1.0
    with pytest.raises(ValueError, match=r"row 4 has -1\.(\n.*)*about block 1"):
        PoissonRegressor().fit(*cut((X, target), 2))
    with pytest.raises(TypeError, match="an L1 penalty"):
        LogisticRegression(l1_ratio=1.0, solver="saga").fit(*cut((X, y), 2))
    with pytest.raises(TypeError, match="power=3"):
        TweedieRegressor(power=3).fit(*cut((X, np.abs(X[:, 0]) + 1), 2))
