"""The Lomax distribution: what an exponential model with a gamma prior predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from certus.distributions.distribution import Univariate, number


@dataclass(frozen=True, eq=False)
class Lomax(Univariate):
    """Positive numbers with a heavy tail: density ``(shape / scale) (1 + x / scale)^(-shape - 1)``."""

    shape: float
    scale: float
    _law = stats.lomax

    def __post_init__(self) -> None:
        self._store(shape=number("shape", self.shape, low=0), scale=number("scale", self.scale, low=0))

    def _arguments(self) -> dict[str, Any]:
        return {"c": self.shape, "scale": self.scale}

    @property
    def mode(self) -> float:
        return 0.0

    def score(self, x: Any) -> dict[str, Any]:
        x = np.asarray(x, dtype=np.float64)
        return {
            "shape": 1 / self.shape - np.log1p(x / self.scale),
            "scale": (self.shape * x - self.scale) / (self.scale * (self.scale + x)),
        }
