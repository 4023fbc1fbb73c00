"""The hinge loss of all classes together, which the joint linear machine minimizes (Crammer, Singer 2001)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True)
class JointHinge:
    """l(y, f) = max_k (f_k + [k != y]) - f_y for a class position y and a score per class."""

    name: ClassVar[str] = "joint_hinge"
    lipschitz: ClassVar[float] = math.sqrt(2.0)
    smoothness: ClassVar[float] = math.inf
    range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def value(self, y: Any, f: Any) -> Any:
        """By how much another class comes within 1 of its own."""
        own = np.eye(np.shape(f)[1])[y]
        return (f + 1.0 - own).max(axis=1) - (f * own).sum(axis=1)

    def derivative(self, y: Any, f: Any) -> Any:
        """The indicator of the strongest class minus that of its own."""
        own = np.eye(np.shape(f)[1])[y]
        return np.eye(np.shape(f)[1])[(f + 1.0 - own).argmax(axis=1)] - own

    def conjugate(self, y: Any, u: Any) -> Any:
        """Minus the sum of the other classes' parts, for u plus the indicator a probability vector."""
        own = np.eye(np.shape(u)[1])[y]
        share = u + own
        rounding = 1e-15 * np.shape(u)[1]
        allowed = (share >= -rounding).all(axis=1) & (np.abs(share.sum(axis=1) - 1.0) <= rounding)
        return np.where(allowed, -((1.0 - own) * share).sum(axis=1), np.inf)
