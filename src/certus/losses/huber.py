"""The Huber loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, KnownLoss, product, residual, where_allowed


@dataclass(frozen=True)
class Huber(KnownLoss):
    """l(y, f) = r^2 / 2 for |r| <= delta, else delta |r| - delta^2 / 2, with r = f - y.

    Estimates a mean that outliers cannot drag.

    Examples
    --------
    >>> from certus.losses import Huber
    >>> Huber(1.0).value([0.0, 0.0], [0.5, 3.0]).tolist()
    [0.125, 2.5]
    """

    delta: float = 1.35

    name: ClassVar[str] = "huber"
    native: ClassVar[str | None] = "huber"
    smoothness = 1.0

    def __post_init__(self) -> None:
        if not self.delta > 0.0:
            raise ValueError(f"delta of the Huber loss must be above 0, got {self.delta!r}.")

    @property
    def lipschitz(self) -> float:
        """The slope of the linear parts."""
        return self.delta

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Quadratic near the target, linear far from it."""
        size = np.abs(residual(y, f))
        near = np.minimum(size, self.delta)
        return near * (size - 0.5 * near)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The residual, clipped at delta."""
        return np.clip(residual(y, f), -self.delta, self.delta)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """One within delta of the target, 0 beyond."""
        return (np.abs(residual(y, f)) <= self.delta).astype(np.float64)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """That of the squared loss for |u| <= delta."""
        u = np.asarray(u, dtype=np.float64)
        return where_allowed(np.abs(u) <= self.delta, 0.5 * u**2 + product(y, u))
