"""How weights follow their gradients: plain steps, momentum, and rates of their own for every weight."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from certus.neural.modules.module import Array

TINY = 1e-8  # keeps a weight that never had a gradient where it is


class UpdateRule:
    """w <- w - rate g. Derived rules keep one memory per parameter, by its name."""

    def __init__(self) -> None:
        self.memory: dict[str, Array] = {}

    def _recall(self, name: str, like: Array) -> Array:
        return self.memory.setdefault(name, np.zeros(like.shape))

    def change(self, name: str, gradient: Array, rate: float) -> Array:
        """What is subtracted from the parameter of this name."""
        return rate * gradient


class Momentum(UpdateRule):
    """v <- alpha v - rate g, w <- w + v; under a constant gradient the step grows to rate / (1 - alpha).

    Parameters
    ----------
    alpha : float, default=0.9
        At least 0 and below 1.
    """

    def __init__(self, alpha: float = 0.9) -> None:
        super().__init__()
        self.alpha = alpha

    def change(self, name: str, gradient: Array, rate: float) -> Array:
        """Minus the new velocity."""
        velocity = self._recall(name, gradient)
        velocity[...] = self.alpha * velocity - rate * gradient
        return -velocity


class Adagrad(UpdateRule):
    """r <- r + g^2, w <- w - rate g / (sqrt(r) + 1e-8): large steps where slopes have been gentle."""

    def change(self, name: str, gradient: Array, rate: float) -> Array:
        """The scaled gradient."""
        r = self._recall(name, gradient)
        r += gradient**2
        return rate * gradient / (np.sqrt(r) + TINY)


class RMSProp(UpdateRule):
    """Adagrad that forgets: r <- rho r + (1 - rho) g^2.

    Parameters
    ----------
    rho : float, default=0.9
        Strictly between 0 and 1.
    """

    def __init__(self, rho: float = 0.9) -> None:
        super().__init__()
        self.rho = rho

    def change(self, name: str, gradient: Array, rate: float) -> Array:
        """The scaled gradient."""
        r = self._recall(name, gradient)
        r[...] = self.rho * r + (1.0 - self.rho) * gradient**2
        return rate * gradient / (np.sqrt(r) + TINY)


class Adam(UpdateRule):
    """Running means m of g and v of g^2, both divided by what they have seen: w <- w - rate m / (sqrt(v) + 1e-8).

    Parameters
    ----------
    beta_1, beta_2 : float, default=0.9, 0.999
        Memory of the two means.
    """

    def __init__(self, beta_1: float = 0.9, beta_2: float = 0.999) -> None:
        super().__init__()
        self.beta_1, self.beta_2 = beta_1, beta_2
        self.steps: dict[str, int] = {}

    def change(self, name: str, gradient: Array, rate: float) -> Array:
        """The scaled mean gradient."""
        m, v = self._recall(f"{name} mean", gradient), self._recall(f"{name} square", gradient)
        t = self.steps[name] = self.steps.get(name, 0) + 1
        m[...] = self.beta_1 * m + (1.0 - self.beta_1) * gradient
        v[...] = self.beta_2 * v + (1.0 - self.beta_2) * gradient**2
        return rate * (m / (1.0 - self.beta_1**t)) / (np.sqrt(v / (1.0 - self.beta_2**t)) + TINY)


def linear_decay(start: float, end: float, steps: int) -> Callable[[int], float]:
    """The rate (1 - t / steps) start + (t / steps) end at step t, and `end` from then on.

    Examples
    --------
    >>> rate = linear_decay(0.1, 0.001, 100)
    >>> [round(rate(t), 5) for t in (0, 25, 50, 100, 200)]
    [0.1, 0.07525, 0.0505, 0.001, 0.001]
    """

    def rate(t: int) -> float:
        share = min(1.0, t / steps)
        return (1.0 - share) * start + share * end

    return rate
