"""Attention: every position looks at others, by the likeness of queries and keys."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from certus.base import resolve_seed
from certus.neural.modules.activations import ReLU, softmax_backward
from certus.neural.modules.dense import Dense
from certus.neural.modules.module import Array, Module, check_width, floats


class Attention(Module):
    """softmax(Q K' / sqrt(d)) V over sequences (..., time, d).

    Self-attention takes Q, K and V from one sequence; a decoder that attends to an encoder takes Q from its own
    positions, and K and V from the encoder's.

    Parameters
    ----------
    causal : bool, default=False
        Position i sees positions 1 to i only.

    Attributes
    ----------
    weights : array of shape (..., queries, keys)
        Of the last forward call: how much every position looks at every other; rows add up to 1.

    Examples
    --------
    >>> from certus.neural.modules import Attention
    >>> layer, x = Attention(causal=True), [[[1.0], [0.0]]]
    >>> layer.forward(x, x, x)[0, :, 0].round(2).tolist(), layer.weights[0].tolist()
    ([1.0, 0.5], [[1.0, 0.0], [0.5, 0.5]])
    """

    def __init__(self, *, causal: bool = False) -> None:
        super().__init__()
        self.causal = causal
        self.weights: Array = np.zeros((0, 0))

    def forward(self, queries: ArrayLike, keys: ArrayLike, values: ArrayLike) -> Array:
        """Averages of the values."""
        Q, K, V = floats(queries), floats(keys), floats(values)
        if Q.shape[-1] != K.shape[-1] or K.shape[-2] != V.shape[-2]:
            raise ValueError(
                "Attention: queries and keys must have one width, keys and values one length, got the shapes "
                f"{Q.shape}, "
                f"{K.shape} and {V.shape}.\nHint: (batch, time, width) each."
            )
        scores = Q @ K.swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
        if self.causal:
            scores = np.where(np.tri(*scores.shape[-2:]) > 0.0, scores, -np.inf)
        self.weights = np.asarray(softmax(scores, axis=-1))
        self._kept = Q, K, V
        return self.weights @ V

    def backward(self, gradient: ArrayLike) -> tuple[Array, Array, Array]:
        """Gradients of queries, keys and values."""
        (Q, K, V), g = self._recall(), floats(gradient)
        scores = softmax_backward(self.weights, g @ V.swapaxes(-1, -2)) / math.sqrt(Q.shape[-1])
        return scores @ K, scores.swapaxes(-1, -2) @ Q, self.weights.swapaxes(-1, -2) @ g


class MultiHeadAttention(Module):
    """Several attentions at once, each on its own learned projections; their outputs are joined and projected.

    `forward(x)` is self-attention; `forward(x, memory)` takes queries from x, keys and values from the memory, and
    `backward` then returns two gradients.

    Parameters
    ----------
    width : int
        Of the inputs and outputs; a multiple of `heads`.
    heads : int
        Attentions.
    causal : bool, default=False
        Position i sees positions 1 to i only.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the weights.
    """

    def __init__(self, width: int, heads: int, causal: bool = False, *, random_state: Any = None) -> None:
        super().__init__()
        if heads < 1 or width % heads:
            raise ValueError(
                f"width must be a multiple of heads, got {width} and {heads}.\n"
                "Hint: every head has width / heads features."
            )
        self.width, self.heads = width, heads
        rng = np.random.default_rng(resolve_seed(random_state))
        self.query, self.key, self.value, self.output = (Dense(width, width, random_state=rng) for _ in range(4))
        self.attention = Attention(causal=causal)

    def children(self) -> dict[str, Module]:
        """The four projections."""
        return {"query": self.query, "key": self.key, "value": self.value, "output": self.output}

    def _split(self, x: Array) -> Array:
        return x.reshape(*x.shape[:-1], self.heads, -1).swapaxes(-2, -3)

    def _join(self, x: Array) -> Array:
        return x.swapaxes(-2, -3).reshape(*x.shape[:-3], x.shape[-2], self.width)

    def forward(self, x: ArrayLike, memory: ArrayLike | None = None) -> Array:
        """(batch, time, width), of the length of x."""
        own = floats(x)
        check_width(self, own, self.width, dimensions=3)
        seen = own if memory is None else floats(memory)
        check_width(self, seen, self.width, dimensions=3)
        self._kept = memory is None
        parts = self.query.forward(own), self.key.forward(seen), self.value.forward(seen)
        return self.output.forward(self._join(self.attention.forward(*map(self._split, parts))))

    def backward(self, gradient: ArrayLike) -> Array | tuple[Array, Array]:
        """The gradient of x, or those of x and of the memory."""
        alone = self._recall()
        parts = self.attention.backward(self._split(self.output.backward(gradient)))
        q, k, v = map(self._join, parts)
        own, seen = self.query.backward(q), self.key.backward(k) + self.value.backward(v)
        return own + seen if alone else (own, seen)


class PositionalEncoding(Module):
    """Adds sin(t / 10000^(2i / width)) to feature 2i and the cosine to feature 2i + 1 of position t = 0, 1, ...

    Without it attention cannot tell an order: permuted inputs give permuted outputs.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def code(self, time: int) -> Array:
        """The codes of the first positions, (time, width)."""
        feature = np.arange(self.width)
        angle = np.arange(time)[:, None] / 10000.0 ** ((feature - feature % 2) / self.width)
        return np.where(feature % 2 == 0, np.sin(angle), np.cos(angle))

    def forward(self, x: ArrayLike) -> Array:
        """X plus the codes."""
        given = floats(x)
        check_width(self, given, self.width, dimensions=3)
        return given + self.code(given.shape[1])

    def backward(self, gradient: ArrayLike) -> Array:
        """The gradient itself."""
        return floats(gradient)


class FeedForward(Module):
    """The same small network ReLU(x W1 + b1) W2 + b2 at every position.

    Parameters
    ----------
    width, hidden : int
        Features outside and inside.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the weights.
    """

    def __init__(self, width: int, hidden: int, *, random_state: Any = None) -> None:
        super().__init__()
        rng = np.random.default_rng(resolve_seed(random_state))
        self.inner = Dense(width, hidden, init="he", random_state=rng)
        self.relu = ReLU()
        self.outer = Dense(hidden, width, random_state=rng)

    def children(self) -> dict[str, Module]:
        """The two layers."""
        return {"inner": self.inner, "outer": self.outer}

    def forward(self, x: ArrayLike) -> Array:
        """Position by position."""
        return self.outer.forward(self.relu.forward(self.inner.forward(x)))

    def backward(self, gradient: ArrayLike) -> Array:
        """Back through both layers."""
        return self.inner.backward(self.relu.backward(self.outer.backward(gradient)))
