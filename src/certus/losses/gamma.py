"""The gamma loss for positive amounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from certus.losses.loss import Array, Targets, where_allowed
from certus.losses.positive_mean import MeanLoss


@dataclass(frozen=True)
class Gamma(MeanLoss):
    """l(y, f) = f + y exp(-f) - log y - 1 for y > 0: half the gamma deviance of the mean exp(f).

    Examples
    --------
    >>> from certus.losses import Gamma
    >>> Gamma().value([1.0, 2.0], [0.0, 0.0]).round(4).tolist()
    [0.0, 0.3069]
    """

    name: ClassVar[str] = "gamma"
    native: ClassVar[str | None] = "gamma"
    power = 2.0
    targets = Targets(least=0.0, least_allowed=False)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Zero where exp(f) = y."""
        f = np.asarray(f, dtype=np.float64)
        return f + np.asarray(y, dtype=np.float64) * np.exp(-f) + self.constant(y)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The value (1 - u) log((1 - u) / y) - (1 - u) + log y + 1 for u <= 1."""
        v = 1.0 - np.asarray(u, dtype=np.float64)
        inside, y = np.maximum(v, 0.0), np.asarray(y, dtype=np.float64)
        return where_allowed(v >= 0.0, xlogy(inside, inside) - inside * np.log(y) - inside - self.constant(y))

    def constant(self, y: ArrayLike) -> Array:
        """The part -log y - 1."""
        return -1.0 - np.log(np.asarray(y, dtype=np.float64))
