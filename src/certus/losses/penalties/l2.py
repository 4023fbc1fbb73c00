"""The ridge penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.penalties.convex_penalty import Array, KnownPenalty, as_vector, refuse_negative, zero_or_infinity


@dataclass(frozen=True)
class L2(KnownPenalty):
    """(s / 2) |w|^2: the ridge penalty."""

    strength: float = 1.0

    name: ClassVar[str] = "l2"

    def __post_init__(self) -> None:
        refuse_negative("The strength of L2", self.strength)

    @property
    def block(self) -> tuple[float, float, bool]:
        """The ridge part of a block."""
        return 0.0, self.strength, False

    @property
    def strong_convexity(self) -> float:
        """The strength."""
        return self.strength

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
