"""Labels of binary trees of tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import certus
from certus.neural.deep import RecursiveNetworkClassifier
from certus.neural.deep.tokens.token_trees import TreeInputs, read_trees

RANDOM = np.random.default_rng(0)


def value(tree: Any) -> bool:
    return tree if isinstance(tree, bool) else not (value(tree[0]) and value(tree[1]))


def formula(depth: int) -> Any:
    if depth == 0 or RANDOM.random() < 0.2:
        return bool(RANDOM.random() < 0.5)
    return formula(depth - 1), formula(depth - 1)


def small(**parameters: Any) -> RecursiveNetworkClassifier:
    return RecursiveNetworkClassifier(**{"width": 16, "max_epochs": 3, "random_state": 0, **parameters})


TREES = [formula(4) for _ in range(500)]
LABELS = [value(tree) for tree in TREES]


def test_what_was_learned_holds_for_deeper_trees() -> None:
    model = small(max_epochs=40).fit(TREES, LABELS)
    deeper = [formula(7) for _ in range(200)]
    assert model.score(deeper, [value(tree) for tree in deeper]) > 0.95


def test_all_nodes_of_a_batch_at_once_are_the_nodes_one_by_one() -> None:
    trees = [*TREES[:30], "a", ("a", "b"), ("b", ("a", ("a", "b"))), ((("a", "b"), "b"), "a")]
    model = small().fit([*trees, "a", "b"], [*[0, 1] * 17, 0, 1])
    found = model.predict_proba(trees)
    with model._asking() as module:

        def vector(tree: Any) -> Any:
            if not isinstance(tree, tuple):
                return torch.tanh(module.leaf(torch.tensor(model.tokens_.index(tree))))
            return module.join(torch.cat([vector(tree[0]), vector(tree[1])]))

        expected = [module.scores(vector(tree)).double().softmax(-1).numpy() for tree in trees]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_trees_as_nodes() -> None:
    (tree,) = read_trees([(("a", "b"), ("c", ("d", "e")))], "test")
    assert tree.tokens == list("abcde")
    assert tree.heights.tolist() == [1, 1, 2, 3]
    assert list(zip(tree.left.tolist(), tree.right.tolist(), strict=True)) == [(0, 1), (3, 4), (2, 6), (5, 7)]
    inputs = TreeInputs([tree, *read_trees(["x"], "test")], [np.arange(5), np.array([5])])
    codes, levels, roots = inputs.tensors(np.array([0, 1]), "cpu")
    assert codes.tolist() == [0, 1, 2, 3, 4, 5]
    assert [level.tolist() for level in levels] == [[[0, 3], [1, 4]], [[2], [7]], [[6], [8]]]
    assert roots.tolist() == [9, 5]


def test_deep_trees_do_not_overflow() -> None:
    tree: Any = "a"
    for _ in range(3000):
        tree = (tree, "b")
    model = small(max_epochs=1).fit([tree, "a", "b"], [0, 1, 1])
    assert model.predict([tree]).shape == (1,)


def test_saved_resumed_and_certified(tmp_path: Path) -> None:
    def make(epochs: int, **parameters: Any) -> RecursiveNetworkClassifier:
        return small(max_epochs=epochs, dropout=0.2, **parameters).fit(TREES[:100], LABELS[:100])

    whole = make(4)
    certus.save(whole, tmp_path / "model.certus")
    make(2, checkpoint=tmp_path / "c")
    for other in (certus.load(tmp_path / "model.certus"), make(4), make(4, checkpoint=tmp_path / "c", resume=True)):
        np.testing.assert_array_equal(other.predict_proba(TREES), whole.predict_proba(TREES))


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        ([("a", "b", "c"), "a"], "every inner node of a tree must have two children, got 3 in tree 0"),
        (["a", ()], "two children, got 0 in tree 1"),
        (("a", "b"), "X must be a list of trees, got tuple"),
        ("ab", "X must be a list of trees, got str"),
        ([], "X must have at least one tree, got none"),
        ([{"a": 1}, "b"], "tokens must be hashable and equal to themselves, got {'a': 1} in tree 0"),
        ([float("nan"), "b"], "got nan in tree 0"),
    ],
)
def test_errors(trees: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"RecursiveNetworkClassifier: .*{message}"):
        small().fit(trees, [0, 1])
    model = small(max_epochs=1).fit(["a", ("a", "b")], [0, 1])
    with pytest.raises(ValueError, match=r"X\[0\]\[1\] must be a token of the training sequences, got 'z'"):
        model.predict([("a", "z")])
