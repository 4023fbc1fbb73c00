"""What the two learners promise: parameters, weights, several outputs, clear refusals, scikit-learn's tools."""

import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pytest
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

import certus
from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor
from tests.trees.naive_tree import LABELS

BOTH = pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])


@BOTH
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_estimator_checks(kind):
    check_estimator(kind())


@pytest.mark.parametrize(
    ("ours", "theirs", "load"),
    [
        (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, load_iris),
        (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, load_breast_cancer),
        (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor, load_diabetes),
    ],
)
@pytest.mark.parametrize("limit", [{"max_depth": 3}, {"max_leaf_nodes": 8}, {"min_samples_leaf": 20}], ids=str)
def test_leaf_impurity_is_that_of_scikit_learn(ours, theirs, load, limit):
    X, y = load(return_X_y=True)
    costs = []
    for kind in (ours, theirs):
        tree = kind(random_state=0, **limit).fit(X, y).tree_
        leaf = tree.children_left < 0
        costs.append((int(leaf.sum()), tree.weighted_n_node_samples[leaf] @ tree.impurity[leaf]))
    assert costs[0][0] == costs[1][0]
    assert costs[0][1] == pytest.approx(costs[1][1], rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([*LABELS, "squared_error", "absolute_error", "poisson"]))
def test_weights_mean_repetition(seed, criterion):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(0, 3, 60)
    weights = rng.integers(0, 4, 60)
    weights[y == 0] += 1
    kind = DecisionTreeClassifier if criterion in LABELS else DecisionTreeRegressor
    weighted = kind(criterion=criterion).fit(X, y, sample_weight=weights)
    repeated = kind(criterion=criterion).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_array_equal(weighted.tree_.feature, repeated.tree_.feature)
    assert_array_equal(weighted.tree_.threshold, repeated.tree_.threshold)
    assert_allclose(weighted.tree_.value, repeated.tree_.value, rtol=1e-12, atol=1e-12)
    assert_allclose(weighted.tree_.weighted_n_node_samples, repeated.tree_.n_node_samples)


@BOTH
def test_order_of_rows_and_increasing_maps_of_columns_do_not_matter(kind):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 40, (300, 4)).astype(float), rng.integers(0, 3, 300)
    model = kind().fit(X, y)
    order = rng.permutation(300)
    shuffled = kind().fit(X[order], y[order])
    assert_array_equal(model.tree_.threshold, shuffled.tree_.threshold)
    assert_allclose(model.predict(X), shuffled.predict(X), rtol=1e-12)
    mapped = kind().fit(np.exp(X / 10), y)
    assert_array_equal(model.tree_.feature, mapped.tree_.feature)
    assert_array_equal(model.apply(X), mapped.apply(np.exp(X / 10)))


@BOTH
def test_shifted_and_scaled_targets_are_told_apart(kind):
    """Targets that differ by a tiny share of their size, or are tiny altogether, are split all the same."""
    X = np.arange(8.0)[:, np.newaxis]
    y = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    plain = kind().fit(X, y)
    if kind is DecisionTreeRegressor:
        for moved in (y * 1e-12, y + 1e9, y * 1e12 - 1e15):
            assert_array_equal(kind().fit(X, moved).tree_.threshold, plain.tree_.threshold)
            assert_allclose(kind().fit(X, moved).predict(X), moved, rtol=1e-15)
    else:
        assert_array_equal(kind().fit(X, y + 10**9).tree_.threshold, plain.tree_.threshold)


@BOTH
def test_max_features_and_random_thresholds_depend_on_the_seed_only(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 2, 200)
    for parameters in ({"max_features": 2}, {"splitter": "random"}):
        trees = [kind(random_state=seed, **parameters).fit(X, y).tree_ for seed in (0, 0, 1)]
        assert_array_equal(trees[0].threshold, trees[1].threshold)
        assert not np.array_equal(trees[0].threshold, trees[2].threshold)
        assert trees[0].n_leaves > 2
    assert_array_equal(kind(random_state=0).fit(X, y).tree_.threshold, kind(random_state=1).fit(X, y).tree_.threshold)


def test_columns_are_drawn_evenly():
    """With one column drawn per node, each of four equally good columns heads the tree equally often.

    A chi-squared statistic with 3 degrees of freedom exceeds 21 with probability 1e-4.
    """
    X = np.random.default_rng(0).permutation(16).reshape(-1, 1) * np.ones((1, 4))
    y = (X[:, 0] > 7).astype(int)
    draws = [
        DecisionTreeClassifier(max_features=1, random_state=seed).fit(X, y).tree_.feature[0] for seed in range(400)
    ]
    counts = np.bincount(draws, minlength=4)
    assert ((counts - 100) ** 2 / 100).sum() < 21


def test_constant_columns_count_as_drawn_but_never_end_the_search():
    X = np.hstack([np.zeros((6, 9)), np.arange(6.0)[:, np.newaxis]])
    y = [0, 1, 0, 1, 0, 1]
    model = DecisionTreeClassifier(max_features=1, random_state=0).fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert set(model.tree_.feature[model.tree_.children_left >= 0]) == {9}


@pytest.mark.parametrize(
    ("value", "columns", "drawn"),
    [(None, 10, 10), ("sqrt", 10, 3), ("log2", 10, 3), (0.55, 10, 5), (4, 10, 4), (0.01, 10, 1), (20, 10, 20)],
)
def test_max_features_attribute(value, columns, drawn):
    X = np.random.default_rng(0).normal(size=(10, columns))
    model = DecisionTreeRegressor(max_features=value).fit(X, np.arange(10.0))
    assert model.max_features_ == drawn


def test_missing_values_learn_their_side():
    X = np.array([[0.0], [1.0], [np.nan], [np.nan], [5.0], [6.0]])
    for y, side in (([0, 0, 0, 0, 1, 1], 1), ([0, 0, 1, 1, 1, 1], 0)):
        model = DecisionTreeClassifier(max_depth=1).fit(X, y)
        assert_array_equal(model.predict(X), y)
        assert model.tree_.missing_go_to_left[0] == side
    y = [0, 0, 1, 1, 0, 0]
    model = DecisionTreeClassifier().fit(X, y)
    assert model.tree_.threshold[0] == np.inf
    assert_array_equal(model.predict(X), y)
    model = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 1])  # none in training: the larger side
    assert_array_equal(model.predict([[np.nan]]), [1])


def test_all_missing_and_constant_columns_are_passed_over():
    X = np.array([[np.nan, 3.0, 0.0], [np.nan, 3.0, 1.0]])
    assert DecisionTreeClassifier().fit(X, [0, 1]).tree_.feature[0] == 2
    assert DecisionTreeRegressor().fit(X[:, :2], [0, 1]).get_depth() == 0


@pytest.mark.parametrize("target", [[7.5], [[1.0, 2.0]]])
def test_one_row_and_constant_targets(target):
    model = DecisionTreeRegressor().fit([[1.0, 2.0]], target)
    assert model.get_n_leaves() == 1
    assert_array_equal(model.predict([[9.0, 9.0]]), target)
    assert_array_equal(model.feature_importances_, [0, 0])
    constant = DecisionTreeRegressor().fit(np.arange(50.0)[:, np.newaxis], np.full(50, 0.1))
    assert constant.get_n_leaves() == 1
    assert_array_equal(constant.predict([[3.0]]), [0.1])


def test_several_outputs(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = np.stack([np.where(X[:, 0] > 0, "yes", "no"), np.where(X[:, 1] > 0, "a", "b")], axis=1)
    model = DecisionTreeClassifier().fit(X, y)
    assert_array_equal(model.predict(X), y)
    shares = model.predict_proba(X)
    assert [each.shape for each in shares] == [(100, 2), (100, 2)]
    assert_array_equal(model.n_classes_, [2, 2])
    assert np.isneginf(model.predict_log_proba(X)[1]).any()
    numbers = DecisionTreeRegressor().fit(X, X[:, :2])
    assert_allclose(numbers.predict(X), X[:, :2])
    certus.save(model, tmp_path / "model.certus")
    assert_array_equal(certus.load(tmp_path / "model.certus").predict(X), y)


def test_class_weights_multiply_sample_weights():
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).random(150)
    by_class = DecisionTreeClassifier(class_weight={0: 1, 1: 5, 2: 2}).fit(X, y, sample_weight=weights)
    by_row = DecisionTreeClassifier().fit(X, y, sample_weight=weights * np.array([1, 5, 2])[y])
    assert_array_equal(by_class.tree_.value, by_row.tree_.value)
    balanced = DecisionTreeClassifier(class_weight="balanced", max_depth=1).fit(X[:110], y[:110])
    assert_allclose(balanced.tree_.value[0, 0], [1 / 3, 1 / 3, 1 / 3])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_monotone_columns_give_monotone_predictions(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 2))
    y = X[:, 0] - X[:, 1] + rng.normal(size=150)
    grid = np.linspace(-3, 3, 50)
    for kind, target in ((DecisionTreeRegressor, y), (DecisionTreeClassifier, (y > 0).astype(int))):
        model = kind(monotonic_cst=[1, -1]).fit(X, target)
        score = model.predict if kind is DecisionTreeRegressor else lambda rows, m=model: m.predict_proba(rows)[:, 1]
        for fixed in (-1.0, 0.0, 1.5):
            rising = score(np.stack([grid, np.full(50, fixed)], axis=1))
            falling = score(np.stack([np.full(50, fixed), grid], axis=1))
            assert (np.diff(rising) >= 0).all()
            assert (np.diff(falling) <= 0).all()


@pytest.mark.parametrize(
    ("parameters", "target", "message"),
    [
        ({"monotonic_cst": [1]}, [0, 1, 0], "monotonic_cst has shape 1 but the input data X has 2 features"),
        ({"monotonic_cst": [1, 2]}, [0, 1, 0], "must be None or an array-like of -1, 0 or 1"),
        ({"monotonic_cst": [1, 0]}, [0, 1, 2], "not supported with multiclass"),
        ({"monotonic_cst": [1, 0]}, [[0, 1], [1, 0], [1, 1]], "not supported with multiple outputs"),
        ({"min_samples_split": 1}, [0, 1, 0], r"'min_samples_split'.*an int in the range \[2, inf\)"),
        ({"max_depth": 0}, [0, 1, 0], r"'max_depth'.*an int in the range \[1, inf\)"),
        ({"criterion": "ginni"}, [0, 1, 0], r"(?s)'criterion'.*Hint: did you mean criterion='gini'"),
        ({"class_weight": [{0: 1}]}, [[0, 1], [1, 0], [1, 1]], "class_weight should match number of outputs"),
        ({}, [0.5, 1.5, 2.5], "Unknown label type: continuous"),
        ({}, None, "requires y to be passed"),
    ],
)
def test_refusals_say_what_is_wrong(parameters, target, message):
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(**parameters).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], target)


def test_refusals_of_data():
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(ValueError, match=r"(?s)negative.*row 1.*Hint"):
        DecisionTreeRegressor(criterion="poisson").fit(X, [1, -1, 2])
    with pytest.raises(ValueError, match="Sum of y is not positive"):
        DecisionTreeRegressor(criterion="poisson").fit(X, [0, 0, 0])
    with pytest.raises(TypeError, match=r"sparse target y.*\n*Hint: pass y.toarray"):
        DecisionTreeClassifier().fit(X, sparse.csr_array([[1, 0], [0, 1], [1, 1]]))
    with pytest.raises(ValueError, match=r"float32.*row 0, column 1"):
        DecisionTreeRegressor().fit([[0.0, 1e300], [1.0, 2.0]], [0, 1])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        DecisionTreeRegressor().fit(sparse.csr_array([[np.nan, 1.0]]), [0])
    wide = sparse.csc_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    with pytest.raises(ValueError, match=r"No support for np\.int64"):
        DecisionTreeRegressor().fit(wide, [0, 1, 2])
    with pytest.raises(NotFittedError, match="not fitted"):
        DecisionTreeRegressor().get_depth()
    model = DecisionTreeRegressor().fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match=r"X\.dtype should be np\.float32"):
        model.tree_.apply(X)
    with pytest.raises(ValueError, match="should have 2 columns"):
        model.tree_.apply(np.zeros((1, 3), dtype=np.float32))
    with pytest.raises(ValueError, match="X has 3 features, but DecisionTreeRegressor is expecting 2"):
        model.predict(np.zeros((1, 3), dtype=np.float32), check_input=False)


def test_deprecated_criterion_still_works():
    with pytest.warns(FutureWarning, match="friedman_mse.*deprecated"):
        model = DecisionTreeRegressor(criterion="friedman_mse")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sklearn.base.clone(model).fit([[0], [1]], [0, 1]).criterion == "squared_error"


def test_unchecked_input_gives_the_same_tree():
    X, y = load_diabetes(return_X_y=True)
    checked = DecisionTreeRegressor().fit(X, y)
    unchecked = DecisionTreeRegressor().fit(X.astype(np.float32), y, check_input=False)
    assert_array_equal(checked.tree_.threshold, unchecked.tree_.threshold)
    assert_array_equal(checked.predict(X), unchecked.predict(X.astype(np.float32), check_input=False))


def test_importances_add_up_and_ignore_what_is_never_split():
    X, y = load_breast_cancer(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1)
    used = np.unique(model.tree_.feature[model.tree_.children_left >= 0])
    assert_array_equal(np.flatnonzero(importances), used)
    leaf = model.tree_.children_left < 0
    fall = model.tree_.impurity[0] - model.tree_.weighted_n_node_samples[leaf] @ model.tree_.impurity[leaf] / len(y)
    assert model.tree_.compute_feature_importances(normalize=False).sum() == pytest.approx(fall)


def test_scikit_learns_tools_accept_our_trees():
    import matplotlib

    matplotlib.use("agg")
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert sklearn.tree.export_text(model).startswith("|--- feature_2 <= 2.45")
    assert "gini = " in sklearn.tree.export_graphviz(model)
    assert len(sklearn.tree.plot_tree(model)) >= model.tree_.node_count
    assert isinstance(model, sklearn.tree.DecisionTreeClassifier)


def test_structure_is_read_only_and_pickles_without_the_packed_copy():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier().fit(X, y)
    model.predict(X)
    with pytest.raises(ValueError, match="read-only"):
        model.tree_.threshold[0] = 5.0
    again = pickle.loads(pickle.dumps(model))
    assert "_packed" not in vars(again.tree_)
    assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="read-only"):
        again.tree_.threshold[0] = 5.0


def fit_for_ever(model, X, y):
    while True:
        model.fit(X, y)


def test_interrupt_stops_within_a_tenth_of_a_second_and_leaves_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300_000, 30)).astype(np.float32), rng.normal(size=300_000)
    model = DecisionTreeRegressor()
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.7, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fit_for_ever(model, X, y)
    waited = time.perf_counter() - sent[0]
    timer.join()
    assert waited < 0.5  # 0.1 on a quiet machine
    assert not [name for name in vars(model) if name.endswith("_")]
