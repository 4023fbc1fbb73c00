"""A tree from a file is checked before compiled code relies on it."""

import copy

import numpy as np
import pytest
from sklearn.datasets import load_iris

from certus.trees import DecisionTreeClassifier


@pytest.fixture
def tree():
    X, y = load_iris(return_X_y=True)
    return copy.deepcopy(DecisionTreeClassifier(max_depth=3).fit(X, y).tree_)


def change(tree, name, place, value):
    array = getattr(tree, name).copy()
    array[place] = value
    setattr(tree, name, array)


def test_a_sound_tree_is_accepted(tree):
    tree._restored()
    assert tree.max_depth == 3


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("children_left", 0, 0, "not a tree"),
        ("children_left", 0, 10**6, "not a tree"),
        ("children_right", 0, 1, "not a tree"),
        ("children_right", 2, -7, "not a tree"),
        ("feature", 0, 4, r"outside 0 \.\. 3"),
        ("feature", 0, -2, r"outside 0 \.\. 3"),
    ],
)
def test_impossible_structures_are_refused(tree, name, place, value, message):
    change(tree, name, place, value)
    with pytest.raises(ValueError, match=message):
        tree._restored()


def test_a_right_child_without_a_left_one_is_refused(tree):
    leaf = int(np.flatnonzero(tree.children_left < 0)[-1])
    change(tree, "children_right", leaf, 1)
    with pytest.raises(ValueError, match="right child only"):
        tree._restored()


@pytest.mark.parametrize("name", ["threshold", "value", "missing_go_to_left", "impurity", "children_right"])
def test_arrays_of_other_lengths_are_refused(tree, name):
    setattr(tree, name, getattr(tree, name)[:-1])
    with pytest.raises(ValueError, match=f"{name} has the shape"):
        tree._restored()


def test_a_tree_for_another_table_is_refused(tree):
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier().fit(X[:, :2], y)
    model.tree_ = tree
    with pytest.raises(ValueError, match="another table"):
        model._restored()
    model = DecisionTreeClassifier().fit(X[:100], y[:100])
    model.tree_ = tree
    with pytest.raises(ValueError, match="different numbers of classes"):
        model._restored()
