"""The tree of a node has one place per walk, and is what layers compute its features from. Needs no torch."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certus.neural.deep import computation_graph
from certus.neural.modules import GraphConvolution, MessagePassing

# A to E: a triangle A, B, C with a tail C, D, E.
GRAPH = np.zeros((5, 5))
for one, other in ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4)):
    GRAPH[one, other] = GRAPH[other, one] = 1.0


@pytest.mark.parametrize("node", range(5))
@pytest.mark.parametrize("form", [np.array, sparse.csr_array, sparse.coo_matrix])
def test_every_level_has_one_place_per_walk(node: int, form: type) -> None:
    tree = computation_graph(form(GRAPH), node, 4)
    for level, nodes in enumerate(tree.levels):
        walks = np.linalg.matrix_power(GRAPH, level)[node]
        np.testing.assert_array_equal(np.bincount(nodes, minlength=5), walks)
    for level in range(1, 5):  # every place is a neighbor of its parent, and a node's children are all its neighbors
        above = tree.levels[level - 1]
        for place, parent in enumerate(above):
            below = tree.levels[level][tree.parents[level] == place]
            np.testing.assert_array_equal(below, np.flatnonzero(GRAPH[parent]))


def test_summing_up_the_tree_is_message_passing() -> None:
    X = np.random.default_rng(0).normal(size=(5, 3))
    layer, heard = MessagePassing("sum"), X
    for _ in range(3):
        heard = layer.forward(GRAPH, heard)
    for node in range(5):
        tree = computation_graph(GRAPH, node, 3, loops=True)
        np.testing.assert_allclose(X[tree.levels[3]].sum(axis=0), heard[node])


def test_the_output_of_a_node_depends_on_its_tree_alone() -> None:
    X, layers = np.random.default_rng(0).normal(size=(5, 2)), [GraphConvolution(2, 2, random_state=s) for s in (0, 1)]

    def outputs(features: np.ndarray) -> np.ndarray:
        for layer in layers:
            features = np.tanh(layer.forward(GRAPH, features))
        return features

    for node in range(5):
        field = computation_graph(GRAPH, node, 2, loops=True).receptive_field
        for other in range(5):
            moved = X.copy()
            moved[other] += 1.0
            assert (np.abs(outputs(moved)[node] - outputs(X)[node]).max() > 1e-9) == (other in field)


def test_relabelled_nodes_give_the_same_tree() -> None:
    names, order = "ABCDE", [1, 3, 0, 4, 2]  # B D A E C
    relabelled = GRAPH[np.ix_(order, order)]
    called = [names[old] for old in order]
    for node in range(5):
        straight = computation_graph(GRAPH, node, 3, names=names)
        other = computation_graph(relabelled, order.index(node), 3, names=called)
        for ours, theirs in zip(straight.levels, other.levels, strict=True):
            assert sorted(names[i] for i in ours) == sorted(called[i] for i in theirs)


def test_text_and_picture() -> None:
    tree = computation_graph(GRAPH, 3, 2, names=["A<", *"BCDE"])
    assert str(tree).splitlines() == ["D", "├─ C", "│  ├─ A<", "│  ├─ B", "│  └─ D", "└─ E", "   └─ D"]
    picture = tree.to_svg()
    assert picture.count("<circle") == tree.n_places == 7
    assert picture.count("<line") == 6
    assert "A&lt;" in picture
    assert str(computation_graph([[0.0]], 0, 3)) == "0"
    assert "<circle" in computation_graph([[0.0]], 0, 0)._repr_svg_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, -1], [1, 0]], 0, 1), r"must have finite weights that are not negative, got -1 at \(0, 1\)"),
        (([[0, np.nan], [1, 0]], 0, 1), r"got nan at \(0, 1\)"),
        ((np.ones((2, 3)), 0, 1), r"must be square .* got the shape \(2, 3\)"),
        ((np.ones(3), 0, 1), r"must be a square matrix, got the shape \(3,\)"),
        (("graph", 0, 1), "must be a square matrix of real numbers, got 'graph'"),
        ((GRAPH, 5, 1), "node must be a whole number of at least 0 and at most 4, got 5"),
        ((GRAPH, -1, 1), "node must be .*, got -1"),
        ((GRAPH, 0, 1.5), "depth must be a whole number of at least 0, got 1.5"),
        ((np.ones((50, 50)), 0, 10), "must have at most 1000000 places, got more at depth 4"),
    ],
)
def test_errors(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        computation_graph(*arguments)
    assert "\nHint: " in str(error.value)


def test_large_trees_are_not_drawn() -> None:
    tree = computation_graph(np.ones((50, 50)), 0, 3)
    assert tree.n_places == 127551
    with pytest.raises(ValueError, match="at most 2000 places for text"):
        str(tree)
