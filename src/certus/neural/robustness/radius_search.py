"""The largest radius that a sufficient test accepts, for many rows at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from certus.neural.robustness.dense_layers import Array

DOUBLINGS = 60
HALVINGS = 30


def largest_accepted(test: Callable[[np.ndarray, Array], np.ndarray], upper: Array) -> Array:
    """For every row a radius below its upper one that the test accepts, by halving; 0 where it accepts none.

    Parameters
    ----------
    test : callable
        Gives for numbers of rows and radii whether they are accepted.
    upper : array
        A radius per row at which it cannot be; where it is infinite, the search doubles first.
    """
    low, high = np.zeros(len(upper)), upper.copy()
    open_end = np.flatnonzero(np.isinf(upper))
    trial = np.full(len(upper), 1e-3)
    for _ in range(DOUBLINGS):
        if not len(open_end):
            break
        accepted = test(open_end, trial[open_end])
        low[open_end[accepted]] = trial[open_end[accepted]]
        high[open_end[~accepted]] = trial[open_end[~accepted]]
        open_end = open_end[accepted]
        trial[open_end] *= 2.0
    left = np.flatnonzero(np.isfinite(high))
    for _ in range(HALVINGS):
        middle = 0.5 * (low[left] + high[left])
        accepted = test(left, middle)
        low[left] = np.where(accepted, middle, low[left])
        high[left] = np.where(accepted, high[left], middle)
        left = left[high[left] - low[left] > 1e-6 * high[left]]
        if not len(left):
            break
    return low
