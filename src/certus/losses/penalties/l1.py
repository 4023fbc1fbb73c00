"""The L1 penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.penalties.convex_penalty import (
    Array,
    KnownPenalty,
    as_vector,
    refuse_negative,
    scale_into,
    soft_threshold,
    zero_or_infinity,
)


@dataclass(frozen=True)
class L1(KnownPenalty):
    """s |w|_1: makes coefficients exactly 0."""

    strength: float = 1.0

    name: ClassVar[str] = "l1"

    def __post_init__(self) -> None:
        refuse_negative("The strength of L1", self.strength)

    @property
    def block(self) -> tuple[float, float, bool]:
        """A block per coefficient."""
        return self.strength, 0.0, False

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

    def feasible_scale(self, u: ArrayLike) -> float:
        """The strength over the dual norm."""
        return scale_into(self.strength, self.dual_norm(u))
