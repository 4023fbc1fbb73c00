"""The Poisson loss for counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from certus.losses.loss import Array, product, where_allowed


@dataclass(frozen=True)
class Poisson:
    """l(y, f) = exp(f) - y f + y log y - y for y >= 0: half the Poisson deviance of the mean exp(f).

    Examples
    --------
    >>> from certus.losses import Poisson
    >>> Poisson().value([1.0, 0.0], [0.0, 0.0]).tolist()
    [0.0, 1.0]
    """

    name: ClassVar[str] = "poisson"
    lipschitz: ClassVar[float] = math.inf
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Zero where exp(f) = y."""
        return np.exp(np.asarray(f, dtype=np.float64)) - product(y, f) + _constant(y)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Predicted minus observed count."""
        return np.exp(np.asarray(f, dtype=np.float64)) - np.asarray(y, dtype=np.float64)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The value v log v - v - (y log y - y) for v = u + y >= 0."""
        v = np.asarray(u, dtype=np.float64) + np.asarray(y, dtype=np.float64)
        inside = np.maximum(v, 0.0)
        return where_allowed(v >= 0.0, xlogy(inside, inside) - inside - _constant(y))


def _constant(y: ArrayLike) -> Array:
    y = np.asarray(y, dtype=np.float64)
    return np.asarray(xlogy(y, y) - y, dtype=np.float64)
