"""The affine layer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.neural.modules.first_weights import initial_weights
from certus.neural.modules.module import Array, Module, check_width, floats


class Dense(Module):
    """a = x W + b on the last axis; W is (inputs, outputs), its columns are the neurons.

    Parameters
    ----------
    n_in, n_out : int
        Inputs and outputs.
    init : {"glorot", "he", "sparse"}, default="glorot"
        As in `initial_weights`.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the weights.

    Examples
    --------
    >>> from certus.neural.modules import Dense
    >>> layer = Dense(2, 1, random_state=0)
    >>> layer.parameters["weights"][:] = [[1.0], [2.0]]
    >>> layer.forward([[3.0, 4.0]]).tolist(), layer.backward([[1.0]]).tolist()
    ([[11.0]], [[1.0, 2.0]])
    >>> layer.gradients["weights"].ravel().tolist(), layer.gradients["bias"].tolist()
    ([3.0, 4.0], [1.0])
    """

    def __init__(self, n_in: int, n_out: int, *, init: str = "glorot", random_state: Any = None) -> None:
        super().__init__()
        weights = initial_weights(n_in, n_out, init=init, random_state=random_state)
        self._own_parameters = {"weights": weights, "bias": np.zeros(n_out)}

    def forward(self, x: ArrayLike) -> Array:
        """X W + b."""
        rows, weights = floats(x), self._own_parameters["weights"]
        check_width(self, rows, len(weights))
        self._kept = rows
        return rows @ weights + self._own_parameters["bias"]

    def backward(self, gradient: ArrayLike) -> Array:
        """DE/dW = x' g, dE/db = sum of g, dE/dx = g W'."""
        rows, g = self._recall(), floats(gradient)
        flat = g.reshape(-1, g.shape[-1])
        self._own_gradients = {"weights": rows.reshape(-1, rows.shape[-1]).T @ flat, "bias": flat.sum(axis=0)}
        return g @ self._own_parameters["weights"].T
