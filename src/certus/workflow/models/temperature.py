"""Probabilities for learners that give none: Platt's scaling with one number, learned from out-of-fold responses.

With r the response of a learner (decision values squeezed between 0 and 1, or votes), p_k is proportional to
r_k^a. The exponent a that makes the truth of rows that were left out most likely is kept (the inverse of a
temperature); the most probable label stays the same for every a > 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

Floats = NDArray[np.float64]
LEAST = 1e-6  # responses below this are taken as this: nobody is entirely sure
_SMALLEST, _LARGEST = -6.0, 6.0  # of log a


def fitted_exponent(responses: Floats, truth: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """The exponent under which the true classes (indices of columns) of rows with these weights are most likely."""
    logs, rows = _logs(responses), np.arange(len(truth))

    def surprise(log_exponent: float) -> float:
        given = log_softmax(np.exp(log_exponent) * logs, axis=1)[rows, truth]
        return -float(np.average(given, weights=weights))

    found = minimize_scalar(surprise, bounds=(_SMALLEST, _LARGEST), method="bounded")
    return float(np.exp(found.x))


def tempered(responses: Floats, exponent: float) -> Floats:
    """Probabilities of responses."""
    return np.asarray(softmax(exponent * _logs(responses), axis=1))


def _logs(responses: Floats) -> Floats:
    return np.log(np.clip(np.asarray(responses, dtype=np.float64), LEAST, 1.0))
