"""Random weights to start from.

"glorot" (Glorot, Bengio 2010): uniform in +-sqrt(6 / (n + m)) for n inputs and m outputs, variance 2 / (n + m); with
sigmoid units +-sqrt(2 / (n + m)). "he" (He et al. 2015): variance 2 / n. "sparse" (Martens 2010): standard normal, but
only a fraction of the weights of every unit is not 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = list[NDArray[Any]]


def glorot_bound(n_in: int, n_out: int, activation: str = "relu") -> float:
    """Half the width of the interval of the weights.

    Examples
    --------
    >>> print(f"{glorot_bound(784, 256):.5f}")
    0.07596
    """
    return float(np.sqrt((2.0 if activation == "logistic" else 6.0) / (n_in + n_out)))


def initial_parameters(
    random: np.random.RandomState,
    sizes: Sequence[int],
    activations: Sequence[str],
    *,
    init: str = "glorot",
    fraction: float = 0.1,
) -> tuple[Arrays, Arrays]:
    """Weights and intercepts of every layer; the output layer takes its rule from the layer before it."""
    units = [*activations, activations[-1] if activations else "identity"]
    drawn = [
        _layer(random, n_in, n_out, unit, init, fraction)
        for n_in, n_out, unit in zip(sizes[:-1], sizes[1:], units, strict=True)
    ]
    return [weights for weights, _ in drawn], [intercept for _, intercept in drawn]


def _layer(
    random: np.random.RandomState, n_in: int, n_out: int, unit: str, init: str, fraction: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    if init == "glorot":
        bound = glorot_bound(n_in, n_out, unit)
        return random.uniform(-bound, bound, (n_in, n_out)), random.uniform(-bound, bound, n_out)
    if init == "he":
        bound = float(np.sqrt(6.0 / n_in))
        return random.uniform(-bound, bound, (n_in, n_out)), np.zeros(n_out)
    weights = np.zeros((n_in, n_out))
    connected = max(1, round(fraction * n_in))
    for unit_weights in weights.T:
        unit_weights[random.choice(n_in, connected, replace=False)] = random.standard_normal(connected)
    return weights, np.zeros(n_out)
