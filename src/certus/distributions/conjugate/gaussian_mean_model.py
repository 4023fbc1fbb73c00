"""Normal rows with known variance and a normal prior on their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.distributions.conjugate.conjugate_model import ConjugateModel
from certus.distributions.distribution import number
from certus.distributions.estimation.statistics import Moments
from certus.distributions.gaussian_distribution import Gaussian


@dataclass(frozen=True, eq=False)
class GaussianMeanModel(ConjugateModel):
    """Rows ``N(mu, noise_variance)`` with ``mu ~ N(mean, variance)``.

    The posterior's mean is a convex combination of the prior's and that of the rows, and its variance falls with every
    row: ``mu_n = (n s0^2 m + s^2 mu_0) / (n s0^2 + s^2)``, ``s_n^2 = s0^2 s^2 / (n s0^2 + s^2)``.

    Examples
    --------
    >>> from certus.distributions import GaussianMeanModel
    >>> model = GaussianMeanModel(0.0, 1.0, 1.0).update([2.0, 2.0, 2.0, 2.0])
    >>> model.posterior, model.predictive
    (Gaussian(mean=1.6, variance=0.2), Gaussian(mean=1.6, variance=1.2))
    """

    mean: float
    variance: float
    noise_variance: float
    seen: Moments | None = None

    def __post_init__(self) -> None:
        self._store(
            mean=number("mean", self.mean),
            variance=number("variance", self.variance, low=0),
            noise_variance=number("noise_variance", self.noise_variance, low=0),
        )

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Moments:
        return Gaussian.statistics(data, weights)

    @property
    def posterior(self) -> Gaussian:
        if self.seen is None:
            return Gaussian(self.mean, self.variance)
        total = self.weight * self.variance + self.noise_variance
        mean = (self.weight * self.variance * float(self.seen.mean[0]) + self.noise_variance * self.mean) / total
        return Gaussian(mean, self.variance * self.noise_variance / total)

    @property
    def predictive(self) -> Gaussian:
        return Gaussian(self.posterior.mean, self.noise_variance + self.posterior.variance)

    def _most_likely(self) -> Gaussian:
        return Gaussian(float(self.seen.mean[0]), self.noise_variance)  # type: ignore[union-attr]

    @property
    def map(self) -> Gaussian:
        return Gaussian(self.posterior.mean, self.noise_variance)

    @property
    def posterior_mean(self) -> Gaussian:
        return Gaussian(self.posterior.mean, self.noise_variance)

    @property
    def log_evidence(self) -> float:
        if self.seen is None:
            return 0.0
        n, noise = self.weight, self.noise_variance
        total = noise + n * self.variance
        within = -0.5 * n * np.log(2 * np.pi * noise) - 0.5 * float(self.seen.scatter[0, 0]) / noise
        return float(within + 0.5 * np.log(noise / total) - 0.5 * n * (self.seen.mean[0] - self.mean) ** 2 / total)
