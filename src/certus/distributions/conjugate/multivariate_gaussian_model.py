"""Normal vectors with unknown mean and covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import multigammaln

from certus.distributions.conjugate.conjugate_model import ConjugateModel
from certus.distributions.distribution import number, positive_definite, vector
from certus.distributions.estimation.statistics import Moments
from certus.distributions.multivariate_gaussian_distribution import MultivariateGaussian
from certus.distributions.multivariate_t_distribution import MultivariateT
from certus.distributions.normal_inverse_wishart_distribution import NormalInverseWishart
from certus.distributions.probability_input import Floats


@dataclass(frozen=True, eq=False)
class MultivariateGaussianModel(ConjugateModel):
    """Rows ``N(mu, S)`` with ``mu ~ N(mean, S / strength)`` and ``S ~ InverseWishart(df, scale)``."""

    mean: Floats
    strength: float
    df: float
    scale: Floats
    seen: Moments | None = None

    def __post_init__(self) -> None:
        mean = vector("mean", self.mean)
        self._store(
            mean=mean,
            strength=number("strength", self.strength, low=0),
            df=number("df", self.df, low=len(mean) - 1),
            scale=positive_definite("scale", self.scale, len(mean)),
        )

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Moments:
        found = Moments.of(data, weights)
        if len(found.mean) != len(self.mean):
            raise ValueError(f"data must have {len(self.mean)} columns, got {len(found.mean)}.")
        return found

    @property
    def posterior(self) -> NormalInverseWishart:
        if self.seen is None:
            return NormalInverseWishart(self.mean, self.strength, self.df, self.scale)
        n, shift = self.weight, self.seen.mean - self.mean
        strength = self.strength + n
        scale = self.scale + self.seen.scatter + np.outer(shift, shift) * (self.strength * n / strength)
        return NormalInverseWishart(self.mean + shift * (n / strength), strength, self.df + n, scale)

    @property
    def predictive(self) -> MultivariateT:
        after = self.posterior
        free = after.df - len(self.mean) + 1
        return MultivariateT(free, after.location, after.scale * ((after.strength + 1) / (after.strength * free)))

    def _most_likely(self) -> MultivariateGaussian:
        return MultivariateGaussian.from_statistics(self.seen)  # type: ignore[arg-type]

    @property
    def map(self) -> MultivariateGaussian:
        return MultivariateGaussian(*self.posterior.mode)

    @property
    def posterior_mean(self) -> MultivariateGaussian:
        after = self.posterior
        return MultivariateGaussian(after.location, after.of_covariance.mean)

    @property
    def log_evidence(self) -> float:
        after, dim = self.posterior, len(self.mean)
        gammas = multigammaln(after.df / 2, dim) - multigammaln(self.df / 2, dim)
        scales = self.df * np.linalg.slogdet(self.scale)[1] - after.df * np.linalg.slogdet(after.scale)[1]
        strengths = dim / 2 * np.log(self.strength / after.strength)
        return float(gammas + 0.5 * scales + strengths - 0.5 * self.weight * dim * np.log(np.pi))
