"""Gamma functions by Stirling's series, arranged so that nothing large cancels: accurate at a billion rows."""

import math
from typing import Any, TypeAlias

import numpy as np
from scipy import special

Numbers: TypeAlias = float | np.ndarray

_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def stirling_error(x: Numbers) -> Any:
    """Log Gamma(x) minus (x - 1/2) log x - x + log(2 pi)/2."""
    x = np.asarray(x, dtype=float)
    small = np.minimum(x, 16.0)
    direct = special.gammaln(small) - ((small - 0.5) * np.log(small) - small + _HALF_LOG_TWO_PI)
    s = 1.0 / (x * x)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / x
    return np.where(x < 16.0, direct, series)


def deviance(x: Numbers, mean: Numbers) -> Any:
    """Value of x log(x/mean) + mean - x for arrays; zero where the two are equal."""
    ratio = (x - mean) / mean
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = (1.0 + ratio) * np.log1p(ratio) - ratio
    return mean * np.where(ratio <= -1.0, 1.0, inside)


def log_beta_against(x: Numbers, y: Numbers, p: Numbers) -> Any:
    """Log B(x, y) - x log p - y log(1 - p), for 0 < p < 1."""
    total = x + y
    errors = stirling_error(x) + stirling_error(y) - stirling_error(total)
    distance = deviance(x, total * p) + deviance(y, total * (1.0 - p))
    return distance + 0.5 * np.log(2.0 * math.pi * total / (x * y)) + errors


def log_gamma_against(a: Numbers, x: Numbers) -> Any:
    """Log Gamma(a) - a log x + x, for x > 0."""
    return deviance(a, x) + 0.5 * np.log(2.0 * math.pi / a) + stirling_error(a)
