"""No penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from certus.losses.penalties.convex_penalty import Array, KnownPenalty, as_vector, zero_or_infinity


@dataclass(frozen=True)
class NoPenalty(KnownPenalty):
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
