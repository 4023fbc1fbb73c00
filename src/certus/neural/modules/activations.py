"""Non-linear functions of single numbers, and the softmax."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, softmax

from certus.neural.modules.module import Array, Module, floats


class Threshold(Module):
    """sign(a), with sign(0) = 1: for networks whose weights are constructed, not learned."""

    def forward(self, a: ArrayLike) -> Array:
        """-1 or 1."""
        return np.where(floats(a) >= 0.0, 1.0, -1.0)

    def backward(self, gradient: ArrayLike) -> Array:
        """Refused."""
        raise TypeError(
            "Threshold: the derivative of a step is 0 where it exists, so no gradient passes it and nothing is "
            "learned.\n"
            "Hint: learn with Sigmoid or Tanh, its smooth forms, or construct the weights (boolean_network)."
        )


class Sigmoid(Module):
    """s(a) = 1 / (1 + exp(-a)), whose derivative s (1 - s) is at most 1/4 and vanishes where the unit saturates.

    Examples
    --------
    >>> from certus.neural.modules import Sigmoid
    >>> unit = Sigmoid()
    >>> unit.forward([0.0]).tolist(), unit.backward([1.0]).tolist()
    ([0.5], [0.25])
    """

    def forward(self, a: ArrayLike) -> Array:
        """1 / (1 + exp(-a))."""
        self._kept = np.asarray(expit(floats(a)))
        return self._kept

    def backward(self, gradient: ArrayLike) -> Array:
        """G s (1 - s)."""
        s = self._recall()
        return floats(gradient) * s * (1.0 - s)


class Tanh(Module):
    """tanh(a), with derivative 1 - tanh(a)^2."""

    def forward(self, a: ArrayLike) -> Array:
        """tanh(a)."""
        self._kept = np.tanh(floats(a))
        return self._kept

    def backward(self, gradient: ArrayLike) -> Array:
        """G (1 - t^2)."""
        return floats(gradient) * (1.0 - self._recall() ** 2)


class ReLU(Module):
    """max(0, a): saturates to the left only; its derivative at 0 is taken as 0."""

    def forward(self, a: ArrayLike) -> Array:
        """max(0, a)."""
        self._kept = floats(a) > 0.0
        return np.maximum(floats(a), 0.0)

    def backward(self, gradient: ArrayLike) -> Array:
        """G where the unit is on."""
        return floats(gradient) * self._recall()


class Softmax(Module):
    """exp(a_i) / sum_j exp(a_j) along the last axis, shifted by the largest so that nothing overflows."""

    def forward(self, a: ArrayLike) -> Array:
        """Positive numbers with sum 1."""
        self._kept = np.asarray(softmax(floats(a), axis=-1))
        return self._kept

    def backward(self, gradient: ArrayLike) -> Array:
        """P (g - p'g), the product with diag(p) - p p'."""
        return softmax_backward(self._recall(), floats(gradient))


def softmax_backward(p: Array, gradient: Array) -> Array:
    """The product of a gradient with the derivative diag(p) - p p' of the softmax p."""
    return p * (gradient - (p * gradient).sum(axis=-1, keepdims=True))
