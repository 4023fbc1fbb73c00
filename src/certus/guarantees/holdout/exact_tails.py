"""Binomial tails for risk control and conformal ranks: vectorized p-values, and exact decisions.

`upper_tail` gives p-values of many counts at once. `upper_tail_at_most` decides whether
P(Bin(n, p) >= k) <= bound for rational p and bound without being fooled by rounding. Checkers use neither:
they add up probabilities with `certus.guarantees.holdout.binomial_tail`.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

# Relative error allowed for the incomplete beta function; inside this band the answer is decided exactly.
_BAND = 1e-9
# Above this many trials the exact sum of integers is too slow and the cautious answer is given instead.
_EXACT_TRIALS = 4000


def upper_tail(successes: ArrayLike, trials: ArrayLike, rate: float) -> NDArray[np.float64]:
    """P(Bin(trials, rate) >= successes), elementwise."""
    k, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    inside = special.betainc(np.clip(k, 1.0, None), np.clip(n - k + 1.0, 1.0, None), rate)
    return np.where(k <= 0, 1.0, np.where(k > n, 0.0, inside))


def upper_tail_at_most(successes: int, trials: int, rate: Fraction, bound: Fraction) -> bool:
    """Whether P(Bin(trials, rate) >= successes) <= bound; when in doubt beyond exact reach, False."""
    if successes <= 0:
        return bound >= 1
    if successes > trials:
        return True
    approximate = float(special.betainc(successes, trials - successes + 1, float(rate)))
    band = _BAND * max(1.0, trials / 1e6)
    if approximate <= float(bound) * (1.0 - band):
        return True
    if approximate > float(bound) * (1.0 + band) or trials > _EXACT_TRIALS:
        return False
    return _exact_upper_tail(successes, trials, rate) <= bound


def upper_tails_at_most(
    successes: NDArray[np.integer], trials: NDArray[np.integer], rate: Fraction, bound: Fraction
) -> NDArray[np.bool_]:
    """`upper_tail_at_most` of many counts; only those close to the bound are decided one by one."""
    approximate = upper_tail(successes, trials, float(rate))
    band = _BAND * np.maximum(1.0, trials / 1e6)
    decided = approximate <= float(bound) * (1.0 - band)
    for i in np.flatnonzero(np.abs(approximate - float(bound)) <= 2.0 * band * float(bound)):
        decided[i] = upper_tail_at_most(int(successes[i]), int(trials[i]), rate, bound)
    return decided


def _exact_upper_tail(successes: int, trials: int, rate: Fraction) -> Fraction:
    """P(Bin(trials, rate) >= successes) as a ratio of whole numbers."""
    hit, scale = rate.numerator, rate.denominator
    miss = scale - hit
    total = sum(math.comb(trials, i) * hit**i * miss ** (trials - i) for i in range(successes, trials + 1))
    return Fraction(total, scale**trials)
