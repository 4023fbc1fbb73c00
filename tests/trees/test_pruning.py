"""Cost-complexity pruning: the sequence contains the smallest tree of least cost for every alpha."""

import copy
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor
from certus.trees.pruning.cost_complexity import prune, pruning_path
from tests.trees.naive_tree import impurity


def grown(seed, *, rows=12):
    rng = np.random.default_rng(seed)
    return DecisionTreeRegressor().fit(rng.normal(size=(rows, 2)), rng.integers(0, 4, rows).astype(float)).tree_


def all_prunings(tree, node=0):
    """(impurity of the leaves, number of leaves) of every tree that pruning below a node can give."""
    own = (tree.weighted_n_node_samples[node] * tree.impurity[node] / tree.weighted_n_node_samples[0], 1)
    if tree.children_left[node] < 0:
        return [own]
    sides = [all_prunings(tree, child[node]) for child in (tree.children_left, tree.children_right)]
    return [own, *((a[0] + b[0], a[1] + b[1]) for a, b in itertools.product(*sides))]


def leaves_and_cost(tree, total):
    leaf = tree.children_left < 0
    return float(tree.weighted_n_node_samples[leaf] @ tree.impurity[leaf] / total), int(leaf.sum())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 2))
def test_pruned_tree_has_the_least_cost_of_all_subtrees(seed, alpha):
    tree = grown(seed)
    impurity, leaves = leaves_and_cost(prune(tree, alpha), tree.weighted_n_node_samples[0])
    costs = [cost + alpha * count for cost, count in all_prunings(tree)]
    assert impurity + alpha * leaves == pytest.approx(min(costs), rel=1e-9, abs=1e-12)
    assert leaves in {n for c, n in all_prunings(tree) if c + alpha * n <= min(costs) + 1e-9}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 0.3), st.sampled_from(["gini", "entropy", "misclassification"]))
def test_pruning_by_another_criterion_has_the_least_cost_of_all_subtrees(seed, alpha, criterion):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 2)), rng.integers(0, 3, 14)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    pruned = DecisionTreeClassifier(prune_criterion=criterion, ccp_alpha=alpha).fit(X, y).tree_
    own = [impurity(criterion, y[rows], np.ones(rows.sum()), 3) for rows in reaching(tree, X)]
    costs = [cost + alpha * count for cost, count in all_prunings(replaced(tree, np.array(own)))]
    leaf = pruned.children_left < 0
    found = [impurity(criterion, y[rows], np.ones(rows.sum()), 3) for rows in reaching(pruned, X)]
    cost = pruned.weighted_n_node_samples[leaf] @ np.array(found)[leaf] / 14 + alpha * leaf.sum()
    assert cost == pytest.approx(min(costs), rel=1e-9, abs=1e-12)


def reaching(tree, X):
    return tree.decision_path(X.astype(np.float32)).toarray().T.astype(bool)


def replaced(tree, impurity):
    other = copy.copy(tree)
    other.impurity = impurity
    return other


def test_numbers_are_pruned_by_the_loss_of_the_nodes_predictions():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=4).fit(X, y).tree_
    model = DecisionTreeRegressor(criterion="absolute_error", max_depth=4, prune_criterion="squared_error")
    squared = [np.mean((y[rows] - v) ** 2) for rows, v in zip(reaching(tree, X), tree.value[:, 0, 0], strict=True)]
    expected = pruning_path(tree, np.array(squared))
    path = model.cost_complexity_pruning_path(X, y)
    assert_allclose(path.ccp_alphas, expected[0])
    assert_allclose(path.impurities, expected[1])


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_cross_validated_price_equals_fitting_every_fold_at_every_price(kind, as_sparse):
    rng = np.random.default_rng(5)
    X = np.where(rng.random((90, 3)) < 0.3, 0.0, rng.normal(size=(90, 3)))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    y = y if kind is DecisionTreeClassifier else X[:, 0] + rng.normal(size=90)
    folds = [(np.setdiff1d(np.arange(90), test), test) for test in np.arange(90).reshape(3, 30)]
    weights = rng.integers(1, 3, 90).astype(float)
    criterion = {"prune_criterion": "misclassification"} if kind is DecisionTreeClassifier else {}
    table = sparse.csr_array(X) if as_sparse else X
    model = kind(ccp_alpha="cv", prune_cv=folds, **criterion).fit(table, y, sample_weight=weights)
    losses = []
    for alpha in model.ccp_alphas_:
        total = 0.0
        for train, test in folds:
            part = kind(ccp_alpha=alpha, **criterion).fit(X[train], y[train], sample_weight=weights[train])
            wrong = part.predict(X[test]) - y[test]
            total += weights[test] @ (wrong != 0 if kind is DecisionTreeClassifier else wrong**2)
        losses.append(total / weights.sum())
    assert_allclose(model.ccp_losses_, losses, rtol=1e-9)
    assert model.ccp_alpha_ == model.ccp_alphas_[np.flatnonzero(np.isclose(losses, min(losses)))[-1]]
    assert model.get_n_leaves() == kind(ccp_alpha=model.ccp_alpha_, **criterion).fit(X, y, weights).get_n_leaves()


def test_cross_validated_price_prunes_noise_to_the_root_and_keeps_signal():
    rng = np.random.default_rng(0)
    X, coin = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    options = {"ccp_alpha": "cv", "random_state": 0}
    assert DecisionTreeClassifier(**options).fit(X, coin).get_n_leaves() <= 4
    model = DecisionTreeClassifier(prune_criterion="misclassification", **options).fit(X, X[:, 1] > 0)
    assert model.get_n_leaves() == 2
    assert model.ccp_losses_.min() <= 0.02
    with pytest.raises(ValueError, match=r"(?s)prune_cv=5.*more folds than there are rows.*Hint"):
        DecisionTreeClassifier(ccp_alpha="cv").fit(X[:3], [0, 1, 1])


def test_of_equally_cheap_trees_the_smallest_is_chosen():
    tree = DecisionTreeRegressor().fit([[0], [1], [2], [3]], [0.0, 0.0, 4.0, 4.0]).tree_
    assert_array_equal(pruning_path(tree)[0], [0, 4])
    assert prune(tree, np.nextafter(4.0, 0.0)).n_leaves == 2
    assert prune(tree, 4.0).n_leaves == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_sequence_is_nested_and_ordered(seed):
    tree = grown(seed, rows=40)
    alphas, impurities = pruning_path(tree)
    assert alphas[0] == 0.0
    assert (np.diff(alphas) >= -1e-12).all()
    assert (np.diff(impurities) >= -1e-12).all()
    assert_allclose(impurities[-1], tree.impurity[0])
    counts = [prune(tree, alpha).n_leaves for alpha in alphas]
    assert (np.diff(counts) <= 0).all()
    assert counts[-1] == 1


def test_pruned_tree_is_a_top_of_the_full_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    full = DecisionTreeClassifier().fit(X, y)
    pruned = DecisionTreeClassifier(ccp_alpha=0.005).fit(X, y)
    assert 1 < pruned.tree_.node_count < full.tree_.node_count
    stack = [(0, 0)]
    while stack:
        small, large = stack.pop()
        assert_array_equal(pruned.tree_.value[small], full.tree_.value[large])
        if pruned.tree_.children_left[small] >= 0:
            assert pruned.tree_.feature[small] == full.tree_.feature[large]
            stack.append((pruned.tree_.children_left[small], full.tree_.children_left[large]))
            stack.append((pruned.tree_.children_right[small], full.tree_.children_right[large]))
        else:
            assert (pruned.tree_.feature[small], pruned.tree_.threshold[small]) == (-2, -2.0)
    assert pruned.get_depth() == pruned.tree_.compute_node_depths().max() - 1


def test_long_chains_are_pruned_quickly():
    """A tree with one leaf per row and 20 000 nodes; a quadratic search for weakest links would take minutes."""
    X = np.arange(10_000.0)[:, np.newaxis]
    y = np.random.default_rng(0).normal(size=10_000)
    path = DecisionTreeRegressor().cost_complexity_pruning_path(X, y)
    assert path.impurities[-1] == pytest.approx(y.var())
