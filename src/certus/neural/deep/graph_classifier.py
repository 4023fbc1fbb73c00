"""Whole graphs as examples."""

from __future__ import annotations

from typing import Any, ClassVar

from certus.base import fit_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike, WeightsLike
from certus.base.params import OneOf
from certus.neural.deep.graphs.given_graph import read_graphs
from certus.neural.deep.graphs.graph_inputs import GraphInputs
from certus.neural.deep.graphs.graph_learner import GRAPH_CONSTRAINTS, GraphLearner
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, DeepLearner
from certus.neural.deep.learning.label_outputs import LABEL_CONSTRAINTS, LabelOutputs


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit (edges + nodes * width) * width per epoch and layer, predict the same once",
    takes="graphs",
    needs="deep",
    draws_rows=True,
)
class GraphClassifier(GraphLearner, LabelOutputs):
    """Labels of graphs, by a network that passes messages along their edges.

    After the last layer the vectors of a graph's nodes are summed (or averaged, or their maxima taken), and one affine
    layer scores the classes. The order in which nodes are listed changes nothing. A graph is a pair
    ``(adjacency, features)``: a square array or sparse matrix of weights of edges, none of them negative, row i of
    which lists what node i hears, and one row of numbers per node.

    Parameters
    ----------
    readout : {"sum", "mean", "max"}, default="sum"
        How the vectors of nodes become one of the graph. Sums tell graphs of different sizes apart.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.deep import GraphClassifier
    >>> def ring(nodes):
    ...     return np.roll(np.eye(nodes), 1, axis=1) + np.roll(np.eye(nodes), -1, axis=1), np.ones((nodes, 1))
    >>> def star(nodes):
    ...     A = np.zeros((nodes, nodes))
    ...     A[0, 1:] = A[1:, 0] = 1
    ...     return A, np.ones((nodes, 1))
    >>> graphs = [make(nodes) for nodes in range(4, 14) for make in (ring, star)]
    >>> model = GraphClassifier(hidden_layer_sizes=(16, 16), layer="sum", readout="mean", random_state=0)
    >>> model.fit(graphs, ["ring", "star"] * 10).predict([ring(20), star(15)])
    array(['ring', 'star'], dtype='<U4')
    """

    _constraints: ClassVar[Any] = {
        **CONSTRAINTS,
        **LABEL_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        "readout": [OneOf("sum", "mean", "max")],
    }
    _state: ClassVar[tuple[str, ...]] = ("classes_", "n_node_features_", *DeepLearner._state)
    _arguments: ClassVar[dict[str, str]] = {
        "": """
X : list of (adjacency, features)
    Graphs: arrays or sparse matrices of shape (nodes, nodes), and arrays of shape (nodes, n_node_features).
"""
    }

    layer: str
    readout: str
    dropout: float

    def __init__(
        self,
        layer: str = "convolution",
        *,
        hidden_layer_sizes: Any = (64, 64),
        readout: str = "sum",
        dropout: float = 0.0,
        max_epochs: int = 100,
        batch_size: int = 32,
        optimizer: str = "adamw",
        learning_rate: float = 0.005,
        learning_rate_end: float = 0.0,
        schedule: str = "constant",
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        clip_norm: float | None = 5.0,
        class_weight: ClassWeightLike = None,
        label_smoothing: float = 0.0,
        validation_fraction: float = 0.1,
        patience: int | None = None,
        random_state: RandomStateLike = None,
        checkpoint: Any = None,
        resume: bool = False,
        device: str = "auto",
        n_jobs: int | None = 1,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: Any, y: Any, sample_weight: WeightsLike = None, *, X_val: Any = None, y_val: Any = None
    ) -> GraphClassifier:
        """Learn the labels of graphs.

        Parameters
        ----------
        X_val, y_val : list of graphs and labels, default=None
            Your own held-out graphs, in place of ``validation_fraction``.
        """
        self._sizes()
        self._fit_labels(X, y, sample_weight, X_val, y_val)
        return self

    def _read_inputs(self, X: Any, *, reset: bool) -> GraphInputs:
        graphs = read_graphs(X, type(self).__name__, width=None if reset else self.n_node_features_)
        if reset:
            self.n_node_features_ = graphs[0].features.shape[1]
        self._saw_graphs(graphs)
        return GraphInputs(graphs)

    def _build(self) -> Any:
        from certus.neural.deep.blocks.graph_blocks import GraphReader

        return GraphReader(
            self.n_node_features_, self._sizes(), self._n_outputs(), self.layer, self.readout, self.dropout
        )
