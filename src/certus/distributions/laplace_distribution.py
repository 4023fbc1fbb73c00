"""The Laplace distribution."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from certus.distributions.distribution import Univariate, number
from certus.distributions.estimation.weighted_rows import require_rows, weighted
from certus.losses import weighted_quantile


@dataclass(frozen=True, eq=False)
class Laplace(Univariate):
    """Two exponential distributions back to back: density ``exp(-|x - mean| / scale) / (2 scale)``."""

    mean: float = field()
    scale: float
    _law = stats.laplace

    def __post_init__(self) -> None:
        self._store(mean=number("mean", self.mean), scale=number("scale", self.scale, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"loc": self.mean, "scale": self.scale}

    @property
    def mode(self) -> float:
        return self.mean

    def kl(self, other: Self) -> float:
        self._same_family(other)
        distance = abs(self.mean - other.mean)
        spread = self.scale * np.exp(-distance / self.scale) + distance
        return float(np.log(other.scale / self.scale) + spread / other.scale - 1)

    def score(self, x: Any) -> dict[str, Any]:
        distance = np.asarray(x, dtype=np.float64) - self.mean
        return {"mean": np.sign(distance) / self.scale, "scale": (np.abs(distance) / self.scale - 1) / self.scale}

    @classmethod
    def fit(cls, data: Any, weights: ArrayLike | None = None) -> Self:
        """The weighted median, and the mean distance from it."""
        rows, weight = weighted(data, weights)
        require_rows(float(weight.sum()), cls.__name__)
        median = float(weighted_quantile(rows, weight, 0.5))
        return cls(median, float(weight @ np.abs(rows - median) / weight.sum()))
