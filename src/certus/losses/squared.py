"""The squared loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, KnownLoss, mean, product, residual


@dataclass(frozen=True)
class Squared(KnownLoss):
    """l(y, f) = (f - y)^2 / 2: estimates the mean.

    Examples
    --------
    >>> from certus.losses import Squared
    >>> Squared().value([0.0, 1.0], [3.0, 1.0]).tolist(), Squared().derivative([0.0], [3.0]).tolist()
    ([4.5, 0.0], [3.0])
    """

    name: ClassVar[str] = "squared"
    aliases: ClassVar[tuple[str, ...]] = ("squared_error",)
    native: ClassVar[str | None] = "squared"
    smoothness = 1.0
    strong_convexity: ClassVar[float] = 1.0

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Half the squared residual."""
        return 0.5 * residual(y, f) ** 2

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The residual f - y."""
        return residual(y, f)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """One everywhere."""
        return np.ones(np.shape(f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The quadratic u^2 / 2 + u y."""
        return 0.5 * np.square(np.asarray(u, dtype=np.float64)) + product(y, u)

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """The mean."""
        return mean(y, weights)
