"""Leaves, values and paths agree with a walk through the arrays; threads and forms of input do not matter."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor


def walk(tree, row):
    """The nodes that one row passes."""
    path = [0]
    while tree.children_left[path[-1]] >= 0:
        node = path[-1]
        x = np.float32(row[tree.feature[node]])
        left = bool(tree.missing_go_to_left[node]) if np.isnan(x) else float(x) <= tree.threshold[node]
        path.append(int((tree.children_left if left else tree.children_right)[node]))
    return path


@pytest.fixture(params=[{}, {"max_leaf_nodes": 30}, {"splitter": "random", "random_state": 0}], ids=str)
def fitted(request):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.isnan(X[:, 0]), 2, (np.nan_to_num(X[:, 1]) > 0).astype(int)) ^ (rng.random(500) < 0.1)
    return DecisionTreeClassifier(**request.param).fit(X, y), X


def test_apply_decision_path_and_predict_follow_the_arrays(fitted):
    model, X = fitted
    paths = [walk(model.tree_, row) for row in X]
    assert_array_equal(model.apply(X), [path[-1] for path in paths])
    indicator = model.decision_path(X)
    assert indicator.shape == (len(X), model.tree_.node_count)
    for row, path in enumerate(paths):
        assert_array_equal(indicator.indices[indicator.indptr[row] : indicator.indptr[row + 1]], path)
    leaves = [path[-1] for path in paths]
    assert_array_equal(model.predict_proba(X), model.tree_.value[leaves, 0])
    assert_array_equal(model.predict(X), model.classes_[model.tree_.value[leaves, 0].argmax(axis=1)])
    assert model.tree_.max_depth == max(map(len, paths)) - 1


def test_training_rows_are_counted_at_their_nodes(fitted):
    model, X = fitted
    assert_array_equal(np.asarray(model.decision_path(X).sum(axis=0)).ravel(), model.tree_.n_node_samples)


def test_thresholds_separate_neighboring_floats():
    """Midpoints are doubles, so that even adjacent float32 values fall on different sides."""
    values = np.array([1000.0, np.nextafter(np.float32(1000.0), np.float32(2000.0))], dtype=np.float32)
    model = DecisionTreeClassifier().fit(values[:, np.newaxis], [0, 1])
    assert_array_equal(model.predict(values[:, np.newaxis]), [0, 1])
    assert values[0] < model.tree_.threshold[0] < values[1]
    huge = np.float32([-3e38, 3e38])[:, np.newaxis]
    model = DecisionTreeClassifier().fit(huge, [0, 1])
    assert_array_equal(model.predict(huge), [0, 1])
    assert model.tree_.threshold[0] == 0.0


@pytest.mark.parametrize("rows", [1, 15, 16, 17, 5000])
def test_any_number_of_rows_and_any_layout(rows):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(400, 6)), rng.normal(size=400)
    model = DecisionTreeRegressor().fit(X, y)
    new = rng.normal(size=(rows, 6)).astype(np.float32)
    expected = [model.tree_.value[walk(model.tree_, row)[-1], 0, 0] for row in new]
    for form in (new, np.asfortranarray(new), np.repeat(new, 2, axis=1)[:, ::2], new.astype(np.float64)):
        assert_array_equal(model.predict(form), expected)
    for container in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        assert_array_equal(model.predict(container(new)), expected)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("parameters", [{}, {"max_leaf_nodes": 200}, {"max_features": 3, "splitter": "random"}])
def test_trees_have_equal_bits_for_any_number_of_threads(kind, parameters, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 8)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] > rng.normal(size=20_000)).astype(int)
    weights = rng.random(20_000)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    trees = [kind(random_state=5, **parameters).fit(X, y, sample_weight=weights).tree_]
    for threads in (2, 3, 7):
        with joblib.parallel_config(n_jobs=threads, backend="threading"):
            trees.append(kind(random_state=5, **parameters).fit(X, y, sample_weight=weights).tree_)
    for other in trees[1:]:
        for name in other._state:
            assert_array_equal(getattr(other, name), getattr(trees[0], name), err_msg=name)


def test_partial_dependence_by_recursion_is_the_average_over_the_training_shares():
    from sklearn.inspection import partial_dependence

    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2]
    model = DecisionTreeRegressor(max_depth=1).fit(X, y)
    feature = int(model.tree_.feature[0])
    grid = partial_dependence(model, X, [feature], method="recursion")
    brute = partial_dependence(model, X, [feature], method="brute", kind="average")
    assert_allclose(grid["average"], brute["average"])
    other = (feature + 1) % 3
    flat = partial_dependence(model, X, [other], method="recursion")["average"]
    assert_allclose(flat, model.tree_.value[0, 0, 0])
