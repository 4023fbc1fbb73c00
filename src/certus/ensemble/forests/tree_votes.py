"""Weighted votes of trees, summed in compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import resolve_threads
from certus.ensemble._native_calls import forest_kernels as kernels
from certus.ensemble.packed_forest import PackedForest
from certus.trees import DecisionTreeClassifier, ExtraTreeClassifier

OURS = (DecisionTreeClassifier, ExtraTreeClassifier)  # not what others derive from them


class TreeVotes:
    """Trees whose every leaf gives the tree's weight to its class and takes it evenly from the others.

    Parameters
    ----------
    forest : PackedForest
        The trees.
    votes : ndarray of shape (n_nodes, n_classes)
        What each node adds to the scores.
    """

    def __init__(self, forest: PackedForest, votes: NDArray[np.float64]) -> None:
        self._forest = forest
        self._votes = votes

    @classmethod
    def of(cls, learners: list[Any], weights: NDArray[np.float64], n_classes: int) -> TreeVotes | None:
        """The votes of these learners, or None if they are not all our trees, of numbers, for the same classes."""
        for each in learners:
            if type(each) not in OURS or each.categories_ is not None or each.tree_.n_classes.tolist() != [n_classes]:
                return None
        forest = PackedForest.of_trees([each.tree_ for each in learners], np.zeros(len(learners), dtype=np.uint64))
        chosen = np.argmax(forest.value[:, 0], axis=1)
        per_node = np.repeat(weights[: len(learners)], np.diff(forest.offsets))
        votes = np.repeat(-per_node[:, None] / (n_classes - 1), n_classes, axis=1)
        votes[np.arange(len(chosen)), chosen] = per_node
        return cls(forest, votes)

    def sum(self, X: Any) -> NDArray[np.float64]:
        """Scores of each row for each class."""
        table = X.tocsr().astype(np.float32) if sparse.issparse(X) else np.asarray(X, dtype=np.float32)
        return kernels.sum_values(self._forest.compact, table, self._votes, resolve_threads())
