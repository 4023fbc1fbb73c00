"""What the error of nearest neighbors tends to when rows are without number (Cover, Hart 1967)."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.records import check_count
from certus.theory.bayes_actions import check_chances
from certus.theory.bayes_risk import uniform_mean


def neighbor_error(chance: float, neighbors: int = 1) -> float:
    """Limit of the error of k nearest neighbors at a point with P(y = 1) = chance, k odd.

    p P(Binomial(k, p) < k/2) + (1 - p) P(Binomial(k, p) > k/2).

    Examples
    --------
    >>> round(neighbor_error(0.3), 10), round(neighbor_error(0.3, 3), 10)
    (0.42, 0.3864)
    """
    k = check_count(neighbors, "neighbors", minimum=1)
    if k % 2 == 0:
        raise ValueError(f"neighbors must be odd, got {k}.\nHint: an even number can tie.")
    if not 0.0 <= chance <= 1.0:
        raise ValueError(f"chance must lie between 0 and 1, got {chance!r}.")
    minority = float(special.bdtr(k // 2, k, chance))
    return chance * minority + (1.0 - chance) * (1.0 - minority)


def neighbor_limit(chance: Callable[[float], float], neighbors: int = 1, low: float = 0.0, high: float = 1.0) -> float:
    """Limit of the error of k nearest neighbors for P(y = 1 | x) = chance(x), x uniform on [low, high].

    Examples
    --------
    >>> line = lambda x: 0.2 + 0.6 * x
    >>> round(neighbor_limit(line, 1), 10), round(neighbor_limit(line, 3), 10)
    (0.44, 0.41648)
    """
    return uniform_mean(lambda x: neighbor_error(chance(x), neighbors), low, high)


def one_neighbor_error(chances: ArrayLike) -> float:
    """Limit of the 1-nearest-neighbor error at a point with the given chances of classes: sum_c p_c (1 - p_c).

    Examples
    --------
    >>> round(one_neighbor_error([0.5, 0.3, 0.2]), 10)
    0.62
    """
    mass = check_chances(chances)
    return float(np.sum(mass * (1.0 - mass)))


def cover_hart(bayes: float, classes: int = 2) -> float:
    """Largest limit of the 1-nearest-neighbor error when the Bayes error is `bayes`: b (2 - b C/(C-1)).

    Examples
    --------
    >>> round(cover_hart(0.1), 10)
    0.18
    """
    c = check_count(classes, "classes", minimum=2)
    if not 0.0 <= bayes <= 1.0 - 1.0 / c + 1e-12:
        raise ValueError(f"bayes must lie between 0 and 1 - 1/classes ({1 - 1 / c:g}), got {bayes!r}.")
    return bayes * (2.0 - bayes * c / (c - 1.0))


def bayes_interval(neighbor: float, classes: int = 2) -> tuple[float, float]:
    """Interval for the Bayes error from the limit e of the 1-nearest-neighbor error.

    ((C-1)/C) (1 - sqrt(1 - e C/(C-1))) <= Bayes error <= e.

    Examples
    --------
    >>> low, high = bayes_interval(0.18)
    >>> round(low, 10), high
    (0.1, 0.18)
    """
    c = check_count(classes, "classes", minimum=2)
    share = (c - 1.0) / c
    if not 0.0 <= neighbor <= share + 1e-12:
        raise ValueError(f"neighbor must lie between 0 and 1 - 1/classes ({share:g}), got {neighbor!r}.")
    return share * (1.0 - math.sqrt(max(0.0, 1.0 - neighbor / share))), float(neighbor)
