"""The normal-inverse-gamma distribution of a mean and a variance together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from certus.distributions.distribution import Distribution, number
from certus.distributions.inverse_gamma_distribution import InverseGamma
from certus.distributions.probability_input import Floats
from certus.distributions.student_t_distribution import StudentT


@dataclass(frozen=True, eq=False)
class NormalInverseGamma(Distribution):
    """Pairs of ``mu ~ N(location, s2 / strength)`` and ``s2 ~ InverseGamma(shape, scale)``.

    A row is the pair (mu, s2).
    """

    location: float
    strength: float
    shape: float
    scale: float

    def __post_init__(self) -> None:
        self._store(
            location=number("location", self.location),
            strength=number("strength", self.strength, low=0),
            shape=number("shape", self.shape, low=0),
            scale=number("scale", self.scale, low=0),
        )

    @property
    def of_mean(self) -> StudentT:
        """The distribution of mu alone."""
        return StudentT(2 * self.shape, self.location, np.sqrt(self.scale / (self.shape * self.strength)))

    @property
    def of_variance(self) -> InverseGamma:
        """The distribution of s2 alone."""
        return InverseGamma(self.shape, self.scale)

    def log_density(self, x: Any) -> Any:
        mu, s2 = np.moveaxis(np.asarray(x, dtype=np.float64), -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            normal = 0.5 * np.log(self.strength / (2 * np.pi * s2)) - self.strength * (mu - self.location) ** 2 / (
                2 * s2
            )
        return np.where(s2 > 0, normal + self.of_variance.log_density(s2), -np.inf)[()]

    @property
    def mean(self) -> Floats:
        return np.array([self.location, self.of_variance.mean])

    @property
    def variance(self) -> Floats:
        return np.array([self.of_mean.variance, self.of_variance.variance])

    @property
    def mode(self) -> Floats:
        return np.array([self.location, self.scale / (self.shape + 1.5)])

    def entropy(self) -> float:
        """That of the variance, and of the mean given the variance in expectation."""
        log_variance = np.log(self.scale) - digamma(self.shape)
        return float(self.of_variance.entropy() + 0.5 * (np.log(2 * np.pi * math.e / self.strength) + log_variance))

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[Any]:
        s2 = self.of_variance._draw(n, generator)
        return np.column_stack([generator.normal(self.location, np.sqrt(s2 / self.strength)), s2])
