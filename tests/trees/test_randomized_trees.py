"""Trees whose thresholds are drawn, alone and in forests: the law of the draws, and all rows for every tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from certus.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from certus.trees import ExtraTreeClassifier, ExtraTreeRegressor

TREES = [ExtraTreeClassifier, ExtraTreeRegressor]
FORESTS = [ExtraTreesClassifier, ExtraTreesRegressor]


def skewed(rows: int = 60, columns: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Most values lie near 0, so that a threshold between neighbors would rarely exceed one half."""
    rng = np.random.default_rng(0)
    X = rng.random((rows, columns)) ** 4
    X[0], X[1] = 0.0, 1.0
    return X, rng.integers(0, 2, rows)


def is_uniform(draws: Any) -> bool:
    return bool(stats.kstest(draws, "uniform").pvalue > 1e-4)


@pytest.mark.parametrize("kind", TREES)
def test_thresholds_are_spread_evenly_over_the_range_of_the_node(kind: type) -> None:
    X, y = skewed()
    stumps = [kind(max_features=1, max_depth=1, random_state=seed).fit(X, y).tree_ for seed in range(300)]
    assert is_uniform([stump.threshold[0] for stump in stumps])
    assert stats.chisquare(np.bincount([stump.feature[0] for stump in stumps], minlength=4)).pvalue > 1e-4


def impurity_after(x: np.ndarray, y: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Sum of squared errors of both sides, for 0/1 the same order as Gini's."""
    left = x[:, None] <= thresholds
    sizes, ones = np.stack([left.sum(axis=0), (~left).sum(axis=0)]), np.stack([y @ left, y @ ~left])
    return (ones - ones**2 / sizes).sum(axis=0)


@pytest.mark.parametrize("kind", TREES)
def test_the_best_of_the_drawn_splits_is_taken(kind: type) -> None:
    """The informative column heads the tree as often as its drawn split is the better one of two."""
    rng = np.random.default_rng(1)
    X = rng.random((80, 2))
    y = (X[:, 0] + 0.8 * rng.random(80) > 0.9).astype(int)
    draws = [rng.uniform(X[:, j].min(), X[:, j].max(), 40_000) for j in range(2)]
    chance = np.mean(impurity_after(X[:, 0], y, draws[0]) < impurity_after(X[:, 1], y, draws[1]))
    assert 0.6 < chance < 0.97
    trees = [kind(max_features=None, max_depth=1, random_state=seed).fit(X, y).tree_ for seed in range(400)]
    heads = sum(tree.feature[0] == 0 for tree in trees)
    assert stats.binomtest(heads, 400, chance).pvalue > 1e-4


@pytest.mark.parametrize("kind", FORESTS)
def test_every_tree_of_a_forest_sees_all_rows_and_draws_its_own_thresholds(kind: type) -> None:
    X, y = skewed()
    model = kind(200, max_features=1, random_state=0).fit(X, y)
    for tree in model.estimators_:
        assert tree.tree_.n_node_samples[0] == len(X)
        assert_allclose(tree.tree_.weighted_n_node_samples[0], len(X))
        assert_array_equal(tree.predict(X), y)  # grown to the end on all rows: nothing was left out of a bag
    roots = [(tree.tree_.feature[0], tree.tree_.threshold[0]) for tree in model.estimators_]
    assert len(set(roots)) == 200
    assert is_uniform([threshold for _, threshold in roots])
