"""Bounds on a mean in [0, 1] from a few summary numbers: Hoeffding, Chernoff, Bernstein and relatives, by two routes.

Everything here bounds the mean from above by `log_level` = log(1/delta); the lower side is the mirror image. The
functions `*_upper` are what certificates state: roots rounded up. Checkers evaluate the textbook formulas in decimal
arithmetic of 50 digits (`*_in_decimals`).
"""

import math
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray
from scipy import special

from certus.guarantees.holdout.binomial_tail import bisect, deviance, log_lower_tail

_UP = 1.0 + 1e-13  # covers the rounding of the few operations in each formula


def hoeffding_upper(mean: float, rows: int, log_level: float, squared_ranges: float | None = None) -> float:
    """Mean + sqrt(log_level sum_i (b_i - a_i)^2 / 2) / rows (Hoeffding 1963); equal ranges 1 by default."""
    total = float(rows) if squared_ranges is None else squared_ranges
    return (mean + math.sqrt(log_level * total / 2.0) / rows) * _UP


def kl(p: float, q: float) -> float:
    """Relative entropy p log(p/q) + (1-p) log((1-p)/(1-q)), accurate also where p and q are close."""
    if q <= 0.0 or q >= 1.0:
        return 0.0 if p == q else math.inf
    return (deviance(p, q) if p > 0.0 else q) + (deviance(1.0 - p, 1.0 - q) if p < 1.0 else 1.0 - q)


def kl_upper(mean: float, budget: float) -> float:
    """The largest q with kl(mean, q) <= budget, rounded up."""
    if mean >= 1.0:
        return 1.0
    if mean <= 0.0:
        return min(1.0, -math.expm1(-budget) * _UP)
    budget = budget * (1.0 + 1e-12) + 1e-18

    def within(q: float) -> bool:
        return kl(mean, q) <= budget

    near = _newton_kl_upper(mean, budget)
    low, high = near * (1.0 - 1e-13), near * (1.0 + 1e-13)
    if mean < low and high < 1.0 and within(low) and not within(high):
        return bisect(within, low, high)
    return bisect(within, mean, 1.0)


def _newton_kl_upper(mean: float, budget: float) -> float:
    """About the same, by Newton's method from above: kl(mean, q) is convex in q and grows beyond the mean."""
    q = mean + math.sqrt(0.5 * budget)  # kl >= 2 (q - mean)^2
    if q >= 1.0:
        return 1.0
    for _ in range(8):
        step = (kl(mean, q) - budget) * q * (1.0 - q) / (q - mean)
        q -= step
        if not mean < q < 1.0 or abs(step) <= 1e-15 * q:
            break
    return q


def kl_uppers(means: NDArray[np.float64], budget: float) -> NDArray[np.float64]:
    """`kl_upper` of many means by bisection; looser by 10^-9 of the distance to the mean."""
    p = np.clip(means, 0.0, 1.0)
    low, high = p.copy(), np.ones(len(p))
    wanted = budget * (1.0 + 1e-12) + 1e-18
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(52):
            q = 0.5 * (low + high)
            within = special.xlogy(p, p / q) + special.xlogy(1.0 - p, (1.0 - p) / (1.0 - q)) <= wanted
            low, high = np.where(within, q, low), np.where(within, high, q)
    return np.where(p >= 1.0, 1.0, np.minimum(1.0, high + 1e-9 * (high - p)))


def bernstein_upper(mean: float, rows: int, log_level: float, variance: float) -> float:
    """Mean + t with rows t^2 = 2 log_level (variance + t/3) (Bernstein 1924); variance is known."""
    third = log_level / (3.0 * rows)
    return (mean + third + math.sqrt(third * third + 2.0 * log_level * variance / rows)) * _UP


def empirical_bernstein_upper(mean: float, rows: int, log_level: float, sample_variance: float) -> float:
    """Mean + sqrt(2 V log(2/delta)/n) + 7 log(2/delta)/(3(n-1)) (Maurer, Pontil 2009); V has divisor n-1."""
    if rows < 2:
        return 1.0
    level = log_level + math.log(2.0)
    return (mean + math.sqrt(2.0 * sample_variance * level / rows) + 7.0 * level / (3.0 * (rows - 1))) * _UP


def hoeffding_bentkus_upper(mean: float, rows: int, log_level: float) -> float:
    """Invert min{exp(-n kl(mean, q)), e P(Binomial(n, q) <= ceil(n mean))} (Bates et al. 2021)."""
    chernoff = kl_upper(mean, log_level / rows)
    count = math.ceil(mean * rows * (1.0 - 1e-15))
    if count >= rows:
        return chernoff
    bentkus = float(special.betainccinv(count + 1.0, rows - count, math.exp(-log_level - 1.0))) * (1.0 + 1e-12)
    return min(chernoff, bentkus)


# --- the second route: the textbook formulas in decimals


_DIGITS = 50


def _decimal_kl(p: Decimal, q: Decimal) -> Decimal:
    first = p * (p / q).ln() if p > 0 else Decimal(0)
    return first + ((1 - p) * ((1 - p) / (1 - q)).ln() if p < 1 else Decimal(0))


def log_level_decimal(confidence: float, parts: int) -> Decimal:
    """log(parts/delta) for the decimal level that was declared."""
    with localcontext(prec=_DIGITS):
        return (Decimal(parts) / (1 - Decimal(repr(confidence)))).ln()


def hoeffding_in_decimals(mean: float, rows: int, level: Decimal, squared_ranges: float) -> float:
    """Hoeffding's bound, evaluated once in decimals."""
    with localcontext(prec=_DIGITS):
        return float(Decimal(mean) + (level * Decimal(squared_ranges) / 2).sqrt() / rows)


def chernoff_in_decimals(mean: float, rows: float, level: Decimal) -> float:
    """The q with kl(mean, q) = level/rows, by bisection of the plain formula."""
    with localcontext(prec=_DIGITS):
        p, budget = Decimal(mean), level / Decimal(rows)
        if p >= 1:
            return 1.0
        if p <= 0:
            return float(1 - (-budget).exp())
        low, high = p, Decimal(1)
        for _ in range(90):
            middle = (low + high) / 2
            low, high = (middle, high) if _decimal_kl(p, middle) <= budget else (low, middle)
        return float(high)


def bernstein_in_decimals(mean: float, rows: int, level: Decimal, variance: float) -> float:
    """Root of rows t^2 = 2 level (variance + t/3), by the quadratic formula."""
    with localcontext(prec=_DIGITS):
        a, b, c = Decimal(rows), -2 * level / 3, -2 * level * Decimal(variance)
        return float(Decimal(mean) + (-b + (b * b - 4 * a * c).sqrt()) / (2 * a))


def empirical_bernstein_in_decimals(mean: float, rows: int, level: Decimal, variance: float) -> float:
    """The formula of Maurer and Pontil, evaluated once in decimals."""
    if rows < 2:
        return 1.0
    with localcontext(prec=_DIGITS):
        doubled = level + Decimal(2).ln()
        spread = (2 * Decimal(variance) * doubled / rows).sqrt()
        return float(Decimal(mean) + spread + 7 * doubled / (3 * (Decimal(rows) - 1)))


def hoeffding_bentkus_in_decimals(mean: float, rows: int, level: Decimal) -> float:
    """The smaller of the Chernoff root and of Bentkus's, the latter by adding up probabilities."""
    by_kl = chernoff_in_decimals(mean, rows, level)
    count = math.ceil(mean * rows * (1.0 - 1e-15))
    if count >= rows:
        return by_kl
    goal = -float(level) - 1.0
    return min(by_kl, bisect(lambda q: log_lower_tail(count, rows, q) > goal, count / rows, 1.0))
