"""How many labelings a class of given capacity can produce: the sums of Sauer and of Cover."""

import math

import numpy as np
from scipy import special

from certus.guarantees.records.bound_arguments import check_count

LARGEST_VC = 10**7  # terms of a sum that are added up one by one


def _check_vc(points: int, vc: int) -> None:
    if LARGEST_VC < vc < points:
        raise ValueError(f"vc must be at most {LARGEST_VC}, got {vc}.")


def sauer(points: int, vc: int) -> int:
    """Sauer's lemma: a class of VC dimension `vc` labels `points` points in at most sum_{i<=vc} C(points, i) ways.

    Examples
    --------
    >>> sauer(6, 2), sauer(3, 5)
    (22, 8)
    """
    n, d = check_count(points, "points"), check_count(vc, "vc")
    term, total = 1, 1
    for i in range(min(n, d)):
        term = term * (n - i) // (i + 1)
        total += term
    return total


def log_sauer(points: int, vc: int) -> float:
    """Logarithm of Sauer's sum, for numbers of points of any size."""
    _check_vc(points, vc)
    if vc >= points:
        return points * math.log(2.0)
    i = np.arange(vc + 1.0)
    terms = -math.log1p(points) - special.betaln(points - i + 1.0, i + 1.0)
    return float(special.logsumexp(terms)) * (1.0 + 1e-13) + 1e-12


def summed_log_sauer(points: int, vc: int) -> float:
    """The second route to the same number: every term from the one before, C(n, i+1) = C(n, i) (n-i)/(i+1)."""
    _check_vc(points, vc)
    if vc >= points:
        return points * math.log(2.0)
    i = np.arange(float(vc))
    logs = np.r_[0.0, np.cumsum(np.log(points - i) - np.log(i + 1.0))]
    peak = float(logs.max())
    return peak + math.log(math.fsum(np.exp(logs - peak)))


def cover(points: int, dimension: int) -> int:
    """Cover's count of the labelings of points in general position by half-spaces through the origin.

    2 sum_{i<dimension} C(points - 1, i); an offset counts as one more dimension. At points = 2 dimension it is
    exactly half of all labelings.

    Examples
    --------
    >>> cover(4, 3), cover(40, 20) / 2**40
    (14, 0.5)
    """
    n, d = check_count(points, "points"), check_count(dimension, "dimension", minimum=1)
    return 1 if n == 0 else 2 * sauer(n - 1, d - 1)
