"""Shortcuts must not change answers: working sets of sparse logistic regression, inverses for few ridge penalties,
small tables without moments, plain arrays without conversion.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from certus.linear import ElasticNet, Lasso, LogisticRegression, RidgeCV
from certus.linear.fitting.ridge_leave_one_out import FEW, leave_one_out
from certus.linear.solvers.least_squares import Problem


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("share", [0.5, 0.05])
def test_working_sets_leave_no_column_out(fit_intercept, share):
    rng = np.random.default_rng(3)
    X = sparse.random_array((300, 3000), density=0.02, rng=rng, format="csr")
    scores = 20.0 * (X @ np.where(np.arange(3000) < 20, rng.standard_normal(3000), 0.0))
    y = (rng.random(300) < 1.0 / (1.0 + np.exp(-scores))).astype(int)
    l1 = share * np.abs(X.T @ (y - y.mean())).max()
    model = LogisticRegression(
        solver="saga", l1_ratio=1.0, C=1.0 / l1, fit_intercept=fit_intercept, gap_tol=1e-10, max_iter=500
    ).fit(X, y)
    slope = X.T @ (model.predict_proba(X)[:, 1] - y)
    coef = model.coef_[0]
    assert np.abs(slope).max() <= l1 * (1.0 + 1e-4)
    np.testing.assert_allclose(slope[coef != 0.0], -l1 * np.sign(coef[coef != 0.0]), rtol=1e-4)
    assert model.gap_ <= 1e-10 * 300 * np.log(2.0)
    assert model.report_.check()


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_inverses_give_the_errors_of_eigenvectors(center, weighted):
    rng = np.random.default_rng(5)
    X, Y = rng.standard_normal((25, 60)) + 1.0, rng.standard_normal((25, 2))
    weights = rng.integers(0, 3, size=25).astype(float) if weighted else None
    problem = Problem(X, Y, weights, np.zeros(2), center, 1)
    many = np.geomspace(0.1, 100.0, FEW + 3)
    all_at_once = leave_one_out(problem, many, singular=False)
    some = leave_one_out(problem, many[2:4], singular=False)
    np.testing.assert_allclose(some.errors, all_at_once.errors[:, :, 2:4], rtol=1e-8)
    chosen = many[[2, 3]]
    np.testing.assert_allclose(some.solve(chosen).coef, all_at_once.solve(chosen).coef, rtol=1e-8, atol=1e-12)


def test_wide_ridge_is_optimal_for_the_chosen_penalty():
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((40, 90)), rng.standard_normal(40)
    for alphas in ([0.5, 5.0], np.geomspace(0.01, 100.0, 12)):
        model = RidgeCV(alphas=alphas).fit(X, y)
        assert model.gap_ <= 1e-20 * (y @ y) + 1e-18
        assert model.report_.check((X, y))


@pytest.mark.parametrize("positive", [False, True])
def test_small_tables_agree_with_their_gram_matrix(positive):
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((80, 6)) + 2.0, rng.standard_normal(80)
    by_columns = ElasticNet(alpha=0.03, tol=1e-12, positive=positive).fit(X, y)
    by_gram = ElasticNet(alpha=0.03, tol=1e-12, positive=positive, precompute=True).fit(X, y)
    np.testing.assert_allclose(by_columns.coef_, by_gram.coef_, atol=1e-9)


def test_column_names_are_forgotten_when_a_plain_array_comes():
    rng = np.random.default_rng(8)
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    model = Lasso(alpha=0.1).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3
    with pytest.raises(ValueError, match="X has 2 features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
