"""The truth gate: does a bound fail as rarely as it says, and is it as tight as it should be?

Counts are enumerated: the worst violation over all true rates is found exactly. Everything else is simulated on
four kinds of losses. A violation rate must stay below delta plus four standard errors: a correct bound fails one
such comparison with probability below 1 in 30 000.
"""

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

SIZES = (5, 20, 100, 1000)
DELTAS = (0.1, 0.05, 0.01)
REPLICATES = 10_000


@dataclass(frozen=True)
class Losses:
    """A distribution on [0, 1] with its exact mean and variance."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
    mean: float
    variance: float


def _two_point(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.where(rng.random(shape) < 0.05, 1.0, 0.05)


def _heavy_ties(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.array([0.0, 0.25, 0.5, 1.0])[np.searchsorted([0.8, 0.9, 0.95], rng.random(shape), side="right")]


DISTRIBUTIONS = (
    Losses("Bernoulli .1", lambda rng, shape: (rng.random(shape) < 0.1).astype(float), 0.1, 0.09),
    Losses("two-point skewed", _two_point, 0.05 * 1.0 + 0.95 * 0.05, 0.05 * 0.95 * 0.95**2),
    Losses("Beta(1,9)", lambda rng, shape: rng.beta(1, 9, shape), 0.1, 0.9 * 0.1 / 11),
    Losses("heavy ties", _heavy_ties, 0.1, 0.1 * 0.0625 + 0.05 * 0.25 + 0.05 - 0.01),
)


@dataclass(frozen=True)
class Outcome:
    """What one simulation found."""

    bound: str
    losses: str
    rows: int
    delta: float
    replicates: int
    violations: float
    excess: float
    seconds: float

    @property
    def allowed(self) -> float:
        return allowed(self.delta, self.replicates)


def allowed(delta: float, replicates: int) -> float:
    """Largest violation rate that a valid bound shows in a simulation: delta plus four standard errors."""
    return delta + 4.0 * math.sqrt(delta * (1.0 - delta) / replicates)


@functools.lru_cache(maxsize=len(SIZES))  # large: only those that the bounds and levels of one distribution share
def samples(losses: Losses, rows: int, replicates: int, seed: int = 0) -> np.ndarray:
    """`replicates` samples of `rows` losses; the seed is fixed per distribution and size."""
    key = [seed, rows, *losses.name.encode()]
    drawn = losses.draw(np.random.default_rng(key), (replicates, rows))
    drawn.flags.writeable = False
    return drawn


def simulate(
    name: str,
    upper: Callable[[np.ndarray, float], np.ndarray],
    losses: Losses,
    rows: int,
    delta: float,
    replicates: int,
) -> Outcome:
    """Violation rate and mean excess of a bound that maps (samples, delta) to one upper bound per sample."""
    drawn = samples(losses, rows, replicates)
    start = time.perf_counter()
    bounds = upper(drawn, delta)
    seconds = (time.perf_counter() - start) / replicates
    assert bounds.shape == (replicates,)
    violations = float(np.mean(bounds < losses.mean))
    return Outcome(
        name, losses.name, rows, delta, replicates, violations, float(np.mean(bounds - losses.mean)), seconds
    )


def worst_violation(limits: np.ndarray, rows: int, side: str = "upper") -> float:
    """Largest probability, over all true rates, that a count-based limit is on the wrong side: exact.

    `limits[k]` is the limit for k events in `rows` rows and grows with k. The violation P(limit < p) rises with
    p between limits and drops at them, so the supremum is approached just above a limit.
    """
    if side == "lower":
        return worst_violation(1.0 - limits[::-1], rows)
    counts = np.arange(rows + 1)
    inside = limits < 1.0
    return float(np.max(stats.binom.cdf(counts[inside], rows, limits[inside]), initial=0.0))


def worst_interval_violation(low: np.ndarray, high: np.ndarray, rows: int) -> float:
    """Largest probability, over a fine grid of rates and all ends, that (low, high) misses the rate."""
    eps = 1e-12
    rates = np.unique(np.concatenate([np.linspace(0.0, 1.0, 2001), low - eps, low + eps, high - eps, high + eps]))
    rates = rates[(rates > 0) & (rates < 1)]
    missed = (low[:, None] > rates) | (high[:, None] < rates)
    weights = stats.binom.pmf(np.arange(rows + 1)[:, None], rows, rates)
    return float((weights * missed).sum(axis=0).max())
