"""Bands for rates along a threshold, valid at every threshold at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def half_width(rows: int, failure: float) -> float:
    """Half the width of a band around an empirical distribution function of independent rows.

    The band holds everywhere with probability 1 - failure: sqrt(log(2 / failure) / (2 rows)).
    Reference: Massart, The Tight Constant in the Dvoretzky-Kiefer-Wolfowitz Inequality (1990).
    """
    return float(np.sqrt(np.log(2.0 / failure) / (2.0 * rows)))


def survival(scores: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of scores at or above each threshold."""
    ordered = np.sort(scores)
    return 1.0 - np.searchsorted(ordered, thresholds, side="left") / len(scores)
