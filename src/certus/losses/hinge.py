"""Losses that a large margin makes 0: the hinge, its square, Zhang's mixture of both, and the perceptron's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, product, where_allowed
from certus.losses.margin import MarginLoss, labels


@dataclass(frozen=True)
class Hinge(MarginLoss):
    """l(y, f) = (1 - y f)_+: the loss of support vector machines.

    Examples
    --------
    >>> from certus.losses import Hinge
    >>> Hinge().value([1.0, 1.0, -1.0], [2.0, 0.5, 0.5]).tolist()
    [0.0, 0.5, 1.5]
    """

    name: ClassVar[str] = "hinge"
    native: ClassVar[str | None] = "hinge"
    lipschitz = 1.0

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """What the margin lacks to 1."""
        return np.maximum(1.0 - product(y, f), 0.0)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The value -y where the margin is below 1, else 0."""
        return -labels(y) * (product(y, f) < 1.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The value v for -1 <= v <= 0."""
        v = product(y, u)
        return where_allowed((v >= -1.0) & (v <= 0.0), v)


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """l(y, f) = (1 - y f)_+^2.

    Examples
    --------
    >>> from certus.losses import SquaredHinge
    >>> SquaredHinge().value([1.0, 1.0, -1.0], [2.0, 0.5, 0.5]).tolist()
    [0.0, 0.25, 2.25]
    """

    name: ClassVar[str] = "squared_hinge"
    native: ClassVar[str | None] = "squared_hinge"
    smoothness = 2.0

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The square of what the margin lacks to 1."""
        return np.maximum(1.0 - product(y, f), 0.0) ** 2

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Minus 2 y times what the margin lacks."""
        return -2.0 * labels(y) * np.maximum(1.0 - product(y, f), 0.0)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Two where the margin is below 1."""
        return np.where(product(y, f) < 1.0, 2.0, 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The quadratic v + v^2 / 4 for v <= 0."""
        v = product(y, u)
        return where_allowed(v <= 0.0, v + 0.25 * v**2)


@dataclass(frozen=True)
class ModifiedHuber(MarginLoss):
    """l(y, f) = (1 - y f)_+^2 for y f >= -1, else -4 y f (Zhang 2004): gives probabilities (1 + f) / 2, clipped.

    Examples
    --------
    >>> from certus.losses import ModifiedHuber
    >>> ModifiedHuber().value([1.0, 1.0, 1.0], [2.0, 0.0, -3.0]).tolist()
    [0.0, 1.0, 12.0]
    """

    name: ClassVar[str] = "modified_huber"
    native: ClassVar[str | None] = "modified_huber"
    lipschitz = 4.0
    smoothness = 2.0

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Quadratic from the margin -1 on, linear below."""
        margin = product(y, f)
        return np.where(margin >= -1.0, np.maximum(1.0 - margin, 0.0) ** 2, -4.0 * margin)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Minus 2 y times what the margin lacks, at most 2."""
        return -2.0 * labels(y) * np.clip(1.0 - product(y, f), 0.0, 2.0)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Two where the margin is between -1 and 1."""
        return np.where(np.abs(product(y, f)) < 1.0, 2.0, 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The quadratic v + v^2 / 4 for -4 <= v <= 0."""
        v = product(y, u)
        return where_allowed((v >= -4.0) & (v <= 0.0), v + 0.25 * v**2)

    def inverse_link(self, f: ArrayLike) -> Array:
        """Probability of the label 1."""
        return (np.clip(np.asarray(f, dtype=np.float64), -1.0, 1.0) + 1.0) / 2.0

    def link(self, prediction: ArrayLike) -> Array:
        """The score of a probability."""
        return 2.0 * np.asarray(prediction, dtype=np.float64) - 1.0


@dataclass(frozen=True)
class Perceptron(MarginLoss):
    """l(y, f) = (-y f)_+: what Rosenblatt's rule descends.

    Examples
    --------
    >>> from certus.losses import Perceptron
    >>> Perceptron().value([1.0, -1.0], [0.5, 0.5]).tolist()
    [0.0, 0.5]
    """

    name: ClassVar[str] = "perceptron"
    native: ClassVar[str | None] = "perceptron"
    lipschitz = 1.0

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The size of a wrong score."""
        return np.maximum(-product(y, f), 0.0)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The value -y where the margin is not positive, so that learning can leave the score 0."""
        return -labels(y) * (product(y, f) <= 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """Zero for -1 <= v <= 0."""
        v = product(y, u)
        return where_allowed((v >= -1.0) & (v <= 0.0), np.zeros_like(v))
