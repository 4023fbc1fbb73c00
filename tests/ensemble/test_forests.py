"""Forests: bags, out-of-bag judgments, votes, extension, storage, refusals."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.tree import export_text, plot_tree

import certus
from certus.base.callbacks import EarlyStopping
from certus.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from certus.guarantees.votes.out_of_bag_votes import oob_vote_bounds

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]
FORESTS = CLASSIFIERS + REGRESSORS


def table(forest, rows=150):
    if forest in CLASSIFIERS:
        return make_classification(rows, 6, n_informative=4, n_classes=3, random_state=0)
    return make_regression(rows, 6, noise=3.0, random_state=0)


@pytest.mark.parametrize("forest", FORESTS)
def test_prediction_is_the_mean_of_the_trees(forest):
    X, y = table(forest)
    model = forest(7, random_state=0, max_depth=4).fit(X, y)
    method = "predict_proba" if forest in CLASSIFIERS else "predict"
    trees = np.mean([getattr(tree, method)(X) for tree in model.estimators_], axis=0)
    assert_allclose(getattr(model, method)(X), trees, rtol=1e-12)
    assert_array_equal(model.apply(X), np.stack([tree.apply(X) for tree in model], axis=1))
    paths, starts = model.decision_path(X)
    assert paths.shape[1] == starts[-1] == sum(tree.tree_.node_count for tree in model)
    assert_allclose(
        model.feature_importances_,
        np.mean([tree.feature_importances_ for tree in model], axis=0),
        atol=1e-12,
    )


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_every_tree_is_the_tree_of_its_bag(forest):
    X, y = table(forest)
    model = forest(5, random_state=3, max_features=None).fit(X, y)
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        assert len(rows) == len(X)
        alone = type(tree)(**tree.get_params()).fit(X, y, sample_weight=np.bincount(rows, minlength=len(X)))
        assert_array_equal(alone.tree_.feature, tree.tree_.feature)
        assert_array_equal(alone.tree_.threshold, tree.tree_.threshold)
        assert_allclose(alone.tree_.value, tree.tree_.value, rtol=1e-12)


@pytest.mark.parametrize("forest", FORESTS)
@pytest.mark.parametrize("form", ["dense", "sparse", "weighted"])
def test_out_of_bag_equals_an_independent_recomputation(forest, form):
    X, y = table(forest)
    X = np.where(np.abs(X) < 0.5, 0.0, X) if form == "sparse" else X
    weights = np.random.default_rng(0).random(len(y)) + 0.1 if form == "weighted" else None
    model = forest(30, random_state=1, bootstrap=True, oob_score=True)
    model.fit(sparse.csr_matrix(X) if form == "sparse" else X, y, sample_weight=weights)
    method = "predict_proba" if forest in CLASSIFIERS else "predict"
    for row in range(len(X)):
        without = [
            getattr(tree, method)(X[row : row + 1])[0]
            for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True)
            if row not in rows
        ]
        kept = model.oob_decision_function_ if forest in CLASSIFIERS else model.oob_prediction_
        assert_allclose(kept[row], np.mean(without, axis=0), rtol=1e-10, atol=1e-12)
    if forest in CLASSIFIERS:
        assert model.oob_score_ == np.mean(model.classes_[kept.argmax(axis=1)] == y)
    else:
        assert model.oob_score_ == pytest.approx(1 - ((y - kept) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def test_bags_follow_the_weights():
    weights = np.array([0.0, 1.0, 2.5, 0.5])
    model = RandomForestClassifier(400, random_state=0, max_samples=100)
    model.fit(np.arange(4.0)[:, None], [0, 0, 1, 1], sample_weight=weights)
    drawn = np.bincount(np.concatenate(model.estimators_samples_), minlength=4) / 40_000
    assert drawn[0] == 0
    # five standard deviations of a share of 40000 draws
    assert_allclose(drawn, weights / 4.0, atol=5 * 0.5 / 200)


@pytest.mark.parametrize("forest", FORESTS)
def test_whole_weights_are_repeated_rows(forest):
    X, y = table(forest)
    repeat = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = forest(5, random_state=0, bootstrap=True).fit(X, y, sample_weight=repeat)
    repeated = forest(5, random_state=0, bootstrap=True).fit(np.repeat(X, repeat, axis=0), np.repeat(y, repeat))
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)


@pytest.mark.parametrize("forest", FORESTS)
def test_warm_start_extends_to_the_same_forest(forest):
    X, y = table(forest)
    grown = forest(4, random_state=5, warm_start=True).fit(X, y)
    first = grown.estimators_[0].tree_.threshold.copy()
    grown.set_params(n_estimators=9).fit(X, y)
    assert_array_equal(grown.estimators_[0].tree_.threshold, first)
    assert len(grown) == 9
    assert_array_equal(grown.predict(X), forest(9, random_state=5).fit(X, y).predict(X))
    with pytest.warns(UserWarning, match="does not fit new trees"):
        grown.fit(X, y)
    with pytest.raises(ValueError, match="n_estimators=3 must be at least len"):
        grown.set_params(n_estimators=3).fit(X, y)


def test_callbacks_see_every_tree_and_may_stop():
    X, y = table(RandomForestClassifier)
    watched = RandomForestClassifier(12, random_state=0).set_callbacks(EarlyStopping("trees", below=0.0)).fit(X, y)
    assert_array_equal(watched.predict(X), RandomForestClassifier(12, random_state=0).fit(X, y).predict(X))
    stopped = RandomForestClassifier(50, random_state=0).set_callbacks(EarlyStopping("trees", patience=4)).fit(X, y)
    assert len(stopped) < 12


def test_balanced_subsample_weighs_each_bag():
    X, y = make_classification(300, 5, weights=[0.9], random_state=0)
    model = RandomForestClassifier(5, random_state=0, class_weight="balanced_subsample").fit(X, y)
    for tree in model.estimators_:
        assert_allclose(tree.tree_.value[0, 0], [0.5, 0.5])


def test_vote_counts_equal_those_of_the_certificate_engine():
    X, y = make_classification(400, 6, n_informative=4, random_state=1)
    model = RandomForestClassifier(15, random_state=0).fit(X, y)
    outside = np.ones((15, 400), dtype=bool)
    for voter, rows in enumerate(model.estimators_samples_):
        outside[voter, rows] = False
    votes = np.stack([tree.predict(X) for tree in model.estimators_])
    bounds = oob_vote_bounds(outside, votes, y).values()
    assert_allclose(sorted(c.value for c in model.report_), sorted(c.value for c in bounds), rtol=1e-9)
    for certificate in model.report_:
        assert certificate.check((outside, votes, y))


def test_vote_bounds_hold_on_fresh_rows():
    X, y = make_classification(6000, 8, n_informative=5, flip_y=0.05, random_state=2)
    model = RandomForestClassifier(40, random_state=0).fit(X[:1500], y[:1500])
    error = np.mean(model.predict(X[1500:]) != y[1500:])
    assert all(certificate.value >= error for certificate in model.report_)
    assert any(not certificate.vacuous for certificate in model.report_)
    assert not RandomForestClassifier(5, random_state=0).fit(X[:50], y[:50], sample_weight=np.arange(50)).report_
    shallow = RandomForestClassifier(5, random_state=0, max_depth=2).fit(X[:500], y[:500])
    assert all("majority vote" in str(certificate.quantity) for certificate in shallow.report_)


@pytest.mark.parametrize("forest", FORESTS)
def test_missing_values_and_several_outputs(forest):
    X, y = table(forest)
    X[::7, 2] = np.nan
    both = np.stack([y, y[::-1]], axis=1)
    model = forest(30, random_state=0, bootstrap=True, oob_score=forest in REGRESSORS).fit(X, both)
    assert model.predict(X).shape == both.shape
    error = np.mean(model.predict(X) != both) if forest in CLASSIFIERS else 1 - model.score(X, both)
    assert error < 0.3


@pytest.mark.parametrize("forest", FORESTS)
def test_monotone_forests(forest):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=300)
    y = (y > 0).astype(int) if forest in CLASSIFIERS else y
    model = forest(10, random_state=0, monotonic_cst=[1, 0]).fit(X, y)
    grid = np.stack([np.linspace(-3, 3, 200), np.zeros(200)], axis=1)
    found = model.predict_proba(grid)[:, 1] if forest in CLASSIFIERS else model.predict(grid)
    assert (np.diff(found) >= -1e-12).all()


@pytest.mark.parametrize("forest", FORESTS)
def test_pruned_and_saved(forest, tmp_path):
    X, y = table(forest)
    full = forest(4, random_state=0).fit(X, y)
    pruned = forest(4, random_state=0, ccp_alpha=0.05).fit(X, y)
    assert pruned.forest_.offsets[-1] < full.forest_.offsets[-1]
    certus.save(pruned, tmp_path / "forest.certus")
    again = certus.load(tmp_path / "forest.certus")
    assert_array_equal(again.predict(X), pruned.predict(X))
    assert_array_equal(again.estimators_[2].tree_.value, pruned.estimators_[2].tree_.value)
    assert_array_equal(again.estimators_samples_[1], pruned.estimators_samples_[1])


def test_a_forest_takes_little_memory_per_node():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y).forest_
    whole = ("children_left", "children_right", "feature", "n_node_samples")
    for name in whole:
        assert getattr(forest, name).itemsize == 4
        assert getattr(forest.tree(3), name).dtype == np.int64  # as scikit-learn's trees have them
        joined = np.concatenate([getattr(forest.tree(number), name) for number in range(5)])
        assert_array_equal(joined, getattr(forest, name))
    nodes = int(forest.offsets[-1])
    arrays = [array for array in vars(forest).values() if isinstance(array, np.ndarray) and len(array) == nodes]
    assert sum(array.nbytes for array in arrays) == nodes * (4 * 4 + 3 * 8 + 1 + 3 * 8)


def test_pure_leaves_are_told_from_others():
    X, y = load_iris(return_X_y=True)
    assert RandomForestClassifier(5, random_state=0).fit(X, y).forest_.pure_leaves()
    assert not RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y).forest_.pure_leaves()


def test_scikit_learn_shows_our_trees():
    X, y = load_iris(return_X_y=True)
    model = ExtraTreesClassifier(2, random_state=0, max_depth=2).fit(X, y)
    assert "class" in export_text(model.estimators_[0])
    assert plot_tree(model.estimators_[0])


def test_refusals():
    X, y = table(RandomForestClassifier)
    with pytest.raises(ValueError, match="only available if bootstrap=True"):
        ExtraTreesClassifier(oob_score=True).fit(X, y)
    with pytest.raises(ValueError, match="`max_sample` cannot be set if `bootstrap=False`"):
        ExtraTreesClassifier(max_samples=5).fit(X, y)
    with pytest.raises(ValueError, match="'n_estimators' parameter of RandomForestClassifier must be an int"):
        RandomForestClassifier(0).fit(X, y)
    with pytest.raises(ValueError, match="sparse multilabel-indicator for y is not supported"):
        RandomForestClassifier().fit(X, sparse.csr_matrix(np.stack([y, y], axis=1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RandomForestClassifier(3, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        RandomForestClassifier(2, oob_score=True, random_state=0).fit(X, y)
