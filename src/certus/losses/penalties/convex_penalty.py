"""What a penalty is: a convex function of the coefficients that a solver adds to the loss.

prox(w, t)            the minimizer over v of  |v - w|^2 / 2 + t penalty(v)
conjugate(u)          sup_w  <u, w> - penalty(w)
dual_norm(u)          the dual norm, so that the conjugate is 0 where it is at most the strength
feasible_scale(u)     the largest t <= 1 for which the conjugate of t u is finite
strong_convexity      penalty(w) - strong_convexity |w|^2 / 2 is convex

Coefficients are vectors, or for `MultiTask` matrices. All in double precision.
"""

from __future__ import annotations

import math
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Penalty(Protocol):
    """A convex function of a vector of coefficients."""

    name: ClassVar[str]

    def value(self, w: ArrayLike) -> float:
        """The penalty."""
        ...

    def prox(self, w: ArrayLike, step: float) -> Array:
        """The proximal map."""
        ...

    def conjugate(self, u: ArrayLike) -> float:
        """The Fenchel conjugate; infinity outside its domain."""
        ...


class KnownPenalty:
    """What the penalties of this package share."""

    name: ClassVar[str]

    @property
    def block(self) -> tuple[float, float, bool]:
        """The twin in ``cpp/core/penalties.hpp``: l1, l2, whether negative coefficients are forbidden."""
        return 0.0, 0.0, False

    @property
    def strong_convexity(self) -> float:
        """The ridge part."""
        return 0.0

    def value(self, w: ArrayLike) -> float:
        """The penalty."""
        raise NotImplementedError

    def prox(self, w: ArrayLike, step: float) -> Array:
        """The proximal map."""
        raise NotImplementedError

    def conjugate(self, u: ArrayLike) -> float:
        """The Fenchel conjugate; infinity outside its domain."""
        raise NotImplementedError

    def feasible_scale(self, u: ArrayLike) -> float:
        """The largest factor up to 1 that brings u into the domain of the conjugate; 1 if that is everything."""
        return 1.0 if math.isfinite(self.conjugate(u)) else 0.0


def as_vector(w: ArrayLike) -> Array:
    """Coefficients in double precision."""
    return np.asarray(w, dtype=np.float64)


def soft_threshold(w: Array, amount: float) -> Array:
    """Every coefficient moved towards 0 by an amount, and not past it."""
    return np.sign(w) * np.maximum(np.abs(w) - amount, 0.0)


def scale_into(strength: float, norm: float) -> float:
    """The largest factor up to 1 that brings a dual norm down to a strength."""
    return 1.0 if norm <= strength else strength / norm


def zero_or_infinity(allowed: bool | np.bool_) -> float:
    """The indicator function of convex analysis."""
    return 0.0 if allowed else math.inf


def refuse_negative(name: str, value: float) -> None:
    """Raise if a strength is negative or NaN."""
    if not value >= 0.0:
        raise ValueError(f"{name} must be at least 0, got {value!r}.")
