"""Losses of support vector regression: residuals up to epsilon cost nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, KnownLoss, product, residual, where_allowed


@dataclass(frozen=True)
class EpsilonInsensitive(KnownLoss):
    """l(y, f) = (|f - y| - epsilon)_+.

    Examples
    --------
    >>> from certus.losses import EpsilonInsensitive
    >>> EpsilonInsensitive(0.5).value([0.0, 0.0], [0.25, 2.0]).tolist()
    [0.0, 1.5]
    """

    epsilon: float = 0.1

    name: ClassVar[str] = "epsilon_insensitive"
    native: ClassVar[str | None] = "epsilon_insensitive"
    lipschitz = 1.0

    def __post_init__(self) -> None:
        _refuse_negative(self.epsilon)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The excess."""
        return _excess(y, f, self.epsilon)[0]

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The sign of the residual where it is beyond epsilon, else 0."""
        excess, sign = _excess(y, f, self.epsilon)
        return sign * (excess > 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The sum u y + epsilon |u| for |u| <= 1."""
        size = np.abs(np.asarray(u, dtype=np.float64))
        return where_allowed(size <= 1.0, product(y, u) + self.epsilon * size)


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(KnownLoss):
    """l(y, f) = (|f - y| - epsilon)_+^2.

    Examples
    --------
    >>> from certus.losses import SquaredEpsilonInsensitive
    >>> SquaredEpsilonInsensitive(0.5).value([0.0, 0.0], [0.25, 2.0]).tolist()
    [0.0, 2.25]
    """

    epsilon: float = 0.1

    name: ClassVar[str] = "squared_epsilon_insensitive"
    native: ClassVar[str | None] = "squared_epsilon_insensitive"
    smoothness = 2.0

    def __post_init__(self) -> None:
        _refuse_negative(self.epsilon)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The squared excess."""
        return _excess(y, f, self.epsilon)[0] ** 2

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Twice the signed excess."""
        excess, sign = _excess(y, f, self.epsilon)
        return 2.0 * sign * excess

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Two where there is an excess."""
        return np.where(np.abs(residual(y, f)) > self.epsilon, 2.0, 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The sum u^2 / 4 + u y + epsilon |u|."""
        u = np.asarray(u, dtype=np.float64)
        return 0.25 * u**2 + product(y, u) + self.epsilon * np.abs(u)


def _excess(y: ArrayLike, f: ArrayLike, epsilon: float) -> tuple[Array, Array]:
    """The part of |f - y| beyond epsilon, and the sign of f - y."""
    r = residual(y, f)
    return np.maximum(np.abs(r) - epsilon, 0.0), np.sign(r)


def _refuse_negative(epsilon: float) -> None:
    if not epsilon >= 0.0:
        raise ValueError(f"epsilon of an epsilon-insensitive loss must be at least 0, got {epsilon!r}.")
