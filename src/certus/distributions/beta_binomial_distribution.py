"""The beta-binomial distribution: what a binomial model with a beta prior predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import digamma

from certus.distributions.distribution import Univariate, number, whole


@dataclass(frozen=True, eq=False)
class BetaBinomial(Univariate):
    """Successes in ``trials`` trials whose common probability is Beta(a, b)."""

    trials: int
    a: float
    b: float
    _law = stats.betabinom
    _discrete = True

    def __post_init__(self) -> None:
        self._store(
            trials=whole("trials", self.trials, low=1), a=number("a", self.a, low=0), b=number("b", self.b, low=0)
        )

    def _arguments(self) -> dict[str, Any]:
        return {"n": self.trials, "a": self.a, "b": self.b}

    def entropy(self) -> float:
        x = np.arange(self.trials + 1)
        return float(-self.density(x) @ self.log_density(x))

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        both = digamma(self.a + self.b) - digamma(self.trials + self.a + self.b)
        return {
            "a": digamma(x + self.a) - digamma(self.a) + both,
            "b": digamma(self.trials - x + self.b) - digamma(self.b) + both,
        }
