"""Naive Bayes of counts on rows in blocks: weights of classes, and of features or categories in them; one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from certus.base.blocks import Block, ClassStatistics, MergeClasses, RowBlocks, block_labels


def class_counts(block: Block, learner: Any) -> ClassStatistics:
    """Counts of a block, by the learner's own function."""
    learner = clone(learner)
    table, y = learner._read(block.X, block.y, reset=True)
    learner.classes_, codes = block_labels(y)
    learner._start(table)
    learner._count(table, codes, block.weights)
    weights = np.bincount(codes, block.weights, len(learner.classes_)).astype(np.float64)
    return ClassStatistics(learner.classes_, (weights, *_tables(learner)))


def _tables(learner: Any) -> list[NDArray[Any]]:
    """Counts of features as one table, or those of categories as a table per column."""
    return list(learner.category_count_) if hasattr(learner, "category_count_") else [learner.feature_count_]


def merge_counts(one: tuple[NDArray[Any], ...], two: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    """Sums; a block need not have met all categories."""
    return tuple(_padded_sum(a, b) for a, b in zip(one, two, strict=True))


def _padded_sum(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    if one.shape == two.shape:
        return one + two
    total = np.zeros((len(one), max(one.shape[1], two.shape[1])))
    total[:, : one.shape[1]] += one
    total[:, : two.shape[1]] += two
    return total


def fit_class_counts(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets."""
    found = rows.reduce(class_counts, MergeClasses(merge_counts), rows.unfitted())
    learner.classes_, (learner.class_count_, *tables) = found.labels, found.arrays
    if hasattr(learner, "min_categories"):
        learner.category_count_ = tables
        learner.n_categories_ = np.array([table.shape[1] for table in tables], dtype=np.int64)
    else:
        learner.feature_count_ = tables[0]
        if hasattr(learner, "norm"):
            learner.feature_all_ = tables[0].sum(axis=0)
    learner._finish()
