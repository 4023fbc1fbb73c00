"""The normal distribution of a vector."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from certus.distributions.distribution import Distribution, positive_definite, rows_of_width, vector
from certus.distributions.estimation.statistics import Moments
from certus.distributions.estimation.weighted_rows import require_rows
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class MultivariateGaussian(Distribution):
    """The normal distribution with density ``(2 pi)^(-d/2) |covariance|^(-1/2) exp(-r^2 / 2)``, r the Mahalanobis
    distance.

    Examples
    --------
    >>> from certus.distributions import MultivariateGaussian
    >>> MultivariateGaussian([0.0, 0.0], [[4.0, 0.0], [0.0, 1.0]]).mahalanobis([2.0, 0.0])
    1.0
    """

    mean: Floats = field()
    covariance: Floats

    def __post_init__(self) -> None:
        mean = vector("mean", self.mean)
        self._store(mean=mean, covariance=positive_definite("covariance", self.covariance, len(mean)))

    @property
    def _factor(self) -> Floats:
        return np.asarray(np.linalg.cholesky(self.covariance), dtype=np.float64)

    def mahalanobis(self, x: Any) -> Any:
        """``sqrt((x - mean)' inv(covariance) (x - mean))`` for every row."""
        x = rows_of_width(x, len(self.mean))
        scaled = solve_triangular(self._factor, np.atleast_2d(x - self.mean).T, lower=True)
        distance = np.sqrt((scaled**2).sum(axis=0))
        return distance if x.ndim > 1 else float(distance[0])

    def log_density(self, x: Any) -> Any:
        constant = -0.5 * len(self.mean) * np.log(2 * np.pi) - np.log(np.diag(self._factor)).sum()
        return constant - 0.5 * np.square(self.mahalanobis(x))

    @property
    def variance(self) -> Floats:
        return np.diag(self.covariance)

    @property
    def mode(self) -> Floats:
        return self.mean

    def entropy(self) -> float:
        return float(0.5 * len(self.mean) * np.log(2 * np.pi * math.e) + np.log(np.diag(self._factor)).sum())

    def kl(self, other: Self) -> float:
        self._same_family(other)
        if len(self.mean) != len(other.mean):
            raise ValueError(f"Both must have the same dimension, got {len(self.mean)} and {len(other.mean)}.")
        whitened = solve_triangular(other._factor, self._factor, lower=True)
        determinants = np.log(np.diag(other._factor)).sum() - np.log(np.diag(self._factor)).sum()
        trace = (whitened**2).sum() - len(self.mean)
        return float(determinants + 0.5 * (trace + other.mahalanobis(self.mean) ** 2))

    def score(self, x: Any) -> dict[str, Any]:
        """By the mean, and by the covariance as a symmetric matrix per row."""
        inverse = np.linalg.inv(self.covariance)
        pull = (np.asarray(x, dtype=np.float64) - self.mean) @ inverse
        return {"mean": pull, "covariance": 0.5 * (pull[..., :, np.newaxis] * pull[..., np.newaxis, :] - inverse)}

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        return self.mean + generator.standard_normal((n, len(self.mean))) @ self._factor.T

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None) -> Moments:
        """Weight, mean and scatter of the rows."""
        return Moments.of(data, weights)

    @classmethod
    def from_statistics(cls, statistics: Moments) -> Self:
        """The fit to the rows behind the statistics: mean and covariance with divisor n."""
        require_rows(statistics.weight, cls.__name__)
        return cls(statistics.mean.copy(), statistics.covariance)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        return cls.from_statistics(cls.statistics(data, weights))
