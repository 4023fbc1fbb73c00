"""The Dirichlet distribution of a vector of probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import digamma, gammaln

from certus.distributions.distribution import Distribution, positive_vector, rows_of_width
from certus.distributions.estimation.dirichlet_newton import dirichlet_newton
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import require_rows, require_values, weighted
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class Dirichlet(Distribution):
    """Vectors of probabilities with density ``Gamma(a_0) / prod Gamma(a_i) prod x_i^(a_i - 1)``, a_0 = sum of
    ``alpha``.

    What is known of the probabilities of labels after alpha_i - 1 observations of label i, if nothing was known before.
    """

    alpha: Floats

    def __post_init__(self) -> None:
        self._store(alpha=positive_vector("alpha", self.alpha, least=1))

    def log_density(self, x: Any) -> Any:
        x = rows_of_width(x, len(self.alpha))
        constant = gammaln(self.alpha.sum()) - gammaln(self.alpha).sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            powers = np.where(self.alpha == 1, 0.0, (self.alpha - 1) * np.log(x)).sum(axis=-1)
        inside = (x >= 0).all(axis=-1) & (np.abs(x.sum(axis=-1) - 1) <= 1e-8)
        return np.where(inside, constant + powers, -np.inf)[()]

    @property
    def mean(self) -> Floats:
        return self.alpha / self.alpha.sum()

    @property
    def variance(self) -> Floats:
        total = self.alpha.sum()
        return self.alpha * (total - self.alpha) / (total**2 * (total + 1))

    @property
    def covariance(self) -> Floats:
        """``(diag(m) - m m') / (a_0 + 1)`` with the mean m."""
        return (np.diag(self.mean) - np.outer(self.mean, self.mean)) / (self.alpha.sum() + 1)

    @property
    def mode(self) -> Floats:
        """``(alpha - 1) / (a_0 - k)`` if no alpha is below 1 and one is above; else NaN."""
        if (self.alpha < 1).any() or not (self.alpha > 1).any():
            return np.full(len(self.alpha), np.nan)
        return (self.alpha - 1) / (self.alpha.sum() - len(self.alpha))

    def entropy(self) -> float:
        return float(stats.dirichlet.entropy(self.alpha))

    def kl(self, other: Self) -> float:
        self._same_family(other)
        a, b = self.alpha, other.alpha
        if len(a) != len(b):
            raise ValueError(f"Both must have the same number of labels, got {len(a)} and {len(b)}.")
        constant = gammaln(a.sum()) - gammaln(b.sum()) - (gammaln(a) - gammaln(b)).sum()
        return float(constant + (a - b) @ (digamma(a) - digamma(a.sum())))

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        return {"alpha": np.log(x) - digamma(self.alpha) + digamma(self.alpha.sum())}

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        return generator.dirichlet(self.alpha, size=n)

    @staticmethod
    def statistics(data: Any, weights: ArrayLike | None = None) -> Sums:
        """Weight of the rows and the sums of their logarithms."""
        rows, weight = weighted(data, weights, dim=2)
        require_values(rows, lambda x: x > 0, "positive")
        if (np.abs(rows.sum(axis=1) - 1) > 1e-8).any():
            raise ValueError("Every row of data must sum to 1.")
        return Sums(float(weight.sum()), weight @ np.log(rows))

    @classmethod
    def from_statistics(cls, statistics: Sums) -> Self:
        """The fit to the rows behind the statistics, by Newton's method."""
        require_rows(statistics.weight, cls.__name__)
        return cls(dirichlet_newton(statistics.sums / statistics.weight))

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        return cls.from_statistics(cls.statistics(data, weights))
