"""Learners of whole graphs and of their nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

torch = pytest.importorskip("torch")

import certus
from certus.base.callbacks import Callback
from certus.neural.deep import (
    GenerativeAdversarialNetwork,
    GraphClassifier,
    LinkPredictor,
    NodeClassifier,
    NodeEmbedding,
    RecursiveNetworkClassifier,
    Seq2Seq,
    VariationalAutoencoder,
)

Graph = tuple[Any, np.ndarray]
LAYERS = ["convolution", "sum", "mean", "max"]
ORDER = [1, 3, 0, 4, 2]  # A, B, C, D, E listed as B, D, A, E, C


def from_edges(nodes: int, edges: list[tuple[int, int]]) -> np.ndarray:
    A = np.zeros((nodes, nodes))
    for one, other in edges:
        A[one, other] = A[other, one] = 1.0
    return A


def molecules(count: int, seed: int) -> tuple[list[Graph], np.ndarray]:
    """Trees with one edge more; the label says whether the ring that it closes has three nodes."""
    random = np.random.default_rng(seed)
    graphs, labels = [], []
    while len(graphs) < count:
        nodes = int(random.integers(6, 12))
        A = from_edges(nodes, [(child, int(random.integers(0, child))) for child in range(1, nodes)])
        one, other = random.choice(nodes, 2, replace=False)
        if A[one, other] or one == other:
            continue
        common = (A[one] * A[other]).sum() > 0
        if common != len(graphs) % 2:
            continue
        A[one, other] = A[other, one] = 1.0
        graphs.append((A, np.ones((nodes, 1))))
        labels.append("triangle" if common else "longer")
    return graphs, np.array(labels)


def classifier(**parameters: Any) -> GraphClassifier:
    return GraphClassifier(**{"hidden_layer_sizes": (8, 8), "max_epochs": 3, "random_state": 0, **parameters})


def two_groups(nodes: int, seed: int) -> tuple[Graph, np.ndarray]:
    """Two communities; features say nothing but the node's number."""
    random = np.random.default_rng(seed)
    y = np.arange(nodes) % 2
    likely = np.where(y[:, None] == y, 0.3, 0.02)
    A = np.triu(random.random((nodes, nodes)) < likely, 1).astype(float)
    return (A + A.T, np.eye(nodes)), y


# ---- graphs ---------------------------------------------------------------------------------------------------------
def test_shapes_of_graphs_are_learned() -> None:
    rings = [(np.roll(np.eye(n), 1, 1) + np.roll(np.eye(n), -1, 1), np.ones((n, 1))) for n in range(4, 24)]
    stars = [(from_edges(n, [(0, leaf) for leaf in range(1, n)]), np.ones((n, 1))) for n in range(4, 24)]
    for layer in LAYERS:
        given = [(A, A.sum(axis=1, keepdims=True)) for A, _ in rings + stars]
        model = classifier(layer=layer, readout="max", max_epochs=40, validation_fraction=0)
        model.fit(given[::2], np.repeat([0, 1], 10))
        assert model.score(given[1::2], np.repeat([0, 1], 10)) > 0.9, layer


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("readout", ["sum", "mean", "max"])
def test_relabelled_nodes_give_the_same_answer(layer: str, readout: str) -> None:
    graphs, y = molecules(12, 0)
    graphs = [(A, np.random.default_rng(1).normal(size=(len(A), 2))) for A, _ in graphs]
    model = classifier(layer=layer, readout=readout, max_epochs=2).fit(graphs, y)
    A, F = from_edges(5, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]), np.random.default_rng(2).normal(size=(5, 2))
    other = A[np.ix_(ORDER, ORDER)], F[ORDER]
    np.testing.assert_allclose(model.predict_proba([(A, F)]), model.predict_proba([other]), atol=1e-6)


def test_sparse_graphs_are_dense_graphs() -> None:
    graphs, y = molecules(20, 0)
    model = classifier().fit(graphs, y)
    for form in (sparse.csr_array, sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix):
        other = classifier().fit([(form(A), sparse.csr_array(F)) for A, F in graphs], y)
        np.testing.assert_array_equal(other.predict_proba(graphs), model.predict_proba(graphs))


def test_a_batch_changes_nothing() -> None:
    graphs, y = molecules(20, 0)
    for layer in LAYERS:
        model = classifier(layer=layer).fit(graphs, y)
        alone = np.concatenate([model.predict_proba([graph]) for graph in graphs])
        np.testing.assert_allclose(model.predict_proba(graphs), alone, atol=1e-6)


@pytest.mark.parametrize("kind", ["graphs", "nodes"])
def test_saved_models_and_equal_seeds(kind: str, tmp_path: Path) -> None:
    X, y = molecules(20, 0) if kind == "graphs" else two_groups(30, 0)
    make = classifier if kind == "graphs" else (lambda: NodeClassifier(max_epochs=5, random_state=0))
    model = make().fit(X, y)
    certus.save(model, tmp_path / "model.certus")
    for other in (certus.load(tmp_path / "model.certus"), make().fit(X, y)):
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(other.predict(X), model.predict(X))


@pytest.mark.parametrize("kind", ["graphs", "nodes"])
def test_a_resumed_training_is_the_uninterrupted_one(kind: str, tmp_path: Path) -> None:
    X, y = molecules(20, 0) if kind == "graphs" else two_groups(30, 0)

    def make(epochs: int, **parameters: Any) -> Any:
        learner = GraphClassifier if kind == "graphs" else NodeClassifier
        return learner(hidden_layer_sizes=(8,), dropout=0.3, max_epochs=epochs, random_state=0, **parameters)

    whole = make(4).fit(X, y)
    make(2, checkpoint=tmp_path).fit(X, y)
    resumed = make(4, checkpoint=tmp_path, resume=True).fit(X, y)
    assert resumed.loss_curve_ == whole.loss_curve_
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))


def test_held_out_graphs_certify_and_graphs_of_the_training_are_refused() -> None:
    graphs, y = molecules(40, 0)
    model = classifier().fit(graphs[:30], y[:30])
    report = model.certify(graphs[30:], y[30:])
    assert next(iter(report)).value >= 1.0 - model.score(graphs[30:], y[30:])
    with pytest.raises(ValueError, match="train"):
        model.certify(graphs[:30], y[:30])


def test_nodes_that_were_held_back_certify_and_nodes_of_the_training_are_refused() -> None:
    graph, truth = two_groups(80, 0)
    known, held = np.full(80, -1), np.full(80, -1)
    known[:30], held[30:] = truth[:30], truth[30:]
    model = NodeClassifier(max_epochs=60, random_state=0).fit(graph, known)
    bound = model.certify(graph, held)["error"]
    assert bound.kind == "probable"
    assert bound.witness["events"] == (model.predict(graph) != truth)[30:].sum()
    assert bound.check()
    with pytest.raises(certus.TrainingRowsError):
        model.certify(graph, truth)
    assert model.certify(graph, known, allow_training_rows=True)["error"].kind == "estimate"
    with pytest.raises(ValueError, match="at least one known label, got -1 for every node"):
        model.certify(graph, np.full(80, -1))


class Stop(Callback):
    """Ctrl-C after an epoch."""

    def __init__(self, epoch: int) -> None:
        self.left = epoch

    def on_fit_task_end(self, estimator: Any, context: Any, *, metadata: Any = None) -> None:
        if context.parent is not None:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("learner", "data", "asked"),
    [
        (GraphClassifier(), molecules(20, 0), lambda model: model.predict_proba(molecules(20, 0)[0])),
        (NodeClassifier(), two_groups(20, 0), lambda model: model.predict_proba(two_groups(20, 0)[0])),
        (NodeEmbedding(), two_groups(20, 0)[:1], lambda model: model.embedding_),
        (LinkPredictor(), two_groups(20, 0)[:1], lambda model: model.predict_proba([[0, 1]])),
        (Seq2Seq(), (["ab", "b"] * 8, ["ba", "b"] * 8), lambda model: model.log_likelihood(["ab"], ["b"])),
        (VariationalAutoencoder(), (np.eye(20),), lambda model: model.lower_bound(np.eye(20))),
        (GenerativeAdversarialNetwork(), (np.eye(20),), lambda model: model.sample(3)),
        (RecursiveNetworkClassifier(), ([("a", "b"), "b"] * 8, [0, 1] * 8), lambda model: model.predict_proba(["a"])),
    ],
    ids=lambda given: type(given).__name__ if hasattr(given, "fit") else "",
)
def test_an_interrupted_training_keeps_its_finished_epochs(learner: Any, data: Any, asked: Any) -> None:
    learner = learner.set_params(max_epochs=5, schedule="constant", random_state=0)
    with pytest.raises(KeyboardInterrupt):
        clone(learner).set_callbacks(Stop(3)).fit(*data)
    stopped = clone(learner).set_callbacks(Stop(3))
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(*data)
    assert stopped.n_iter_ == 3
    np.testing.assert_array_equal(asked(stopped), asked(clone(learner).set_params(max_epochs=3).fit(*data)))


def test_scores_that_overflow_are_refused() -> None:
    graphs, y = molecules(10, 0)
    model = classifier(layer="sum", hidden_layer_sizes=(8,) * 8).fit(graphs, y)
    with pytest.raises(ValueError, match="scores of classes must be finite, got some that overflow"):
        model.predict([(A * 1e20, F * 1e30) for A, F in graphs])


def test_weights_of_graphs() -> None:
    graphs, y = molecules(20, 0)
    weights = np.r_[np.ones(10), np.zeros(10)]
    half = classifier(validation_fraction=0.0).fit(graphs, y, sample_weight=weights)
    other = [(A, 2 * F) for A, F in graphs[10:]]
    changed = classifier(validation_fraction=0.0).fit(graphs[:10] + other, y, sample_weight=weights)
    np.testing.assert_array_equal(half.predict_proba(graphs), changed.predict_proba(graphs))
    assert classifier(class_weight="balanced").fit(graphs, y).score(graphs, y) >= 0.4


A, F = from_edges(3, [(0, 1)]), np.ones((3, 2))
GOOD = (A, F)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([GOOD, (A, np.ones((3, 4)))], "all graphs must have one number of features, got 4 in graph 1 and 2 in graph"),
        ([GOOD, (-A, F)], r"adjacency of graph 1 must have finite weights that are not negative, got -1 at \(0, 1\)"),
        ([GOOD, (sparse.csr_array(-A), F)], r"adjacency of graph 1 .* not negative, got -1 at \(0, 1\)"),
        (
            [GOOD, (A, np.ones((2, 2)))],
            r"features of graph 1 must have one row for each of its 3 nodes, got .*\(2, 2\)",
        ),
        (
            [GOOD, (A, np.full((3, 2), np.nan))],
            "features of graph 1 must be finite numbers .* got nan at node 0, feature 0",
        ),
        (
            [GOOD, (A, np.full((3, 2), 1e60))],
            r"features of graph 1 must be finite numbers of at most 1e\+30, got 1e\+60",
        ),
        ([GOOD, (np.ones((3, 2)), F)], r"adjacency of graph 1 must be square .* got the shape \(3, 2\)"),
        ([GOOD, (np.zeros((0, 0)), np.zeros((0, 2)))], "adjacency of graph 1 must be square with at least one node"),
        ([GOOD, (np.full((3, 3), np.inf), F)], "finite weights that are not negative, got inf"),
        ([GOOD, (A * 1e60, F)], r"adjacency of graph 1 must have weights of at most 1e\+30, got 1e\+60"),
        ([GOOD, (A, F * 1j)], r"features of graph 1 must be a table of real numbers, got an array of the shape"),
        ([GOOD, (sparse.csr_array(A * 1j), F)], "adjacency of graph 1 must be a square matrix of real numbers"),
        ([GOOD, A], r"graph 1 must be a pair \(adjacency, features\), got an array of the shape \(3, 3\)"),
        ([GOOD, (A, [["a", "b"]] * 3)], "features of graph 1 must be a table of real numbers, got a list of 3"),
        ([], "X must be a list of at least one pair"),
        (GOOD, r"graph 0 must be a pair \(adjacency, features\), got an array of the shape \(3, 3\)"),
        (None, "X must be a list of at least one pair .* got None"),
    ],
)
def test_errors_of_graphs(graphs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        classifier().fit(graphs, [0, 1])
    assert str(error.value).startswith("GraphClassifier: ")
    assert "\nHint: " in str(error.value)


def test_graphs_of_another_width_are_refused() -> None:
    graphs, y = molecules(10, 0)
    model = classifier().fit(graphs, y)
    with pytest.raises(ValueError, match="features of graph 0 must have 1 columns, as in training, got 2"):
        model.predict([GOOD])
    with pytest.raises(ValueError, match="X has 10, y has 3"):
        classifier().fit(graphs, y[:3])
    with pytest.raises(ValueError, match="hidden_layer_sizes must have at least one number"):
        classifier(hidden_layer_sizes=()).fit(graphs, y)


# ---- nodes ----------------------------------------------------------------------------------------------------------
def test_few_labels_reach_all_nodes() -> None:
    graph, truth = two_groups(80, 0)
    y = np.full(80, -1)
    y[:6] = truth[:6]
    model = NodeClassifier(max_epochs=60, random_state=0).fit(graph, y)
    assert (model.predict(graph) == truth)[6:].mean() > 0.95
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_allclose(model.predict_proba(graph).sum(axis=1), 1.0)


@pytest.mark.parametrize("layer", LAYERS)
def test_relabelled_nodes_get_the_same_labels(layer: str) -> None:
    graph = from_edges(5, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]), np.random.default_rng(2).normal(size=(5, 2))
    other = graph[0][np.ix_(ORDER, ORDER)], graph[1][ORDER]
    model = NodeClassifier(layer, max_epochs=3, random_state=0).fit(graph, [0, 1, -1, 1, 0])
    np.testing.assert_allclose(model.predict_proba(graph)[ORDER], model.predict_proba(other), atol=1e-6)


def test_labels_of_any_kind() -> None:
    graph, truth = two_groups(20, 0)
    names = np.array(["no", "yes"])[truth]
    for y in (
        [*names[:10].tolist(), *[-1] * 10],  # NumPy makes texts of a list of both
        np.array([*names[:10], *[-1] * 10], dtype=object),
    ):
        model = NodeClassifier(max_epochs=2, random_state=0).fit(graph, y)
        assert model.classes_.tolist() == ["no", "yes"]
    assert NodeClassifier(max_epochs=2).fit(graph, [-1.0, 2.0, *[-1.0] * 17, 1.0]).classes_.tolist() == [1.0, 2.0]


def test_weights_of_nodes() -> None:
    graph, truth = two_groups(20, 0)
    flipped, weights = truth.copy(), np.ones(20)
    flipped[:5], weights[:5] = 1 - flipped[:5], 0.0
    unknown = truth.copy()
    unknown[:5] = -1
    models = [
        NodeClassifier(max_epochs=3, random_state=0, validation_fraction=0).fit(graph, y, w)
        for y, w in ((truth, weights), (flipped, weights), (unknown, None))
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.predict_proba(graph), models[0].predict_proba(graph))


@pytest.mark.parametrize(
    ("graph", "y", "message"),
    [
        (GOOD, [-1, -1, -1], "y must have at least one known label, got -1 for every node"),
        (GOOD, [0, 1], "X has 3, y has 2"),
        ((-A, F), [0, 1, 0], "adjacency of the graph must have finite weights that are not negative, got -1"),
        ([GOOD], [0, 1, 0], "the graph must be a pair .* got a list of 1"),
        (GOOD, [0, np.nan, 1], "NaN|nan"),
    ],
)
def test_errors_of_nodes(graph: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NodeClassifier(max_epochs=1).fit(graph, y)
    model = NodeClassifier(max_epochs=1).fit(GOOD, [0, 1, -1])
    with pytest.raises(ValueError, match="features of the graph must have 2 columns, as in training, got 3"):
        model.predict((A, np.eye(3)))
