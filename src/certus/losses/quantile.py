"""The quantile (pinball) loss and its symmetric case, the absolute loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, product, residual, where_allowed


@dataclass(frozen=True)
class Quantile:
    """l(y, f) = q (y - f)_+ + (1 - q) (f - y)_+: estimates the quantile q.

    Examples
    --------
    >>> from certus.losses import Quantile
    >>> Quantile(0.75).value([1.0, 1.0], [0.0, 2.0]).tolist()
    [0.75, 0.25]
    """

    q: float = 0.5

    name: ClassVar[str] = "quantile"
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        if not 0.0 < self.q < 1.0:
            raise ValueError(f"The quantile q must lie strictly between 0 and 1. Got {self.q!r} instead.")

    @property
    def lipschitz(self) -> float:
        """The steeper of the two slopes."""
        return max(self.q, 1.0 - self.q)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The tilted absolute residual."""
        r = residual(y, f)
        return np.maximum((1.0 - self.q) * r, -self.q * r)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The slope 1 - q above the target, -q below, 0 at it."""
        r = residual(y, f)
        return np.where(r > 0.0, 1.0 - self.q, np.where(r < 0.0, -self.q, 0.0))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The product u y for -q <= u <= 1 - q."""
        u = np.asarray(u, dtype=np.float64)
        return where_allowed((u >= -self.q) & (u <= 1.0 - self.q), product(y, u))


@dataclass(frozen=True)
class Absolute:
    """l(y, f) = |f - y|: estimates the median.

    Examples
    --------
    >>> from certus.losses import Absolute
    >>> Absolute().value([1.0, 1.0], [0.0, 3.0]).tolist()
    [1.0, 2.0]
    """

    name: ClassVar[str] = "absolute"
    lipschitz: ClassVar[float] = 1.0
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The absolute residual."""
        return np.abs(residual(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The sign of the residual, 0 at the target."""
        return np.sign(residual(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The product u y for |u| <= 1."""
        return where_allowed(np.abs(np.asarray(u, dtype=np.float64)) <= 1.0, product(y, u))
