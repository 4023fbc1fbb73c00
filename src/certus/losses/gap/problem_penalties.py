"""Penalties that only checks of gaps need: a norm of functions, and coefficients that cannot be negative."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from certus.losses import Penalty


@dataclass(frozen=True)
class KernelNorm:
    """The penalty (strength / 2) |f|^2 of a function f = sum_j c_j k(x_j, .), written in terms of c."""

    K: Any
    strength: float

    name: ClassVar[str] = "kernel_norm"

    def value(self, w: Any) -> float:
        """Half the squared norm times the strength."""
        return 0.5 * self.strength * self.square(w)

    def conjugate(self, u: Any) -> float:
        """The squared norm over twice the strength, of a function in the same terms."""
        return self.square(u) / (2.0 * self.strength)

    def prox(self, w: Any, step: float) -> Any:
        """Shrunk by a common factor."""
        return w / (1.0 + step * self.strength)

    def square(self, c: Any) -> float:
        """The squared norm, of all outputs together."""
        return max(float(np.vdot(c, self.K @ c)), 0.0)


@dataclass(frozen=True)
class Positive:
    """A penalty that grows with the size of every coefficient, for coefficients that cannot be negative."""

    penalty: Penalty

    name: ClassVar[str] = "positive"

    def value(self, w: Any) -> float:
        """Infinite if a coefficient is negative."""
        return self.penalty.value(w) if (np.asarray(w) >= 0.0).all() else math.inf

    def conjugate(self, u: Any) -> float:
        """Only positive parts count."""
        return self.penalty.conjugate(np.maximum(u, 0.0))

    def prox(self, w: Any, step: float) -> Any:
        """That of the positive parts."""
        return self.penalty.prox(np.maximum(w, 0.0), step)
