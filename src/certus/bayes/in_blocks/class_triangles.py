"""Discriminant analysis on rows in blocks: the mean and the triangular factor of the centered rows of every class.

Factors are merged by factoring them one above the other, with the way between the means as one more row; they have the
singular values of the rows, with all their digits. A class is then as good as the few rows of its factor, and the
functions for whole tables do the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.blocks import Block, ClassStatistics, MergeClasses, RowBlocks, block_labels
from certus.bayes.estimation.class_groups import ClassGroups, group_by_class

Array = NDArray[np.float64]


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    if learner.shrinkage == "auto":
        return "shrinkage='auto'"
    return None if learner.covariance_estimator is None else "covariance_estimator"


def class_triangles(block: Block, state: Any) -> ClassStatistics:
    """Rows, weights, means and factors of the classes of a block."""
    del state
    table, y, weights = block.X, block.y, block.weights
    if weights is not None:
        table, y, weights = table[weights > 0.0], y[weights > 0.0], weights[weights > 0.0]
    labels, codes = block_labels(y)
    groups = group_by_class(table, codes, len(labels), weights)
    factors = np.zeros((len(labels), table.shape[1], table.shape[1]))
    for c, (rows, weight) in enumerate(groups):
        factors[c] = _triangle(np.sqrt(weight)[:, np.newaxis] * rows)
    return ClassStatistics(labels, (np.diff(groups.ends).astype(np.float64), groups.totals, groups.means, factors))


def _triangle(rows: Array) -> Array:
    """The square factor R of the rows, with zeros below where there are few."""
    found = np.linalg.qr(rows, mode="r")
    square = np.zeros((rows.shape[1], rows.shape[1]))
    square[: len(found)] = found
    return square


def merge_triangles(one: tuple[NDArray[Any], ...], two: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    """The classes of both, which have the same labels."""
    (rows, weight, mean, factor), (other_rows, other_weight, other_mean, other_factor) = one, two
    means, factors = mean.copy(), factor.copy()
    for c in np.flatnonzero(other_weight > 0.0):
        if weight[c] == 0.0:
            means[c], factors[c] = other_mean[c], other_factor[c]
            continue
        share = other_weight[c] / (weight[c] + other_weight[c])
        way = other_mean[c] - mean[c]
        means[c] = mean[c] + share * way
        factors[c] = _triangle(np.vstack([factor[c], other_factor[c], np.sqrt(weight[c] * share) * way]))
    return rows + other_rows, weight + other_weight, means, factors


def fit_discriminant(learner: Any, rows: RowBlocks) -> None:
    """Linear or quadratic discriminant analysis."""
    learner._check_options()
    found = rows.reduce(class_triangles, MergeClasses(merge_triangles))
    counts, totals, means, factors = found.arrays
    width = rows.columns
    learner.classes_ = found.labels
    # Every row with its negative, so that the mean of the rows is 0.
    rows_of = np.concatenate([factors, -factors], axis=1) * np.sqrt(width / totals)[:, np.newaxis, np.newaxis]
    groups = ClassGroups(
        centered=rows_of.reshape(-1, width),
        weights=np.repeat(totals / (2 * width), 2 * width),
        ends=np.arange(len(totals) + 1) * 2 * width,
        means=means,
        totals=totals,
    )
    learner._from_groups(groups, counts.astype(np.intp), rows.dtype)
