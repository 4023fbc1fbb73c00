"""The penalty of several targets that share their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.penalties.convex_penalty import Array, as_vector, scale_into
from certus.losses.penalties.elastic_net_penalty import ElasticNet
from certus.losses.penalties.l2 import L2


@dataclass(frozen=True)
class MultiTask(ElasticNet):
    """l1 sum_j |w_j| + (l2 / 2) |W|^2 for the rows w_j of a matrix (columns of the table x targets).

    A column is used by all targets or by none.
    """

    l2: float = 0.0

    name: ClassVar[str] = "multi_task"

    def value(self, w: ArrayLike) -> float:
        """Lengths of the rows, and the ridge part."""
        return self.l1 * float(_lengths(w).sum()) + L2(self.l2).value(w)

    def prox(self, w: ArrayLike, step: float) -> Array:
        """Every row shortened by the same amount, then shrunk."""
        lengths = _lengths(w)
        kept = np.maximum(1.0 - step * self.l1 / np.where(lengths > 0.0, lengths, 1.0), 0.0)
        return as_vector(w) * kept[:, None] / (1.0 + step * self.l2)

    def dual_norm(self, u: ArrayLike) -> float:
        """The length of the longest row."""
        return float(_lengths(u).max(initial=0.0))

    def conjugate(self, u: ArrayLike) -> float:
        """The value sum_j (|u_j| - l1)_+^2 / (2 l2)."""
        return L2(self.l2).conjugate(np.maximum(_lengths(u) - self.l1, 0.0))

    def feasible_scale(self, u: ArrayLike) -> float:
        """One with a ridge part, else l1 over the dual norm."""
        return 1.0 if self.l2 > 0.0 else scale_into(self.l1, self.dual_norm(u))


def _lengths(w: ArrayLike) -> Array:
    return np.asarray(np.linalg.norm(as_vector(w), axis=1), dtype=np.float64)
