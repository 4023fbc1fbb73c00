"""The shape of a gamma distribution by maximum likelihood."""

from __future__ import annotations

import numpy as np
from scipy.special import digamma, polygamma


def gamma_shape(gap: float) -> float:
    """The root a of ``log a - digamma(a) = gap``, with ``gap = log(mean) - mean of logarithms > 0``.

    Newton's method on 1/a (Minka 2002), from the approximation gap = 1/(2a) + 1/(12 a^2); it converges in a few steps.
    """
    if not gap > 1e-14:
        raise ValueError("data must hold at least two different numbers, got equal ones: the shape has no maximum.")
    shape = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(100):
        error = np.log(shape) - digamma(shape) - gap
        change = error / (shape**2 * (1 / shape - polygamma(1, shape)))
        inverse = 1 / shape + change
        new = 1 / inverse if inverse > 0 else 2 * shape
        if abs(new - shape) <= 1e-14 * shape:
            break
        shape = new
    return float(shape)
