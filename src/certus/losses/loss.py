"""What a loss is: how bad a score f is for a target y, and what convex analysis needs to know about it.

Every loss is a function l(y, f) of arrays of equal length; all but `ZeroOne` and some Tweedie losses are convex in f.

    conjugate         l*(y, u) = sup_f  u f - l(y, f)                         (the Fenchel conjugate in f)
    derivative        an element of the subdifferential, at which             l(y, f) + l*(y, l'(y, f)) = f l'(y, f)
    curvature         the second derivative where it exists, one of its limits elsewhere
    lipschitz         |l(y, f) - l(y, g)| <= lipschitz |f - g|
    smoothness        |l'(y, f) - l'(y, g)| <= smoothness |f - g|
    strong_convexity  l(y, f) - strong_convexity f^2 / 2 is convex in f

with infinity where there is no such constant. ``range`` holds the least and the largest value that the loss can have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Loss(Protocol):
    """A loss, row by row."""

    @property
    def name(self) -> str:
        """Its name in parameters and records."""
        ...

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
    """A loss that is convex in the score: all that kernel machines ask of a loss of one's own."""

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """A (sub)derivative in f for every row."""
        ...

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The Fenchel conjugate of every row; infinity outside its domain."""
        ...


@dataclass(frozen=True)
class Targets:
    """The targets that a loss allows: numbers from ``least`` on, and if ``only`` is given these numbers alone."""

    least: float = -math.inf
    least_allowed: bool = True
    only: tuple[float, ...] | None = None

    def first_outside(self, y: ArrayLike) -> int | None:
        """Row of the target that is farthest outside, or None."""
        y = np.asarray(y, dtype=np.float64)
        if self.only is not None:
            outside = np.flatnonzero(~np.isin(y, self.only))
            return int(outside[0]) if len(outside) else None
        row = int(np.argmin(y))
        return None if y[row] > self.least or (self.least_allowed and y[row] == self.least) else row

    def __str__(self) -> str:
        if self.only is not None:
            return " or ".join(f"{number:g}" for number in self.only)
        if math.isinf(self.least):
            return "any number"
        return f"{'at least' if self.least_allowed else 'greater than'} {self.least:g}"


class KnownLoss:
    """What the losses of this package share: defaults, targets, links, the best constant score.

    ``native`` is the name of the twin in ``cpp/core/losses.hpp``, ``aliases`` are scikit-learn's names.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    native: ClassVar[str | None] = None
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)
    strong_convexity: ClassVar[float] = 0.0

    @property
    def targets(self) -> Targets:
        """The targets for which the loss is defined."""
        return Targets()

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant in f, or infinity."""
        return math.inf

    @property
    def smoothness(self) -> float:
        """Lipschitz constant of the derivative, or infinity."""
        return math.inf

    @property
    def convex(self) -> bool:
        """Whether the loss is convex in the score."""
        return True

    @property
    def parameter(self) -> float:
        """The number that the loss depends on (epsilon, a quantile, a power); 0 if it has none."""
        return float(next(iter(vars(self).values()), 0.0))

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The loss of every row."""
        raise NotImplementedError

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """A (sub)derivative in f for every row."""
        raise NotImplementedError

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The second derivative in f: 0 for piecewise linear losses."""
        return np.zeros(np.shape(f))

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The Fenchel conjugate of every row; infinity outside its domain."""
        raise NotImplementedError

    def constant(self, y: ArrayLike) -> Array:
        """What the native twin leaves out of the value, since it does not depend on the score."""
        return np.zeros(np.shape(y))

    def from_codes(self, codes: ArrayLike) -> Any:
        """The targets for numbers of classes 0, 1, …, or for numbers as they are."""
        return np.asarray(codes, dtype=np.float64)

    def link(self, prediction: ArrayLike) -> Array:
        """The score that stands for a prediction."""
        return np.asarray(prediction, dtype=np.float64)

    def inverse_link(self, f: ArrayLike) -> Array:
        """The prediction that a score stands for."""
        return np.asarray(f, dtype=np.float64)

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> Any:
        """The score with the least total loss if all rows get the same one."""
        y = np.asarray(y, dtype=np.float64)
        return self._root_of_slope(y, weights, float(y.min()), float(y.max()))

    def null(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """The total loss of the best constant score."""
        y = np.asarray(y)
        scores = np.broadcast_to(self.best_constant(y, weights), (len(y), *np.shape(self.best_constant(y, weights))))
        losses = self.value(y, scores)
        return float(losses.sum() if weights is None else np.asarray(weights) @ losses)

    def _root_of_slope(self, y: Array, weights: ArrayLike | None, low: float, high: float) -> float:
        """A score at which the total slope changes its sign, by bisection: it rises with the score."""
        weights = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)
        for _ in range(200):
            middle = 0.5 * (low + high)
            slope = float(weights @ self.derivative(y, np.full(len(y), middle)))
            if slope == 0.0 or not low < middle < high:
                break
            low, high = (low, middle) if slope > 0.0 else (middle, high)
        return middle


def mean(y: ArrayLike, weights: ArrayLike | None) -> float:
    """Weighted mean of the targets."""
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    return float(np.average(np.asarray(y, dtype=np.float64), weights=weights))


def residual(y: ArrayLike, f: ArrayLike) -> Array:
    """The difference f - y, taken in the precision of the two before it is rounded."""
    return np.asarray(np.subtract(f, y), dtype=np.float64)


def product(y: ArrayLike, f: ArrayLike) -> Array:
    """The margin y f, for labels y = -1 or 1; also y u for a dual variable."""
    return np.asarray(y, dtype=np.float64) * np.asarray(f, dtype=np.float64)


def where_allowed(allowed: NDArray[np.bool_], value: Array) -> Array:
    """The value where it is allowed, infinity elsewhere."""
    return np.where(allowed, value, np.inf)
