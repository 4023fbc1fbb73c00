"""What losses of a positive mean mu = exp(f) share: half the deviance of a Tweedie distribution of power p.

    l(y, f) = mu^(2-p) / (2-p) - y mu^(1-p) / (1-p) + constant(y),        l'(y, f) = mu^(2-p) - y mu^(1-p)

with limits for p = 1 (Poisson) and p = 2 (gamma). The constant makes the loss 0 where mu = y, which is its minimum. It
is convex in f for 1 <= p <= 2: then both parts of the derivative, the rising mu^(2-p) and the falling y mu^(1-p), have
the right sign, and a shift of all scores by t multiplies them by exp((2-p) t) and exp((1-p) t).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from certus.losses.loss import Array, KnownLoss, mean


class MeanLoss(KnownLoss):
    """A loss with a logarithmic link whose best constant is the logarithm of the mean."""

    @property
    def power(self) -> float:
        """The exponent p of the variance, mu^p."""
        raise NotImplementedError

    @property
    def convex(self) -> bool:
        """Only between Poisson and gamma."""
        return 1.0 <= self.power <= 2.0

    def parts(self, y: ArrayLike, f: ArrayLike) -> tuple[Array, Array]:
        """The rising and the falling part of the derivative."""
        y, f = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64)
        return np.exp((2.0 - self.power) * f), y * np.exp((1.0 - self.power) * f)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The rising minus the falling part."""
        rising, falling = self.parts(y, f)
        return rising - falling

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Both parts times their exponents."""
        rising, falling = self.parts(y, f)
        return (2.0 - self.power) * rising - (1.0 - self.power) * falling

    def link(self, prediction: ArrayLike) -> Array:
        """The logarithm."""
        return np.log(np.asarray(prediction, dtype=np.float64))

    def inverse_link(self, f: ArrayLike) -> Array:
        """The mean exp(f)."""
        return np.exp(np.asarray(f, dtype=np.float64))

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """The logarithm of the mean."""
        return float(np.log(mean(y, weights)))
