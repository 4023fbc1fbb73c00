"""The normal distribution of one number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.statistics import Moments
from certus.distributions.estimation.weighted_rows import require_rows


@dataclass(frozen=True, eq=False)
class Gaussian(Univariate):
    """The normal distribution with density ``exp(-(x - mean)^2 / (2 variance)) / sqrt(2 pi variance)``.

    Examples
    --------
    >>> from certus.distributions import Gaussian
    >>> Gaussian(1.0, 4.0).standardized([3.0, 1.0])
    array([1., 0.])
    """

    mean: float = field()
    variance: float = field()
    _law = stats.norm

    def __post_init__(self) -> None:
        self._store(mean=number("mean", self.mean), variance=number("variance", self.variance, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"loc": self.mean, "scale": np.sqrt(self.variance)}

    @property
    def mode(self) -> float:
        return self.mean

    def standardized(self, x: Any) -> Any:
        """``(x - mean) / std``, which is N(0, 1) for x of this distribution."""
        return (np.asarray(x, dtype=np.float64) - self.mean) / self.std

    def kl(self, other: Self) -> float:
        self._same_family(other)
        logs = np.log(other.variance) - np.log(self.variance)
        return float(0.5 * (self.variance / other.variance - 1 + logs + (self.mean - other.mean) ** 2 / other.variance))

    def score(self, x: Any) -> dict[str, Any]:
        distance = np.asarray(x, dtype=np.float64) - self.mean
        return {
            "mean": distance / self.variance,
            "variance": 0.5 * (distance**2 / self.variance - 1) / self.variance,
        }

    def total(self, n: int) -> Gaussian:
        """The distribution of the sum of ``n`` independent draws."""
        return Gaussian(n * self.mean, n * self.variance)

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None) -> Moments:
        """Weight, mean and scatter of the rows."""
        rows = np.asarray(data, dtype=np.float64)
        if rows.ndim != 1:
            raise ValueError(f"data must have 1 axis, got shape {rows.shape}.")
        return Moments.of(rows[:, np.newaxis], weights)

    @classmethod
    def from_statistics(cls, statistics: Moments) -> Self:
        """The fit to the rows behind the statistics: mean and variance with divisor n."""
        require_rows(statistics.weight, cls.__name__)
        return cls(float(statistics.mean[0]), float(statistics.covariance[0, 0]))

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        return cls.from_statistics(cls.statistics(data, weights))
