"""The compiled builder grows the tree that its slow twin grows, on random tables of every kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor
from tests.trees.naive_tree import NaiveNode, NaiveTree

CLASSIFICATION = ("gini", "entropy", "misclassification")
REGRESSION = ("squared_error", "absolute_error", "poisson")


def learner(criterion, **parameters):
    kind = DecisionTreeClassifier if criterion in CLASSIFICATION else DecisionTreeRegressor
    return kind(criterion=criterion, **parameters)


def assert_same_tree(tree, naive, *, best_first=False):
    """Equal in structure, values and impurities; best-first trees are compared in pre-order."""
    expected = naive.nodes()
    order = preorder(tree) if best_first else np.arange(tree.node_count)
    assert tree.node_count == len(expected)
    assert_array_equal(tree.feature[order], [node.feature for node in expected])
    assert_array_equal(tree.threshold[order], [node.threshold for node in expected])
    assert_array_equal(tree.missing_go_to_left[order], [node.missing_left for node in expected])
    assert_array_equal(tree.n_node_samples[order], [len(node.rows) for node in expected])
    assert_allclose(tree.impurity[order], [node.impurity for node in expected], rtol=1e-9, atol=1e-12)
    assert_allclose(tree.value[order], [node.value for node in expected], rtol=1e-9, atol=1e-12)
    assert tree.max_depth == max(node.depth for node in expected)


def preorder(tree):
    found, stack = [], [0]
    while stack:
        node = stack.pop()
        found.append(node)
        if tree.children_left[node] >= 0:
            stack += [tree.children_right[node], tree.children_left[node]]
    return np.array(found)


@st.composite
def tables(draw, criteria, *, missing=True, outputs=1):
    """A small table full of ties, a target for the criterion, and weights or None."""
    criterion = draw(st.sampled_from(criteria))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    levels = draw(st.sampled_from([2, 4, 1000]))
    X = rng.integers(-levels // 2, levels // 2 + 1, (rows, columns)) / draw(st.sampled_from([1, 3, 1e6]))
    if missing and draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    shape = rows if outputs == 1 else (rows, outputs)
    if criterion in CLASSIFICATION:
        y = rng.integers(0, draw(st.integers(2, 4)), shape)
        y = np.stack([np.unique(column, return_inverse=True)[1] for column in y.reshape(rows, -1).T], axis=1)
        y = y[:, 0] if outputs == 1 else y
    elif criterion == "poisson":
        y = rng.poisson(1.0, shape) + (rng.random(shape) < 0.3)
        y[0] = 1
    else:
        y = rng.integers(-5, 6, shape) / draw(st.sampled_from([1, 7]))
    weights = draw(st.sampled_from([None, "whole", "real"]))
    if weights == "whole":
        weights = rng.integers(0, 3, rows).astype(float)
        weights[0] = 1.0
    elif weights == "real":
        weights = rng.random(rows) + 0.1
    return criterion, X, y.astype(float) if criterion in REGRESSION else y, weights


limits = st.fixed_dictionaries(
    {},
    optional={
        "max_depth": st.integers(1, 4),
        "min_samples_split": st.integers(2, 6),
        "min_samples_leaf": st.integers(1, 4),
        "min_impurity_decrease": st.sampled_from([0.01, 0.1]),
    },
)


@settings(max_examples=200, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION)), limits)
def test_twin_grows_the_same_tree(table, limit):
    criterion, X, y, weights = table
    model = learner(criterion, **limit).fit(X, y, sample_weight=weights)
    assert_same_tree(model.tree_, NaiveTree(criterion, **limit).fit(X, y, weights))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@settings(max_examples=10_000, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION)), limits)
def test_twin_grows_the_same_tree_thousands_of_times(table, limit):
    criterion, X, y, weights = table
    model = learner(criterion, **limit).fit(X, y, sample_weight=weights)
    assert_same_tree(model.tree_, NaiveTree(criterion, **limit).fit(X, y, weights))


@settings(max_examples=60, deadline=None)
@given(tables((*CLASSIFICATION, "squared_error", "poisson"), outputs=2))
def test_twin_grows_the_same_tree_for_two_outputs(table):
    criterion, X, y, weights = table
    if criterion == "poisson":
        y = y + 0.5  # no output without events, which has no Poisson deviance
    model = learner(criterion).fit(X, y, sample_weight=weights)
    assert_same_tree(model.tree_, NaiveTree(criterion).fit(X, y, weights))


@settings(max_examples=60, deadline=None)
@given(tables(("absolute_error",), outputs=2))
def test_absolute_error_adds_up_over_outputs(table):
    criterion, X, y, weights = table
    model = learner(criterion, max_depth=2).fit(X, y, sample_weight=weights)
    assert_same_tree(model.tree_, NaiveTree(criterion, max_depth=2).fit(X, y, weights))


@settings(max_examples=60, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION)), st.integers(2, 8))
def test_twin_grows_the_same_tree_best_first(table, leaves):
    criterion, X, y, weights = table
    model = learner(criterion, max_leaf_nodes=leaves).fit(X, y, sample_weight=weights)
    naive = NaiveTree(criterion, max_leaf_nodes=leaves).fit(X, y, weights)
    improvements = sorted(node.improvement for node in naive.nodes())
    if np.diff(improvements, prepend=-1.0, append=np.inf).min() < 1e-9 * max(1.0, improvements[-1]):
        # equal improvements are told apart by rounding; then only the number of leaves is determined
        assert model.tree_.n_leaves == sum(node.left is None for node in naive.nodes())
    else:
        assert_same_tree(model.tree_, naive, best_first=True)


@settings(max_examples=60, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION), missing=False), st.data())
def test_twin_grows_the_same_tree_under_monotone_constraints(table, data):
    criterion, X, y, weights = table
    if criterion in CLASSIFICATION:
        y = np.minimum(y, 1)
        y[0], y[-1] = 0, 1
        if len(y) == 1:
            return
    signs = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=X.shape[1], max_size=X.shape[1]))
    model = learner(criterion, monotonic_cst=signs).fit(X, y, sample_weight=weights)
    on_first_class = [-sign for sign in signs] if criterion in CLASSIFICATION else signs
    if weights is not None and criterion in CLASSIFICATION and len(set(y[weights > 0])) < 2:
        return
    assert_same_tree(model.tree_, NaiveTree(criterion, monotone=on_first_class).fit(X, y, weights))


@settings(max_examples=60, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION), missing=False), st.sampled_from(["csc", "csr", "coo"]))
def test_sparse_tables_give_the_tree_of_the_dense_table(table, form):
    criterion, X, y, weights = table
    model = learner(criterion).fit(sparse.csc_array(X).asformat(form), y, sample_weight=weights)
    assert_same_tree(model.tree_, NaiveTree(criterion).fit(X, y, weights))
    assert_array_equal(model.predict(sparse.csr_array(X)), model.predict(X))


@settings(max_examples=60, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION)), st.sampled_from([1, 2]))
def test_every_split_is_the_best_of_its_column_when_few_columns_are_drawn(table, max_features):
    """Few columns of many: the values are looked up and sorted at each node instead of kept in sorted lists."""
    criterion, X, y, weights = table
    X = np.tile(X, (1, 30))
    model = learner(criterion, max_features=max_features, random_state=0).fit(X, y, sample_weight=weights)
    tree, naive = model.tree_, NaiveTree(criterion).fit(X[:, :1], y, weights)
    passes = np.asarray(model.decision_path(X).todense()) > 0
    naive.X = np.asarray(X, dtype=np.float32)
    for node in np.flatnonzero(tree.children_left >= 0):
        rows = np.flatnonzero(passes[:, node] & (naive.w > 0))
        j = int(tree.feature[node])
        here = NaiveNode(rows, 0, naive._impurity(rows), naive._value(rows))
        left, right = naive._sides(here, j, tree.threshold[node], bool(tree.missing_go_to_left[node]))
        costs = [sum(map(naive._cost, naive._sides(here, j, *border))) for border in naive._borders(here, j)]
        assert naive._cost(left) + naive._cost(right) == pytest.approx(min(costs), rel=1e-9, abs=1e-9)
        assert (len(left), len(right)) == tuple(
            tree.n_node_samples[[tree.children_left[node], tree.children_right[node]]]
        )


@settings(max_examples=60, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION)), st.integers(0, 2**32 - 1), st.sampled_from([None, 1]))
def test_random_thresholds_lie_inside_the_range_of_the_node(table, seed, max_features):
    criterion, X, y, weights = table
    X = X if max_features is None else np.tile(X, (1, 3))
    model = learner(criterion, splitter="random", random_state=seed, max_features=max_features)
    tree = model.fit(X, y, sample_weight=weights).tree_
    passes = np.asarray(model.decision_path(X).todense()) > 0
    positive = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    naive = NaiveTree(criterion, max_depth=1).fit(X, y, weights)
    for node in range(tree.node_count):
        rows = np.flatnonzero(passes[:, node] & positive)
        assert tree.n_node_samples[node] == len(rows)
        assert_allclose(tree.impurity[node], naive._impurity(rows), rtol=1e-9, atol=1e-12)
        if tree.children_left[node] >= 0:
            x = np.float32(X[rows, tree.feature[node]])
            assert np.nanmin(x) <= tree.threshold[node] <= np.nanmax(x)


@settings(max_examples=60, deadline=None)
@given(tables((*CLASSIFICATION, *REGRESSION)), st.floats(0.05, 0.5))
def test_least_weight_of_a_leaf(table, fraction):
    criterion, X, y, weights = table
    model = learner(criterion, min_weight_fraction_leaf=fraction).fit(X, y, sample_weight=weights)
    leaf = model.tree_.children_left < 0
    total = model.tree_.weighted_n_node_samples[0]
    if model.tree_.node_count > 1:
        assert (model.tree_.weighted_n_node_samples[leaf] >= fraction * total * (1 - 1e-12)).all()


@pytest.mark.parametrize("criterion", [*CLASSIFICATION, *REGRESSION])
def test_larger_tables_reach_every_path_of_the_builder(criterion):
    """Radix-sorted columns, many threads and sub-tree tasks: the first splits are those of the twin."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 3)).round(1)
    y = rng.integers(0, 3, 1500) if criterion in CLASSIFICATION else rng.integers(0, 9, 1500).astype(float)
    y = np.where(X[:, 1] > 0.3, np.minimum(y, 1), y)
    model = learner(criterion, max_depth=2).fit(X, y)
    assert_same_tree(model.tree_, NaiveTree(criterion, max_depth=2).fit(X, y))
