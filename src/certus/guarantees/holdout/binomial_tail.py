"""Binomial tails by adding up probabilities: the plain second route behind every count-based checker.

The largest term is Loader's saddle-point form of the probability (Fast and Accurate Computation of Binomial
Probabilities, 2000), which keeps its relative accuracy at n = 1e9; the others follow by exact ratios.
"""

import math
from collections.abc import Callable

import numpy as np

_SMALL_STIRLING_ERRORS = tuple(
    math.lgamma(n + 1.0) - ((n + 0.5) * math.log(n) - n + 0.5 * math.log(2 * math.pi)) if n else 0.0 for n in range(16)
)


def _stirling_error(n: int) -> float:
    """log(n!) minus Stirling's formula."""
    if n < 16:
        return _SMALL_STIRLING_ERRORS[n]
    s = 1.0 / (n * n)
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - s / 1188) * s) * s) * s) / n


def deviance(x: float, mean: float) -> float:
    """Value of x log(x/mean) + mean - x, by a series where the two are close."""
    difference = x - mean
    if abs(difference) < 0.1 * (x + mean):
        v = difference / (x + mean)
        total, term, j = difference * v, 2.0 * x * v, 1
        while True:
            term *= v * v
            grown = total + term / (2 * j + 1)
            if grown == total:
                return total
            total, j = grown, j + 1
    return x * math.log(x / mean) + mean - x


def log_probability(successes: int, rows: int, rate: float) -> float:
    """Logarithm of P(X = successes) for X binomial with 0 < rate < 1."""
    if successes == 0:
        return rows * math.log1p(-rate)
    if successes == rows:
        return rows * math.log(rate)
    failures = rows - successes
    correction = _stirling_error(rows) - _stirling_error(successes) - _stirling_error(failures)
    distance = deviance(successes, rows * rate) + deviance(failures, rows * (1.0 - rate))
    return correction - distance + 0.5 * math.log(rows / (2.0 * math.pi * successes * failures))


def log_lower_tail(successes: int, rows: int, rate: float) -> float:
    """Logarithm of P(X <= successes), by summing downwards from the largest term.

    Meant for rate above successes/rows, where the terms shrink from the first on.
    """
    if rate <= 0.0 or successes >= rows:
        return 0.0
    if rate >= 1.0:
        return -math.inf
    total, term, step, odds = 1.0, 1.0, 0, (1.0 - rate) / rate
    while step < successes and term > 1e-18 * total:
        j = np.arange(step, min(successes, step + 4096), dtype=float)
        terms = term * np.cumprod((successes - j) / (rows - successes + 1.0 + j) * odds)
        total, term, step = total + float(terms.sum()), float(terms[-1]), step + len(j)
    return min(0.0, log_probability(successes, rows, rate) + math.log(total))


def log_upper_tail(successes: int, rows: int, rate: float) -> float:
    """Logarithm of P(X >= successes), by summing upwards; meant for rate below successes/rows."""
    if rate >= 1.0 or successes <= 0:
        return 0.0
    if rate <= 0.0:
        return -math.inf
    total, term, step, odds = 1.0, 1.0, 0, rate / (1.0 - rate)
    while step < rows - successes and term > 1e-18 * total:
        j = np.arange(step, min(rows - successes, step + 4096), dtype=float)
        terms = term * np.cumprod((rows - successes - j) / (successes + 1.0 + j) * odds)
        total, term, step = total + float(terms.sum()), float(terms[-1]), step + len(j)
    return min(0.0, log_probability(successes, rows, rate) + math.log(total))


def bisect(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """The end of an interval on which `holds`, approached from the safe side: `holds` is False there.

    `holds(inside)` is taken to be True and `holds(outside)` False; the result is a float next to the change.
    """
    while True:
        middle = 0.5 * (inside + outside)
        if middle in (inside, outside):
            return outside
        if holds(middle):
            inside = middle
        else:
            outside = middle
