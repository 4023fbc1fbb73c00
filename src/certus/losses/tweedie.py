"""Losses of Tweedie distributions, whose variance is a power of the mean: with a logarithmic link, and without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from certus.losses.gamma import Gamma
from certus.losses.loss import Array, KnownLoss, Targets, mean
from certus.losses.poisson import Poisson
from certus.losses.positive_mean import MeanLoss
from certus.losses.squared import Squared


def _refuse_power(power: float) -> None:
    if 0.0 < power < 1.0 or not np.isfinite(power):
        raise ValueError(f"The power of a Tweedie loss must be at most 0 or at least 1, got {power!r}.")


def _targets(power: float) -> Targets:
    """Any number for negative powers and 0, from 0 on below 2, positive numbers from 2 on."""
    return Targets() if power <= 0.0 else Targets(least=0.0, least_allowed=power < 2.0)


def _constant(power: float, y: Array) -> Array:
    """What makes the loss 0 at mu = y; for negative powers only where y is positive."""
    if power == 1.0:
        return np.asarray(xlogy(y, y) - y, dtype=np.float64)
    if power == 2.0:
        return -1.0 - np.log(y)
    part = np.maximum(y, 0.0) ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
    return np.asarray(0.5 * y**2 if power == 0.0 else part, dtype=np.float64)


@dataclass(frozen=True)
class Tweedie(MeanLoss):
    """Half the deviance of a Tweedie distribution with the mean mu = exp(f) and a variance proportional to mu^power.

    Powers between 1 and 2 are for amounts that are 0 with a positive probability (claims, rainfall).

    Examples
    --------
    >>> from certus.losses import Tweedie
    >>> Tweedie(1.5).value([1.0, 0.0], [0.0, 0.0]).tolist()
    [0.0, 2.0]
    """

    power: float = 1.5

    name: ClassVar[str] = "tweedie"
    native: ClassVar[str | None] = "tweedie"

    def __post_init__(self) -> None:
        _refuse_power(self.power)

    @property
    def targets(self) -> Targets:
        """What the distribution allows."""
        return _targets(self.power)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Zero where exp(f) = y."""
        y, f, p = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64), self.power
        rising = f if p == 2.0 else np.exp((2.0 - p) * f) / (2.0 - p)
        falling = y * f if p == 1.0 else y * np.exp((1.0 - p) * f) / (1.0 - p)
        return np.maximum(rising - falling + self.constant(y), 0.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """The supremum at the root of l'(y, f) = u, found by Newton steps that stay inside a bracket.

        Infinity, which claims nothing, if the loss is not convex.
        """
        if not self.convex:
            return np.full(np.shape(u), np.inf)
        y, u = np.broadcast_arrays(np.asarray(y, dtype=np.float64), np.asarray(u, dtype=np.float64))
        low, high = np.full(y.shape, -700.0), np.full(y.shape, 700.0)
        f = np.zeros(y.shape)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            for _ in range(200):
                excess = self.derivative(y, f) - u
                low, high = np.where(excess <= 0.0, f, low), np.where(excess >= 0.0, f, high)
                step = f - excess / self.curvature(y, f)
                last, f = f, np.where((step > low) & (step < high), step, 0.5 * (low + high))
                if (np.abs(f - last) <= 1e-15 * (1.0 + np.abs(f))).all():
                    break
            found = u * f - self.value(y, f)
        # Without a falling part the derivative is positive, and the loss comes as near to 0 as one likes.
        return np.where((y == 0.0) & (u <= 0.0), np.where(u == 0.0, 0.0, np.inf), found)

    def constant(self, y: ArrayLike) -> Array:
        """The part without the score."""
        return _constant(self.power, np.asarray(y, dtype=np.float64))


@dataclass(frozen=True)
class TweedieIdentity(KnownLoss):
    """The same deviance with the mean mu = f itself, which has to be positive unless the power is 0.

    Examples
    --------
    >>> from certus.losses import TweedieIdentity
    >>> TweedieIdentity(2.0).value([1.0, 2.0], [1.0, -1.0]).tolist()
    [0.0, inf]
    """

    power: float = 0.0

    name: ClassVar[str] = "tweedie_identity"
    native: ClassVar[str | None] = "tweedie_identity"

    def __post_init__(self) -> None:
        _refuse_power(self.power)

    @property
    def convex(self) -> bool:
        """For the powers 0 and 1."""
        return self.power in (0.0, 1.0)

    @property
    def targets(self) -> Targets:
        """What the distribution allows."""
        return _targets(self.power)

    def value(self, y: ArrayLike, f: ArrayLike) -> Array:
        """Zero where f = y, infinity where there is no such distribution."""
        y, f, p = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64), self.power
        if p == 0.0:
            return 0.5 * (f - y) ** 2
        mu = np.where(f > 0.0, f, 1.0)
        rising = np.log(mu) if p == 2.0 else mu ** (2.0 - p) / (2.0 - p)
        falling = xlogy(y, mu) if p == 1.0 else y * mu ** (1.0 - p) / (1.0 - p)
        return np.where(f > 0.0, rising - falling + self.constant(y), np.inf)

    def derivative(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The residual over the variance."""
        f = np.asarray(f, dtype=np.float64)
        return (f - np.asarray(y, dtype=np.float64)) * f**-self.power

    def curvature(self, y: ArrayLike, f: ArrayLike) -> Array:
        """The second derivative."""
        f, p = np.asarray(f, dtype=np.float64), self.power
        return ((1.0 - p) * f + p * np.asarray(y, dtype=np.float64)) * f ** (-p - 1.0)

    def conjugate(self, y: ArrayLike, u: ArrayLike) -> Array:
        """That of the squared loss, or for the power 1 -y log(1 - u) if u < 1; infinity if the loss is not convex."""
        y, u = np.asarray(y, dtype=np.float64), np.asarray(u, dtype=np.float64)
        if self.power == 0.0:
            return Squared().conjugate(y, u)
        if not self.convex:
            return np.full(np.shape(u), np.inf)
        # sup over f > 0 of u f - f + y log f - constant is at f = y / (1 - u).
        room = np.maximum(1.0 - u, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = xlogy(y, y / np.where(room > 0.0, room, 1.0)) - y - self.constant(y)
        return np.where((room > 0.0) | ((y == 0.0) & (u <= 1.0)), inside, np.inf)

    def constant(self, y: ArrayLike) -> Array:
        """The part without the score."""
        return _constant(self.power, np.asarray(y, dtype=np.float64))

    def best_constant(self, y: ArrayLike, weights: ArrayLike | None = None) -> float:
        """The mean."""
        return mean(y, weights)


def tweedie_loss(power: float, link: str = "auto") -> KnownLoss:
    """The loss of a power and a link, "log" or "identity"; "auto" is the identity up to 0 and the logarithm above."""
    if link == "identity" or (link == "auto" and power <= 0.0):
        return Squared() if power == 0.0 else TweedieIdentity(power)
    return {1.0: Poisson(), 2.0: Gamma()}.get(float(power)) or Tweedie(power)
