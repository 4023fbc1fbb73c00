"""The inverse gamma distribution: of 1 / X for X of a gamma distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import digamma

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.weighted_rows import require_values, weighted
from certus.distributions.gamma_distribution import Gamma


@dataclass(frozen=True, eq=False)
class InverseGamma(Univariate):
    """Positive numbers with density ``scale^shape x^(-shape - 1) exp(-scale / x) / Gamma(shape)``."""

    shape: float
    scale: float
    _law = stats.invgamma

    def __post_init__(self) -> None:
        self._store(shape=number("shape", self.shape, low=0), scale=number("scale", self.scale, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"a": self.shape, "scale": self.scale}

    @property
    def mode(self) -> float:
        return self.scale / (self.shape + 1)

    def kl(self, other: Self) -> float:
        self._same_family(other)  # the map x -> 1 / x leaves the divergence as it is
        return Gamma(self.shape, self.scale).kl(Gamma(other.shape, other.scale))

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        return {"shape": np.log(self.scale / x) - digamma(self.shape), "scale": self.shape / self.scale - 1 / x}

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        rows, weight = weighted(data, weights)
        require_values(rows, lambda x: x > 0, "positive")
        found = Gamma.fit(1 / rows, weight)
        return cls(found.shape, found.rate)
