"""By how much a network can stretch distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.neural.robustness.activation_lines import U
from certus.neural.robustness.dense_layers import Array, check_norm, layers_of

SLOPES = {"identity": 1.0, "relu": 1.0, "tanh": 1.0, "logistic": 0.25}


def lipschitz_bound(model: Any, norm: str = "2") -> float:
    """A number L with |f(x) - f(z)| <= L |x - z| for all inputs x and z, where f are the scores.

    The product of the norms of the layers' weights and of the largest slopes of the activations (1, of sigmoids 1/4),
    rounded up; for "inf" and "1" the norm of the product of absolute weights, which is never larger.

    Parameters
    ----------
    model : network
        With `coefs_` and `intercepts_`, or a Sequential of dense layers and activations.
    norm : {"2", "inf", "1"}, default="2"
        Of inputs and of scores.

    Examples
    --------
    >>> from certus.neural import lipschitz_bound
    >>> from certus.neural.modules import Dense, ReLU, Sequential
    >>> net = Sequential(Dense(2, 2), ReLU(), Dense(2, 1))
    >>> net.parameters["0.weights"][:], net.parameters["2.weights"][:] = [[3, 0], [0, 4]], [[1], [1]]
    >>> round(lipschitz_bound(net), 6), round(lipschitz_bound(net, "inf"), 6)
    (5.656854, 7.0)
    """
    layers, norm = layers_of(model), check_norm(norm)
    slope = math.prod(SLOPES[layer.activation] for layer in layers)
    if norm == "2":
        found = math.prod(_spectral_norm(layer.weights) for layer in layers)
    else:
        product = np.abs(layers[0].weights)
        for layer in layers[1:]:
            product = product @ np.abs(layer.weights)
        found = float(product.sum(axis=0 if norm == "inf" else 1).max())
    widest = max(max(layer.weights.shape) for layer in layers)
    bound = slope * found * (1.0 + 4.0 * (widest + 4.0) * len(layers) * U)
    return math.nextafter(bound, math.inf) if all(layer.weights.any() for layer in layers) else bound


def _spectral_norm(weights: Array) -> float:
    """The largest singular value, and no more than the Frobenius norm, with the error of its computation added."""
    power = math.frexp(float(np.abs(weights).max(initial=0.0)))[1]
    scaled = np.ldexp(weights, -power)  # squares neither overflow nor vanish
    frobenius = float(np.sqrt((scaled**2).sum())) * (1.0 + weights.size * U)
    found = min(float(np.linalg.norm(scaled, 2)) + 64.0 * max(weights.shape) * U * frobenius, frobenius)
    return float(np.ldexp(found, power))
