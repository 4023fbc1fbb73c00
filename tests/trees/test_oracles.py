"""Worked examples with known numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from certus.trees import DecisionTreeClassifier, DecisionTreeRegressor

EXERCISE_X = np.array([[1, 1], [1, 2], [1, 3], [2, 2], [2, 3]], dtype=float)
EXERCISE_Y = np.array([9.0, -4.0, 2.0, 4.0, 2.0])


def test_information_gain_and_its_tie():
    """Rows (X1, X2, X3) = TRF, TRF, TGT, FRF, TBT x 3: both X2 and X3 tell 0.1981174 bits about X1."""
    rows = ["TRF", "TRF", "TGT", "FRF", "TBT", "TBT", "TBT"]
    X = np.array([["RGB".index(row[1]), "FT".index(row[2])] for row in rows], dtype=float)
    y = [row[0] for row in rows]
    for columns in ([0], [1], [0, 1]):
        tree = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(X[:, columns], y).tree_
        inside = tree.weighted_n_node_samples[1:] @ tree.impurity[1:] / 7
        assert tree.impurity[0] - inside == pytest.approx(0.1981174, abs=1e-7)
        assert tree.feature[0] == 0  # of two equally good columns the first


@pytest.mark.parametrize(
    ("criterion", "parent", "mixed", "one_pure"),
    [("gini", 400.0, 300.0, 800 / 3), ("entropy", 800.0, 649.0225, 550.9775)],
)
def test_eight_hundred_points(criterion, parent, mixed, one_pure):
    """400 + 400 points, split into (300, 100), (100, 300) or (200, 400), (200, 0): the second is better."""
    y = np.repeat([0, 1], 400)
    first = np.r_[np.repeat([0, 1], [300, 100]), np.repeat([0, 1], [100, 300])]
    second = np.r_[np.repeat([0, 1], [200, 200]), np.repeat(0, 400)]
    for X, cost in (([first], mixed), ([second], one_pure), ([first, second], one_pure)):
        tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(np.stack(X, axis=1), y).tree_
        assert tree.weighted_n_node_samples[0] * tree.impurity[0] == pytest.approx(parent)
        assert tree.weighted_n_node_samples[1:] @ tree.impurity[1:] == pytest.approx(cost, abs=5e-5)
        assert tree.feature[0] == len(X) - 1
        misclassified = tree.weighted_n_node_samples[1:] @ (1 - tree.value[1:, 0].max(axis=1))
        assert misclassified == pytest.approx(200)  # the error rate alone cannot tell them apart


def test_misclassification_sees_no_difference_between_the_splits_of_eight_hundred_points():
    """Both splits leave 200 points on the wrong side, so the first column wins, whichever it is."""
    y = np.repeat([0, 1], 400)
    first = np.r_[np.repeat([0, 1], [300, 100]), np.repeat([0, 1], [100, 300])]
    second = np.r_[np.repeat([0, 1], [200, 200]), np.repeat(0, 400)]
    for columns in ([first, second], [second, first]):
        tree = DecisionTreeClassifier(criterion="misclassification", max_depth=1).fit(np.stack(columns, 1), y).tree_
        assert_allclose(tree.weighted_n_node_samples[1:] @ tree.impurity[1:], 200)
        assert tree.impurity[0] == 0.5
        assert tree.feature[0] == 0


def test_greedy_exercise():
    tree = DecisionTreeRegressor().fit(EXERCISE_X, EXERCISE_Y).tree_
    cost = tree.weighted_n_node_samples * tree.impurity
    assert_allclose(cost[0], 87.2)
    assert tree.value[0, 0, 0] == pytest.approx(2.6)
    assert (tree.feature[0], tree.threshold[0]) == (1, 1.5)
    right = tree.children_right[0]
    assert_allclose(cost[tree.children_left[0]] + cost[right], 36)
    assert (tree.feature[right], tree.threshold[right]) == (0, 1.5)
    assert_allclose(cost[tree.children_left[right]] + cost[tree.children_right[right]], 20)
    for child in (tree.children_left[right], tree.children_right[right]):
        assert (tree.feature[child], tree.threshold[child]) == (1, 2.5)
    leaf = tree.children_left < 0
    assert_array_equal(tree.value[leaf, 0, 0], [9, -4, 2, 4, 2])


def test_weakest_links_of_the_exercise():
    """5 -> 4 leaves at 2, 4 -> 2 at 17, 2 -> 1 at 51.2, in units of the total loss (ours are per row)."""
    path = DecisionTreeRegressor().cost_complexity_pruning_path(EXERCISE_X, EXERCISE_Y)
    assert_allclose(5 * path.ccp_alphas, [0, 2, 17, 51.2], atol=1e-12)
    assert_allclose(5 * path.impurities, [0, 2, 36, 87.2], atol=1e-12)
    for alpha, leaves in ((1.9, 5), (2.1, 4), (16.9, 4), (17.1, 2), (51.1, 2), (51.3, 1)):
        model = DecisionTreeRegressor(ccp_alpha=alpha / 5).fit(EXERCISE_X, EXERCISE_Y)
        assert model.get_n_leaves() == leaves


def test_median_and_poisson_by_hand():
    X, y = [[0], [0], [0], [1], [1]], [0.0, 1.0, 5.0, 8.0, 9.0]
    tree = DecisionTreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y).tree_
    assert_array_equal(tree.value[:, 0, 0], [5, 1, 8.5])
    assert_allclose(tree.impurity, [16 / 5, 5 / 3, 1 / 2])
    tree = DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(X, y).tree_
    assert_allclose(tree.value[:, 0, 0], [23 / 5, 2, 8.5])
    assert_allclose(tree.impurity[2], (8 * np.log(8 / 8.5) + 9 * np.log(9 / 8.5)) / 2)


def test_exclusive_or_needs_a_first_split_without_gain():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = DecisionTreeClassifier().fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert model.get_n_leaves() == 4
