"""The intercept while no variable pins it: within limits that are linear in C, until two of them meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.svm._native_calls import Floats


def next_pin(
    limits: Floats, below: NDArray[np.bool_], C: float, intercept: float, slack: float
) -> tuple[float, tuple[int, ...], tuple[float, float]]:
    """Where the highest lower and the lowest upper limit meet, which two those are, and the intercept till then.

    ``limits`` are constants and rates, ``below`` tells lower from upper ones. The region between them is convex, so
    that the straight line from the present intercept to the meeting point stays within it. Without a meeting point
    the intercept moves in parallel with the steepest limits.
    """
    lower, upper = np.flatnonzero(below), np.flatnonzero(~below)
    if not len(lower) or not len(upper):
        return np.inf, (), (intercept, 0.0)
    end = np.inf
    pair: tuple[int, ...] = ()
    for _ in range(limits.shape[1] + 1):  # Newton's method from the right on a concave, piecewise linear gap
        j, k = _highest(limits[:, lower], end), _highest(-limits[:, upper], end)
        first, second = int(lower[j]), int(upper[k])
        constant, rate = limits[:, second] - limits[:, first]
        if np.isinf(end) and rate >= 0.0:
            slope = float(np.clip(0.0, limits[1, first], limits[1, second]))
            return np.inf, (), (intercept - slope * C, slope)
        if rate >= 0.0 or constant + rate * end >= -slack:
            break
        pair = (first, second)
        met = -constant / rate
        if met >= end:
            break
        end = met
    if end <= C:
        return C, pair, (intercept, 0.0)
    value = float(limits[0, pair[0]] + end * limits[1, pair[0]])
    slope = (value - intercept) / (end - C)
    return end, pair, (intercept - slope * C, slope)


def _highest(lines: Floats, C: float) -> int:
    """The line that is highest at C; at infinity the steepest, of those the highest."""
    if np.isinf(C):
        steepest = np.flatnonzero(lines[1] == lines[1].max())
        return int(steepest[np.argmax(lines[0, steepest])])
    return int(np.argmax(lines[0] + C * lines[1]))
