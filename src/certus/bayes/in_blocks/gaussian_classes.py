"""GaussianNB on rows in blocks: weight, mean and squared deviations of every column in every class; one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base.blocks import Block, ClassStatistics, MergeClasses, RowBlocks, block_labels, merge_moments
from certus.bayes import _native_calls


def class_moments(block: Block, state: Any) -> ClassStatistics:
    """Moments of the classes of a block."""
    del state
    labels, codes = block_labels(block.y)
    count, mean = np.zeros(len(labels)), np.zeros((len(labels), block.X.shape[1]))
    deviations = np.zeros_like(mean)
    _native_calls.add_class_moments(block.X, codes, block.weights, count, mean, deviations)
    return ClassStatistics(labels, (count, mean, deviations))


def fit_gaussian_classes(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets."""
    found = rows.reduce(class_moments, MergeClasses(merge_moments))
    learner._start(found.labels, np.empty((0, rows.columns), dtype=rows.dtype))
    learner._finish(*found.arrays, rows.dtype)
