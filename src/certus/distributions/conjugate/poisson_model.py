"""Counts with a gamma prior on their rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from certus.distributions.conjugate.conjugate_model import ConjugateModel
from certus.distributions.distribution import number
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import counts
from certus.distributions.gamma_distribution import Gamma
from certus.distributions.negative_binomial_distribution import NegativeBinomial
from certus.distributions.poisson_distribution import Poisson


@dataclass(frozen=True, eq=False)
class PoissonModel(ConjugateModel):
    """Rows that are Poisson counts with rate ``~ Gamma(shape, rate)``: ``shape`` events in ``rate`` rows seen
    before.
    """

    shape: float
    rate: float
    seen: Sums | None = None

    def __post_init__(self) -> None:
        self._store(shape=number("shape", self.shape, low=0), rate=number("rate", self.rate, low=0))

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Sums:
        """The sum, and that of the logarithms of factorials, which the evidence needs."""
        rows, weight = counts(data, weights)
        return Sums.of(weight, rows, gammaln(rows + 1))

    @property
    def posterior(self) -> Gamma:
        events = 0.0 if self.seen is None else float(self.seen.sums[0])
        return Gamma(self.shape + events, self.rate + self.weight)

    @property
    def predictive(self) -> NegativeBinomial:
        return NegativeBinomial(self.posterior.shape, self.posterior.rate)

    def _most_likely(self) -> Poisson:
        return Poisson(self.seen.sums[0] / self.weight)  # type: ignore[union-attr]

    @property
    def map(self) -> Poisson:
        return Poisson(self.posterior.mode)

    @property
    def posterior_mean(self) -> Poisson:
        return Poisson(self.posterior.mean)

    @property
    def log_evidence(self) -> float:
        if self.seen is None:
            return 0.0
        after = self.posterior
        before = self.shape * np.log(self.rate) - gammaln(self.shape)
        return float(before + gammaln(after.shape) - after.shape * np.log(after.rate) - self.seen.sums[1])
