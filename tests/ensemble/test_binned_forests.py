"""Forests whose splits are searched between bins: the same trees where the bins tell all values apart."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from certus.ensemble import RandomForestClassifier, RandomForestRegressor
from certus.ensemble.forests.binning import forest_bins, whole_columns


def whole_numbers(rows=400, columns=5, classes=3, missing=True, outputs=1):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, size=(rows, columns)).astype(np.float64)
    score = X[:, 0] * X[:, 1] + 5 * X[:, 2] + rng.normal(0, 10, rows)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    labels = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1]))
    if outputs > 1:
        labels = np.stack([labels, (X[:, 3] > 4).astype(int)], axis=1)
        score = np.stack([score, -score], axis=1)
    return X, labels, np.abs(score)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    ("forest", "options"),
    [
        (RandomForestClassifier, {"criterion": "gini"}),
        (RandomForestClassifier, {"criterion": "entropy"}),
        (RandomForestClassifier, {"criterion": "gini", "bootstrap": False}),
        (RandomForestClassifier, {"class_weight": "balanced_subsample", "max_leaf_nodes": 20}),
        (RandomForestRegressor, {"criterion": "squared_error"}),
        (RandomForestRegressor, {"criterion": "absolute_error", "max_depth": 4}),
        (RandomForestRegressor, {"criterion": "poisson", "min_samples_leaf": 5}),
        (RandomForestRegressor, {"min_weight_fraction_leaf": 0.05, "bootstrap": False}),
    ],
)
def test_same_trees_where_every_value_has_a_bin(forest, options, missing):
    X, labels, numbers = whole_numbers(missing=missing)
    y = labels if forest is RandomForestClassifier else numbers
    exact = forest(5, random_state=0, max_features=None, max_bins=None, **options).fit(X, y)
    binned = forest(5, random_state=0, max_features=None, max_bins=64, **options).fit(X, y)
    for name in ("children_left", "children_right", "feature", "n_node_samples", "missing_go_to_left"):
        assert_array_equal(getattr(binned.forest_, name), getattr(exact.forest_, name), err_msg=name)
    assert_allclose(binned.forest_.impurity, exact.forest_.impurity, atol=1e-9)
    assert_allclose(binned.forest_.value, exact.forest_.value, rtol=1e-9)


def test_two_classes_several_outputs_and_monotone_columns():
    X, labels, numbers = whole_numbers(classes=2)
    for y, options in ((labels, {}), (labels, {"monotonic_cst": [1, 0, 1, 0, 0]})):
        exact, binned = (
            RandomForestClassifier(5, random_state=1, max_features=None, max_bins=bins, **options).fit(X, y)
            for bins in (None, 255)
        )
        assert_array_equal(binned.forest_.feature, exact.forest_.feature)
        assert_array_equal(binned.forest_.n_node_samples, exact.forest_.n_node_samples)
    X, labels, numbers = whole_numbers(outputs=2)
    for forest, y in ((RandomForestClassifier, labels), (RandomForestRegressor, numbers)):
        exact, binned = (forest(5, random_state=1, max_features=None, max_bins=bins).fit(X, y) for bins in (None, 255))
        assert_array_equal(binned.forest_.feature, exact.forest_.feature)
        assert_array_equal(binned.forest_.n_node_samples, exact.forest_.n_node_samples)


def test_rows_reach_the_leaves_that_counted_them():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((3000, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) * 3 + np.nan_to_num(X[:, 1]) ** 2
    model = RandomForestRegressor(3, random_state=0, max_bins=16, bootstrap=False).fit(X, y)
    for tree, leaves in zip(model.estimators_, model.apply(X).T, strict=True):
        counted = np.bincount(leaves, minlength=tree.tree_.node_count)
        is_leaf = tree.tree_.children_left < 0
        assert_array_equal(counted[is_leaf], tree.tree_.n_node_samples[is_leaf])
        sums = np.bincount(leaves, weights=y, minlength=tree.tree_.node_count)
        assert_allclose(tree.tree_.value[is_leaf, 0, 0], (sums / np.maximum(counted, 1))[is_leaf], rtol=1e-6)


def test_auto_bins_long_tables_only_and_threads_do_not_matter():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((20_000, 6))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.standard_normal(len(X)) > 1).astype(int)
    models = [RandomForestClassifier(4, random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 2)]
    assert_array_equal(models[0].forest_.threshold, models[1].forest_.threshold)
    assert_array_equal(models[0].forest_.value, models[1].forest_.value)
    same = RandomForestClassifier(4, random_state=0, max_bins=255).fit(X, y)
    assert_array_equal(same.forest_.threshold, models[0].forest_.threshold)
    exact = RandomForestClassifier(4, random_state=0, max_bins=None).fit(X, y)
    assert len(exact.forest_.threshold) != len(same.forest_.threshold)
    assert abs(exact.score(X, y) - same.score(X, y)) < 0.02
    short = RandomForestClassifier(4, random_state=0).fit(X[:2000], y[:2000])
    same = RandomForestClassifier(4, random_state=0, max_bins=None).fit(X[:2000], y[:2000])
    assert_array_equal(short.forest_.threshold, same.forest_.threshold)


def test_small_tables_of_whole_numbers_are_binned_where_only_counts_matter():
    X, labels, _ = whole_numbers()
    assert forest_bins(X, None, "auto", 20_000) is None
    assert forest_bins(X + 0.5, None, "auto", 20_000, counts_only=True) is None
    assert forest_bins(X, None, "auto", 20_000, counts_only=True) is not None
    models = [RandomForestClassifier(8, random_state=0, max_bins=bins).fit(X, labels) for bins in ("auto", None)]
    for name in ("children_left", "feature", "threshold", "value", "impurity", "missing_go_to_left"):
        assert_array_equal(getattr(models[0].forest_, name), getattr(models[1].forest_, name), err_msg=name)


def test_rows_of_weight_zero_do_not_move_the_bins():
    rng = np.random.default_rng(3)
    X, extra = rng.standard_normal((500, 3)), 100 + rng.standard_normal((300, 3))
    y = X[:, 0] * X[:, 1]
    options = {"max_bins": 20, "bootstrap": False, "random_state": 0, "n_estimators": 2, "max_features": None}
    alone = RandomForestRegressor(**options).fit(X, y, sample_weight=np.ones(500))
    both = RandomForestRegressor(**options).fit(
        np.vstack([X, extra]), np.append(y, np.zeros(300)), sample_weight=np.append(np.ones(500), np.zeros(300))
    )
    assert_array_equal(both.forest_.threshold, alone.forest_.threshold)


@pytest.mark.parametrize("bins", [1, 256, "many", 2.5])
def test_refused_numbers_of_bins(bins):
    with pytest.raises(ValueError, match="max_bins"):
        RandomForestClassifier(max_bins=bins).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_values_too_close_for_a_threshold_are_not_split_apart(forest):
    """Bins may tell values apart that no threshold is put between; the next best column is used then."""
    X = np.array([[0.0, 5.0], [5e-8, 5.0]] * 20 + [[5e-8, 9.0]] * 3)
    y = np.array([0, 1] * 20 + [1] * 3)
    exact, binned = (
        forest(5, random_state=0, max_features=None, bootstrap=False, max_bins=bins).fit(X, y) for bins in (None, 255)
    )
    assert_array_equal(binned.forest_.feature, exact.forest_.feature)
    assert_array_equal(binned.forest_.n_node_samples, exact.forest_.n_node_samples)
    assert binned.forest_.offsets[1] == 3


def test_columns_of_whole_numbers_have_a_bin_for_each_value():
    X = np.array([[0.0, np.nan], [254.0, -3.0], [7.0, 2.0]], dtype=np.float32)
    assert whole_columns(X, 255).tolist() == [1, 1]
    assert whole_columns(X, 254).tolist() == [0, 1]
    assert whole_columns(X + np.float32(0.5), 255).tolist() == [0, 0]
    assert whole_columns(np.full((3, 2), np.nan, dtype=np.float32), 255).tolist() == [1, 1]
    assert forest_bins(X, None, "auto", 3).lowest.tolist() == [0.0, -3.0]
    assert forest_bins(X, None, "auto", 4) is None
    assert np.isnan(forest_bins(X * np.float32(1.5), None, "auto", 3).lowest).all()
    assert forest_bins(sparse.csr_array(X), None, 255, 2) is None
    assert forest_bins(X, None, None, 2) is None
