"""The exponential loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, xlogy

from certus.losses.loss import Array, product, where_allowed
from certus.losses.margin import MarginLoss, labels, log_odds


@dataclass(frozen=True)
class Exponential(MarginLoss):
    """l(y, f) = exp(-y f): the loss that AdaBoost descends; estimates half the log-odds.

    Examples
    --------
    >>> from certus.losses import Exponential
    >>> Exponential().value([1.0, -1.0], [0.0, 1.0]).round(4).tolist()
    [1.0, 2.7183]
    """

    name: ClassVar[str] = "exponential"

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Grows exponentially with a negative margin."""
        return np.exp(-product(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Minus y times the loss."""
        return -labels(y) * self.value(y, f)

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The loss itself."""
        return self.value(y, f)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The value t log t - t for t = -v >= 0."""
        t = -product(y, u)
        inside = np.maximum(t, 0.0)
        return where_allowed(t >= 0.0, xlogy(inside, inside) - inside)

    def link(self, prediction: ArrayLike) -> Array:
        """Half the log-odds of a probability."""
        return np.asarray(0.5 * logit(np.asarray(prediction, dtype=np.float64)), dtype=np.float64)

    def inverse_link(self, f: ArrayLike) -> Array:
        """Probability of the label 1."""
        return np.asarray(expit(2.0 * np.asarray(f, dtype=np.float64)), dtype=np.float64)

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Half the log-odds of the labels."""
        return 0.5 * log_odds(y, weights)
