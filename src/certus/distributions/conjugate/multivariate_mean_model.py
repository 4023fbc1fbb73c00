"""Normal vectors with known covariance and a normal prior on their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.distributions.conjugate.conjugate_model import ConjugateModel
from certus.distributions.distribution import positive_definite, vector
from certus.distributions.estimation.statistics import Moments
from certus.distributions.multivariate_gaussian_distribution import MultivariateGaussian
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class MultivariateMeanModel(ConjugateModel):
    """Rows ``N(mu, noise_covariance)`` with ``mu ~ N(mean, covariance)``.

    ``S_n = inv(inv(S_0) + n inv(S))``, ``mu_n = S_n (inv(S_0) mu_0 + n inv(S) m)``, without an inverse:
    with K = S_0 inv(S_0 + S / n), mu_n = mu_0 + K (m - mu_0) and S_n = K S / n.
    """

    mean: Floats
    covariance: Floats
    noise_covariance: Floats
    seen: Moments | None = None

    def __post_init__(self) -> None:
        mean = vector("mean", self.mean)
        self._store(
            mean=mean,
            covariance=positive_definite("covariance", self.covariance, len(mean)),
            noise_covariance=positive_definite("noise_covariance", self.noise_covariance, len(mean)),
        )

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Moments:
        found = Moments.of(data, weights)
        if len(found.mean) != len(self.mean):
            raise ValueError(f"data must have {len(self.mean)} columns, got {len(found.mean)}.")
        return found

    @property
    def posterior(self) -> MultivariateGaussian:
        if self.seen is None or self.weight == 0:
            return MultivariateGaussian(self.mean, self.covariance)
        noise = self.noise_covariance / self.weight
        gain = np.linalg.solve(self.covariance + noise, self.covariance).T
        spread = gain @ noise
        return MultivariateGaussian(self.mean + gain @ (self.seen.mean - self.mean), (spread + spread.T) / 2)

    @property
    def predictive(self) -> MultivariateGaussian:
        return MultivariateGaussian(self.posterior.mean, self.noise_covariance + self.posterior.covariance)

    def _most_likely(self) -> MultivariateGaussian:
        return MultivariateGaussian(self.seen.mean, self.noise_covariance)  # type: ignore[union-attr]

    @property
    def map(self) -> MultivariateGaussian:
        return MultivariateGaussian(self.posterior.mean, self.noise_covariance)

    @property
    def posterior_mean(self) -> MultivariateGaussian:
        return MultivariateGaussian(self.posterior.mean, self.noise_covariance)

    @property
    def log_evidence(self) -> float:
        """The rows given their mean, and the mean."""
        if self.seen is None or self.weight == 0:
            return 0.0
        n, dim = self.weight, len(self.mean)
        noise = np.linalg.slogdet(2 * np.pi * self.noise_covariance)[1]
        within = -0.5 * (n - 1) * noise - 0.5 * np.trace(np.linalg.solve(self.noise_covariance, self.seen.scatter))
        of_mean = MultivariateGaussian(self.mean, self.covariance + self.noise_covariance / n)
        return float(within - 0.5 * dim * np.log(n) + of_mean.log_density(self.seen.mean))
