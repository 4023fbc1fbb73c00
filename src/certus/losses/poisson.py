"""The Poisson loss for counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from certus.losses.loss import Array, Targets, product, where_allowed
from certus.losses.positive_mean import MeanLoss


@dataclass(frozen=True)
class Poisson(MeanLoss):
    """l(y, f) = exp(f) - y f + y log y - y for y >= 0: half the Poisson deviance of the mean exp(f).

    Examples
    --------
    >>> from certus.losses import Poisson
    >>> Poisson().value([1.0, 0.0], [0.0, 0.0]).tolist()
    [0.0, 1.0]
    """

    name: ClassVar[str] = "poisson"
    native: ClassVar[str | None] = "poisson"
    power = 1.0
    targets = Targets(least=0.0)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Zero where exp(f) = y."""
        return np.exp(np.asarray(f, dtype=np.float64)) - product(y, f) + self.constant(y)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The value v log v - v - (y log y - y) for v = u + y >= 0."""
        v = np.asarray(u, dtype=np.float64) + np.asarray(y, dtype=np.float64)
        inside = np.maximum(v, 0.0)
        return where_allowed(v >= 0.0, xlogy(inside, inside) - inside - self.constant(y))

    def constant(self, y: ArrayLike) -> Array:
        """The part y log y - y."""
        y = np.asarray(y, dtype=np.float64)
        return np.asarray(xlogy(y, y) - y, dtype=np.float64)
