"""Losses of kernel machines: their names, their curvature for Newton steps, their boxes for interior points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from certus.kernels._native_calls import Array
from certus.losses import (
    Absolute,
    ConvexLoss,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    KnownLoss,
    Logistic,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)

MARGIN_LOSSES: dict[str, Callable[[], ConvexLoss]] = {
    "exponential": Exponential,
    "hinge": Hinge,
    "logistic": Logistic,
    "squared": Squared,
    "squared_hinge": SquaredHinge,
}
RESIDUAL_LOSSES = (
    "absolute",
    "epsilon_insensitive",
    "huber",
    "poisson",
    "quantile",
    "squared",
    "squared_epsilon_insensitive",
)


def residual_loss(name: str, *, delta: float, epsilon: float, quantile: float) -> ConvexLoss:
    """The loss of a regression by its name."""
    made: dict[str, Callable[[], ConvexLoss]] = {
        "absolute": Absolute,
        "epsilon_insensitive": lambda: EpsilonInsensitive(epsilon),
        "huber": lambda: Huber(delta),
        "poisson": Poisson,
        "quantile": lambda: Quantile(quantile),
        "squared": Squared,
        "squared_epsilon_insensitive": lambda: SquaredEpsilonInsensitive(epsilon),
    }
    return made[name]()


class ConvexLossObject:
    """The rule of a parameter: an object with what a convex loss has."""

    def allows(self, value: object) -> bool:
        return all(callable(getattr(value, name, None)) for name in ("value", "derivative", "conjugate"))

    def __str__(self) -> str:
        return "a loss of certus.losses (an object with the methods value, derivative and conjugate)"


def curvature(loss: ConvexLoss, y: Array, f: Array) -> Array:
    """The second derivative in f where it exists, one of its limits elsewhere."""
    if isinstance(loss, KnownLoss):
        return loss.curvature(y, f)
    step = 1e-5 * np.maximum(np.abs(f), 1.0)  # of a loss that nobody told us more about
    difference = np.asarray(loss.derivative(y, f + step)) - np.asarray(loss.derivative(y, f - step))
    return np.maximum(difference / (2.0 * step), 0.0)


@dataclass(frozen=True)
class Boxes:
    """The conjugate of a piecewise linear loss: l*(y, u) = epsilon |u| - target (-u) for low <= -u <= high."""

    target: Array
    epsilon: float
    low: Array
    high: Array


def boxes_of(loss: ConvexLoss, y: Array) -> Boxes | None:
    """The boxes of a piecewise linear loss; None for others."""
    one = np.ones_like(y)
    if isinstance(loss, Hinge):
        return Boxes(y, 0.0, np.minimum(y, 0.0), np.maximum(y, 0.0))
    if isinstance(loss, Absolute):
        return Boxes(y, 0.0, -one, one)
    if isinstance(loss, Quantile):
        return Boxes(y, 0.0, -(1.0 - loss.q) * one, loss.q * one)
    if isinstance(loss, EpsilonInsensitive):
        return Boxes(y, loss.epsilon, -one, one)
    return None
