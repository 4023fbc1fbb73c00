"""Bias and variance of a learner, measured on a generator whose target is known.

E (y - A(x))^2 = noise + (F(x) - E A(x))^2 + E (A(x) - E A(x))^2, the expectation over training sets and labels.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records import check_count
from certus.theory.fitting import Trainable, fitted
from certus.theory.text import aligned

Draw = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class BiasVariance:
    """The three parts of the expected square error, per test point and on average.

    Parameters
    ----------
    noise : float
        Variance of the labels around the target: the Bayes error.
    bias : ndarray of shape (points,)
        Squared bias at every point, without the part that the finite number of training sets adds.
    variance : ndarray of shape (points,)
        Variance of the prediction over training sets.
    standard_error : float
        Of the mean expected error, over training sets.
    """

    noise: float
    bias: np.ndarray
    variance: np.ndarray
    standard_error: float

    @property
    def error(self) -> float:
        """Expected square error: noise + squared bias + variance, averaged over the points."""
        return self.noise + float(self.bias.mean() + self.variance.mean())

    def __str__(self) -> str:
        parts = [self.noise, float(self.bias.mean()), float(self.variance.mean()), self.error]
        return aligned(["noise", "squared bias", "variance", "error"], [parts])


def bias_variance(
    learner: Trainable,
    draw: Draw,
    target: Callable[[np.ndarray], np.ndarray],
    points: ArrayLike,
    *,
    noise: float,
    repeats: int = 200,
    seed: int = 0,
) -> BiasVariance:
    """Train on many independent training sets and split the expected square error.

    Parameters
    ----------
    learner : estimator or callable
        Has fit and predict, or maps (X, y) to a predictor.
    draw : callable
        Maps a random generator to a fresh training set (X, y).
    target : callable
        The true function F of the rows.
    points : array-like of shape (points, features)
        Where to measure.
    noise : float
        Variance of the labels around F.
    repeats : int, default=200
        Number of training sets, at least 2.
    seed : int, default=0
        Seed of the training sets.

    Examples
    --------
    >>> def draw(rng):
    ...     return np.zeros((10, 1)), 3.0 + rng.normal(size=10)
    >>> mean = lambda X, y: lambda new: np.full(len(new), y.mean())
    >>> found = bias_variance(mean, draw, lambda X: np.full(len(X), 3.0), [[0.0]], noise=1.0, repeats=2000)
    >>> round(float(found.variance[0]), 1), abs(round(float(found.bias[0]), 2))
    (0.1, 0.0)
    """
    count, rng = check_count(repeats, "repeats", minimum=2), np.random.default_rng(check_count(seed, "seed"))
    if not 0.0 <= noise < math.inf:
        raise ValueError(f"noise must be a finite number of at least 0, got {noise!r}.")
    where = np.asarray(points, dtype=np.float64)
    truth = np.asarray(target(where), dtype=np.float64)
    if where.ndim != 2 or truth.shape != (len(where),):
        raise ValueError(f"points must be a table with one target per row, got {where.shape}, {truth.shape}.")
    predictions = np.array([fitted(learner, *draw(rng))(where) for _ in range(count)])
    mean, variance = predictions.mean(axis=0), predictions.var(axis=0, ddof=1)
    errors = ((predictions - truth) ** 2).mean(axis=1)
    return BiasVariance(
        noise=float(noise),
        bias=(mean - truth) ** 2 - variance / count,
        variance=variance,
        standard_error=float(errors.std(ddof=1) / math.sqrt(count)),
    )


@dataclass(frozen=True)
class CapacityCurve:
    """Bias and variance of polynomials of growing degree.

    Parameters
    ----------
    degrees : tuple of int
        The degrees.
    parts : tuple of BiasVariance
        One per degree.
    """

    degrees: tuple[int, ...]
    parts: tuple[BiasVariance, ...]

    @property
    def best(self) -> int:
        """The degree with the smallest expected error."""
        return min(zip(self.degrees, self.parts, strict=True), key=lambda pair: pair[1].error)[0]

    def __str__(self) -> str:
        rows = [
            [degree, float(part.bias.mean()), float(part.variance.mean()), part.error]
            for degree, part in zip(self.degrees, self.parts, strict=True)
        ]
        return aligned(["degree", "squared bias", "variance", "error"], rows)


def polynomial_curve(
    degrees: Sequence[int] = (0, 1, 2, 3, 4, 5),
    *,
    rows: int = 20,
    deviation: float = 0.5,
    repeats: int = 300,
    seed: int = 0,
) -> CapacityCurve:
    """Least squares polynomials on noisy rows of sin(3 x), x uniform on [-1, 1]: bias falls, variance rises.

    Examples
    --------
    >>> curve = polynomial_curve((0, 1, 3, 9))
    >>> curve.best
    3
    """
    size = check_count(rows, "rows", minimum=1)

    def target(X: np.ndarray) -> np.ndarray:
        return np.asarray(np.sin(3.0 * X[:, 0]))

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = rng.uniform(-1.0, 1.0, (size, 1))
        return X, target(X) + deviation * rng.normal(size=size)

    points = np.linspace(-0.95, 0.95, 39)[:, None]
    chosen = tuple(check_count(degree, "degrees") for degree in degrees)
    parts = tuple(
        bias_variance(_polynomial(degree), draw, target, points, noise=deviation**2, repeats=repeats, seed=seed)
        for degree in chosen
    )
    return CapacityCurve(chosen, parts)


def _polynomial(degree: int) -> Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]:
    def train(X: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        basis = np.polynomial.legendre.legvander(X[:, 0], degree)
        coefficients = np.linalg.lstsq(basis, y, rcond=None)[0]
        return lambda new: np.asarray(np.polynomial.legendre.legval(new[:, 0], coefficients))

    return train
