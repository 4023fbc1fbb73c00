"""The Bernoulli distribution: one trial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import entr, rel_entr

from certus.distributions.binomial_distribution import Binomial
from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import counts, require_rows


@dataclass(frozen=True, eq=False)
class Bernoulli(Univariate):
    """1 with probability ``p``, else 0: ``p^x (1 - p)^(1 - x)``.

    Examples
    --------
    >>> from certus.distributions import Bernoulli
    >>> Bernoulli.fit([1, 1, 0, 0, 0, 1, 1])
    Bernoulli(p=0.5714285714285714)
    """

    p: float
    _law = stats.bernoulli
    _discrete = True

    def __post_init__(self) -> None:
        self._store(p=number("p", self.p, low=0, high=1, closed=True))

    def _arguments(self) -> dict[str, Any]:
        return {"p": self.p}

    @property
    def mode(self) -> float:
        return float("nan") if self.p == 0.5 else float(self.p > 0.5)

    def entropy(self) -> float:
        return float(entr(self.p) + entr(1 - self.p))

    def kl(self, other: Self) -> float:
        self._same_family(other)
        return float(rel_entr(self.p, other.p) + rel_entr(1 - self.p, 1 - other.p))

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        return {"p": (x - self.p) / (self.p * (1 - self.p))}

    def total(self, n: int) -> Binomial:
        """The distribution of the sum of ``n`` independent draws."""
        return Binomial(n, self.p)

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None) -> Sums:
        """Weight of the rows and of those that are 1."""
        rows, weight = counts(data, weights, high=1)
        return Sums.of(weight, rows)

    @classmethod
    def from_statistics(cls, statistics: Sums) -> Self:
        """The fit to the rows behind the statistics: the share of ones."""
        require_rows(statistics.weight, cls.__name__)
        return cls(float(statistics.sums) / statistics.weight)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        return cls.from_statistics(cls.statistics(data, weights))
