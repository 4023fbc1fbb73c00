"""The elastic-net penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.penalties.convex_penalty import Array, KnownPenalty, as_vector, refuse_negative, soft_threshold
from certus.losses.penalties.l1 import L1
from certus.losses.penalties.l2 import L2


@dataclass(frozen=True)
class ElasticNet(KnownPenalty):
    """l1 |w|_1 + (l2 / 2) |w|^2."""

    l1: float = 1.0
    l2: float = 1.0

    name: ClassVar[str] = "elastic_net"

    def __post_init__(self) -> None:
        refuse_negative(f"l1 of {type(self).__name__}", self.l1)
        refuse_negative(f"l2 of {type(self).__name__}", self.l2)

    @property
    def block(self) -> tuple[float, float, bool]:
        """A block per coefficient, or per row of a matrix."""
        return self.l1, self.l2, False

    @property
    def strong_convexity(self) -> float:
        """The ridge part."""
        return self.l2

    def value(self, w: ArrayLike) -> float:
        """Sum of the two penalties."""
        return L1(self.l1).value(w) + L2(self.l2).value(w)

    def prox(self, w: ArrayLike, step: float) -> Array:
        """Soft thresholding, then shrinking."""
        return soft_threshold(as_vector(w), step * self.l1) / (1.0 + step * self.l2)

    def conjugate(self, u: ArrayLike) -> float:
        """The value sum_j (|u_j| - l1)_+^2 / (2 l2)."""
        return L2(self.l2).conjugate(np.maximum(np.abs(as_vector(u)) - self.l1, 0.0))

    def feasible_scale(self, u: ArrayLike) -> float:
        """One with a ridge part, else as for L1."""
        return 1.0 if self.l2 > 0.0 else L1(self.l1).feasible_scale(u)
