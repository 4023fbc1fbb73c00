"""The negative binomial distribution: what a Poisson model with a gamma prior predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import digamma

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.likelihood_newton import newton_fit
from certus.distributions.estimation.weighted_rows import counts, require_rows


@dataclass(frozen=True, eq=False)
class NegativeBinomial(Univariate):
    """Counts whose Poisson rate is Gamma(shape, rate): more spread than a Poisson distribution of the same mean.

    ``Gamma(x + shape) / (x! Gamma(shape)) (rate / (rate + 1))^shape (1 / (rate + 1))^x``; with p = rate / (rate + 1) it
    counts the failures before success number ``shape``.
    """

    shape: float
    rate: float
    _law = stats.nbinom
    _discrete = True

    def __post_init__(self) -> None:
        self._store(shape=number("shape", self.shape, low=0), rate=number("rate", self.rate, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"n": self.shape, "p": self.rate / (self.rate + 1)}

    @property
    def mode(self) -> float:
        return float(int((self.shape - 1) / self.rate)) if self.shape > 1 else 0.0

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        return {
            "shape": digamma(x + self.shape) - digamma(self.shape) + np.log(self.rate / (self.rate + 1)),
            "rate": self.shape / self.rate - (self.shape + x) / (self.rate + 1),
        }

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        rows, weight = counts(data, weights)
        require_rows(float(weight.sum()), cls.__name__)
        mean = float(weight @ rows / weight.sum())
        variance = float(weight @ (rows - mean) ** 2 / weight.sum())
        if not variance > mean:
            raise ValueError(
                f"data must vary more than a Poisson distribution, got mean {mean:g} and variance {variance:g}.\n"
                "Hint: the likelihood has no maximum then and approaches that of Poisson.fit(data)."
            )
        rate = mean / (variance - mean)
        start = np.array([mean * rate, rate])
        return newton_fit(lambda theta: cls(theta[0], theta[1]), ("shape", "rate"), rows, weight, start)
