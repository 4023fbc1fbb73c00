"""Categorical columns with more categories than bins: which categories share a bin.

The heaviest categories keep a bin each. The others are put into the order of their mean target, drawn towards the
mean of all rows by ten rows of it, and cut into groups of equal weight; a category that weighs less than ten rows has
no mean to speak of and is treated like a missing value. With more than two classes the order is that of the first
principal axis of the class shares (Coppersmith, Hong, Hosking 1999).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST_WEIGHT = 10.0
MISSING = -1
Groups = list[NDArray[np.int16] | None]


def group_categories(
    codes: NDArray[np.float64],
    target: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    shape: tuple[int, int],
    classes: int,
) -> NDArray[np.int16]:
    """The bin of every category, -1 where it is treated like a missing value.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        Category of each row, NaN where it is missing.
    target : ndarray of shape (n_samples,)
        A number, or the number of the class.
    weights : ndarray of shape (n_samples,) or None
        Weights of the rows.
    shape : tuple of int
        Number of categories and of bins.
    classes : int
        Number of classes if there are more than two, else 1.
    """
    categories, bins = shape
    there = ~np.isnan(codes)
    code, y = codes[there].astype(np.intp), target[there]
    weight = np.ones(len(code)) if weights is None else weights[there]
    heaviness: NDArray[np.float64] = np.bincount(code, weights=weight, minlength=categories).astype(np.float64)
    order = np.argsort(-heaviness, kind="stable")
    supported = order[heaviness[order] >= LEAST_WEIGHT]
    found = np.full(categories, MISSING, dtype=np.int16)
    alone = len(supported) if len(supported) <= bins else (bins + 1) // 2
    found[np.sort(supported[:alone])] = np.arange(alone)
    rest = np.sort(supported[alone:])
    if len(rest):
        place = np.full(categories, -1, dtype=np.intp)
        place[rest] = np.arange(len(rest))
        inside = place[code] >= 0
        means = _smooth_means(place[code[inside]], y, weight, inside, classes)
        found[rest] = alone + _equal_groups(_axis(means, heaviness[rest]), heaviness[rest], bins - alone)
    return found


def grouped(table: NDArray[np.float64], groups: Groups | None) -> NDArray[np.float64]:
    """The table with categories replaced by their bins, in place."""
    for column, bins in enumerate(groups or []):
        if bins is not None:
            codes = table[:, column]
            there = np.flatnonzero(~np.isnan(codes))
            new = bins[codes[there].astype(np.intp)].astype(np.float64)
            new[new == MISSING] = np.nan
            table[there, column] = new
    return table


def _smooth_means(
    place: NDArray[np.intp],
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    inside: NDArray[np.bool_],
    classes: int,
) -> NDArray[np.float64]:
    """Mean target (or class shares) of each category, minus that of all rows, shrunk; categories x outputs."""
    count = int(place.max()) + 1
    total = np.bincount(place, weights=weight[inside], minlength=count)
    if classes == 1:
        sums = np.bincount(place, weights=(weight * y)[inside], minlength=count)[:, None]
        overall = np.array([np.average(y, weights=weight)])
    else:
        label = y.astype(np.intp)
        cell = place * classes + label[inside]
        sums = np.bincount(cell, weights=weight[inside], minlength=count * classes).reshape(count, classes)
        overall = np.bincount(label, weights=weight, minlength=classes) / weight.sum()
    return (sums - total[:, None] * overall) / (total + LEAST_WEIGHT)[:, None]


def _axis(means: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """One number per category: its mean, or its place along the first principal axis."""
    if means.shape[1] == 1:
        return means[:, 0]
    direction = np.linalg.eigh((means * weight[:, None]).T @ means)[1][:, -1]
    if direction[np.argmax(np.abs(direction))] < 0.0:
        direction = -direction
    return means @ direction


def _equal_groups(score: NDArray[np.float64], weight: NDArray[np.float64], groups: int) -> NDArray[np.intp]:
    """Groups 0, 1, … in the order of the score, of about equal weight."""
    order = np.argsort(score, kind="stable")
    middle = np.cumsum(weight[order]) - 0.5 * weight[order]
    found = np.empty(len(score), dtype=np.intp)
    found[order] = np.minimum((middle / weight.sum() * groups).astype(np.intp), groups - 1)
    return found
