"""Errors as a loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, mean, product
from certus.losses.margin import MarginLoss


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """l(y, f) = 1 if y f <= 0, else 0: the errors. For evaluation: it is neither convex nor continuous.

    Hinge, SquaredHinge, ModifiedHuber, Exponential, and Logistic over log 2 lie above it, so their mean bounds the
    error rate on the same rows.

    Examples
    --------
    >>> from certus.losses import Hinge, ZeroOne
    >>> labels, scores = [1.0, -1.0, 1.0], [0.5, 0.5, 0.0]
    >>> ZeroOne().value(labels, scores).tolist(), Hinge().value(labels, scores).tolist()
    ([0.0, 1.0, 1.0], [0.5, 1.5, 1.0])
    """

    name: ClassVar[str] = "zero_one"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    convex = False

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """One for an error; a score of 0 decides nothing and counts as one."""
        return (product(y, f) <= 0.0).astype(np.float64)

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """The label with more weight."""
        return 1.0 if mean(y, weights) >= 0.0 else -1.0
