"""What a loss is: how bad a score f is for a target y, and what convex analysis needs to know about it.

Every loss is a function l(y, f) of arrays of equal length; all but `ZeroOne` are convex in f. Then

    conjugate      l*(y, u) = sup_f  u f - l(y, f)                         (the Fenchel conjugate in f)
    derivative     an element of the subdifferential, at which             l(y, f) + l*(y, l'(y, f)) = f l'(y, f)
    lipschitz      |l(y, f) - l(y, g)| <= lipschitz |f - g|
    smoothness     |l'(y, f) - l'(y, g)| <= smoothness |f - g|

with infinity where there is no such constant. ``range`` holds the least and the largest value that the loss can have.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Loss(Protocol):
    """A loss, row by row."""

    name: ClassVar[str]

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant in f, or infinity."""
        ...

    @property
    def smoothness(self) -> float:
        """Lipschitz constant of the derivative, or infinity."""
        ...

    @property
    def range(self) -> tuple[float, float]:
        """Least and largest possible value."""
        ...

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The loss of every row."""
        ...


class ConvexLoss(Loss, Protocol):
    """A loss that is convex in the score."""

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """A (sub)derivative in f for every row."""
        ...

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The Fenchel conjugate of every row; infinity outside its domain."""
        ...


def residual(y: ArrayLike, f: ArrayLike) -> Array:
    """The difference f - y."""
    return np.asarray(f, dtype=np.float64) - np.asarray(y, dtype=np.float64)


def product(y: ArrayLike, f: ArrayLike) -> Array:
    """The margin y f, for labels y = -1 or 1; also y u for a dual variable."""
    return np.asarray(y, dtype=np.float64) * np.asarray(f, dtype=np.float64)


def where_allowed(allowed: NDArray[np.bool_], value: Array) -> Array:
    """The value where it is allowed, infinity elsewhere."""
    return np.where(allowed, value, np.inf)
