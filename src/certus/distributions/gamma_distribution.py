"""The gamma distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import digamma, gammaln

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.gamma_shape import gamma_shape
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import require_rows, require_values, weighted


@dataclass(frozen=True, eq=False)
class Gamma(Univariate):
    """Positive numbers with density ``rate^shape x^(shape - 1) exp(-rate x) / Gamma(shape)``."""

    shape: float
    rate: float
    _law = stats.gamma

    def __post_init__(self) -> None:
        self._store(shape=number("shape", self.shape, low=0), rate=number("rate", self.rate, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"a": self.shape, "scale": 1 / self.rate}

    @property
    def mode(self) -> float:
        return max(self.shape - 1, 0.0) / self.rate

    def kl(self, other: Self) -> float:
        self._same_family(other)
        a, b, c, d = self.shape, self.rate, other.shape, other.rate
        return float((a - c) * digamma(a) - gammaln(a) + gammaln(c) + c * np.log(b / d) + a * (d - b) / b)

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        return {"shape": np.log(self.rate * x) - digamma(self.shape), "rate": self.shape / self.rate - x}

    def total(self, n: int) -> Gamma:
        """The distribution of the sum of ``n`` independent draws."""
        return Gamma(n * self.shape, self.rate)

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None) -> Sums:
        """Weight of the rows, their sum and that of their logarithms."""
        rows, weight = weighted(data, weights)
        require_values(rows, lambda x: x > 0, "positive")
        return Sums.of(weight, rows, np.log(rows))

    @classmethod
    def from_statistics(cls, statistics: Sums) -> Self:
        """The fit to the rows behind the statistics: the shape by Newton's method, the rate is shape / mean."""
        require_rows(statistics.weight, cls.__name__)
        mean, log_mean = statistics.sums / statistics.weight
        shape = gamma_shape(float(np.log(mean) - log_mean))
        return cls(shape, shape / mean)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        return cls.from_statistics(cls.statistics(data, weights))
