"""A network as a weighted layered graph (V, E, sigma, w), with its offsets in a first row of the weights."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from certus.base import resolve_seed
from certus.neural.modules.first_weights import initial_weights
from certus.neural.modules.module import Array, Module, check_width, floats

Function = Callable[[Array], Array]

# The function of a unit, and its derivative in terms of the unit's output; None where no gradient passes.
UNITS: dict[str, tuple[Function, Function | None]] = {
    "sign": (lambda a: np.where(a >= 0.0, 1.0, -1.0), None),
    "threshold": (lambda a: np.where(a > 0.0, 1.0, 0.0), None),
    "sigmoid": (lambda a: np.asarray(expit(a)), lambda v: v * (1.0 - v)),
    "tanh": (np.tanh, lambda v: 1.0 - v * v),
    "relu": (lambda a: np.maximum(a, 0.0), lambda v: (v > 0.0).astype(float)),
    "identity": (lambda a: a, np.ones_like),
}


class LayeredNetwork(Module):
    """v_0 = (1, x), a_t = W_t' v_{t-1}, v_t = (1, sigma(a_t)); the output is sigma(a_T).

    W_t has d_{t-1} + 1 rows, of which the first has the offsets, and d_t columns. Backward is the recursion

        delta_T = dE/da_T,   delta_t = sigma'(a_t) * (W_{t+1} without its first row) delta_{t+1},   dE/dW_t = v_{t-1}
        delta_t'.

    Parameters
    ----------
    widths : sequence of int
        d_0, ..., d_T: vertices of every layer without the constant ones.
    activation : {"sign", "threshold", "sigmoid", "tanh", "relu", "identity"}, default="sigmoid"
        sigma of the hidden layers.
    output : same, optional
        sigma of the last layer; by default that of the others.
    weights : sequence of arrays, optional
        W_1, ..., W_T; random by default.
    edges : sequence of boolean arrays, optional
        Which edges exist, in the shape of the weights; the weights of the others do not count and have gradient 0.
    random_state : int, RandomState, Generator or None, default=None
        Seed of random weights.

    Attributes
    ----------
    outputs : list of arrays
        v_0, ..., v_T of the last forward call, the first column of each but the last constant 1.
    deltas : list of arrays
        delta_1, ..., delta_T of the last backward call.

    Examples
    --------
    >>> from certus.neural.modules import LayeredNetwork
    >>> xor = LayeredNetwork((2, 2, 1), "sign", weights=[[[-1, -1], [1, -1], [-1, 1]], [[1], [1], [1]]])
    >>> xor.forward([[-1, -1], [-1, 1], [1, -1], [1, 1]]).ravel().tolist()
    [-1.0, 1.0, 1.0, -1.0]
    """

    def __init__(
        self,
        widths: Sequence[int],
        activation: str = "sigmoid",
        *,
        output: str | None = None,
        weights: Sequence[ArrayLike] | None = None,
        edges: Sequence[ArrayLike] | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__()
        self.widths, self.layers = tuple(widths), len(widths) - 1
        kinds = [activation] * (self.layers - 1) + [output or activation]
        if self.layers < 1 or not set(kinds) <= set(UNITS):
            raise ValueError(
                f"widths must have inputs and outputs, and activation be one of {', '.join(UNITS)}, got {self.widths} "
                "and "
                f"{activation!r}, {output!r}.\nHint: LayeredNetwork((2, 3, 1), 'sigmoid')."
            )
        self.units = [UNITS[kind] for kind in kinds]
        shapes = [(above + 1, below) for above, below in itertools.pairwise(self.widths)]
        rng = np.random.default_rng(resolve_seed(random_state))
        drawn = (
            [initial_weights(*shape, random_state=rng) for shape in shapes] if weights is None else map(floats, weights)
        )
        self._own_parameters = {f"W{t + 1}": np.array(W) for t, W in enumerate(drawn)}
        self.edges = (
            [np.ones(shape, bool) for shape in shapes] if edges is None else [np.asarray(E, bool) for E in edges]
        )
        found = [W.shape for W in self._own_parameters.values()], [E.shape for E in self.edges]
        if found != (shapes, shapes):
            raise ValueError(
                f"weights and edges must have the shapes {shapes}, got {found[0]} and {found[1]}.\n"
                "Hint: one array per layer, with a first row for the offsets."
            )
        self.outputs: list[Array] = []
        self.deltas: list[Array] = []

    @property
    def n_vertices(self) -> int:
        """|V|, the constant vertices of all layers but the last included."""
        return sum(self.widths) + self.layers

    @property
    def n_edges(self) -> int:
        """|E|: one weight each."""
        return int(sum(E.sum() for E in self.edges))

    def forward(self, x: ArrayLike) -> Array:
        """sigma(a_T), (rows, d_T), in time proportional to |E| per row."""
        rows = floats(x)
        check_width(self, rows, self.widths[0], dimensions=2)
        one = np.ones((len(rows), 1))
        self.outputs, value = [], rows
        for W, E, (sigma, _) in zip(self._own_parameters.values(), self.edges, self.units, strict=True):
            self.outputs.append(np.hstack([one, value]))
            value = sigma(self.outputs[-1] @ (W * E))
        self.outputs.append(value)
        return value

    def backward(self, gradient: ArrayLike) -> Array:
        """The recursion of the deltas; gives dE/dx."""
        if not self.outputs:
            self._recall()
        arriving, weights = floats(gradient), list(self._own_parameters.values())
        self.deltas = [np.zeros(0)] * self.layers
        for t in reversed(range(self.layers)):
            slope = self.units[t][1]
            if slope is None:
                raise TypeError(
                    "LayeredNetwork: the derivative of sign and threshold is 0, so that no gradient passes them.\n"
                    "Hint: learn with activation='sigmoid', or construct the weights (boolean_network)."
                )
            value = self.outputs[t + 1]
            self.deltas[t] = arriving * slope(value if t == self.layers - 1 else value[:, 1:])
            self._own_gradients[f"W{t + 1}"] = (self.outputs[t].T @ self.deltas[t]) * self.edges[t]
            arriving = self.deltas[t] @ (weights[t] * self.edges[t])[1:].T
        return arriving
