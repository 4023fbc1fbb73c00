"""Learners that place the nodes of a graph so that edges join near ones."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base.params import Interval
from certus.base.persistence import check_shapes
from certus.neural.deep.graphs.edge_objective import EdgeObjective
from certus.neural.deep.graphs.given_graph import GivenGraph, read_graph
from certus.neural.deep.graphs.graph_inputs import NodeInputs
from certus.neural.deep.graphs.graph_learner import GRAPH_CONSTRAINTS, GraphLearner
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, DeepLearner

EDGE_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    **GRAPH_CONSTRAINTS,
    "n_components": [Interval(1, None, integer=True)],
}


class EdgeLearner(GraphLearner, DeepLearner):
    """A learner of vectors of nodes.

    The log-odds of an edge are an offset less the squared distance of the two vectors, and the network learns to tell
    edges from as many pairs without one, drawn anew in every batch. Directions and weights of edges count for the
    messages; a pair has an edge if there is one in either direction.

    Parameters
    ----------
    n_components : int
        Numbers of a node's vector.

    Attributes
    ----------
    embedding_ : ndarray of shape (nodes, n_components)
        The vectors of the nodes of the training graph.
    """

    _state: ClassVar[tuple[str, ...]] = ("n_node_features_", "embedding_", *DeepLearner._state)

    n_components: int
    layer: str
    dropout: float
    embedding_: NDArray[np.float64]

    def _read(self, X: Any, *, reset: bool) -> GivenGraph:
        graph = read_graph(X, type(self).__name__, width=None if reset else self.n_node_features_)
        if reset:
            self.n_node_features_ = graph.features.shape[1]
        return graph

    def _build(self) -> Any:
        from certus.neural.deep.blocks.graph_blocks import EdgeReader

        return EdgeReader(self.n_node_features_, self._hidden_sizes(), self.n_components, self.layer, self.dropout)

    def _learn(self, objective: EdgeObjective, graph: GivenGraph) -> None:
        """Train, and place the nodes of the graph; a training that was interrupted has its best epoch's, too."""
        self.__dict__.pop("report_", None)  # of an earlier fit
        try:
            self._train(objective)
        finally:
            if "report_" in vars(self):
                self.embedding_ = self._vectors(graph)

    def _vectors(self, graph: GivenGraph) -> NDArray[np.float64]:
        inputs = NodeInputs(graph, np.arange(graph.n_nodes))
        with self._asking() as module:
            batch, _ = inputs.tensors(inputs.nodes, self._place(module))
            vectors = np.asarray(module.encoder(batch).double().cpu().numpy())
        if not np.isfinite(vectors).all():
            raise ValueError(
                f"{type(self).__name__}: the vectors of nodes overflow, got numbers that are not finite.\n"
                "Hint: features and weights of edges of the size of those in training."
            )
        return vectors

    def _restored(self) -> None:
        super()._restored()
        if "embedding_" in vars(self):
            check_shapes(self, embedding_=(None, self.n_components))
