"""What learners of graphs share: parameters of the network, and graphs remembered as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Learner, saw_table
from certus.base.params import ArrayLike, Interval, OneOf
from certus.guarantees.rows import example_digests
from certus.neural.deep.graphs.given_graph import GivenGraph
from certus.neural.learning.network_options import hidden_sizes
from certus.neural.modules.graph_layers import AGGREGATES

GRAPH_CONSTRAINTS: dict[str, list[Any]] = {
    "layer": [OneOf("convolution", *AGGREGATES)],
    "hidden_layer_sizes": [ArrayLike(), Interval(1, None, integer=True)],
    "dropout": [Interval(0, 1, closed="left")],
}


class GraphLearner(Learner):
    """A learner whose network passes messages along the edges of graphs.

    Parameters
    ----------
    layer : {"convolution", "sum", "mean", "max"}
        What a layer does before its affine map: normalized sums over a node and its neighbors (Kipf, Welling 2017),
        their sums, means or maxima. None of them depends on the order in which nodes are listed.
    hidden_layer_sizes : int or tuple of int
        Numbers per node after every layer: as many layers as sizes.
    dropout : float
        Share of numbers left out while learning.

    Attributes
    ----------
    n_node_features_ : int
        Features of a node.
    """

    hidden_layer_sizes: Any
    n_node_features_: int

    def _sizes(self) -> tuple[int, ...]:
        """Numbers per node after every layer, at least one layer."""
        sizes = self._hidden_sizes()
        if not sizes:
            raise ValueError(
                f"{type(self).__name__}: hidden_layer_sizes must have at least one number, got ().\n"
                "Hint: hidden_layer_sizes=(64, 64)."
            )
        return sizes

    def _hidden_sizes(self) -> tuple[int, ...]:
        return hidden_sizes(self)

    def _restored(self) -> None:
        super()._restored()
        if "n_node_features_" in vars(self) and (type(self.n_node_features_) is not int or self.n_node_features_ < 1):
            raise ValueError("n_node_features_ is not a number of features.")

    def _saw_graphs(self, graphs: Sequence[GivenGraph]) -> None:
        """Every graph counts as one row of those trained on or asked about."""
        saw_table(self, example_digests([graph.arrays() for graph in graphs]))

    def _saw_nodes(self, graph: GivenGraph, nodes: NDArray[np.int64]) -> None:
        """Every node counts as one row: that of its place in its graph."""
        whole = np.repeat(example_digests([graph.arrays()]), len(nodes), axis=0)
        saw_table(self, np.column_stack([whole, nodes]))
