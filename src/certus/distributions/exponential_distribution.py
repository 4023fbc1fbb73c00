"""The exponential distribution: waiting times without memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import require_rows, require_values, weighted
from certus.distributions.gamma_distribution import Gamma


@dataclass(frozen=True, eq=False)
class Exponential(Univariate):
    """Positive numbers with density ``rate exp(-rate x)``."""

    rate: float
    _law = stats.expon

    def __post_init__(self) -> None:
        self._store(rate=number("rate", self.rate, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"scale": 1 / self.rate}

    @property
    def mode(self) -> float:
        return 0.0

    def kl(self, other: Self) -> float:
        self._same_family(other)
        ratio = other.rate / self.rate
        return float(ratio - 1 - np.log(ratio))

    def score(self, x: Any) -> dict[str, Any]:
        return {"rate": 1 / self.rate - np.asarray(x, dtype=np.float64)}

    def total(self, n: int) -> Gamma:
        """The distribution of the sum of ``n`` independent draws."""
        return Gamma(n, self.rate)

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None) -> Sums:
        """Weight of the rows and their sum."""
        rows, weight = weighted(data, weights)
        require_values(rows, lambda x: x >= 0, "not negative")
        return Sums.of(weight, rows)

    @classmethod
    def from_statistics(cls, statistics: Sums) -> Self:
        """The fit to the rows behind the statistics: 1 / mean."""
        require_rows(statistics.weight, cls.__name__)
        if not statistics.sums > 0:
            raise ValueError("data must hold a positive number, got zeros only.")
        return cls(statistics.weight / float(statistics.sums))

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        return cls.from_statistics(cls.statistics(data, weights))
