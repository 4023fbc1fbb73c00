"""The Poisson distribution: numbers of rare events."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import rel_entr

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import counts, require_rows


@dataclass(frozen=True, eq=False)
class Poisson(Univariate):
    """Counts with mean ``rate``: ``rate^x exp(-rate) / x!``."""

    rate: float
    _law = stats.poisson
    _discrete = True

    def __post_init__(self) -> None:
        self._store(rate=number("rate", self.rate, low=0, closed=True))

    def _arguments(self) -> dict[str, Any]:
        return {"mu": self.rate}

    @property
    def mode(self) -> float:
        if self.rate > 0 and self.rate == int(self.rate):
            return float("nan")  # rate - 1 is as probable
        return float(int(self.rate))

    def entropy(self) -> float:
        if self.rate < 1e3:
            return super().entropy()
        r = self.rate  # the asymptotic series, exact to rounding here
        return float(0.5 * np.log(2 * np.pi * math.e * r) - 1 / (12 * r) - 1 / (24 * r**2) - 19 / (360 * r**3))

    def kl(self, other: Self) -> float:
        self._same_family(other)
        return float(rel_entr(self.rate, other.rate) + other.rate - self.rate)

    def score(self, x: Any) -> dict[str, Any]:
        return {"rate": np.asarray(x, dtype=np.float64) / self.rate - 1}

    def total(self, n: int) -> Poisson:
        """The distribution of the sum of ``n`` independent draws."""
        return Poisson(n * self.rate)

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None) -> Sums:
        """Weight of the rows and their sum."""
        rows, weight = counts(data, weights)
        return Sums.of(weight, rows)

    @classmethod
    def from_statistics(cls, statistics: Sums) -> Self:
        """The fit to the rows behind the statistics: their mean."""
        require_rows(statistics.weight, cls.__name__)
        return cls(float(statistics.sums) / statistics.weight)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        return cls.from_statistics(cls.statistics(data, weights))
