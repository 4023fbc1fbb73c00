"""Cost-complexity pruning: the sequence contains the smallest tree of least cost for every alpha."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor
from certus.trees.pruning import prune, pruning_path


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
