"""Layers of graphs: every node hears its neighbors and itself, whatever the order in which nodes are listed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.neural.modules.dense import Dense
from certus.neural.modules.module import Array, Module, floats

AGGREGATES = ("sum", "mean", "max")


def _check_graph(module: Module, adjacency: ArrayLike, features: ArrayLike) -> tuple[Array, Array]:
    A, X = floats(adjacency), floats(features)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2] or X.ndim != A.ndim or X.shape[:-1] != A.shape[:-1]:
        raise ValueError(
            f"{type(module).__name__}: adjacency must be square with one row of features per node, got the shapes "
            f"{A.shape} "
            f"and {X.shape}.\nHint: (nodes, nodes) and (nodes, features), or a batch of both."
        )
    bad = np.argwhere(~((A >= 0.0) & np.isfinite(A)))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        raise ValueError(
            f"{type(module).__name__}: edges need finite weights that are not negative, got {A[place]:g} at {place}.\n"
            "Hint: 0 says that there is no edge."
        )
    return A, X


class GraphConvolution(Module):
    """D^(-1/2) (A + I) D^(-1/2) X W + b, where D has the degrees of A + I (Kipf, Welling 2017).

    An activation module goes after it. The graph is given: its gradient is None.

    Parameters
    ----------
    n_in, n_out : int
        Features of nodes.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the weights.

    Examples
    --------
    >>> from certus.neural.modules import GraphConvolution
    >>> layer = GraphConvolution(1, 1)
    >>> layer.parameters["linear.weights"][:] = 1.0
    >>> layer.forward([[0, 1], [1, 0]], [[1.0], [3.0]]).round(6).tolist()
    [[2.0], [2.0]]
    """

    def __init__(self, n_in: int, n_out: int, *, random_state: Any = None) -> None:
        super().__init__()
        self.linear = Dense(n_in, n_out, random_state=random_state)

    def children(self) -> dict[str, Module]:
        """The linear layer."""
        return {"linear": self.linear}

    def forward(self, adjacency: ArrayLike, features: ArrayLike) -> Array:
        """New features of the nodes."""
        A, X = _check_graph(self, adjacency, features)
        A = A + np.eye(A.shape[-1])
        scale = 1.0 / np.sqrt(A.sum(axis=-1))
        spread = A * scale[..., :, None] * scale[..., None, :]
        self._kept = spread
        return self.linear.forward(spread @ X)

    def backward(self, gradient: ArrayLike) -> tuple[None, Array]:
        """None for the graph, and the gradient of the features."""
        spread = self._recall()
        return None, spread.swapaxes(-1, -2) @ self.linear.backward(gradient)


class MessagePassing(Module):
    """Sum, mean or maximum of the features of every node's neighbors and its own.

    A network such as `Dense` goes after it.

    Parameters
    ----------
    aggregate : {"sum", "mean", "max"}, default="sum"
        None of them depends on the order of the neighbors. Sum and mean weight edges by the adjacency, and the node
        itself by 1.
    """

    def __init__(self, aggregate: str = "sum") -> None:
        super().__init__()
        if aggregate not in AGGREGATES:
            raise ValueError(
                f"aggregate must be one of {', '.join(AGGREGATES)}, got {aggregate!r}.\n"
                "Hint: 'sum' tells apart the most graphs."
            )
        self.aggregate = aggregate

    def forward(self, adjacency: ArrayLike, features: ArrayLike) -> Array:
        """What every node hears."""
        A, X = _check_graph(self, adjacency, features)
        A = A + np.eye(A.shape[-1])
        if self.aggregate == "max":
            heard = np.where(A[..., None] > 0.0, X[..., None, :, :], -np.inf)
            places = heard.argmax(axis=-2)[..., None, :]
            self._kept = places, X.shape
            return np.take_along_axis(heard, places, axis=-2)[..., 0, :]
        if self.aggregate == "mean":
            A = A / A.sum(axis=-1, keepdims=True)
        self._kept = A, X.shape
        return A @ X

    def backward(self, gradient: ArrayLike) -> tuple[None, Array]:
        """None for the graph, and the gradient of the features."""
        (kept, shape), g = self._recall(), floats(gradient)
        if self.aggregate != "max":
            return None, kept.swapaxes(-1, -2) @ g
        sent = np.zeros((*shape[:-1], *shape[-2:]))
        np.put_along_axis(sent, kept, g[..., None, :], axis=-2)
        return None, sent.sum(axis=-3)
