"""Statistics per class, for passes that meet the labels on the way: blocks need not have seen the same classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

# Statistics of two runs of blocks, both with the same classes along the first axis of every array.
Merge = Callable[[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]], tuple[NDArray[Any], ...]]


@dataclass(frozen=True)
class ClassStatistics:
    """Labels in order, and arrays with one entry of the first axis per label; 0 stands for no rows."""

    labels: NDArray[Any]
    arrays: tuple[NDArray[Any], ...]

    def among(self, labels: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The arrays for more labels, zeros for those that have not been met."""
        if len(labels) == len(self.labels):
            return self.arrays
        places = np.searchsorted(labels, self.labels)
        spread = []
        for array in self.arrays:
            wide = np.zeros((len(labels), *array.shape[1:]), dtype=array.dtype)
            wide[places] = array
            spread.append(wide)
        return tuple(spread)

    def joined(self, other: ClassStatistics, merge: Merge) -> ClassStatistics:
        """The statistics of both."""
        labels = np.union1d(self.labels, other.labels)
        return ClassStatistics(labels, merge(self.among(labels), other.among(labels)))


@dataclass(frozen=True)
class MergeClasses:
    """`ClassStatistics.joined` as a function that can travel."""

    merge: Merge

    def __call__(self, one: ClassStatistics, two: ClassStatistics) -> ClassStatistics:
        """The statistics of both."""
        return one.joined(two, self.merge)


def sums(one: tuple[NDArray[Any], ...], two: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    """The merge of statistics that are plain sums."""
    return tuple(a + b for a, b in zip(one, two, strict=True))


def block_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The labels of a block and the position of every row's; refuses what are not labels.

    A block may be so short that all its labels differ, which says nothing about the table.
    """
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        check_classification_targets(y)
    labels, codes = np.unique(y, return_inverse=True)
    return labels, codes.astype(np.int64, copy=False)


def merge_moments(one: tuple[NDArray[Any], ...], two: tuple[NDArray[Any], ...]) -> tuple[NDArray[Any], ...]:
    """Weights, means and sums of squared deviations per class: Chan, Golub and LeVeque (1983), eq. 2.1.

    Deviations may be one number per column, or a matrix of products per class.
    """
    (weight, mean, deviations), (other_weight, other_mean, other_deviations) = one, two
    total = weight + other_weight
    share = other_weight / np.where(total > 0.0, total, 1.0)
    offset = other_mean - mean
    lever = (weight * share)[:, np.newaxis]
    if deviations.ndim == 3:
        between = lever[:, :, np.newaxis] * offset[:, :, np.newaxis] * offset[:, np.newaxis, :]
    else:
        between = lever * offset**2
    met = (weight > 0.0)[:, np.newaxis]  # a class without rows has mean 0: nothing must be rounded for its sake
    middle = np.where(met, mean + share[:, np.newaxis] * offset, other_mean)
    return total, middle, deviations + other_deviations + between
