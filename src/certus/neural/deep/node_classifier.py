"""The nodes of one graph as examples, few of which have labels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, predict_method, register
from certus.base.inputs import ClassWeightLike, RandomStateLike, WeightsLike, check_target, require_target
from certus.guarantees import Certificate, Report
from certus.guarantees.holdout import RateSetting, mistakes, rate_bound
from certus.neural.deep.graphs.given_graph import read_graph
from certus.neural.deep.graphs.graph_inputs import NodeInputs
from certus.neural.deep.graphs.graph_learner import GRAPH_CONSTRAINTS, GraphLearner
from certus.neural.deep.learning.deep_learner import CONSTRAINTS, DeepLearner
from certus.neural.deep.learning.label_outputs import LABEL_CONSTRAINTS, LabelOutputs
from certus.neural.deep.learning.supervised_objective import Examples


@register(
    family="neural.deep",
    guarantees=(),
    cost="fit (edges + nodes * width) * width per epoch and layer, predict the same once",
    takes="graphs",
    needs="deep",
    draws_rows=True,
)
class NodeClassifier(GraphLearner, LabelOutputs):
    """Labels of the nodes of a graph, some of which are known.

    The network sees the whole graph, with the features of nodes whose labels it does not know. The last layer scores
    the classes: there is one layer more than ``hidden_layer_sizes`` has numbers, and a label depends on the nodes that
    are at most as many edges away as there are layers.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neural.deep import NodeClassifier
    >>> A = np.kron(np.eye(2), np.ones((5, 5)) - np.eye(5))    # two cliques of five,
    >>> A[4, 5] = A[5, 4] = 1                                  # and one edge between them
    >>> graph = A, np.eye(10)
    >>> labels = [0, -1, -1, -1, -1, -1, -1, -1, -1, 1]        # -1: not known
    >>> model = NodeClassifier(max_epochs=100, random_state=0).fit(graph, labels)
    >>> model.predict(graph)
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    _constraints: ClassVar[Any] = {**CONSTRAINTS, **LABEL_CONSTRAINTS, **GRAPH_CONSTRAINTS}
    _state: ClassVar[tuple[str, ...]] = ("classes_", "n_node_features_", *DeepLearner._state)
    _arguments: ClassVar[dict[str, str]] = {
        "": """
X : (adjacency, features)
    One graph: an array or sparse matrix of shape (nodes, nodes), and an array of shape (nodes, n_node_features).
""",
        "fit": """
y : array-like of shape (nodes,)
    Labels; -1 where the label is not known.
sample_weight : array-like of shape (nodes,), default=None
    Weights of the nodes with labels; the others do not count.
""",
    }

    layer: str
    dropout: float

    def __init__(
        self,
        layer: str = "convolution",
        *,
        hidden_layer_sizes: Any = (32,),
        dropout: float = 0.5,
        max_epochs: int = 200,
        batch_size: int = 100_000,
        optimizer: str = "adamw",
        learning_rate: float = 0.01,
        learning_rate_end: float = 0.0,
        schedule: str = "constant",
        weight_decay: float = 0.01,
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
    def fit(self, X: Any, y: Any, sample_weight: WeightsLike = None) -> NodeClassifier:
        """Learn from the nodes whose labels are known."""
        require_target(self, y)
        inputs = self._read_graph(X, reset=True)
        labels = check_target(self, y)
        self._same_number(inputs, labels)
        nodes = self._known(labels)
        self._saw_nodes(inputs.graph, nodes)
        codes = self._encode_labels(np.array(labels[nodes].tolist()) if labels.dtype == object else labels[nodes])
        weights = self._weights(sample_weight, inputs)
        weights = self._weights_of_labels(codes, None if weights is None else weights[nodes])
        if weights is not None and not weights.any():
            raise ValueError(
                f"{type(self).__name__}: sample_weight must be above 0 for a node with a label, got 0 for all.\n"
                "Hint: sample_weight=None weighs them alike."
            )
        examples = Examples(inputs.part(nodes), codes.astype(np.int64), weights)
        self._fit_examples(examples, None, None, codes)
        return self

    def _read_inputs(self, X: Any, *, reset: bool) -> NodeInputs:
        inputs = self._read_graph(X, reset=reset)
        self._saw_nodes(inputs.graph, inputs.nodes)
        return inputs

    def _read_graph(self, X: Any, *, reset: bool) -> NodeInputs:
        graph = read_graph(X, type(self).__name__, width=None if reset else self.n_node_features_)
        if reset:
            self.n_node_features_ = graph.features.shape[1]
        return NodeInputs(graph, np.arange(graph.n_nodes))

    def _build(self) -> Any:
        from certus.neural.deep.blocks.graph_blocks import NodeReader

        return NodeReader(self.n_node_features_, self._hidden_sizes(), self._n_outputs(), self.layer, self.dropout)

    def _stacked_outputs(self, X: Any) -> Any:
        """Of all nodes in one pass, which reads the whole graph anyway."""
        return self._scores(self._read_inputs(X, reset=False))

    def _scores(self, inputs: NodeInputs) -> Any:
        with self._asking() as module:
            return module(*inputs.tensors(inputs.nodes, self._place(module)))

    @predict_method
    def certify(self, X: Any, y: Any, *, loss: Any = "auto", confidence: float = 0.95, **options: Any) -> Report:
        """Bound the share of nodes that get a wrong label, from nodes whose labels were held back.

        It is about nodes drawn as these were: of one graph, that they were drawn at random.

        Parameters
        ----------
        y : array-like of shape (nodes,)
            Labels; -1 for nodes that do not count, such as those of the training.
        loss : {"auto", "error"}, default="auto"
            There for compatibility.
        confidence : float, default=0.95
            Probability with which the bound holds.
        **options
            ``allow_training_rows=True`` asks for an estimate on nodes of training, which are refused otherwise.

        Returns
        -------
        Report
            The certificates of training together with the bound of these nodes.
        """
        allow = options.pop("allow_training_rows", False)
        if loss not in ("auto", "error") or options:
            raise ValueError(
                f"{type(self).__name__}.certify counts wrong nodes, got loss={loss!r} and options {sorted(options)}.\n"
                "Hint: certify((adjacency, features), y)."
            )
        inputs, labels = self._read_graph(X, reset=False), check_target(self, y)
        self._same_number(inputs, labels)
        nodes = self._known(labels)
        truth = np.array(labels[nodes].tolist())
        setting = RateSetting(confidence=confidence, quantity="error", noun="wrong node")

        def judged() -> list[Certificate]:
            self._saw_nodes(inputs.graph, nodes)
            said = self.classes_[self._as_probabilities(self._scores(inputs)).argmax(axis=1)][nodes]
            return [rate_bound(int(mistakes(truth, said).sum()), len(nodes), setting)]

        return self._with_new_rows(judged, allow_training_rows=allow)

    def _known(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """The nodes whose labels are known."""
        nodes = np.flatnonzero(~_unknown(labels))
        if not len(nodes):
            raise ValueError(
                f"{type(self).__name__}: y must have at least one known label, got -1 for every node.\n"
                "Hint: -1 says that a label is not known."
            )
        return nodes


def _unknown(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels are -1; a list of texts with -1 between them is an array of texts."""
    if labels.dtype.kind == "U":
        return labels == "-1"
    if labels.dtype == object:
        return np.array([not isinstance(label, str) and label == -1 for label in labels.tolist()])
    return labels == -1
