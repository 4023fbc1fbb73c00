"""Penalties: none, ridge, L1, elastic net, groups, non-negative coefficients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.penalty import Array, as_vector, refuse_negative, soft_threshold, zero_or_infinity


@dataclass(frozen=True)
class NoPenalty:
    """The function 0."""

    name: ClassVar[str] = "none"

    def value(self, w: ArrayLike) -> float:
        """Zero."""
        return 0.0

    def prox(self, w: ArrayLike, step: float) -> Array:
        """The coefficients themselves."""
        return as_vector(w)

    def conjugate(self, u: ArrayLike) -> float:
        """Zero at 0, else infinity."""
        return zero_or_infinity(not as_vector(u).any())


@dataclass(frozen=True)
class L2:
    """(s / 2) |w|^2: the ridge penalty."""

    strength: float = 1.0

    name: ClassVar[str] = "l2"

    def __post_init__(self) -> None:
        refuse_negative("The strength of L2", self.strength)

    def value(self, w: ArrayLike) -> float:
        """Half the squared length times the strength."""
        return 0.5 * self.strength * float(np.sum(as_vector(w) ** 2))

    def prox(self, w: ArrayLike, step: float) -> Array:
        """Shrunk by a common factor."""
        return as_vector(w) / (1.0 + step * self.strength)

    def conjugate(self, u: ArrayLike) -> float:
        """The value |u|^2 / (2 s)."""
        square = float(np.sum(as_vector(u) ** 2))
        return square / (2.0 * self.strength) if self.strength > 0.0 else zero_or_infinity(square == 0.0)


@dataclass(frozen=True)
class L1:
    """s |w|_1: makes coefficients exactly 0."""

    strength: float = 1.0

    name: ClassVar[str] = "l1"

    def __post_init__(self) -> None:
        refuse_negative("The strength of L1", self.strength)

    def value(self, w: ArrayLike) -> float:
        """Sum of sizes times the strength."""
        return self.strength * float(np.abs(as_vector(w)).sum())

    def prox(self, w: ArrayLike, step: float) -> Array:
        """Soft thresholding."""
        return soft_threshold(as_vector(w), step * self.strength)

    def dual_norm(self, u: ArrayLike) -> float:
        """The largest size."""
        return float(np.abs(as_vector(u)).max(initial=0.0))

    def conjugate(self, u: ArrayLike) -> float:
        """Zero where the dual norm is at most the strength."""
        return zero_or_infinity(self.dual_norm(u) <= self.strength)


@dataclass(frozen=True)
class ElasticNet:
    """l1 |w|_1 + (l2 / 2) |w|^2."""

    l1: float = 1.0
    l2: float = 1.0

    name: ClassVar[str] = "elastic_net"

    def __post_init__(self) -> None:
        refuse_negative("l1 of ElasticNet", self.l1)
        refuse_negative("l2 of ElasticNet", self.l2)

    def value(self, w: ArrayLike) -> float:
        """Sum of the two penalties."""
        return L1(self.l1).value(w) + L2(self.l2).value(w)

    def prox(self, w: ArrayLike, step: float) -> Array:
        """Soft thresholding, then shrinking."""
        return soft_threshold(as_vector(w), step * self.l1) / (1.0 + step * self.l2)

    def conjugate(self, u: ArrayLike) -> float:
        """The value sum_j (|u_j| - l1)_+^2 / (2 l2)."""
        return L2(self.l2).conjugate(np.maximum(np.abs(as_vector(u)) - self.l1, 0.0))


@dataclass(frozen=True)
class GroupL2:
    """s sum_g |w_g|: makes whole groups of coefficients exactly 0.

    ``groups`` lists the positions of every group; each position belongs to exactly one.
    """

    groups: Sequence[Sequence[int]]
    strength: float = 1.0

    name: ClassVar[str] = "group"

    def __post_init__(self) -> None:
        refuse_negative("The strength of GroupL2", self.strength)
        positions = sorted(j for group in self.groups for j in group)
        if positions != list(range(len(positions))):
            raise ValueError("The groups must hold every position 0, 1, … exactly once.")

    def value(self, w: ArrayLike) -> float:
        """Sum of the groups' lengths times the strength."""
        return self.strength * sum(self._lengths(as_vector(w)))

    def prox(self, w: ArrayLike, step: float) -> Array:
        """Every group shortened by the same amount, and not past 0."""
        w = as_vector(w)
        out = np.empty_like(w)
        for group, length in zip(self.groups, self._lengths(w), strict=True):
            kept = max(1.0 - step * self.strength / length, 0.0) if length > 0.0 else 0.0
            out[list(group)] = kept * w[list(group)]
        return out

    def dual_norm(self, u: ArrayLike) -> float:
        """The length of the longest group."""
        return max(self._lengths(as_vector(u)), default=0.0)

    def conjugate(self, u: ArrayLike) -> float:
        """Zero where the dual norm is at most the strength."""
        return zero_or_infinity(self.dual_norm(u) <= self.strength)

    def _lengths(self, w: Array) -> list[float]:
        return [math.sqrt(float(np.sum(w[list(group)] ** 2))) for group in self.groups]


@dataclass(frozen=True)
class NonNegative:
    """Zero for w >= 0, else infinity."""

    name: ClassVar[str] = "non_negative"

    def value(self, w: ArrayLike) -> float:
        """The indicator of w >= 0."""
        return zero_or_infinity((as_vector(w) >= 0.0).all())

    def prox(self, w: ArrayLike, step: float) -> Array:
        """The nearest non-negative coefficients."""
        return np.maximum(as_vector(w), 0.0)

    def conjugate(self, u: ArrayLike) -> float:
        """The indicator of u <= 0."""
        return zero_or_infinity((as_vector(u) <= 0.0).all())
