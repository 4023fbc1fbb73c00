"""Learning rates: how fast the excess risk of a learner falls with the number of rows."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records import check_confidence, check_count
from certus.theory.fitting import Predictor, Trainable, fitted
from certus.theory.text import aligned


@dataclass(frozen=True)
class Rate:
    """The power law excess = factor rows^-exponent that fits best on logarithmic scales.

    Parameters
    ----------
    exponent : float
        1/2 for slow rates, 1 for fast ones.
    factor : float
        The excess at one row, extrapolated.
    standard_error : float
        Of the exponent, from the scatter around the line; 0 for two points.
    """

    exponent: float
    factor: float
    standard_error: float


def fit_rate(sizes: ArrayLike, excess: ArrayLike) -> Rate:
    """Fit a power law to excess risks: a straight line through (log rows, log excess).

    Parameters
    ----------
    sizes : array-like of shape (n,)
        Training rows, at least two different numbers.
    excess : array-like of shape (n,)
        Excess risks, all greater than 0.

    Examples
    --------
    >>> round(fit_rate([10, 100, 1000], [0.5, 0.05, 0.005]).exponent, 10)
    1.0
    """
    n, e = np.asarray(sizes, dtype=np.float64), np.asarray(excess, dtype=np.float64)
    if n.ndim != 1 or n.shape != e.shape or len(np.unique(n)) < 2 or not (n > 0).all():
        raise ValueError(f"sizes must be at least two different positive numbers, one per excess, got {sizes!r}.")
    bad = np.flatnonzero(~((e > 0) & np.isfinite(e)))
    if bad.size:
        raise ValueError(
            f"excess must be greater than 0; entry {int(bad[0])} is {e[bad[0]]!r}.\nHint: average over more repeats."
        )
    x, z = np.log(n), np.log(e)
    centered = x - x.mean()
    slope = float(centered @ z / (centered @ centered))
    intercept = float(z.mean() - slope * x.mean())
    rest = z - intercept - slope * x
    spread = float(rest @ rest) / (len(n) - 2) if len(n) > 2 else 0.0
    return Rate(-slope, math.exp(intercept), math.sqrt(spread / float(centered @ centered)))


@dataclass(frozen=True)
class LearningCurve:
    """Excess risk of a learner over growing samples of a known distribution.

    Parameters
    ----------
    sizes : tuple of int
        Training rows.
    excess : ndarray of shape (sizes, repeats)
        Risk minus the smallest possible risk, for every training.
    confidence : float
        Level of `tail`.
    """

    sizes: tuple[int, ...]
    excess: np.ndarray
    confidence: float

    @property
    def mean(self) -> np.ndarray:
        """Expected excess: a learning rate in expectation."""
        return np.asarray(self.excess.mean(axis=1))

    @property
    def tail(self) -> np.ndarray:
        """Excess that is not exceeded with the confidence: a learning rate in probability."""
        return np.asarray(np.quantile(self.excess, self.confidence, axis=1, method="higher"))

    @property
    def rate(self) -> Rate:
        """Power law of the expected excess."""
        return fit_rate(self.sizes, self.mean)

    def __str__(self) -> str:
        rows = zip(self.sizes, self.mean.tolist(), self.tail.tolist(), strict=True)
        table = aligned(["rows", "mean excess", f"{self.confidence:g} quantile"], rows)
        return f"{table}\nexponent {self.rate.exponent:.3g} +- {self.rate.standard_error:.2g}"


def learning_rates(
    learner: Trainable,
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]],
    risk: Callable[[Predictor], float],
    sizes: Sequence[int],
    *,
    best: float,
    repeats: int = 50,
    confidence: float = 0.95,
    seed: int = 0,
) -> LearningCurve:
    """Train on growing samples of a known distribution and record the excess risk.

    Parameters
    ----------
    learner : estimator or callable
        Has fit and predict, or maps (X, y) to a predictor.
    draw : callable
        Maps (random generator, rows) to a fresh sample (X, y).
    risk : callable
        True risk of a predictor.
    sizes : sequence of int
        Training rows.
    best : float
        The smallest possible risk: the Bayes risk, or that of the best of the class.
    repeats : int, default=50
        Samples per size.
    confidence : float, default=0.95
        Level of the tail.
    seed : int, default=0
        Seed of the samples.

    Examples
    --------
    >>> def draw(rng, rows):
    ...     return np.zeros((rows, 1)), rng.normal(size=rows)
    >>> mean = lambda X, y: lambda new: np.full(len(new), y.mean())
    >>> risk = lambda predict: 1.0 + float(predict(np.zeros((1, 1)))[0]) ** 2
    >>> round(learning_rates(mean, draw, risk, (10, 100, 1000), best=1.0).rate.exponent, 1)
    1.0
    """
    chosen = tuple(check_count(size, "sizes", minimum=1) for size in sizes)
    rng, level = np.random.default_rng(check_count(seed, "seed")), check_confidence(confidence)
    excess = np.empty((len(chosen), check_count(repeats, "repeats", minimum=1)))
    for i, size in enumerate(chosen):
        for r in range(excess.shape[1]):
            excess[i, r] = risk(fitted(learner, *draw(rng, size))) - best
    return LearningCurve(chosen, excess, level)
