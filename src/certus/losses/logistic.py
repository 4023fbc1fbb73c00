"""The logistic loss of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, xlogy

from certus.losses.loss import Array, product, where_allowed
from certus.losses.margin import MarginLoss, labels, log_odds


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """l(y, f) = log(1 + exp(-y f)) for labels y = -1 or 1: estimates log-odds.

    Examples
    --------
    >>> from certus.losses import Logistic
    >>> Logistic().value([1.0], [0.0]).round(4).tolist(), Logistic().derivative([1.0], [0.0]).tolist()
    ([0.6931], [-0.5])
    """

    name: ClassVar[str] = "logistic"
    aliases: ClassVar[tuple[str, ...]] = ("log_loss",)
    native: ClassVar[str | None] = "logistic"
    lipschitz = 1.0
    smoothness = 0.25

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Overflow-free for every score."""
        return np.logaddexp(0.0, -product(y, f))

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Minus y times the probability of the other class."""
        return -labels(y) * expit(-product(y, f))

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Product of the two probabilities."""
        margin = product(y, f)
        return np.asarray(expit(margin) * expit(-margin), dtype=np.float64)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The negative entropy t log t + (1 - t) log(1 - t) of t = -u y in [0, 1]."""
        t = -product(y, u)
        inside = np.clip(t, 0.0, 1.0)
        return where_allowed(t == inside, xlogy(inside, inside) + xlogy(1.0 - inside, 1.0 - inside))

    def link(self, prediction: ArrayLike) -> Array:
        """Log-odds of a probability."""
        return np.asarray(logit(np.asarray(prediction, dtype=np.float64)), dtype=np.float64)

    def inverse_link(self, f: ArrayLike) -> Array:
        """Probability of the label 1."""
        return np.asarray(expit(np.asarray(f, dtype=np.float64)), dtype=np.float64)

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """Log-odds of the labels."""
        return log_odds(y, weights)
