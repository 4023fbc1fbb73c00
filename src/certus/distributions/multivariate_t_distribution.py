"""Student's distribution of a vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from certus.distributions.distribution import Distribution, number, positive_definite, rows_of_width, vector
from certus.distributions.estimation.t_likelihood import t_fit
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class MultivariateT(Distribution):
    """Student's distribution with ``df`` degrees of freedom, location ``mean`` and scale matrix ``scale``.

    The covariance is ``scale df / (df - 2)``, for df > 2.
    """

    df: float
    mean: Floats = field()
    scale: Floats

    def __post_init__(self) -> None:
        mean = vector("mean", self.mean)
        scale = positive_definite("scale", self.scale, len(mean))
        self._store(df=number("df", self.df, low=0), mean=mean, scale=scale)

    def log_density(self, x: Any) -> Any:
        return stats.multivariate_t.logpdf(rows_of_width(x, len(self.mean)), self.mean, self.scale, self.df)

    @property
    def covariance(self) -> Floats:
        """``scale df / (df - 2)``; infinite for df <= 2."""
        if self.df <= 2:
            return np.full_like(self.scale, np.inf)
        return self.scale * (self.df / (self.df - 2))

    @property
    def variance(self) -> Floats:
        return np.diag(self.covariance)

    @property
    def mode(self) -> Floats:
        return self.mean

    def entropy(self) -> float:
        return float(stats.multivariate_t.entropy(self.mean, self.scale, self.df))

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        normal = generator.standard_normal((n, len(self.mean))) @ np.linalg.cholesky(self.scale).T
        return self.mean + normal / np.sqrt(generator.chisquare(self.df, size=(n, 1)) / self.df)

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None, *, df: float | None = None) -> Self:
        """Maximum likelihood, with known degrees of freedom or the best ones between 0.5 and 1000."""
        return cls(*t_fit(data, weights, df))
