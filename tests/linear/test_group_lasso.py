"""The group lasso: optimality conditions of every group, true gaps, special cases that other learners solve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from certus.linear import GroupLasso, GroupLassoClassifier, Lasso, LogisticRegression
from certus.linear.fitting.group_fit import group_lists

GROUPS = [[0, 5, 2], [1], [3, 4], [6, 7, 8, 9]]
FORMS = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])


def _data(seed=0, rows=120, columns=10):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * rng.uniform(0.3, 3.0, columns) + rng.normal(size=columns)
    X[:, 3] = X[:, 4] + 0.1 * X[:, 3]
    signal = X[:, [0, 5, 2]] @ [1.0, -0.5, 0.3] + X[:, 1]
    return X, signal + rng.normal(size=rows), rng.uniform(0.5, 2.0, rows)


def _violations(X, slopes, coef, alpha, groups):
    """How far every group is from its optimality condition; ``slopes`` are weighted derivatives of the mean loss."""
    found = []
    for group in groups:
        gradient, w, limit = X[:, group].T @ slopes, coef[group], alpha * np.sqrt(len(group))
        length = np.linalg.norm(w)
        found.append(
            np.linalg.norm(gradient + limit * w / length) if length > 0.0 else np.linalg.norm(gradient) - limit
        )
    return np.array(found)


@FORMS
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 0.5])
def test_regression_meets_the_conditions_of_every_group(alpha, fit_intercept, form):
    X, y, weights = _data()
    model = GroupLasso(GROUPS, alpha=alpha, fit_intercept=fit_intercept, tol=1e-10)
    model.fit(form(X), y, sample_weight=weights)
    slopes = weights / weights.sum() * (X @ model.coef_ + model.intercept_ - y)
    assert (_violations(X, slopes, model.coef_, alpha, GROUPS) <= 1e-6).all()
    assert abs(slopes.sum()) <= 1e-9 or not fit_intercept
    assert model.gap_ <= 1e-9 * (weights @ y**2) / weights.sum()
    model.report_.check((X, y, weights))


@FORMS
@pytest.mark.parametrize("alpha", [1e-3, 0.05])
def test_classification_meets_the_conditions_of_every_group(alpha, form):
    X, y, weights = _data(1)
    labels = np.where(y > np.median(y), 1, -1)
    model = GroupLassoClassifier(GROUPS, alpha=alpha, tol=1e-10).fit(form(X), labels, sample_weight=weights)
    scores = X @ model.coef_[0] + model.intercept_[0]
    slopes = -weights / weights.sum() * labels * expit(-labels * scores)
    assert (_violations(X, slopes, model.coef_[0], alpha, GROUPS) <= 1e-4).all()
    assert model.gap_ <= 1e-9
    model.report_.check((X, labels, weights))


def test_groups_of_one_column_are_the_lasso():
    X, y, weights = _data(2)
    ours = GroupLasso(alpha=0.1, tol=1e-11).fit(X, y, sample_weight=weights)
    lasso = Lasso(alpha=0.1, tol=1e-12).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, lasso.coef_, atol=1e-6)
    labels = y > 0.0
    ours = GroupLassoClassifier(alpha=0.02, tol=1e-11).fit(X, labels)
    other = LogisticRegression(solver="saga", l1_ratio=1.0, C=1.0 / (0.02 * len(y)), gap_tol=1e-9).fit(X, labels)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-3)


def test_a_wide_table_needs_few_columns():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 1200))
    y = X[:, :6] @ rng.normal(size=6) + 0.1 * rng.normal(size=80)
    groups = group_lists(3, 1200)
    model = GroupLasso(3, alpha=0.1).fit(X, y)
    slopes = (X @ model.coef_ + model.intercept_ - y) / 80
    assert (_violations(X, slopes, model.coef_, 0.1, groups) <= 1e-5).all()
    used = np.linalg.norm(model.coef_.reshape(-1, 3), axis=1) > 0.0
    assert used[:2].all()
    assert used.sum() < 60
    assert (model.coef_.reshape(-1, 3)[used] != 0.0).all()
    np.testing.assert_array_equal(model.coef_, GroupLasso(np.arange(1200) // 3, alpha=0.1).fit(X, y).coef_)


def test_a_strong_penalty_leaves_the_mean():
    X, y, _ = _data(4)
    model = GroupLasso(GROUPS, alpha=1e3).fit(X, y)
    assert not model.coef_.any()
    assert model.intercept_ == pytest.approx(y.mean())
    assert model.gap_ <= 1e-9


def test_several_classes_are_one_against_the_rest():
    X, y, _ = _data(5)
    labels = np.digitize(y, [-1.0, 1.0])
    model = GroupLassoClassifier(GROUPS, alpha=0.01).fit(X, labels)
    assert model.coef_.shape == (3, 10)
    single = GroupLassoClassifier(GROUPS, alpha=0.01).fit(X, labels == 2)
    np.testing.assert_allclose(model.coef_[2], single.coef_[0])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    model.report_.check((X, labels))


def test_groups():
    assert group_lists(None, 3) == [[0], [1], [2]]
    assert group_lists(2, 5) == [[0, 1], [2, 3], [4]]
    assert group_lists(["b", "a", "b"], 3) == [[1], [0, 2]]
    assert group_lists([[2, 0], [1]], 3) == [[2, 0], [1]]
    with pytest.raises(ValueError, match="a label for each of the 3 columns, got 2"):
        group_lists([1, 2], 3)
    with pytest.raises(ValueError, match="exactly once"):
        group_lists([[0, 1], [1, 2]], 3)
    with pytest.raises(ValueError, match="groups"):
        GroupLasso(0).fit(np.eye(3), [1.0, 2.0, 3.0])


def test_a_certificate_for_other_data_is_refused():
    X, y, _ = _data(6)
    model = GroupLasso(GROUPS, alpha=0.1).fit(X, y)
    with pytest.raises(Exception, match="optimality gap"):
        model.report_.check((X, y + X[:, 3]))
