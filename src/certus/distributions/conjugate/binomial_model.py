"""Counts of successes with a beta prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from scipy.special import betaln, gammaln

from certus.distributions.beta_binomial_distribution import BetaBinomial
from certus.distributions.beta_distribution import Beta
from certus.distributions.binomial_distribution import Binomial
from certus.distributions.conjugate.conjugate_model import ConjugateModel, single_mode
from certus.distributions.distribution import number, whole
from certus.distributions.estimation.statistics import Sums
from certus.distributions.estimation.weighted_rows import counts


@dataclass(frozen=True, eq=False)
class BinomialModel(ConjugateModel):
    """Rows that count successes in ``trials`` trials with probability ``p ~ Beta(a, b)``."""

    trials: int
    a: float = 1.0
    b: float = 1.0
    seen: Sums | None = None

    def __post_init__(self) -> None:
        self._store(
            trials=whole("trials", self.trials, low=1), a=number("a", self.a, low=0), b=number("b", self.b, low=0)
        )

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Sums:
        """The successes, and the logarithms of the binomial coefficients, which the evidence needs."""
        rows, weight = counts(data, weights, high=self.trials)
        coefficients = gammaln(self.trials + 1) - gammaln(rows + 1) - gammaln(self.trials - rows + 1)
        return Sums.of(weight, rows, coefficients)

    @property
    def posterior(self) -> Beta:
        ones = 0.0 if self.seen is None else float(self.seen.sums[0])
        return Beta(self.a + ones, self.b + self.weight * self.trials - ones)

    @property
    def predictive(self) -> BetaBinomial:
        return BetaBinomial(self.trials, self.posterior.a, self.posterior.b)

    def _most_likely(self) -> Binomial:
        return Binomial(self.trials, self.seen.sums[0] / (self.weight * self.trials))  # type: ignore[union-attr]

    @property
    def map(self) -> Binomial:
        return Binomial(self.trials, single_mode(self.posterior.mode, "BinomialModel"))

    @property
    def posterior_mean(self) -> Binomial:
        return Binomial(self.trials, self.posterior.mean)

    @property
    def log_evidence(self) -> float:
        if self.seen is None:
            return 0.0
        return float(self.seen.sums[1] + betaln(self.posterior.a, self.posterior.b) - betaln(self.a, self.b))
