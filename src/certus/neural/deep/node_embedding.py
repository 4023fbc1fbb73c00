"""Nodes of a graph as points."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Transformer, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike
from certus.neural.deep.graphs.edge_learner import EDGE_CONSTRAINTS, EdgeLearner
from certus.neural.deep.graphs.edge_objective import EdgeObjective, Edges
from certus.neural.deep.learning.deep_learner import without_validation


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit (edges + nodes * width) * width per epoch and layer, transform the same once",
    takes="graphs",
    needs="deep",
    draws_rows=True,
)
class NodeEmbedding(EdgeLearner, Transformer):
    """Points for the nodes of a graph, near to each other where there are edges.

    The encoder is a network that passes messages, so that nodes with like features and like neighbors come to like
    places, and nodes of other graphs have places, too. `plot` draws the graph; the points are a table for any learner
    that divides rows into groups.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.cluster import KMeans
    >>> from certus.neural.deep import NodeEmbedding
    >>> A = np.kron(np.eye(2), np.ones((5, 5)) - np.eye(5))    # two cliques of five,
    >>> A[4, 5] = A[5, 4] = 1                                  # and one edge between them
    >>> points = NodeEmbedding(random_state=0).fit_transform((A, np.eye(10)))
    >>> groups = KMeans(2, random_state=0).fit_predict(points)
    >>> points.shape, set(groups[:5]) != set(groups[5:])
    ((10, 2), True)
    """

    _constraints: ClassVar[Any] = without_validation(EDGE_CONSTRAINTS)
    _arguments: ClassVar[dict[str, str]] = {
        "": """
X : (adjacency, features)
    One graph: an array or sparse matrix of shape (nodes, nodes), and an array of shape (nodes, n_node_features);
    ``np.eye(nodes)`` if nodes have no features.
"""
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        layer: str = "convolution",
        hidden_layer_sizes: Any = (32,),
        dropout: float = 0.0,
        max_epochs: int = 200,
        batch_size: int = 100_000,
        optimizer: str = "adamw",
        learning_rate: float = 0.01,
        learning_rate_end: float = 0.0,
        schedule: str = "constant",
        weight_decay: float = 0.0,
        momentum: float = 0.9,
        clip_norm: float | None = 5.0,
        random_state: RandomStateLike = None,
        checkpoint: Any = None,
        resume: bool = False,
        device: str = "auto",
        n_jobs: int | None = 1,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    patience: ClassVar[None] = None

    @fit_method
    def fit(self, X: Any, y: Any = None) -> NodeEmbedding:
        """Learn from the edges of a graph."""
        graph = self._read(X, reset=True)
        edges = Edges(graph, type(self).__name__)
        self._saw_nodes(graph, np.arange(graph.n_nodes))
        rows = np.arange(len(edges.pairs))
        self._learn(EdgeObjective(graph, edges, rows, rows[:0], self._seed()), graph)
        return self

    @predict_method
    def transform(self, X: Any) -> NDArray[np.float64]:
        """Points of the nodes of this graph or another one.

        Returns
        -------
        ndarray of shape (nodes, n_components)
        """
        return self._vectors(self._read(X, reset=False))

    @predict_method
    def plot(self, X: Any, y: Any = None, ax: Any = None) -> Any:
        """Draw a graph: its nodes at their points, colored by labels, and its edges.

        Parameters
        ----------
        y : array-like of shape (nodes,), default=None
            Labels or groups.
        ax : matplotlib Axes, default=None
            Where to draw.

        Returns
        -------
        matplotlib Axes
        """
        from matplotlib import pyplot
        from matplotlib.collections import LineCollection

        graph = self._read(X, reset=False)
        points = _flat(self._vectors(graph))
        edges = graph.edges.tocoo()
        axes = pyplot.subplots()[1] if ax is None else ax
        axes.add_collection(LineCollection(points[np.stack([edges.row, edges.col], axis=1)], colors="#bbb", lw=0.5))
        labels = np.zeros(len(points), int) if y is None else np.asarray(y)
        if labels.shape != (len(points),):
            raise ValueError(
                f"y must have one label per node, got the shape {labels.shape} for {len(points)} nodes.\nHint: y=None."
            )
        for label in np.unique(labels):
            axes.scatter(
                points[labels == label, 0],
                points[labels == label, 1],
                s=18,
                zorder=2,
                label=None if y is None else str(label),
            )
        if y is not None:
            axes.legend()
        axes.set(xticks=[], yticks=[], aspect="equal")
        return axes


def _flat(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two coordinates: the points themselves, or the two directions in which they vary most."""
    if points.shape[1] == 2:
        return points
    if points.shape[1] == 1:
        return np.column_stack([points, np.zeros(len(points))])
    centered = points - points.mean(axis=0)
    return centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T
