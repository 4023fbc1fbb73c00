"""The beta distribution of a probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import betaln, digamma

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.likelihood_newton import newton_fit
from certus.distributions.estimation.weighted_rows import require_rows, require_values, weighted


@dataclass(frozen=True, eq=False)
class Beta(Univariate):
    """Numbers in [0, 1] with density ``x^(a - 1) (1 - x)^(b - 1) Gamma(a + b) / (Gamma(a) Gamma(b))``.

    What is known of a probability after a - 1 successes and b - 1 failures, if nothing was known before.
    """

    a: float
    b: float
    _law = stats.beta

    def __post_init__(self) -> None:
        self._store(a=number("a", self.a, low=0), b=number("b", self.b, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b}

    @property
    def mode(self) -> float:
        a, b = self.a, self.b
        if a > 1 and b > 1:
            return (a - 1) / (a + b - 2)
        if (a < 1 and b < 1) or a == b == 1:
            return float("nan")
        return float(a > b)

    def kl(self, other: Self) -> float:
        self._same_family(other)
        a, b, c, d = self.a, self.b, other.a, other.b
        expected = (a - c) * digamma(a) + (b - d) * digamma(b) + (c + d - a - b) * digamma(a + b)
        return float(betaln(c, d) - betaln(a, b) + expected)

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        both = digamma(self.a + self.b)
        return {"a": np.log(x) - digamma(self.a) + both, "b": np.log1p(-x) - digamma(self.b) + both}

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        rows, weight = weighted(data, weights)
        require_rows(float(weight.sum()), cls.__name__)
        require_values(rows, lambda x: (x > 0) & (x < 1), "above 0 and below 1")
        mean = float(weight @ rows / weight.sum())
        variance = float(weight @ (rows - mean) ** 2 / weight.sum())
        if not variance > 0:
            raise ValueError("data must hold at least two different numbers, got equal ones.")
        size = max(mean * (1 - mean) / variance - 1, 1e-2)  # the method of moments
        start = np.array([mean * size, (1 - mean) * size])
        return newton_fit(lambda theta: cls(theta[0], theta[1]), ("a", "b"), rows, weight, start)
