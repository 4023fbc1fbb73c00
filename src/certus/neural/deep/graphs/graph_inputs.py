"""Graphs as inputs of a module: lists of them, or the nodes of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.neural.deep.graphs.given_graph import GivenGraph


class GraphInputs:
    """A list of graphs, a batch of which is one graph of several parts.

    Parameters
    ----------
    graphs : sequence of GivenGraph
        The examples.
    """

    lengths: NDArray[np.int64] | None = None

    def __init__(self, graphs: Sequence[GivenGraph]) -> None:
        self.graphs = graphs

    @property
    def count(self) -> int:
        """Number of graphs."""
        return len(self.graphs)

    @property
    def shape(self) -> tuple[int, ...]:
        """As an array of graphs."""
        return (len(self.graphs),)

    def part(self, rows: NDArray[np.int64]) -> GraphInputs:
        """Some of them."""
        return GraphInputs([self.graphs[row] for row in rows])

    def tensors(self, rows: NDArray[np.int64], device: Any) -> tuple[Any, ...]:
        """What a module is called with."""
        from certus.neural.deep.blocks.graph_blocks import batch_of

        return (batch_of([self.graphs[row] for row in rows]).to(device),)

    def arrays(self) -> Iterable[Any]:
        """What identifies the examples."""
        for graph in self.graphs:
            yield from graph.arrays()


class NodeInputs:
    """Nodes of one graph; a module is given the whole graph and the nodes that are asked for.

    Parameters
    ----------
    graph : GivenGraph
        The graph.
    nodes : int array
        The examples.
    """

    lengths: NDArray[np.int64] | None = None

    def __init__(self, graph: GivenGraph, nodes: NDArray[np.int64]) -> None:
        self.graph, self.nodes = graph, nodes
        self._batch: Any = None

    @property
    def count(self) -> int:
        """Number of nodes that are examples."""
        return len(self.nodes)

    @property
    def shape(self) -> tuple[int, ...]:
        """As an array of nodes."""
        return (len(self.nodes),)

    def part(self, rows: NDArray[np.int64]) -> NodeInputs:
        """Some of them."""
        return NodeInputs(self.graph, self.nodes[rows])

    def tensors(self, rows: NDArray[np.int64], device: Any) -> tuple[Any, ...]:
        """What a module is called with."""
        import torch

        from certus.neural.deep.blocks.graph_blocks import batch_of

        if self._batch is None or self._batch.features.device != device:
            self._batch = batch_of([self.graph]).to(device)
        return self._batch, torch.as_tensor(self.nodes[rows], device=device)

    def arrays(self) -> Iterable[Any]:
        """What identifies the examples."""
        return (*self.graph.arrays(), self.nodes)
