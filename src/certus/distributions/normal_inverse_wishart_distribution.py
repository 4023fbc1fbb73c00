"""The normal-inverse-Wishart distribution of a mean vector and a covariance together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.distributions.distribution import number, positive_definite, vector
from certus.distributions.inverse_wishart_distribution import InverseWishart
from certus.distributions.multivariate_gaussian_distribution import MultivariateGaussian
from certus.distributions.multivariate_t_distribution import MultivariateT
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class NormalInverseWishart:
    """Pairs of ``mu ~ N(location, S / strength)`` and ``S ~ InverseWishart(df, scale)``."""

    location: Floats
    strength: float
    df: float
    scale: Floats

    def __post_init__(self) -> None:
        location = vector("location", self.location)
        object.__setattr__(self, "location", location)
        object.__setattr__(self, "strength", number("strength", self.strength, low=0))
        object.__setattr__(self, "scale", positive_definite("scale", self.scale, len(location)))
        object.__setattr__(self, "df", number("df", self.df, low=len(location) - 1))

    @property
    def of_mean(self) -> MultivariateT:
        """The distribution of mu alone."""
        free = self.df - len(self.location) + 1
        return MultivariateT(free, self.location, self.scale / (self.strength * free))

    @property
    def of_covariance(self) -> InverseWishart:
        """The distribution of S alone."""
        return InverseWishart(self.df, self.scale)

    def log_density(self, mu: Any, covariance: Any) -> float:
        """At one mean and one covariance."""
        normal = MultivariateGaussian(self.location, np.asarray(covariance) / self.strength)
        return float(normal.log_density(mu) + self.of_covariance.log_density(covariance))

    @property
    def mode(self) -> tuple[Floats, Floats]:
        """The mean and covariance of largest density."""
        return self.location, self.scale / (self.df + len(self.location) + 2)

    def sample(self, n: int, random_state: Any = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Means of shape (n, d) and covariances of shape (n, d, d)."""
        generator = np.random.default_rng(random_state)
        covariances = self.of_covariance._draw(n, generator)
        factors = np.linalg.cholesky(covariances / self.strength)
        normal = generator.standard_normal((n, len(self.location), 1))
        return self.location + (factors @ normal)[..., 0], covariances
