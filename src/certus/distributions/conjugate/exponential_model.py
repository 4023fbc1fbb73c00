"""Waiting times with a gamma prior on their rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from certus.distributions.conjugate.conjugate_model import ConjugateModel
from certus.distributions.distribution import number
from certus.distributions.estimation.statistics import Sums
from certus.distributions.exponential_distribution import Exponential
from certus.distributions.gamma_distribution import Gamma
from certus.distributions.lomax_distribution import Lomax


@dataclass(frozen=True, eq=False)
class ExponentialModel(ConjugateModel):
    """Rows that are exponential with rate ``~ Gamma(shape, rate)``: ``shape`` rows with sum ``rate`` seen before."""

    shape: float
    rate: float
    seen: Sums | None = None

    def __post_init__(self) -> None:
        self._store(shape=number("shape", self.shape, low=0), rate=number("rate", self.rate, low=0))

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Sums:
        return Exponential.statistics(data, weights)

    @property
    def posterior(self) -> Gamma:
        return Gamma(self.shape + self.weight, self.rate + (0.0 if self.seen is None else float(self.seen.sums)))

    @property
    def predictive(self) -> Lomax:
        return Lomax(self.posterior.shape, self.posterior.rate)

    def _most_likely(self) -> Exponential:
        return Exponential.from_statistics(self.seen)  # type: ignore[arg-type]

    @property
    def map(self) -> Exponential:
        if self.posterior.shape <= 1:
            raise ValueError(
                "ExponentialModel.map needs a posterior shape above 1: else its largest density is at rate 0."
            )
        return Exponential(self.posterior.mode)

    @property
    def posterior_mean(self) -> Exponential:
        return Exponential(self.posterior.mean)

    @property
    def log_evidence(self) -> float:
        after = self.posterior
        before = self.shape * np.log(self.rate) - gammaln(self.shape)
        return float(before + gammaln(after.shape) - after.shape * np.log(after.rate))
