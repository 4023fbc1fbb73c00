"""Coefficients that cannot be negative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.penalties.convex_penalty import Array, KnownPenalty, as_vector, zero_or_infinity


@dataclass(frozen=True)
class NonNegative(KnownPenalty):
    """Zero for w >= 0, else infinity."""

    name: ClassVar[str] = "non_negative"

    @property
    def block(self) -> tuple[float, float, bool]:
        """A block per coefficient."""
        return 0.0, 0.0, True

    def value(self, w: ArrayLike) -> float:
        """The indicator of w >= 0."""
        return zero_or_infinity((as_vector(w) >= 0.0).all())

    def prox(self, w: ArrayLike, step: float) -> Array:
        """The nearest non-negative coefficients."""
        return np.maximum(as_vector(w), 0.0)

    def conjugate(self, u: ArrayLike) -> float:
        """The indicator of u <= 0."""
        return zero_or_infinity((as_vector(u) <= 0.0).all())
