"""The unit in which weights of rows are counted, so that their scale does not matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST_WHOLE = 2.0**53
MOST_SPREAD = 1e100  # between weights that are counted in units of the smallest


class CountedWeights(NamedTuple):
    """Weights divided by their unit (None: all are 1), the unit, and what a typical row weighs in it."""

    weights: NDArray[np.float64] | None
    unit: float
    typical: float


def counted_weights(weights: NDArray[np.float64] | None) -> CountedWeights:
    """Positive weights in units of their largest common divisor, or of the smallest if they are not whole.

    Whole weights stand for repeated rows, of which each weighs 1; a typical other row weighs the mean.
    """
    if weights is None or len(weights) == 0:
        return CountedWeights(None, 1.0, 1.0)
    smallest = float(weights.min())
    if smallest == weights.max():
        return CountedWeights(None, smallest, 1.0)
    if weights.max() < LARGEST_WHOLE and (weights == np.floor(weights)).all():
        unit = float(np.gcd.reduce(weights.astype(np.int64)))
        return CountedWeights(weights / unit, unit, 1.0)
    if weights.max() > MOST_SPREAD * smallest:
        smallest = float(weights.max())
    counted = weights / smallest
    whole = np.rint(counted)
    near = np.abs(counted - whole) <= 4.0 * np.finfo(np.float64).eps * counted
    counted = np.where(near, whole, counted)
    return CountedWeights(counted, smallest, 1.0 if near.all() else float(counted.mean()))


def in_units(weights: NDArray[np.float64] | None) -> tuple[NDArray[np.float64] | None, float]:
    """Weights, some of which may be 0, in the unit of `counted_weights` (None: all are 1), and the unit.

    Equal weights are as good as none then, and whole ones have exact sums, in whatever unit they are given.
    """
    if weights is None:
        return None, 1.0
    positive = weights > 0.0
    counted = counted_weights(weights[positive])
    if counted.weights is None and positive.all():
        return None, counted.unit
    found = np.zeros(len(weights))
    found[positive] = 1.0 if counted.weights is None else counted.weights
    return found, counted.unit
