"""A lower bound on the mean of variables that are not negative, with no upper limit: betting.

Against "the mean is at most m" a gambler's capital prod_i (1 + l (x_i / m - 1)) with 0 <= l < 1 never is negative,
and its expectation does not grow; so does the mean of several such capitals. It reaches 1 / delta with probability
at most delta (Ville 1939). Every factor falls as m grows, so that the rejected means are an interval and bisection
is exact (Waudby-Smith, Ramdas 2023; Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro 2024 for importance weights).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

BETS = np.geomspace(1e-3, 0.97, 24)  # fixed without the values
HALVINGS = 60


def log_capital(values: NDArray[np.float64], mean: float) -> float:
    """The largest logarithm that the gambler's mean capital had, whatever the time."""
    ratio = values / mean - 1.0
    paths = np.cumsum(np.log1p(BETS[:, None] * ratio), axis=1)
    top = paths.max(axis=0)
    totals = top + np.log(np.exp(paths - top).mean(axis=0))
    return float(max(0.0, totals.max(initial=0.0)))


def nonnegative_lower(values: NDArray[np.float64], log_level: float) -> float:
    """The largest mean that is rejected at the level exp(-log_level); 0 where none is."""
    largest = float(values.max(initial=0.0))
    if largest <= 0.0:
        return 0.0
    needed = log_level + 1e-9
    high = float(values.mean())
    while log_capital(values, high) >= needed:  # an unlucky order can reject its own mean
        high *= 2.0
    low = high * 2.0**-40
    if log_capital(values, low) < needed:
        return 0.0
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        if log_capital(values, middle) >= needed:
            low = middle
        else:
            high = middle
    return low * (1.0 - 1e-12)
