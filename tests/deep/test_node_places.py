"""Points of nodes, and links between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score

torch = pytest.importorskip("torch")

import certus
from certus.cluster import KMeans
from certus.neural.deep import LinkPredictor, NodeEmbedding
from certus.neural.deep.graphs.edge_objective import EdgeObjective, Edges, without_edges
from certus.neural.deep.graphs.given_graph import read_graph
from tests.deep.test_graph_learners import ORDER, from_edges, two_groups

mpl.use("Agg")


def test_groups_of_nodes_are_apart() -> None:
    graph, truth = two_groups(60, 0)
    model = NodeEmbedding(max_epochs=100, random_state=0)
    points = model.fit_transform(graph)
    found = KMeans(2, random_state=0).fit_predict(points)
    assert max((found == truth).mean(), (found != truth).mean()) > 0.9
    np.testing.assert_array_equal(points, model.embedding_)


def test_edges_join_near_points() -> None:
    graph, _ = two_groups(60, 0)
    points = NodeEmbedding(max_epochs=100, random_state=0).fit_transform(graph)
    rows, columns = np.triu_indices(60, 1)
    distances = np.linalg.norm(points[rows] - points[columns], axis=1)
    assert roc_auc_score(graph[0][rows, columns], -distances) > 0.75


@pytest.mark.parametrize("layer", ["convolution", "sum", "mean", "max"])
def test_relabelled_nodes_have_the_same_points(layer: str) -> None:
    graph = from_edges(5, [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]), np.random.default_rng(2).normal(size=(5, 2))
    model = NodeEmbedding(layer=layer, max_epochs=3, random_state=0).fit(graph)
    other = model.transform((graph[0][np.ix_(ORDER, ORDER)], graph[1][ORDER]))
    np.testing.assert_allclose(other, model.embedding_[ORDER], atol=1e-6)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_pictures(width: int) -> None:
    graph, truth = two_groups(20, 0)
    model = NodeEmbedding(width, max_epochs=2, random_state=0).fit(graph)
    axes = model.plot(graph, truth)
    assert len(axes.collections[0].get_segments()) == int(graph[0].sum())
    assert sum(len(dots.get_offsets()) for dots in axes.collections[1:]) == 20
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0", "1"]
    assert model.plot(graph, ax=axes) is axes
    with pytest.raises(ValueError, match=r"one label per node, got the shape \(3,\) for 20 nodes"):
        model.plot(graph, [0, 1, 2])


def test_hidden_links_are_likelier_than_others() -> None:
    (A, F), _ = two_groups(80, 1)
    edges = np.argwhere(np.triu(A))
    hidden = edges[np.random.default_rng(0).permutation(len(edges))[:60]]
    seen = A.copy()
    seen[hidden[:, 0], hidden[:, 1]] = seen[hidden[:, 1], hidden[:, 0]] = 0.0
    model = LinkPredictor(max_epochs=60, n_components=4, random_state=0).fit((seen, F))
    apart = np.argwhere(np.triu(1 - A, 1))
    scores = model.decision_function(np.concatenate([hidden, apart]))
    assert roc_auc_score(np.r_[np.ones(len(hidden)), np.zeros(len(apart))], scores) > 0.7
    report = certus.certify(
        model, np.concatenate([hidden, apart]), np.r_[np.ones(60), np.zeros(len(apart))].astype(int)
    )
    assert report["error"].kind == "probable"
    with pytest.raises(certus.TrainingRowsError):
        model.certify(np.argwhere(np.triu(seen)), np.ones(int(seen.sum() / 2), int))


def test_probabilities_are_those_of_all_pairs() -> None:
    """Where nothing but the number of edges can be learned, that is what is said."""
    random = np.random.default_rng(0)
    A = np.triu(random.random((60, 60)) < 0.1, 1).astype(float)
    model = LinkPredictor(validation_fraction=0, random_state=0).fit((A + A.T, np.ones((60, 1))))
    rows, columns = np.triu_indices(60, 1)
    found = model.predict_proba(np.column_stack([rows, columns]))
    assert found[:, 1].mean() == pytest.approx(A[rows, columns].mean(), abs=0.03)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_links_have_no_direction_and_nodes_keep_theirs() -> None:
    graph, _ = two_groups(20, 0)
    model = LinkPredictor(max_epochs=3, random_state=0).fit(graph)
    pairs = np.array([[0, 1], [3, 7]])
    np.testing.assert_array_equal(model.decision_function(pairs), model.decision_function(pairs[:, ::-1]))
    one_way = Edges(read_graph((np.triu(graph[0]), graph[1]), "test"), "test")
    np.testing.assert_array_equal(one_way.pairs, Edges(read_graph(graph, "test"), "test").pairs)


@pytest.mark.parametrize("density", [0.2, 0.9])
def test_drawn_pairs_have_no_edge_and_are_equally_likely(density: float) -> None:
    random = np.random.default_rng(0)
    A = np.triu(random.random((8, 8)) < density, 1).astype(float)
    edges = Edges(read_graph((A, np.ones((8, 1))), "test"), "test")
    drawn = edges.draw_others(20_000, lambda below, shape: random.integers(below, size=shape))
    assert drawn.shape == (20_000, 2)
    low, high = np.sort(drawn, axis=1).T
    assert not A[low, high].any()
    counts = np.bincount(low * 8 + high, minlength=64)
    assert (counts > 0).sum() == edges.others == 28 - len(edges.pairs)
    expected = 20_000 / edges.others
    assert np.abs(counts[counts > 0] - expected).max() < 6 * np.sqrt(expected)


def test_held_out_edges_carry_no_message() -> None:
    graph, _ = two_groups(20, 0)
    given = read_graph((sparse.csr_array(np.triu(graph[0])), graph[1]), "test")
    edges = Edges(given, "test")
    left = without_edges(given, edges.pairs[:5]).edges.toarray()
    expected = np.triu(graph[0])
    expected[tuple(edges.pairs[:5].T)] = 0.0
    np.testing.assert_array_equal(left, expected)
    whole = read_graph(graph, "test")
    assert without_edges(whole, edges.pairs[:5]).edges.toarray().sum() == graph[0].sum() - 10
    model = LinkPredictor(max_epochs=2, random_state=0).fit(graph)
    assert len(model.validation_scores_) == 2
    objective = EdgeObjective(whole, edges, np.arange(5, len(edges.pairs)), np.arange(5), 0)
    assert objective.count == len(edges.pairs) - 5


@pytest.mark.parametrize("kind", [NodeEmbedding, LinkPredictor])
def test_saved_resumed_and_seeded(kind: type, tmp_path: Path) -> None:
    graph, _ = two_groups(20, 0)

    def make(epochs: int, **parameters: Any) -> Any:
        return kind(dropout=0.2, max_epochs=epochs, batch_size=16, random_state=0, **parameters).fit(graph)

    whole = make(4)
    certus.save(whole, tmp_path / "model.certus")
    loaded = certus.load(tmp_path / "model.certus")
    make(2, checkpoint=tmp_path / "c")
    for other in (loaded, make(4), make(4, checkpoint=tmp_path / "c", resume=True)):
        np.testing.assert_array_equal(other.embedding_, whole.embedding_)
        if kind is NodeEmbedding:
            np.testing.assert_array_equal(other.transform(graph), whole.embedding_)
        else:
            np.testing.assert_array_equal(other.predict_proba([[0, 1]]), whole.predict_proba([[0, 1]]))


@pytest.mark.parametrize("damage", [{"weights_": {}}, {"log_prior_odds_": float("nan")}, {"embedding_": np.eye(3)}])
def test_damaged_files_are_refused(damage: dict[str, Any], tmp_path: Path) -> None:
    model = LinkPredictor(max_epochs=1, random_state=0).fit(two_groups(20, 0)[0])
    vars(model).update(damage)
    certus.save(model, tmp_path / "model.certus")
    with pytest.raises(certus.CertusFileError):
        certus.load(tmp_path / "model.certus")


@pytest.mark.parametrize("kind", [NodeEmbedding, LinkPredictor])
def test_errors(kind: type) -> None:
    features = np.ones((3, 1))
    with pytest.raises(ValueError, match="must have an edge between two nodes, got none"):
        kind().fit((np.eye(3), features))
    with pytest.raises(ValueError, match="must have a pair of nodes without an edge, got none"):
        kind().fit((np.ones((3, 3)), features))
    with pytest.raises(ValueError, match="negative, got -1"):
        kind().fit((-np.eye(3), features))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 20]], "numbers of nodes from 0 to 19, got 20 in row 0"),
        ([[0, 1], [-1, 2]], "got -1 in row 1"),
        ([[0.5, 1]], "got 0.5 in row 0"),
        ([0, 1], r"two columns, the nodes of each pair, got an array of the shape \(2,\)"),
        ([["a", "b"]], "two columns"),
        ([[np.nan, 1]], "got nan in row 0"),
    ],
)
def test_errors_of_pairs(pairs: Any, message: str) -> None:
    model = LinkPredictor(max_epochs=1, random_state=0).fit(two_groups(20, 0)[0])
    with pytest.raises(ValueError, match=message):
        model.predict(pairs)
