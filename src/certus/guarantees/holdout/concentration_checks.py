"""The second route of the summary bounds: the textbook formula in 50-digit decimal arithmetic."""

import math
from decimal import Decimal, localcontext

from certus.guarantees.holdout.binomial_tail import bisect, log_lower_tail

_DIGITS = 50


def _decimal_kl(p: Decimal, q: Decimal) -> Decimal:
    first = p * (p / q).ln() if p > 0 else Decimal(0)
    return first + ((1 - p) * ((1 - p) / (1 - q)).ln() if p < 1 else Decimal(0))


def log_level_decimal(confidence: float, parts: int) -> Decimal:
    """log(parts/delta) for the decimal level that was declared."""
    with localcontext(prec=_DIGITS):
        return (Decimal(parts) / (1 - Decimal(repr(confidence)))).ln()


def hoeffding(mean: float, rows: int, level: Decimal, squared_ranges: float) -> float:
    """Hoeffding's bound, evaluated once in decimals."""
    with localcontext(prec=_DIGITS):
        return float(Decimal(mean) + (level * Decimal(squared_ranges) / 2).sqrt() / rows)


def chernoff(mean: float, rows: float, level: Decimal) -> float:
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


def bernstein(mean: float, rows: int, level: Decimal, variance: float) -> float:
    """Root of rows t^2 = 2 level (variance + t/3), by the quadratic formula."""
    with localcontext(prec=_DIGITS):
        a, b, c = Decimal(rows), -2 * level / 3, -2 * level * Decimal(variance)
        return float(Decimal(mean) + (-b + (b * b - 4 * a * c).sqrt()) / (2 * a))


def empirical_bernstein(mean: float, rows: int, level: Decimal, variance: float) -> float:
    """The formula of Maurer and Pontil, evaluated once in decimals."""
    if rows < 2:
        return 1.0
    with localcontext(prec=_DIGITS):
        doubled = level + Decimal(2).ln()
        spread = (2 * Decimal(variance) * doubled / rows).sqrt()
        return float(Decimal(mean) + spread + 7 * doubled / (3 * (Decimal(rows) - 1)))


def hoeffding_bentkus(mean: float, rows: int, level: Decimal) -> float:
    """The smaller of the Chernoff root and of Bentkus's, the latter by adding up probabilities."""
    by_kl = chernoff(mean, rows, level)
    count = math.ceil(mean * rows * (1.0 - 1e-15))
    if count >= rows:
        return by_kl
    goal = -float(level) - 1.0
    return min(by_kl, bisect(lambda q: log_lower_tail(count, rows, q) > goal, count / rows, 1.0))
