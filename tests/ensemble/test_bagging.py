"""Bagging of any learner: draws, out-of-bag judgments, votes, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression

import certus
from certus.bayes import GaussianNB
from certus.ensemble import BaggingClassifier, BaggingRegressor, RandomForestRegressor
from certus.linear import LinearRegression, RidgeClassifier
from certus.neighbors import KNeighborsClassifier

X, Y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
VALUES = X @ np.arange(6.0) + 1.0


@pytest.mark.parametrize(
    "member", [None, GaussianNB(), KNeighborsClassifier(), LogisticRegression(), RidgeClassifier()], ids=str
)
def test_shares_are_averaged_and_rows_are_judged_out_of_bag(member):
    model = BaggingClassifier(member, 25, max_features=4, random_state=0, oob_score=True).fit(X, Y)
    shares, judged, judges = np.zeros((200, 3)), np.zeros((200, 3)), np.zeros(200)
    for each, columns, rows in zip(
        model.estimators_, model.estimators_features_, model.estimators_samples_, strict=True
    ):
        assert len(set(columns)) == 4
        table = X[:, columns]
        said = each.predict_proba(table) if hasattr(each, "predict_proba") else np.eye(3)[each.predict(table)]
        shares += said / 25
        outside = ~np.isin(np.arange(200), rows)
        judged[outside] += said[outside]
        judges[outside] += 1
    assert_allclose(model.predict_proba(X), shares, atol=1e-12)
    assert_array_equal(model.predict(X), shares.argmax(axis=1))
    assert_allclose(model.oob_decision_function_, judged / judges[:, None], atol=1e-12)
    assert model.oob_score_ == np.mean(judged.argmax(axis=1) == Y)
    assert len(model.report_) == 4
    assert all(certificate.check() for certificate in model.report_)
    assert hasattr(model, "decision_function") == hasattr(model.estimators_[0], "decision_function")


def test_regressor_and_saving(tmp_path):
    model = BaggingRegressor(LinearRegression(), 30, random_state=0, oob_score=True, bootstrap_features=True)
    model.fit(X, VALUES)
    members = zip(model.estimators_, model.estimators_features_, strict=True)
    assert_allclose(model.predict(X), np.mean([each.predict(X[:, columns]) for each, columns in members], axis=0))
    certus.save(model, tmp_path / "bag.certus")
    again = certus.load(tmp_path / "bag.certus")
    assert_array_equal(again.predict(X), model.predict(X))
    assert_array_equal(again.estimators_samples_[3], model.estimators_samples_[3])


def test_members_may_miss_a_class():
    y = np.zeros(60, dtype=int)
    y[0], y[1:30] = 2, 1
    model = BaggingClassifier(n_estimators=20, random_state=0).fit(X[:60], y)
    assert {len(each.classes_) for each in model.estimators_} == {2, 3} or model.n_classes_ == 3
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_draws_without_replacement_and_warm_start():
    model = BaggingClassifier(n_estimators=4, bootstrap=False, max_samples=50, random_state=1, warm_start=True)
    model.fit(X, Y)
    assert all(len(set(rows)) == 50 for rows in model.estimators_samples_)
    model.set_params(n_estimators=7).fit(X, Y)
    straight = BaggingClassifier(n_estimators=7, bootstrap=False, max_samples=50, random_state=1).fit(X, Y)
    assert_array_equal(model.predict_proba(X), straight.predict_proba(X))


def test_refusals():
    with pytest.raises(ValueError, match="max_features must be <= n_features: 7 is more than the 6 columns"):
        BaggingClassifier(max_features=7).fit(X, Y)
    with pytest.raises(ValueError, match="Out of bag estimation only available if bootstrap=True"):
        BaggingClassifier(bootstrap=False, oob_score=True).fit(X, Y)
    with pytest.raises(ValueError, match="Out of bag estimate only available if warm_start=False"):
        BaggingClassifier(warm_start=True, oob_score=True).fit(X, Y)
    with pytest.raises(ValueError, match="Effective max_samples=201 must be <= n_samples=200"):
        BaggingClassifier(bootstrap=False, max_samples=201).fit(X, Y)
    X2, y2 = make_regression(20, 2, random_state=0)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        BaggingRegressor(n_estimators=1, oob_score=True, random_state=0).fit(X2, y2)


def test_members_choose_differently_between_equally_good_columns():
    """Last splits of full trees separate two rows; if all took the first column, members would be too much alike."""
    r = np.random.default_rng(0)
    X, y = r.normal(size=(300, 6)), r.integers(0, 60, 300)
    model = BaggingClassifier(n_estimators=10, random_state=0).fit(X, y)
    features = np.concatenate([member.tree_.feature for member in model.estimators_])
    used = np.bincount(features[features >= 0], minlength=6)
    assert used[0] < 1.5 * used.mean()


@pytest.mark.parametrize("learner", [BaggingRegressor, RandomForestRegressor])
@pytest.mark.parametrize("unit", [100.0, 1e12, 1e40])
def test_a_fraction_of_rows_with_large_weights_is_one_of_their_number(learner, unit):
    """It was one of the total weight: weights of 1e12 asked for 1e14 draws."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200)
    weights = rng.integers(0, 4, 200).astype(float)
    model = learner(n_estimators=5, max_samples=0.5, random_state=0).fit(X, y, sample_weight=unit * weights)
    assert model.bag_size_ == np.count_nonzero(weights) // 2
    repeated = learner(n_estimators=5, max_samples=0.5, random_state=0).fit(X, y, sample_weight=weights)
    assert repeated.bag_size_ == int(weights.sum()) // 2
