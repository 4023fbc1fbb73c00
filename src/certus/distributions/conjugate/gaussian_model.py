"""Normal rows with unknown mean and variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from certus.distributions.conjugate.conjugate_model import ConjugateModel
from certus.distributions.distribution import number
from certus.distributions.estimation.statistics import Moments
from certus.distributions.gaussian_distribution import Gaussian
from certus.distributions.normal_inverse_gamma_distribution import NormalInverseGamma
from certus.distributions.student_t_distribution import StudentT


@dataclass(frozen=True, eq=False)
class GaussianModel(ConjugateModel):
    """Rows ``N(mu, s2)`` with ``mu ~ N(mean, s2 / strength)`` and ``s2 ~ InverseGamma(shape, scale)``."""

    mean: float
    strength: float
    shape: float
    scale: float
    seen: Moments | None = None

    def __post_init__(self) -> None:
        self._store(
            mean=number("mean", self.mean),
            strength=number("strength", self.strength, low=0),
            shape=number("shape", self.shape, low=0),
            scale=number("scale", self.scale, low=0),
        )

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Moments:
        return Gaussian.statistics(data, weights)

    @property
    def posterior(self) -> NormalInverseGamma:
        if self.seen is None:
            return NormalInverseGamma(self.mean, self.strength, self.shape, self.scale)
        n, center, scatter = self.weight, float(self.seen.mean[0]), float(self.seen.scatter[0, 0])
        strength = self.strength + n
        between = self.strength * n * (center - self.mean) ** 2 / strength
        location = (self.strength * self.mean + n * center) / strength
        return NormalInverseGamma(location, strength, self.shape + n / 2, self.scale + 0.5 * (scatter + between))

    @property
    def predictive(self) -> StudentT:
        after = self.posterior
        spread = after.scale * (after.strength + 1) / (after.shape * after.strength)
        return StudentT(2 * after.shape, after.location, float(np.sqrt(spread)))

    def _most_likely(self) -> Gaussian:
        return Gaussian.from_statistics(self.seen)  # type: ignore[arg-type]

    @property
    def map(self) -> Gaussian:
        return Gaussian(*self.posterior.mode)

    @property
    def posterior_mean(self) -> Gaussian:
        return Gaussian(*self.posterior.mean)

    @property
    def log_evidence(self) -> float:
        after = self.posterior
        gammas = gammaln(after.shape) - gammaln(self.shape)
        scales = self.shape * np.log(self.scale) - after.shape * np.log(after.scale)
        strengths = 0.5 * np.log(self.strength / after.strength)
        return float(gammas + scales + strengths - self.weight / 2 * np.log(2 * np.pi))
