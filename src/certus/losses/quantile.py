"""The quantile (pinball) loss and its symmetric case, the absolute loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, KnownLoss, product, residual, where_allowed


@dataclass(frozen=True)
class Quantile(KnownLoss):
    """l(y, f) = q (y - f)_+ + (1 - q) (f - y)_+: estimates the quantile q.

    Examples
    --------
    >>> from certus.losses import Quantile
    >>> Quantile(0.75).value([1.0, 1.0], [0.0, 2.0]).tolist()
    [0.75, 0.25]
    """

    q: float = 0.5

    name: ClassVar[str] = "quantile"
    native: ClassVar[str | None] = "quantile"

    def __post_init__(self) -> None:
        if not 0.0 < self.q < 1.0:
            raise ValueError(f"q must be a number strictly between 0 and 1, got {self.q!r}.")

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

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """The quantile."""
        return weighted_quantile(y, weights, self.q)


@dataclass(frozen=True)
class Absolute(KnownLoss):
    """l(y, f) = |f - y|: estimates the median.

    Examples
    --------
    >>> from certus.losses import Absolute
    >>> Absolute().value([1.0, 1.0], [0.0, 3.0]).tolist()
    [1.0, 2.0]
    """

    name: ClassVar[str] = "absolute"
    aliases: ClassVar[tuple[str, ...]] = ("absolute_error",)
    native: ClassVar[str | None] = "absolute"
    lipschitz = 1.0

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The absolute residual."""
        return np.abs(residual(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The sign of the residual, 0 at the target."""
        return np.sign(residual(y, f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The product u y for |u| <= 1."""
        return where_allowed(np.abs(np.asarray(u, dtype=np.float64)) <= 1.0, product(y, u))

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """The median."""
        return weighted_quantile(y, weights, 0.5)


def weighted_quantile(values: ArrayLike, weights: ArrayLike | None, q: float) -> float:
    """The smallest value with at least the share q of the weight at or below it; averaged where it is exact."""
    values = np.asarray(values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.ones(len(values)) if weights is None else np.asarray(weights)[order])
    wanted, slack = q * reached[-1], 1e-12 * reached[-1]
    index = min(int(np.searchsorted(reached, wanted - slack)), len(values) - 1)
    following = min(index + 1, len(values) - 1)
    chosen = values[order[index]]
    return float(0.5 * (chosen + values[order[following]]) if abs(reached[index] - wanted) <= slack else chosen)
