"""Weights of rows along a stream: a row of weight w is w trials in a row, the last of them a part of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base.inputs import WeightsLike, check_weights
from certus.online._native_calls.stream_kernels import Array

Integers = NDArray[np.intp]
MOST = 1_000_000.0  # trials of one row
AT_ONCE = 8192  # trials that are laid out together
# What a shuffled table cannot show: its rows come in another order.
NOT_REPEATED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the order of the rows matters; repeated rows follow each other"
    for kind in ("dense", "sparse")
}


def checked_weights(learner: Any, sample_weight: WeightsLike, table: Any) -> Array | None:
    """Weights that the learner takes, or None if all are 1."""
    weights = check_weights(learner, sample_weight, table)
    if weights is None or (weights == 1.0).all():
        return None
    name = type(learner).__name__
    if weights.max() > MOST:
        row = int(np.argmax(weights))
        raise ValueError(
            f"sample_weight must be at most {MOST:g} in {name}, got {weights[row]:g} in row {row}.\n"
            "Hint: a row of weight w is learned w times; divide all weights by a common factor."
        )
    broken = np.flatnonzero(weights != np.floor(weights))
    if len(broken) and not learner._takes_fractions:
        raise ValueError(
            f"sample_weight must hold whole numbers in {name}, got {weights[broken[0]]:g} in row {broken[0]}.\n"
            "Hint: a row of weight w is learned w times; OGDClassifier and OGDRegressor also take parts of a row."
        )
    return weights


def trials_of(weights: Array) -> tuple[Integers, Array]:
    """The rows of the trials, in their order, and how much of its loss each counts."""
    whole = np.floor(weights)
    rest = weights - whole
    counts = whole.astype(np.intp) + (rest > 0.0)
    shares = np.ones(int(counts.sum()))
    ends = np.cumsum(counts)[rest > 0.0]
    shares[ends - 1] = rest[rest > 0.0]
    return np.repeat(np.arange(len(weights), dtype=np.intp), counts), shares


def pieces(weights: Array) -> Iterator[tuple[Integers, Array]]:
    """The same, so many trials at once that they can be laid out."""
    start = 0
    reached = np.cumsum(np.ceil(weights))
    while start < len(weights):
        before = reached[start - 1] if start else 0.0
        end = max(start + 1, int(np.searchsorted(reached, before + AT_ONCE, side="right")))
        index, shares = trials_of(weights[start:end])
        for first in range(0, len(index), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            yield index[part] + start, shares[part]
        start = end
