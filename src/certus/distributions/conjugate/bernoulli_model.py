"""Bernoulli trials with a beta prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from scipy.special import betaln

from certus.distributions.bernoulli_distribution import Bernoulli
from certus.distributions.beta_distribution import Beta
from certus.distributions.conjugate.conjugate_model import ConjugateModel, single_mode
from certus.distributions.distribution import number
from certus.distributions.estimation.statistics import Sums


@dataclass(frozen=True, eq=False)
class BernoulliModel(ConjugateModel):
    """Rows of 0 and 1 with probability ``p ~ Beta(a, b)``: a and b count as successes and failures seen before.

    Examples
    --------
    >>> from certus.distributions import BernoulliModel
    >>> coin = BernoulliModel().update([1, 1, 0, 0, 0, 1, 1])
    >>> coin.ml, coin.predictive
    (Bernoulli(p=0.5714285714285714), Bernoulli(p=0.5555555555555556))
    """

    a: float = 1.0
    b: float = 1.0
    seen: Sums | None = None

    def __post_init__(self) -> None:
        self._store(a=number("a", self.a, low=0), b=number("b", self.b, low=0))

    def _statistics(self, data: Any, weights: ArrayLike | None) -> Sums:
        return Bernoulli.statistics(data, weights)

    @property
    def posterior(self) -> Beta:
        ones = 0.0 if self.seen is None else float(self.seen.sums)
        return Beta(self.a + ones, self.b + self.weight - ones)

    @property
    def predictive(self) -> Bernoulli:
        return Bernoulli(self.posterior.mean)

    def _most_likely(self) -> Bernoulli:
        return Bernoulli.from_statistics(self.seen)  # type: ignore[arg-type]

    @property
    def map(self) -> Bernoulli:
        return Bernoulli(single_mode(self.posterior.mode, "BernoulliModel"))

    @property
    def posterior_mean(self) -> Bernoulli:
        return Bernoulli(self.posterior.mean)

    @property
    def log_evidence(self) -> float:
        return float(betaln(self.posterior.a, self.posterior.b) - betaln(self.a, self.b))
