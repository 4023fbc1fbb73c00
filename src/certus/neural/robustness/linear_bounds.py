"""Lower bounds on combinations of scores over a ball around every row, by intervals and by lines going backwards.

All bounds hold for exact arithmetic and for what the model computes, whatever the order of its sums: the rounding of
the model and of the bounds themselves is counted. A sum of n products is off by at most n u / (1 - n u) times the sum
of their absolute values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from certus.neural.robustness.activation_lines import U, activation_lines, activation_range
from certus.neural.robustness.dense_layers import Array, ScoringNetwork

TINY = 1e-290  # above whatever underflow can take away
SLACK = 64.0  # units of rounding by which scores must differ, so that computed probabilities do


@dataclass
class Region:
    """Balls around rows, and what is known about the network inside them.

    Parameters
    ----------
    network : ScoringNetwork
        The layers.
    rows : array of shape (rows, features)
        Middles.
    radius : array of shape (rows,)
        Of the balls.
    norm : {"inf", "2", "1"}
        Of the balls.
    """

    network: ScoringNetwork
    rows: Array
    radius: Array
    norm: str
    low: list[Array] = field(default_factory=list)
    high: list[Array] = field(default_factory=list)
    noise: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        # A point of the ball as the model sees it: rounded once more to its precision.
        moved = np.abs(self.rows) + self.radius[:, None]
        self.input_noise = 4.0 * self.network.unit * moved + TINY
        self.input_size = moved + self.input_noise

    def size(self, layer: int) -> Array:
        """Largest absolute inputs of a layer."""
        if layer == 0:
            return self.input_size
        low, high = self.range(layer)
        return np.maximum(np.abs(low), np.abs(high))

    def range(self, layer: int) -> tuple[Array, Array]:
        """Between what the inputs of a layer after the first lie."""
        kind = self.network.layers[layer - 1].activation
        return activation_range(kind, self.low[layer - 1], self.high[layer - 1], self.network.unit)

    def add_noise(self, layer: int) -> None:
        """How far the computed z of a layer may be from a W + b for its computed inputs a."""
        part = self.network.layers[layer]
        total = self.size(layer) @ np.abs(part.weights) + np.abs(part.offsets)
        terms = (len(part.weights) + 4.0) * self.network.unit
        self.noise.append(terms / (1.0 - terms) * total * (1.0 + 1e-6) + TINY)


def interval_bounds(region: Region, layer: int) -> tuple[Array, Array]:
    """Between what z of a layer lies, from the ranges of its inputs alone."""
    part = region.network.layers[layer]
    W, b = part.weights, part.offsets
    if layer == 0:
        middle = region.rows @ W + b
        spread = region.radius[:, None] * dual_lengths(W.T, region.norm) + region.input_noise @ np.abs(W)
    else:
        low, high = region.range(layer)
        middle = (0.5 * low + 0.5 * high) @ W + b
        spread = (0.5 * high - 0.5 * low) @ np.abs(W)
    rounding = (4.0 * len(W) + 64.0) * U * (region.size(layer) @ np.abs(W) + np.abs(b))
    off = spread + rounding + region.noise[layer]
    return middle - off, middle + off


def dual_lengths(vectors: Array, norm: str) -> Array:
    """The largest inner product of each vector (last axis) with a point of the unit ball, rounded up."""
    if norm == "inf":
        found = np.abs(vectors).sum(axis=-1)
    elif norm == "1":
        found = np.abs(vectors).max(axis=-1)
    else:
        largest = np.abs(vectors).max(axis=-1, keepdims=True) + TINY  # squares neither overflow nor vanish
        found = np.sqrt(((vectors / largest) ** 2).sum(axis=-1)) * largest[..., 0]
    return np.asarray(found * (1.0 + (vectors.shape[-1] + 16.0) * 2.0 * U))


def backward_bounds(region: Region, layer: int, coefficients: Array) -> Array:
    """Lower bounds of combinations (rows, combinations, units) of z of a layer, by lines back to the inputs."""
    network, A = region.network, coefficients
    total = np.zeros(A.shape[:2])  # what is sure
    lost = np.zeros(A.shape[:2])  # what the model's rounding can take
    seen = np.zeros(A.shape[:2])  # absolute values of all terms: what our own rounding is relative to
    for place in range(layer, -1, -1):
        part = network.layers[place]
        absolute = np.abs(A)
        total += A @ part.offsets
        lost += np.einsum("nqm,nm->nq", absolute, region.noise[place])
        seen += absolute @ np.abs(part.offsets)
        seen += np.einsum("nqi,ni->nq", absolute @ np.abs(part.weights).T, region.size(place))
        A = A @ part.weights.T
        if place:
            lines = activation_lines(
                network.layers[place - 1].activation, region.low[place - 1], region.high[place - 1], network.unit
            )
            s, t, S, T = (line[:, None, :] for line in lines)
            above, below = np.maximum(A, 0.0), np.minimum(A, 0.0)
            total += (above * t + below * T).sum(axis=-1)
            seen += (above * np.abs(t) - below * np.abs(T)).sum(axis=-1)
            A = above * s + below * S
            reach = np.maximum(np.abs(region.low[place - 1]), np.abs(region.high[place - 1]))
            seen += np.einsum("nqm,nm->nq", np.abs(A), reach)
    spread = region.radius[:, None] * dual_lengths(A, region.norm)
    lost += np.einsum("nqi,ni->nq", np.abs(A), region.input_noise)
    seen += np.einsum("nqi,ni->nq", np.abs(A), region.input_size) + spread + lost
    width = max(max(part.weights.shape) for part in network.layers)
    rounding = (8.0 * width + 128.0) * len(network.layers) * U
    return np.einsum("nqi,ni->nq", A, region.rows) + total - spread - lost - rounding * seen - TINY


def bound_layers(region: Region, method: str) -> None:
    """Fill in the ranges of all hidden layers, one after the other."""
    for layer in range(len(region.network.layers)):
        region.add_noise(layer)
        if layer == len(region.network.layers) - 1:
            return
        low, high = interval_bounds(region, layer)
        if method != "interval" and layer:
            unit = np.broadcast_to(np.eye(low.shape[1]), (len(low), low.shape[1], low.shape[1]))
            low = np.fmax(low, backward_bounds(region, layer, unit))
            high = np.fmin(high, -backward_bounds(region, layer, -unit))
        region.low.append(low)
        region.high.append(high)


def margin_bounds(region: Region, margins: Array, method: str) -> Array:
    """Lower bounds of the margins (rows, others); the label cannot change where all are above `slack`."""
    with np.errstate(over="ignore", invalid="ignore"):
        bound_layers(region, method)
        last = len(region.network.layers) - 1
        low, high = interval_bounds(region, last)
        above, below = np.maximum(margins, 0.0), np.minimum(margins, 0.0)
        found = np.einsum("nqm,nm->nq", above, low) + np.einsum("nqm,nm->nq", below, high)
        size = np.einsum("nqm,nm->nq", np.abs(margins), np.maximum(np.abs(low), np.abs(high)))
        found = found - 8.0 * U * size
        if method != "interval":
            found = np.fmax(found, backward_bounds(region, last, margins))
        return np.asarray(np.where(np.isnan(found), -np.inf, found))


def slack(network: ScoringNetwork) -> float:
    """By how much a margin must be above 0, so that computed scores and probabilities are in that order."""
    return SLACK * network.unit


def cannot_change(
    network: ScoringNetwork, rows: Array, margins: Array, radius: Array, norm: str, method: str
) -> np.ndarray:
    """Whether no point of the ball around a row gets another label; False where that is not proved."""
    widest = max(part.weights.shape[1] for part in network.layers)
    tallest = max(max(part.weights.shape) for part in network.layers)
    block = max(1, 2**22 // (widest * tallest))
    sure = [np.zeros(0, dtype=bool)]
    for start in range(0, len(rows), block):
        here = slice(start, start + block)
        region = Region(network, rows[here], radius[here], norm)
        sure.append(np.all(margin_bounds(region, margins[here], method) > slack(network), axis=1))
    return np.concatenate(sure)
