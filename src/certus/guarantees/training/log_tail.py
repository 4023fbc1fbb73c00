"""Upper limits of a binomial rate for failure probabilities far below the smallest float, by two routes."""

import math

import numpy as np
from scipy import special

from certus.guarantees.holdout import clopper_pearson
from certus.guarantees.holdout.binomial_tail import bisect, log_lower_tail

LARGEST = 10**7  # errors whose probabilities are added up one by one
_SMALLEST_LOG = -600.0  # below it exp underflows or the incomplete beta function loses its digits


def log_tail_inverse(errors: int, rows: int, log_delta: float) -> float:
    """The p with P(Binomial(rows, p) <= errors) = exp(log_delta), rounded up, for deltas of any smallness."""
    if errors >= rows:
        return 1.0
    if errors == 0:
        return min(1.0, -math.expm1(log_delta / rows) * (1.0 + 1e-13))
    if log_delta > _SMALLEST_LOG:
        return clopper_pearson.upper(errors, rows, math.exp(log_delta))
    return bisect(lambda p: log_lower_tail(errors, rows, p) > log_delta - 1e-9, errors / rows, 1.0)


def summed_tail_inverse(errors: int, rows: int, log_delta: float) -> float:
    """The p at which log sum_{j<=errors} C(rows, j) p^j (1-p)^(rows-j) falls to `log_delta`."""
    if errors > LARGEST:
        raise ValueError(f"errors must be at most {LARGEST} for this route, got {errors}.")
    if errors >= rows:
        return 1.0
    j = np.arange(errors + 1.0)
    ways = special.gammaln(rows + 1.0) - special.gammaln(j + 1.0) - special.gammaln(rows - j + 1.0)

    def above(p: float) -> bool:
        terms = ways + j * math.log(p) + (rows - j) * math.log1p(-p)
        return float(special.logsumexp(terms)) > log_delta

    return bisect(above, errors / rows, 1.0) if errors else bisect(above, 1e-300, 1.0)
