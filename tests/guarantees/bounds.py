"""The mean bounds as functions of (samples, delta), for the gate: one upper bound per sample.

Means are taken once per sample; the functions behind the public `mean_bound` do the rest. That the public
function gives the same numbers is tested separately.
"""

import math
from collections.abc import Callable

import numpy as np

from certus import _native
from certus.guarantees import _native_calls
from certus.guarantees.holdout import concentration

Upper = Callable[[np.ndarray, float], np.ndarray]


def by_mean(formula: Callable[[float, int, float], float]) -> Upper:
    """A bound that depends on the mean alone: evaluated once per distinct mean."""

    def upper(samples: np.ndarray, delta: float) -> np.ndarray:
        rows, level = samples.shape[1], -math.log(delta)
        means, place = np.unique(np.round(samples.mean(axis=1), 12), return_inverse=True)
        # Distinct means can be many: a grid of 400 quantiles, always rounded down, keeps every violation.
        if len(means) > 400:
            grid = means[np.linspace(0, len(means) - 1, 400).astype(int)]
            place = (np.searchsorted(grid, means, side="right") - 1)[place]
            means = grid
        return np.array([min(1.0, formula(float(mean), rows, level)) for mean in means])[place]

    return upper


def by_mean_and_variance(formula: Callable[[float, int, float, float], float]) -> Upper:
    def upper(samples: np.ndarray, delta: float) -> np.ndarray:
        rows, level = samples.shape[1], -math.log(delta)
        means, variances = samples.mean(axis=1), samples.var(axis=1, ddof=1)
        return np.array(
            [min(1.0, formula(float(m), rows, level, float(v))) for m, v in zip(means, variances, strict=True)]
        )

    return upper


def known_variance(variance: float) -> Upper:
    return by_mean(lambda mean, rows, level: concentration.bernstein_upper(mean, rows, level, variance))


UPPER: dict[str, Upper] = {
    "hoeffding": by_mean(concentration.hoeffding_upper),
    "kl": by_mean(lambda mean, rows, level: concentration.kl_upper(mean, level / rows)),
    "hoeffding-bentkus": by_mean(concentration.hoeffding_bentkus_upper),
    "empirical-bernstein": by_mean_and_variance(concentration.empirical_bernstein_upper),
    "betting": lambda samples, delta: _native_calls.betting_upper(samples, -math.log(delta), threads=2),
    "star": lambda samples, delta: _native_calls.star_upper(samples, -math.log(delta), threads=2),
}


def star_rejects(samples: np.ndarray, delta: float, mean: float) -> np.ndarray:
    """Whether STaR rejects the largest candidate below the mean, per sample.

    The bound is the last candidate that is rejected on the way from 1 downwards, so that a bound below the mean
    implies it. One candidate costs a fraction of the way, hence more samples can be tried.
    """
    grid = _native_calls.star_grid(samples.shape[1])
    candidate = grid[grid < mean][:1]
    out = np.empty(len(samples))
    _native.star_upper(np.ascontiguousarray(samples), -math.log(delta), _native_calls.STAR_CAP, candidate, out, 2)
    return out < mean


def bound_for(name: str, variance: float) -> Upper:
    """The bound of that name; Bernstein's is told the true variance."""
    return known_variance(variance) if name == "bernstein" else UPPER[name]


NAMES = (*UPPER, "bernstein")
