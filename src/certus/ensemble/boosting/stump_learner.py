"""The weak learner of AdaBoost: exact stumps, as trees of the ordinary kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.ensemble._native_calls.stump_kernels import Stump, StumpSearch
from certus.guarantees import Report
from certus.trees import DecisionTreeClassifier, Tree


class StumpLearner:
    """Finds stumps on one table, round after round, each for other weights.

    Parameters
    ----------
    X : ndarray or sparse matrix, float32
        The table.
    codes : ndarray of shape (n_samples,)
        Classes, numbered from 0.
    classes : ndarray
        Their labels.
    kept : ndarray of bool
        Which rows count.
    """

    def __init__(self, X: Any, codes: NDArray[Any], classes: NDArray[Any], kept: NDArray[np.bool_]) -> None:
        self._X = X.tocsc() if sparse.issparse(X) else X
        self._classes = classes
        self._kept = kept
        self._search = StumpSearch(self._X, codes, len(classes), kept)

    def fit(self, weights: NDArray[np.float64], seed: int) -> tuple[DecisionTreeClassifier, NDArray[np.int64]]:
        """The best stump as a fitted tree, and the classes that it gives the rows of the table."""
        stump = self._search.best(weights)
        goes_left = self._goes_left(stump)
        sides = np.array([np.argmax(stump.right), np.argmax(stump.left)])
        learner = DecisionTreeClassifier(max_depth=1, random_state=seed)
        learner.tree_ = stump_tree(stump, self._X.shape[1], int(self._kept.sum()), int(goes_left[self._kept].sum()))
        learner.classes_, learner.n_classes_ = self._classes, len(self._classes)
        learner.n_features_in_, learner.n_outputs_ = self._X.shape[1], 1
        learner.max_features_ = self._X.shape[1]
        learner.report_ = Report()
        return learner, sides[goes_left.astype(np.intp)]

    def _goes_left(self, stump: Stump) -> NDArray[np.bool_]:
        if stump.feature < 0:
            return np.ones(self._X.shape[0], dtype=bool)
        if not sparse.issparse(self._X):
            return np.asarray(self._X[:, stump.feature] <= stump.threshold)
        return np.asarray(self._X[:, [stump.feature]].toarray()[:, 0] <= stump.threshold)


def stump_tree(stump: Stump, n_features: int, rows: int, rows_left: int) -> Tree:
    """A stump as the arrays of a tree; a single leaf if it does not split."""
    weights = [stump.left + stump.right, stump.left, stump.right][: 3 if stump.feature >= 0 else 1]
    totals = np.array([side.sum() for side in weights])
    shares = np.array([side / total for side, total in zip(weights, totals, strict=True)])
    leaves = len(weights) - 1
    return Tree(
        n_features=n_features,
        n_outputs=1,
        n_classes=np.array([len(stump.left)]),
        max_depth=min(leaves, 1),
        children_left=np.array([1, -1, -1] if leaves else [-1]),
        children_right=np.array([2, -1, -1] if leaves else [-1]),
        feature=np.array([stump.feature, -2, -2] if leaves else [-2]),
        threshold=np.array([stump.threshold, -2.0, -2.0] if leaves else [-2.0]),
        impurity=1.0 - (shares**2).sum(axis=1),
        n_node_samples=np.array([rows, rows_left, rows - rows_left] if leaves else [rows]),
        weighted_n_node_samples=totals,
        missing_go_to_left=np.array([2 * rows_left > rows, 0, 0] if leaves else [0], dtype=np.uint8),
        value=shares[:, None, :],
    )
