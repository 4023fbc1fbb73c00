"""What losses of the margin m = y f share, for labels y = -1 or 1; dual variables appear as v = y u."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, KnownLoss, Targets, mean


class MarginLoss(KnownLoss):
    """A loss of two classes."""

    targets = Targets(only=(-1.0, 1.0))

    def from_codes(self, codes: ArrayLike) -> Array:
        """Minus 1 for the class 0, 1 for the class 1."""
        return 2.0 * np.asarray(codes, dtype=np.float64) - 1.0

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Between -1 and 1 for all losses that have no other rule."""
        return self._root_of_slope(labels(y), weights, -1.0, 1.0)


def labels(y: ArrayLike) -> Array:
    """Labels in double precision."""
    return np.asarray(y, dtype=np.float64)


def log_odds(y: ArrayLike, weights: ArrayLike | None) -> float:
    """Logarithm of the weight of the label 1 over that of -1; infinite if one of them is missing."""
    share = mean(labels(y) > 0.0, weights)
    with np.errstate(divide="ignore"):
        return float(np.log(share) - np.log1p(-share))
