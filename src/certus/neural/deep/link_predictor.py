"""Edges that a graph may lack."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from certus.base import Classifier, fit_method, predict_method, register, saw_table
from certus.base.inputs import RandomStateLike, TableLike
from certus.neural.deep.graphs.edge_learner import EDGE_CONSTRAINTS, EdgeLearner
from certus.neural.deep.graphs.edge_objective import EdgeObjective, Edges, without_edges
from certus.neural.deep.learning.supervised_objective import held_out_rows


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit (edges + nodes * width) * width per epoch and layer, predict a distance per pair",
    takes="graphs",
    needs="deep",
    draws_rows=True,
)
class LinkPredictor(EdgeLearner, Classifier):
    """Probability of an edge between two nodes of a graph, some edges of which are not known.

    Held-out edges are taken out of the graph while it learns, so that it is judged by edges that no message was passed
    on; afterwards the nodes get their vectors from the whole graph. As many pairs without an edge as with one are
    learned from; probabilities are those of pairs drawn from all pairs of nodes, most of which have none.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        0 and 1: without and with an edge.
    log_prior_odds_ : float
        Log of the number of pairs with an edge, less that of pairs without.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.deep import LinkPredictor
    >>> A = np.kron(np.eye(2), np.ones((6, 6)) - np.eye(6))    # two cliques of six
    >>> A[0, 1] = A[1, 0] = 0                                  # one edge of which is not known
    >>> model = LinkPredictor(validation_fraction=0, random_state=0).fit((A, np.eye(12)))
    >>> model.decision_function([[0, 1]]) > model.decision_function([[0, 7]])
    array([ True])
    """

    _constraints: ClassVar[Any] = EDGE_CONSTRAINTS
    _state: ClassVar[tuple[str, ...]] = (*EdgeLearner._state, "classes_", "log_prior_odds_")
    _arguments: ClassVar[dict[str, str]] = {
        "": """
X : int array of shape (n_pairs, 2)
    Pairs of nodes of the training graph, which are numbered from 0.
""",
        "fit": """
X : (adjacency, features)
    One graph: an array or sparse matrix of shape (nodes, nodes), and an array of shape (nodes, n_node_features);
    ``np.eye(nodes)`` if nodes have no features.
""",
    }

    validation_fraction: float
    log_prior_odds_: float

    def __init__(
        self,
        n_components: int = 16,
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
        weight_decay: float = 0.01,
        momentum: float = 0.9,
        clip_norm: float | None = 5.0,
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
    def fit(self, X: Any, y: Any = None) -> LinkPredictor:
        """Learn from the edges of a graph."""
        graph = self._read(X, reset=True)
        edges = Edges(graph, type(self).__name__)
        saw_table(self, edges.pairs)
        held = held_out_rows(len(edges.pairs), float(self.validation_fraction), self._seed())
        rows = np.setdiff1d(np.arange(len(edges.pairs)), held)
        shown = without_edges(graph, edges.pairs[held]) if len(held) else graph
        self.classes_ = np.array([0, 1])
        self.log_prior_odds_ = math.log(len(edges.pairs)) - math.log(edges.others)
        self._learn(EdgeObjective(shown, edges, rows, held, self._seed()), graph)
        return self

    @predict_method
    def decision_function(self, X: TableLike) -> NDArray[np.float64]:
        """Log-odds of edges.

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        pairs = self._pairs(X)
        saw_table(self, np.sort(pairs, axis=1))
        distances = ((self.embedding_[pairs[:, 0]] - self.embedding_[pairs[:, 1]]) ** 2).sum(axis=1)
        return float(self.weights_["offset"]) + self.log_prior_odds_ - distances

    def _pairs(self, X: Any) -> NDArray[np.int64]:
        table, nodes = np.asarray(X), len(self.embedding_)
        if table.ndim != 2 or table.shape[1] != 2 or table.dtype.kind not in "biuf":
            raise ValueError(
                f"{type(self).__name__}: X must have two columns, the nodes of each pair, got an array of "
                f"the shape {table.shape} and the type {table.dtype}.\nHint: [[0, 1]] is one pair."
            )
        good = (table >= 0) & (table < nodes) & (table == np.floor(table))
        if not good.all():
            row, column = map(int, np.argwhere(~good)[0])
            raise ValueError(
                f"{type(self).__name__}: X must hold numbers of nodes from 0 to {nodes - 1}, got "
                f"{table[row, column]:g} in row {row}.\nHint: nodes are numbered as in the adjacency."
            )
        return table.astype(np.int64)

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Probabilities that there is no edge, and that there is one.

        Returns
        -------
        ndarray of shape (n_pairs, 2)
        """
        odds = self.decision_function(X)
        return np.column_stack([expit(-odds), expit(odds)])

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.int64]:
        """1 where an edge is likelier than none.

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        return (self.decision_function(X) > 0.0).astype(np.int64)

    def _restored(self) -> None:
        super()._restored()
        if "embedding_" in vars(self):
            offset, odds = self.weights_.get("offset", np.full(1, np.nan)), self.log_prior_odds_
            if offset.shape != () or not isinstance(odds, float) or not np.isfinite([float(offset), odds]).all():
                raise ValueError("offset and log_prior_odds_ are not finite numbers.")
