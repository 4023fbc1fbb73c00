"""Losses of the margin m = y f for labels y = -1 or 1; dual variables appear as v = y u."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from certus.losses.loss import Array, product, where_allowed


def _labels(y: ArrayLike) -> Array:
    return np.asarray(y, dtype=np.float64)


@dataclass(frozen=True)
class Hinge:
    """l(y, f) = (1 - y f)_+: the loss of support vector machines.

    Examples
    --------
    >>> from certus.losses import Hinge
    >>> Hinge().value([1.0, 1.0, -1.0], [2.0, 0.5, 0.5]).tolist()
    [0.0, 0.5, 1.5]
    """

    name: ClassVar[str] = "hinge"
    lipschitz: ClassVar[float] = 1.0
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """What the margin lacks to 1."""
        return np.maximum(1.0 - product(y, f), 0.0)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The value -y where the margin is below 1, else 0."""
        return -_labels(y) * (product(y, f) < 1.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The value v for -1 <= v <= 0."""
        v = product(y, u)
        return where_allowed((v >= -1.0) & (v <= 0.0), v)


@dataclass(frozen=True)
class SquaredHinge:
    """l(y, f) = (1 - y f)_+^2.

    Examples
    --------
    >>> from certus.losses import SquaredHinge
    >>> SquaredHinge().value([1.0, 1.0, -1.0], [2.0, 0.5, 0.5]).tolist()
    [0.0, 0.25, 2.25]
    """

    name: ClassVar[str] = "squared_hinge"
    lipschitz: ClassVar[float] = math.inf
    smoothness: ClassVar[float] = 2.0
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The square of what the margin lacks to 1."""
        return np.maximum(1.0 - product(y, f), 0.0) ** 2

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Minus 2 y times what the margin lacks."""
        return -2.0 * _labels(y) * np.maximum(1.0 - product(y, f), 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The quadratic v + v^2 / 4 for v <= 0."""
        v = product(y, u)
        return where_allowed(v <= 0.0, v + 0.25 * v**2)


@dataclass(frozen=True)
class Perceptron:
    """l(y, f) = (-y f)_+: what Rosenblatt's rule descends.

    Examples
    --------
    >>> from certus.losses import Perceptron
    >>> Perceptron().value([1.0, -1.0], [0.5, 0.5]).tolist()
    [0.0, 0.5]
    """

    name: ClassVar[str] = "perceptron"
    lipschitz: ClassVar[float] = 1.0
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The size of a negative margin."""
        return np.maximum(-product(y, f), 0.0)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The value -y where the margin is not positive, so that learning can leave the score 0."""
        return -_labels(y) * (product(y, f) <= 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """Zero for -1 <= v <= 0."""
        v = product(y, u)
        return where_allowed((v >= -1.0) & (v <= 0.0), np.zeros_like(v))


@dataclass(frozen=True)
class Exponential:
    """l(y, f) = exp(-y f): the loss that AdaBoost descends.

    Examples
    --------
    >>> from certus.losses import Exponential
    >>> Exponential().value([1.0, -1.0], [0.0, 1.0]).round(4).tolist()
    [1.0, 2.7183]
    """

    name: ClassVar[str] = "exponential"
    lipschitz: ClassVar[float] = math.inf
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Grows exponentially with a negative margin."""
        return np.exp(-product(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Minus y times the loss."""
        return -_labels(y) * self.value(y, f)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The value t log t - t for t = -v >= 0."""
        t = -product(y, u)
        inside = np.maximum(t, 0.0)
        return where_allowed(t >= 0.0, xlogy(inside, inside) - inside)


@dataclass(frozen=True)
class ZeroOne:
    """l(y, f) = 1 if y f <= 0, else 0: the errors. For evaluation: it is neither convex nor continuous.

    Examples
    --------
    >>> from certus.losses import ZeroOne
    >>> ZeroOne().value([1.0, -1.0, 1.0], [0.5, 0.5, 0.0]).tolist()
    [0.0, 1.0, 1.0]
    """

    name: ClassVar[str] = "zero_one"
    lipschitz: ClassVar[float] = math.inf
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """One for an error; a score of 0 decides nothing and counts as one."""
        return (product(y, f) <= 0.0).astype(np.float64)
