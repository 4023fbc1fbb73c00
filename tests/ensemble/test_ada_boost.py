"""AdaBoost: exact stumps, the worked examples, the training bound, margins, any weak learner."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import export_text

import certus
from certus.base.callbacks import EarlyStopping, History
from certus.ensemble import AdaBoostClassifier, AdaBoostRegressor
from certus.ensemble._native_calls.stump_kernels import StumpSearch
from certus.ensemble.boosting.ada_boost_report import round_factors
from certus.guarantees import CertificateError
from certus.trees import DecisionTreeClassifier


def smallest_error(X, codes, classes, weights):
    """The smallest weighted error of any stump or constant, by trying all of them."""
    totals = np.array([weights[codes == k].sum() for k in range(classes)])
    best = totals.sum() - totals.max()
    for column in X.T:
        for value in np.unique(column)[:-1]:
            left = np.array([weights[(codes == k) & (column <= value)].sum() for k in range(classes)])
            best = min(best, totals.sum() - left.max() - (totals - left).max())
    return best


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_stumps_are_exact(seed, classes, as_sparse):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(rng.integers(2, 25), 3)).astype(np.float32)
    codes = rng.integers(0, classes, len(X))
    weights = rng.random(len(X)) * rng.integers(0, 2, len(X)) + 1e-3
    kept = rng.random(len(X)) < 0.9
    kept[0] = True
    table = sparse.csc_matrix(X) if as_sparse else X
    stump = StumpSearch(table, codes, classes, kept).best(weights)
    wanted = smallest_error(X[kept], codes[kept], classes, weights[kept])
    stated = (stump.left + stump.right).sum() - stump.left.max() - stump.right.max()
    assert stated == pytest.approx(wanted, abs=1e-12)
    if stump.feature >= 0:
        goes_left = kept & (X[:, stump.feature] <= stump.threshold)
        assert_allclose(stump.left, [weights[goes_left & (codes == k)].sum() for k in range(classes)], atol=1e-12)
        assert goes_left.any()
        assert (kept & ~goes_left).any()


def test_three_rounds_of_ten_points():
    """Errors .3, 3/14, 3/22: alphas .4236, .6496, .9229 (half of ours), product .51623 of the factors."""

    class Scripted(ClassifierMixin, BaseEstimator):
        mistakes = iter([(0, 1, 2), (3, 4, 5), (6, 7, 8)])

        def fit(self, X, y, sample_weight=None):
            self.classes_ = np.unique(y)
            self.wrong_ = list(next(Scripted.mistakes))
            self.y_ = np.asarray(y)
            return self

        def predict(self, X):
            said = self.y_.copy()
            said[self.wrong_] = 1 - said[self.wrong_]
            return said

        def __sklearn_is_fitted__(self):
            return True

    X, y = np.arange(10.0)[:, None], np.arange(10) % 2
    model = AdaBoostClassifier(Scripted(), n_estimators=3)
    model.fit(X, y)
    assert_allclose(model.estimator_errors_, [0.3, 3 / 14, 3 / 22], rtol=1e-12)
    assert_allclose(model.estimator_weights_ / 2, [0.4236, 0.6496, 0.9229], atol=5e-5)
    factors = round_factors(model.estimator_errors_, model.estimator_weights_)
    assert_allclose(factors, [0.9165, 0.8207, 0.6863], atol=5e-5)
    assert np.prod(factors) == pytest.approx(0.51623, abs=5e-6)
    assert model.report_["training error"].value == pytest.approx(0.51623, abs=5e-6)
    assert_array_equal(model.predict(X), y)


def test_eighty_twenty_step():
    """A stump that is right on 80 of 100 rows: alpha = log 2, and afterwards its weighted error is 1/2."""
    X = np.r_[np.zeros(50), np.ones(50)][:, None]
    y = np.r_[np.zeros(40), np.ones(10), np.ones(40), np.zeros(10)].astype(int)
    weights = []

    class Watching(DecisionTreeClassifier):  # a class of one's own predicts by itself
        def fit(self, X, y, sample_weight=None, check_input=True):
            weights.append(np.array(sample_weight))
            return super().fit(X, y, sample_weight, check_input)

    model = AdaBoostClassifier(Watching(max_depth=1), n_estimators=2).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(0.2)
    assert model.estimator_weights_[0] / 2 == pytest.approx(np.log(2))
    wrong = model.estimators_[0].predict(X) != y
    assert weights[1][wrong].sum() == pytest.approx(0.5)
    assert_allclose(weights[1][wrong], 1 / 40)
    assert_allclose(weights[1][~wrong], 1 / 160)


@pytest.mark.parametrize("learning_rate", [0.5, 1.0])
def test_product_bounds_the_training_error_in_every_round(learning_rate):
    X, y = make_classification(400, 8, n_informative=5, flip_y=0.1, random_state=0)
    model = AdaBoostClassifier(n_estimators=60, learning_rate=learning_rate).fit(X, y)
    certificate = model.report_["training error"]
    products = np.cumprod(round_factors(model.estimator_errors_, model.estimator_weights_))
    losses = []
    for scores, total in zip(model.staged_decision_function(X), np.cumsum(model.estimator_weights_), strict=True):
        losses.append(np.mean(np.exp(-np.where(y == 1, 1, -1) * scores * total / 4)))
    assert_allclose(products, losses, rtol=1e-9)
    errors = [1 - score for score in model.staged_score(X, y)]
    assert (np.array(errors) <= products).all()
    assert certificate.value == pytest.approx(products[-1], rel=1e-8)
    assert certificate.check((model.margins(X, y), np.full(400, 1 / 400)))
    with pytest.raises(CertificateError, match="the second route gives"):
        certificate.check((-model.margins(X, y) * 0 - 1, np.full(400, 1 / 400) * 1e9))


def test_margins_grow_after_the_training_error_is_zero():
    X, y = make_classification(200, 6, n_informative=6, n_redundant=0, random_state=3)
    few, many = (AdaBoostClassifier(n_estimators=rounds).fit(X, y) for rounds in (100, 800))
    assert np.abs(many.margins(X, y)).max() <= 1 + 1e-12
    assert many.score(X, y) == 1.0
    assert many.margins(X, y).min() > few.margins(X, y).min()
    assert_array_equal(many.margins(X, y) > 0, many.predict(X) == y)


def test_margin_bound_is_informative_on_many_rows_and_holds():
    rng = np.random.default_rng(0)
    X = rng.random((100_000, 1))
    y = (X[:, 0] > 0.4).astype(int)
    model = AdaBoostClassifier(n_estimators=3).fit(X[:90_000], y[:90_000])
    bound = model.report_["error"]
    assert not bound.vacuous
    assert np.mean(model.predict(X[90_000:]) != y[90_000:]) <= bound.value
    assert bound.check(model.margins(X[:90_000], y[:90_000]))
    assert AdaBoostClassifier(n_estimators=3).fit(X[:100], y[:100]).report_["error"].vacuous
    weighted = AdaBoostClassifier(n_estimators=3).fit(X[:100], y[:100], sample_weight=np.arange(1, 101))
    assert "error" not in [str(certificate.quantity) for certificate in weighted.report_]


def test_several_classes_against_the_plain_sum_of_votes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=12).fit(X, y)
    votes = np.zeros((150, 3))
    for learner, weight in zip(model.estimators_, model.estimator_weights_, strict=False):
        votes[np.arange(150), learner.predict(X)] += 1.5 * weight
    votes = (votes - 0.5 * model.estimator_weights_.sum()) / model.estimator_weights_.sum()
    assert_allclose(model.decision_function(X), votes, atol=1e-12)
    staged = list(model.staged_decision_function(X))
    assert_allclose(staged[-1], votes, atol=1e-12)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X), atol=1e-12)
    assert model.score(X, y) > 0.93
    (certificate,) = model.report_
    assert certificate.check((model, X, y))
    assert_array_equal(model.margins(X, y) > 0, model.predict(X) == y)


def test_any_weak_learner():
    X, y = make_classification(300, 6, random_state=0)
    for learner in (LogisticRegression(), DecisionTreeClassifier(max_depth=2)):
        model = AdaBoostClassifier(learner, n_estimators=5, random_state=0).fit(X, y)
        assert model.score(X, y) > 0.85
        assert type(model.estimators_[0]) is type(learner)
    with pytest.raises(ValueError, match="doesn't support sample_weight"):
        AdaBoostClassifier(KNeighborsClassifier()).fit(X, y)


def test_useless_weak_learner():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    with pytest.raises(ValueError, match="worse than random, ensemble can not be fit"):
        AdaBoostClassifier().fit(X, y)


def test_callbacks_watch_and_stop():
    X, y = make_classification(300, 6, random_state=0)
    history = History()
    model = AdaBoostClassifier(n_estimators=30).set_callbacks(history).fit(X, y)
    assert_allclose([row["error"] for row in history.rows], model.estimator_errors_)
    stopped = AdaBoostClassifier(n_estimators=30).set_callbacks(EarlyStopping("error", patience=3)).fit(X, y)
    assert len(stopped.estimators_) < 30
    assert_array_equal(stopped.predict(X), list(model.staged_predict(X))[len(stopped) - 1])


def test_sparse_equals_dense_and_trees_can_be_read(tmp_path):
    X, y = make_classification(200, 6, random_state=0)
    X[np.abs(X) < 0.7] = 0.0
    dense = AdaBoostClassifier(n_estimators=20).fit(X, y)
    again = AdaBoostClassifier(n_estimators=20).fit(sparse.csr_matrix(X), y)
    assert_allclose(again.decision_function(sparse.csc_matrix(X)), dense.decision_function(X), atol=1e-12)
    assert "class: 1" in export_text(dense.estimators_[0])
    assert dense.feature_importances_.sum() == pytest.approx(1.0)
    certus.save(dense, tmp_path / "boost.certus")
    loaded = certus.load(tmp_path / "boost.certus")
    assert_array_equal(loaded.decision_function(X), dense.decision_function(X))


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_regressor(loss):
    X, y = make_regression(300, 5, noise=5.0, random_state=0)
    model = AdaBoostRegressor(n_estimators=30, loss=loss, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    single = np.stack([learner.predict(X) for learner in model.estimators_], axis=1)
    order = np.sort(single, axis=1)
    assert (model.predict(X) >= order[:, 0]).all()
    assert (model.predict(X) <= order[:, -1]).all()
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert len(list(model.staged_score(X, y))) == len(model.estimators_)
    # the weighted median leaves at most half of the weight strictly below, and less than half strictly above
    weights = model.estimator_weights_[: len(model.estimators_)]
    below = (single < model.predict(X)[:, None]) @ weights
    assert (below <= weights.sum() / 2 + 1e-9).all()


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("learning_rate", [0.5, 1.0, 9.0])
def test_no_round_raises_the_exponential_loss(classes, learning_rate):
    r = np.random.default_rng(0)
    X = r.normal(size=(300, 4))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] + 0.3 * r.normal(size=300), np.linspace(-0.8, 0.8, classes - 1))
    model = AdaBoostClassifier(n_estimators=15, learning_rate=learning_rate).fit(X, y)
    assert len(model.history_) == len(model.estimators_) + 1
    assert (np.diff(model.history_) <= 1e-12).all()
    assert model.report_["rise of the training loss in a round"].check((model, X, y))
