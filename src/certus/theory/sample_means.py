"""Means of independent draws: Chebyshev's bound, the law of large numbers, the central limit theorem.

With mean mu and variance sigma^2 of a draw, the mean of n draws has mean mu and variance sigma^2 / n. Simulations stand
beside the exact distribution wherever the sum of n draws is of a known family.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from certus.distributions import Distribution
from certus.guarantees.records import check_count
from certus.theory.text import aligned


def chebyshev_bound(variance: float, distance: float) -> float:
    """``min(1, variance / distance^2)``: the chance that any variable with this variance is that far from its mean.

    Examples
    --------
    >>> chebyshev_bound(4.0, 6.0)  # three standard deviations: 1/9
    0.1111111111111111
    """
    _check_positive("distance", distance)
    if not 0.0 <= variance < math.inf:
        raise ValueError(f"variance must be a finite number that is not negative, got {variance!r}.")
    return min(1.0, variance / distance**2)


def chebyshev_rows(variance: float, distance: float, failure: float) -> int:
    """Rows after which the mean is within ``distance`` of mu except with probability ``failure``, for any distribution.

    The smallest n with sigma^2 / (n distance^2) <= failure.

    Examples
    --------
    >>> chebyshev_rows(0.25, 0.05, 0.05)
    2000
    """
    _check_positive("distance", distance)
    _check_positive("variance", variance)
    if not 0.0 < failure < 1.0:
        raise ValueError(f"failure must be above 0 and below 1, got {failure!r}.")
    rows = max(1, math.floor(variance / (failure * distance**2)) - 1)
    while variance / (rows * distance**2) > failure * (1 + 1e-12):
        rows += 1
    return rows


@dataclass(frozen=True)
class LargeNumbers:
    """How often the mean of n draws is farther than ``distance`` from mu, for every n.

    Parameters
    ----------
    rows : tuple of int
        Numbers of draws n.
    distance : float
        What counts as far.
    simulated : ndarray
        Share of simulated means that are far.
    bound : ndarray
        Chebyshev's sigma^2 / (n distance^2), at most 1.
    exact : ndarray
        The true probability, NaN where the distribution of the sum is not known.
    variances : ndarray
        Variance of the simulated means, which should be sigma^2 / n.
    """

    rows: tuple[int, ...]
    distance: float
    simulated: np.ndarray
    bound: np.ndarray
    exact: np.ndarray
    variances: np.ndarray

    def __str__(self) -> str:
        lines = zip(self.rows, self.simulated.tolist(), self.exact.tolist(), self.bound.tolist(), strict=True)
        return aligned(["rows", "far", "exact", "Chebyshev"], lines)


def law_of_large_numbers(
    law: Distribution, rows: Sequence[int], distance: float, *, repeats: int = 2000, seed: int = 0
) -> LargeNumbers:
    """Simulate ``P(|mean of n draws - mu| > distance)``, with Chebyshev's bound and the exact value beside.

    Examples
    --------
    >>> from certus.distributions import Bernoulli
    >>> found = law_of_large_numbers(Bernoulli(0.3), (10, 100), 0.1)
    >>> print(found.exact.round(4), found.bound.round(4))
    [0.2996 0.0214] [1.   0.21]
    """
    _check_positive("distance", distance)
    sizes = tuple(check_count(n, "rows", minimum=1) for n in rows)
    mean, variance = float(law.mean), float(law.variance)
    simulated, exact, variances = [], [], []
    for place, n in enumerate(sizes):
        means = _means(law, n, repeats, seed + place)
        simulated.append(float(np.mean(np.abs(means - mean) > distance * (1 + 1e-12))))
        variances.append(float(means.var()))
        exact.append(_exact_far(law, n, distance))
    bound = np.array([chebyshev_bound(variance / n, distance) for n in sizes])
    return LargeNumbers(sizes, distance, np.array(simulated), bound, np.array(exact), np.array(variances))


@dataclass(frozen=True)
class CentralLimit:
    """The largest difference between the distribution of standardized means and N(0, 1), for every n.

    Parameters
    ----------
    rows : tuple of int
        Numbers of draws n.
    simulated : ndarray
        Kolmogorov's distance of the simulated means from N(0, 1).
    exact : ndarray
        The same of their true distribution, NaN where it is not known.
    noise : float
        Kolmogorov's distance that the simulation alone exceeds with probability 1e-6.
    """

    rows: tuple[int, ...]
    simulated: np.ndarray
    exact: np.ndarray
    noise: float

    def __str__(self) -> str:
        lines = zip(self.rows, self.simulated.tolist(), self.exact.tolist(), strict=True)
        return aligned(["rows", "distance from N(0, 1)", "exact"], lines)


def central_limit(law: Distribution, rows: Sequence[int], *, repeats: int = 20_000, seed: int = 0) -> CentralLimit:
    """Simulate ``(mean of n draws - mu) / (sigma / sqrt n)`` and compare its distribution with N(0, 1).

    Examples
    --------
    >>> from certus.distributions import Exponential
    >>> found = central_limit(Exponential(1.0), (1, 4, 64))
    >>> print(found.exact.round(3))
    [0.159 0.067 0.017]
    """
    sizes = tuple(check_count(n, "rows", minimum=1) for n in rows)
    mean, scale = float(law.mean), math.sqrt(float(law.variance))
    simulated, exact = [], []
    for place, n in enumerate(sizes):
        z = (_means(law, n, repeats, seed + place) - mean) / (scale / math.sqrt(n))
        simulated.append(float(stats.kstest(z, "norm").statistic))
        exact.append(_exact_distance(law, n, mean, scale))
    noise = float(stats.kstwo.isf(1e-6, repeats))
    return CentralLimit(sizes, np.array(simulated), np.array(exact), noise)


def _means(law: Distribution, n: int, repeats: int, seed: int) -> np.ndarray:
    """Means of n draws, drawn in pieces of at most a million numbers."""
    generator = np.random.default_rng(seed)
    piece = max(1, 10**6 // n)
    parts = [
        law.sample(n * min(piece, repeats - done), generator).reshape(-1, n).mean(axis=1)
        for done in range(0, check_count(repeats, "repeats", minimum=1), piece)
    ]
    return np.concatenate(parts)


def _exact_far(law: Distribution, n: int, distance: float) -> float:
    if not hasattr(law, "total"):
        return math.nan
    total = law.total(n)
    low, high = n * (float(law.mean) - distance), n * (float(law.mean) + distance)
    # The probability of [low, high] itself: just below a whole number that rounding may have moved.
    inside = total.interval_probability(low - 1e-9 * n, high + 1e-9 * n)
    return float(1.0 - inside)


def _exact_distance(law: Distribution, n: int, mean: float, scale: float) -> float:
    if not hasattr(law, "total"):
        return math.nan
    total = law.total(n)
    deviations = np.linspace(-8, 8, 4001)
    x = n * mean + deviations * scale * math.sqrt(n)
    if np.all(law.sample(20, 0) % 1 == 0):  # counts: both sides of every jump
        whole = np.arange(math.floor(x[0]), math.ceil(x[-1]) + 1.0)
        z = stats.norm.cdf((whole - n * mean) / (scale * math.sqrt(n)))
        return float(max(np.abs(total.cdf(whole) - z).max(), np.abs(total.cdf(whole - 1) - z).max()))
    return float(np.abs(total.cdf(x) - stats.norm.cdf(deviations)).max())


def _check_positive(name: str, value: float) -> None:
    if not 0.0 < value < math.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}.")
