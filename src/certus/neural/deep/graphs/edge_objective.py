"""Learning vectors of nodes by telling edges from pairs without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.neural.deep.graphs.given_graph import GivenGraph
from certus.neural.deep.graphs.graph_inputs import NodeInputs
from certus.neural.deep.lazy_torch import torch
from certus.neural.deep.training import Objective

Pairs = NDArray[np.int64]


class Edges:
    """The pairs of nodes of a graph that an edge joins, in whatever direction, without loops.

    Parameters
    ----------
    graph : GivenGraph
        The graph.
    owner : str
        The learner, for messages.

    Attributes
    ----------
    pairs : int array of shape (edges, 2)
        The smaller number first.
    others : int
        How many pairs of different nodes no edge joins.
    """

    def __init__(self, graph: GivenGraph, owner: str) -> None:
        self.n_nodes = graph.n_nodes
        given = graph.edges.tocoo()
        low, high = np.minimum(given.row, given.col), np.maximum(given.row, given.col)
        self._keys = np.unique((low.astype(np.int64) * self.n_nodes + high)[low != high])
        self.pairs = np.column_stack([self._keys // self.n_nodes, self._keys % self.n_nodes])
        self.others = self.n_nodes * (self.n_nodes - 1) // 2 - len(self.pairs)
        if not len(self.pairs) or not self.others:
            what = "an edge between two nodes" if not len(self.pairs) else "a pair of nodes without an edge"
            raise ValueError(
                f"{owner}: the graph must have {what}, got none.\n"
                "Hint: it learns from the difference between pairs with and without an edge."
            )

    def join(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs have an edge; a node with itself counts as such."""
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        keys = low * self.n_nodes + high
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return (low == high) | (self._keys[places] == keys)

    def draw_others(self, count: int, draw: Callable[[int, tuple[int, ...]], Pairs]) -> Pairs:
        """Pairs without an edge, each equally likely; `draw` gives whole numbers below one, in a shape."""
        if 4 * self.others < self.n_nodes * (self.n_nodes - 1) // 2:  # few: drawn from their list
            rows, columns = np.triu_indices(self.n_nodes, 1)
            listed = np.column_stack([rows, columns]).astype(np.int64)
            listed = listed[~self.join(listed)]
            return listed[draw(len(listed), (count,))]
        found = np.empty((0, 2), dtype=np.int64)
        while len(found) < count:
            pairs = draw(self.n_nodes, (2 * (count - len(found)) + 8, 2))
            found = np.concatenate([found, pairs[~self.join(pairs)]])
        return found[:count]


class EdgeObjective(Objective):
    """As many pairs without an edge as with one, and the mean logistic loss of the log-odds of edges.

    Parameters
    ----------
    graph : GivenGraph
        What messages are passed on.
    edges : Edges
        All edges that are known: no other pair counts as one without.
    rows, held : int arrays
        Which of the edges are learned from, and which judge epochs.
    seed : int
        Of the pairs without an edge that judge epochs.
    """

    def __init__(self, graph: GivenGraph, edges: Edges, rows: Pairs, held: Pairs, seed: int) -> None:
        self._inputs, self._edges = NodeInputs(graph, np.arange(graph.n_nodes)), edges
        self._learned, self._held = edges.pairs[rows], edges.pairs[held]
        self.count = len(rows)
        random = np.random.default_rng([seed, 0x4544])  # "ED": apart from the trainer's own streams
        self._apart = edges.draw_others(len(held), lambda below, shape: random.integers(below, size=shape))

    def batch(self, rows: NDArray[np.int64]) -> Any:
        """Edges, and as many pairs drawn anew."""
        apart = self._edges.draw_others(len(rows), lambda below, shape: torch.randint(below, shape).numpy())
        return self._learned[rows], apart

    def loss(self, module: Any, batch: Any, phase: str) -> tuple[Any, float]:
        """The sum of the losses of the pairs, and their number."""
        del phase
        joined, apart = batch
        device = module.offset.device
        whole, _ = self._inputs.tensors(self._inputs.nodes, device)
        odds = module(whole, torch.as_tensor(np.concatenate([joined, apart]), device=device))
        signs = torch.ones_like(odds)
        signs[: len(joined)] = -1.0
        return torch.nn.functional.softplus(signs * odds).sum(), float(len(odds))

    def score(self, module: Any) -> float | None:
        """Minus the mean loss of the held-out pairs."""
        if not len(self._held):
            return None
        total, count = self.loss(module, (self._held, self._apart), "loss")
        return -float(total) / count

    def arrays(self) -> Iterable[Any]:
        """The graph, and the edges learned from."""
        return (*self._inputs.graph.arrays(), self._learned, self._held)


def without_edges(graph: GivenGraph, pairs: Pairs) -> GivenGraph:
    """The graph without the edges of these pairs, in both directions."""
    taken = sparse.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=graph.edges.shape).tocsr()
    taken = (taken + taken.T).astype(bool)
    left = graph.edges - graph.edges.multiply(taken)
    left = sparse.csr_array(left)
    left.eliminate_zeros()
    return GivenGraph(left, graph.features)
