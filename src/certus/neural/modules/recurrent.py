"""Layers of sequences (batch, time, features) that carry a state along."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from certus.base import resolve_seed
from certus.neural.modules.first_weights import initial_weights
from certus.neural.modules.module import Array, Module, check_width, floats


def _weights(n_in: int, n_hidden: int, gates: int, random_state: Any) -> dict[str, Array]:
    rng = np.random.default_rng(resolve_seed(random_state))
    draw = [[initial_weights(n, n_hidden, random_state=rng) for _ in range(gates)] for n in (n_in, n_hidden)]
    return {
        "input_weights": np.hstack(draw[0]),
        "hidden_weights": np.hstack(draw[1]),
        "bias": np.zeros(gates * n_hidden),
    }


class Recurrent(Module):
    """h_t = tanh(x_t W + h_{t-1} U + b), from h_0 = 0; gives all h_t.

    Parameters
    ----------
    n_in, n_hidden : int
        Features of the inputs and of the state.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the weights.
    """

    def __init__(self, n_in: int, n_hidden: int, *, random_state: Any = None) -> None:
        super().__init__()
        self._own_parameters = _weights(n_in, n_hidden, 1, random_state)

    def forward(self, x: ArrayLike) -> Array:
        """All states, (batch, time, n_hidden)."""
        inputs, (W, U, b) = floats(x), self._own_parameters.values()
        check_width(self, inputs, len(W), dimensions=3)
        driven = inputs @ W + b
        states = np.zeros((inputs.shape[1] + 1, len(inputs), len(U)))
        for t in range(inputs.shape[1]):
            states[t + 1] = np.tanh(driven[:, t] + states[t] @ U)
        self._kept = inputs, states
        return states[1:].swapaxes(0, 1)

    def backward(self, gradient: ArrayLike) -> Array:
        """Back through time."""
        (inputs, states), (W, U, _) = self._recall(), self._own_parameters.values()
        g = floats(gradient)
        delta, carried = np.zeros(g.shape), np.zeros(g[:, 0].shape)
        for t in reversed(range(g.shape[1])):
            delta[:, t] = (g[:, t] + carried) * (1.0 - states[t + 1] ** 2)
            carried = delta[:, t] @ U.T
        self._own_gradients = _products(inputs, states, delta)
        return delta @ W.T


class LSTM(Module):
    """A cell state that is forgotten and renewed by gates (Hochreiter, Schmidhuber 1997; Gers et al. 2000).

    i, f, o = sigmoid(x W + h U + b), g = tanh(x W + h U + b), c' = f c + i g, h' = o tanh(c'); gives all h. The
    columns of W, U and b are those of i, f, g, o in this order.

    Parameters
    ----------
    n_in, n_hidden : int
        Features of the inputs and of the state.
    forget_bias : float, default=1.0
        First offset of the forget gates: above 0 the cell remembers from the start.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the weights.
    """

    def __init__(self, n_in: int, n_hidden: int, *, forget_bias: float = 1.0, random_state: Any = None) -> None:
        super().__init__()
        self._own_parameters = _weights(n_in, n_hidden, 4, random_state)
        self._own_parameters["bias"][n_hidden : 2 * n_hidden] = forget_bias

    def forward(self, x: ArrayLike) -> Array:
        """All outputs, (batch, time, n_hidden)."""
        inputs, (W, U, b) = floats(x), self._own_parameters.values()
        check_width(self, inputs, len(W), dimensions=3)
        (batch, time, _), m = inputs.shape, len(U)
        driven = inputs @ W + b
        states, cells = np.zeros((time + 1, batch, m)), np.zeros((time + 1, batch, m))
        gates = np.zeros((time, batch, 4 * m))
        for t in range(time):
            a = driven[:, t] + states[t] @ U
            gates[t] = expit(a)
            gates[t, :, 2 * m : 3 * m] = np.tanh(a[:, 2 * m : 3 * m])
            i, f, g, o = np.split(gates[t], 4, axis=1)
            cells[t + 1] = f * cells[t] + i * g
            states[t + 1] = o * np.tanh(cells[t + 1])
        self._kept = inputs, states, cells, gates
        return states[1:].swapaxes(0, 1)

    def backward(self, gradient: ArrayLike) -> Array:
        """Back through time, along the states and along the cells."""
        inputs, states, cells, gates = self._recall()
        (W, U, _), passed = self._own_parameters.values(), floats(gradient)
        delta = np.zeros((*passed.shape[:2], 4 * len(U)))
        dh, dc = np.zeros(states[0].shape), np.zeros(states[0].shape)
        for t in reversed(range(passed.shape[1])):
            i, f, g, o = np.split(gates[t], 4, axis=1)
            bent = np.tanh(cells[t + 1])
            dh = dh + passed[:, t]
            dc = dc + dh * o * (1.0 - bent**2)
            parts = (
                dc * g * i * (1.0 - i),
                dc * cells[t] * f * (1.0 - f),
                dc * i * (1.0 - g**2),
                dh * bent * o * (1.0 - o),
            )
            delta[:, t] = np.hstack(parts)
            dh, dc = delta[:, t] @ U.T, dc * f
        self._own_gradients = _products(inputs, states, delta)
        return delta @ W.T


def _products(inputs: Array, states: Array, delta: Array) -> dict[str, Array]:
    """Gradients of the weights: inputs and earlier states times the deltas of the activations."""
    return {
        "input_weights": np.einsum("bti,bto->io", inputs, delta, optimize=True),
        "hidden_weights": np.einsum("tbi,bto->io", states[:-1], delta, optimize=True),
        "bias": delta.sum(axis=(0, 1)),
    }
