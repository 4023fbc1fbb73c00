"""Layers against drifting scales and against co-adaptation: batch and layer normalization, dropout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.base import resolve_seed
from certus.neural.modules.module import Array, Module, check_width, floats

SMALL = 1e-5  # added to variances: a constant feature stays finite


class BatchNorm(Module):
    """y = gamma (x - mean) / sqrt(variance + 1e-5) + beta per feature, over the batch.

    While learning, mean and variance are the batch's, and running means of them are kept; these serve afterwards
    (`train(False)`).

    Parameters
    ----------
    width : int
        Features.
    momentum : float, default=0.1
        Share of the batch in the running means.
    """

    def __init__(self, width: int, *, momentum: float = 0.1) -> None:
        super().__init__()
        self._own_parameters = {"gamma": np.ones(width), "beta": np.zeros(width)}
        self.momentum = momentum
        self.running_mean, self.running_variance = np.zeros(width), np.ones(width)

    def forward(self, x: ArrayLike) -> Array:
        """Normalized features."""
        given = floats(x)
        check_width(self, given, len(self.running_mean))
        rows = given.reshape(-1, given.shape[-1])
        mean, variance = (
            (rows.mean(axis=0), rows.var(axis=0)) if self.training else (self.running_mean, self.running_variance)
        )
        if self.training:
            unbiased = variance * len(rows) / max(1, len(rows) - 1)
            self.running_mean = self.running_mean + self.momentum * (mean - self.running_mean)
            self.running_variance = self.running_variance + self.momentum * (unbiased - self.running_variance)
        scale = 1.0 / np.sqrt(variance + SMALL)
        normal = (rows - mean) * scale
        self._kept = normal, scale, self.training
        return (normal * self._own_parameters["gamma"] + self._own_parameters["beta"]).reshape(given.shape)

    def backward(self, gradient: ArrayLike) -> Array:
        """Through the batch's mean and variance too, while learning."""
        normal, scale, through_batch = self._recall()
        g = floats(gradient).reshape(normal.shape)
        self._own_gradients = {"gamma": (g * normal).sum(axis=0), "beta": g.sum(axis=0)}
        inner = g * self._own_parameters["gamma"]
        if through_batch:
            inner = inner - inner.mean(axis=0) - normal * (inner * normal).mean(axis=0)
        return (inner * scale).reshape(np.shape(gradient))


class LayerNorm(Module):
    """y = gamma (x - mean) / sqrt(variance + 1e-5) + beta, with the mean and variance of each row's own features."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self._own_parameters = {"gamma": np.ones(width), "beta": np.zeros(width)}

    def forward(self, x: ArrayLike) -> Array:
        """Normalized rows."""
        given = floats(x)
        check_width(self, given, len(self._own_parameters["beta"]))
        scale = 1.0 / np.sqrt(given.var(axis=-1, keepdims=True) + SMALL)
        normal = (given - given.mean(axis=-1, keepdims=True)) * scale
        self._kept = normal, scale
        return normal * self._own_parameters["gamma"] + self._own_parameters["beta"]

    def backward(self, gradient: ArrayLike) -> Array:
        """Through the row's mean and variance too."""
        normal, scale = self._recall()
        g = floats(gradient)
        over = tuple(range(g.ndim - 1))
        self._own_gradients = {"gamma": (g * normal).sum(axis=over), "beta": g.sum(axis=over)}
        inner = g * self._own_parameters["gamma"]
        return scale * (
            inner - inner.mean(axis=-1, keepdims=True) - normal * (inner * normal).mean(axis=-1, keepdims=True)
        )


class Dropout(Module):
    """While learning, every number is 0 with probability `rate`, and the others are divided by 1 - rate.

    Parameters
    ----------
    rate : float, default=0.5
        At least 0 and below 1.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the masks; every forward call draws a new one.
    """

    def __init__(self, rate: float = 0.5, *, random_state: Any = None) -> None:
        super().__init__()
        if not 0.0 <= rate < 1.0:
            raise ValueError(f"rate must be at least 0 and below 1, got {rate!r}.\nHint: 0.2 drops one number in five.")
        self.rate = rate
        self._rng = np.random.default_rng(resolve_seed(random_state))

    def forward(self, x: ArrayLike) -> Array:
        """Thinned while learning, unchanged afterwards."""
        given = floats(x)
        kept = self._rng.random(given.shape) >= self.rate if self.training else np.ones(given.shape)
        self._kept = kept / (1.0 - self.rate) if self.training else kept
        return given * self._kept

    def backward(self, gradient: ArrayLike) -> Array:
        """The same mask."""
        return floats(gradient) * self._recall()
