"""Beta-binomial mixtures: how much a gambler who spreads the stake over rates gains against one rate.

With k events in n rows, the likelihood ratio of a rate q to the rate p is (q/p)^k ((1-q)/(1-p))^(n-k). Its mean
under the rate p is one, so that any mixture over q is a test martingale: it ever reaches 1/delta with probability
at most delta (Ville). A mixture over rates q > p only has, under a rate r, one-step mean linear in r and equal to
one at r = p: it is a supermartingale for every stream whose rates all stay at or below p, constant or not.

For losses in [0, 1] that are not 0 or 1 the ratio is convex in the loss, hence at most its chord: all this holds
for sums of such losses too, with k their sum.

Reference: Ville, Etude critique de la notion de collectif (1939); Robbins, Statistical Methods Related to the Law
of the Iterated Logarithm (1970).
"""

import math
from typing import Any

import numpy as np
from scipy import special

from certus.guarantees.holdout.binomial_tail import bisect
from certus.guarantees.monitoring.stirling import Numbers, log_beta_against

SLIP = 1e-9  # log evidence asked for beyond the level: far above its rounding error, far below what anyone sees


def log_evidence(total: Numbers, rows: Numbers, rate: Numbers, prior: tuple[float, float]) -> Any:
    """Log of the mixture over q ~ Beta(a, b) of the likelihood ratio of q to `rate`.

    log B(a + k, b + n - k) - log B(a, b) - k log p - (n - k) log(1 - p).
    """
    a, b = prior
    mixed = log_beta_against(a + total, b + (rows - total), rate)
    return mixed + a * np.log(rate) + b * np.log1p(-np.asarray(rate)) - special.betaln(a, b)


def log_evidence_above(total: Numbers, rows: Numbers, rate: Numbers, exponent: float) -> Any:
    """The same with the prior truncated to rates above `rate`: density b (1-q)^(b-1) / (1-p)^b on [p, 1].

    log b + log B(k + 1, n - k + b) + log I_{1-p}(n - k + b, k + 1) - k log p - (n - k + b) log(1 - p), I the
    regularized incomplete beta function. Minus infinity where that underflows: no evidence at all.
    """
    x, y = total + 1.0, (rows - total) + exponent
    with np.errstate(divide="ignore"):
        share = np.log(special.betainc(y, x, 1.0 - np.asarray(rate)))
    return math.log(exponent) + log_beta_against(x, y, rate) + np.log(rate) + share


def interval(total: float, rows: int, log_level: float, prior: tuple[float, float]) -> tuple[float, float]:
    """The rates whose evidence stays below the level: an interval, since log evidence is convex in the rate."""
    if rows == 0:
        return 0.0, 1.0
    center = min(max(total / rows, 0.0), 1.0)

    def kept(rate: float) -> bool:
        return float(log_evidence(total, rows, rate, prior)) < log_level + SLIP

    low = 0.0 if center <= 0.0 else bisect(lambda p: p > 0.0 and kept(p), center, 0.0)
    high = 1.0 if center >= 1.0 else bisect(lambda p: p < 1.0 and kept(p), center, 1.0)
    return low, high


def lower(total: float, rows: int, log_level: float, exponent: float = 1.0) -> float:
    """The largest rate that can be excluded from below: evidence above it grows as the rate falls.

    With q = 1 - (1 - p) u the mixture is the mean over u in [0, 1] of u^(n-k) ((1-(1-p)u)/p)^k against the
    density b u^(b-1), in which p appears only in a factor that falls in p.
    """
    if rows == 0 or total <= 0.0:
        return 0.0
    center = min(total / rows, 1.0)

    def kept(rate: float) -> bool:
        if rate >= 1.0:
            return True
        return rate > 0.0 and float(log_evidence_above(total, rows, rate, exponent)) < log_level + SLIP

    return bisect(kept, center, 0.0)


def upper(total: float, rows: int, log_level: float, exponent: float = 1.0) -> float:
    """The mirror image of `lower`."""
    return 1.0 - lower(rows - total, rows, log_level, exponent)
