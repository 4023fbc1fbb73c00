"""Ranges of activations, and straight lines below and above them, safe against rounding."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from certus.neural.robustness.dense_layers import Array

U = 2.0**-53
LIBRARY = 16.0  # units in the last place that a library's exp and tanh may be off
LINE = 64.0  # roundings in the computation of a line


def activation_range(kind: str, low: Array, high: Array, unit: float) -> tuple[Array, Array]:
    """Between what the activation lies, exact or computed with that unit of rounding, for arguments in [low, high]."""
    if kind == "identity":
        return low, high
    if kind == "relu":
        return np.maximum(low, 0.0), np.maximum(high, 0.0)
    function = np.tanh if kind == "tanh" else expit
    off = 2.0 * LIBRARY * unit
    return np.asarray(function(low) - off), np.asarray(function(high) + off)


def activation_lines(kind: str, low: Array, high: Array, unit: float) -> tuple[Array, Array, Array, Array]:
    """Slopes and offsets (s, t, S, T) with s z + t <= activation(z) <= S z + T on [low, high]."""
    one, zero = np.ones(low.shape), np.zeros(low.shape)
    if kind == "identity":
        return one, zero, one, zero
    return _relu_lines(low, high) if kind == "relu" else _bent_lines(kind, low, high, unit)


def _relu_lines(low: Array, high: Array) -> tuple[Array, Array, Array, Array]:
    """The chord above; below the line of slope 0 or 1 that loses less."""
    mixed = (low < 0.0) & (high > 0.0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        chord = np.where(mixed, high / (high - low), 0.0)
        S = np.where(low >= 0.0, 1.0, chord)
        # Above at both ends, therefore everywhere between: the function is convex.
        T = np.maximum(-S * low, high - S * high) + LINE * U * (np.abs(S * low) + np.abs(S * high) + np.abs(high))
    s = np.where(mixed, np.where(high > -low, 1.0, 0.0), S)
    return s, np.zeros(low.shape), S, np.where(mixed, T, 0.0)


def _bent_lines(kind: str, low: Array, high: Array, unit: float) -> tuple[Array, Array, Array, Array]:
    """Two parallel lines through the ends: the derivative is nowhere smaller than at one of the ends."""
    if kind == "tanh":
        ends = np.tanh(low), np.tanh(high)
        slopes = [1.0 - value**2 for value in ends]
    else:
        ends = np.asarray(expit(low)), np.asarray(expit(high))
        slopes = [value * (1.0 - value) for value in ends]
    s = np.maximum(np.minimum(*slopes) - 8.0 * LIBRARY * U, 0.0)
    bottom, top = ends[0] - s * low, ends[1] - s * high
    off = LINE * U * (2.0 + np.abs(s * low) + np.abs(s * high)) + 2.0 * LIBRARY * unit
    return s, bottom - off, s, top + off
