"""Separation and its proofs: the verdict by an oracle, every path and every block checked again."""

from __future__ import annotations

from collections.abc import Iterator

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.graphical import BayesianNetwork
from certus.graphical.networks.graphs.separation_proof import COLLIDER
from tests.graphical.networks.known_networks import random_network, seven_nodes

BINARY = (0, 1)


def structure(**parents: str) -> BayesianNetwork:
    """A structure from words: ``c="a b"`` gives c the parents a and b."""
    names = dict.fromkeys([*parents, *(name for own in parents.values() for name in own.split())])
    return BayesianNetwork({name: own.split() for name, own in parents.items()}, dict.fromkeys(names, BINARY))


def test_local_independences_of_seven_nodes() -> None:
    network = BayesianNetwork(seven_nodes(), {f"x{place}": BINARY for place in range(1, 8)})
    found = {"".join(a): ("".join(b), "".join(given)) for a, b, given in network.local_independences()}
    assert found == {
        "x1": ("x2x3", ""),
        "x2": ("x1x3x5", ""),
        "x3": ("x1x2", ""),
        "x4": ("x5", "x1x2x3"),
        "x5": ("x2x4x6", "x1x3"),
        "x6": ("x1x2x3x5x7", "x4"),
        "x7": ("x1x2x3x6", "x4x5"),
    }


@pytest.mark.parametrize(
    ("parents", "given", "rule"),
    [({"a": "c", "b": "c"}, "c", "fork"), ({"c": "a", "b": "c"}, "c", "chain"), ({"c": "a b"}, "", COLLIDER)],
)
def test_the_three_rules(parents: dict[str, str], given: str, rule: str) -> None:
    found = structure(**parents).separation("a", "b", list(given))
    assert found.separated
    assert found.blocks[0].node == "c"
    assert found.blocks[0].rule == rule
    opened = structure(**parents).separation("a", "b", [] if given else ["c"])
    assert opened.path == ("a", "c", "b")
    assert not opened.separated


def test_a_descendant_opens_a_collider() -> None:
    network = structure(alarm="burglar earthquake", call="alarm")
    assert network.separation("burglar", "earthquake").separated
    assert network.separation("burglar", "earthquake", "call").path == ("burglar", "alarm", "earthquake")


def test_examples_1_to_3() -> None:
    network = structure(e="a f", b="f", c="e")
    assert network.separation("a", "b", "c").path == ("a", "e", "f", "b")
    assert network.separation("a", "b").separated
    assert network.separation("a", "b", "f").separated


def test_verdicts_of_examples_4_to_6() -> None:
    """A path through an observed collider; three closed paths beside an open one; only closed paths."""
    fourth = structure(alpha="a b")
    assert fourth.separation("a", "b", "alpha").path == ("a", "alpha", "b")
    fifth = structure(n2="n1", n3="n2", n4="n3", n5="n2", beta="n5 n6", n6="n4", n7="n5", n8="n7")
    found = fifth.separation("n1", "n8", "n3")
    assert found.path == ("n1", "n2", "n5", "n7", "n8")
    sixth = structure(n2="n1", n3="n2", n4="n3", n5="n2", beta="n5 n4")
    closed = sixth.separation("n1", "n4", "n3")
    assert closed.separated
    assert {(block.node, block.rule) for block in closed.blocks} == {("n3", "chain"), ("beta", COLLIDER)}


@st.composite
def cases(draw: st.DrawFn) -> tuple[BayesianNetwork, list[str], list[str], list[str]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    network = random_network(rng, int(rng.integers(3, 10)), cards=(2,))
    roles = rng.choice(4, len(network.nodes), p=[0.2, 0.2, 0.3, 0.3])
    parts = [[name for name, role in zip(network.nodes, roles, strict=True) if role == wanted] for wanted in range(3)]
    rest = [name for name in network.nodes if name not in {*parts[0], *parts[1], *parts[2]}]
    for part in parts[:2]:
        if not part and rest:
            part.append(rest.pop())
    return network, *parts  # type: ignore[return-value]


@settings(max_examples=150, deadline=None)
@given(cases())
def test_every_proof_holds(case: tuple[BayesianNetwork, list[str], list[str], list[str]]) -> None:
    network, a, b, given_nodes = case
    if not a or not b:
        return
    found = network.separation(a, b, given_nodes)
    graph = networkx.DiGraph(network.edges)
    graph.add_nodes_from(network.nodes)
    assert found.separated == networkx.is_d_separator(graph, set(a), set(b), set(given_nodes))
    if found.path is not None:
        assert found.path[0] in a
        assert found.path[-1] in b
        assert len(set(found.path)) == len(found.path)
        assert not list(closed_at(network, found.path, given_nodes))
        return
    assert found.complete
    for block in found.blocks:
        assert (block.node, block.rule) in list(closed_at(network, block.path, given_nodes))
    undirected = graph.to_undirected()
    listed = {block.path for block in found.blocks}
    for start in a:
        for end in b:
            for path in networkx.all_simple_paths(undirected, start, end):
                if not set(path[1:-1]) & {*a, *b}:
                    assert tuple(path) in listed


def closed_at(network: BayesianNetwork, path: tuple[str, ...], given_nodes: list[str]) -> Iterator[tuple[str, str]]:
    """Nodes that close a path, by the definition."""
    for before, node, after in zip(path, path[1:], path[2:], strict=False):
        arrows = (before in network.parents(node)) + (after in network.parents(node))
        if arrows == 2 and not {node, *network.descendants(node)} & set(given_nodes):
            yield node, COLLIDER
        elif arrows < 2 and node in given_nodes:
            yield node, "chain" if arrows == 1 else "fork"


def test_global_independences_hold_in_the_joint() -> None:
    network = random_network(np.random.default_rng(2), 5, cards=(2, 3))
    joint = network.joint()
    found = network.global_independences()
    assert found
    for a, b, given_nodes in found:
        assert joint.independent(a, b, given_nodes)


def test_many_paths_are_cut_short() -> None:
    layers = {
        f"{layer},{place}": [f"{layer - 1},{other}" for other in range(4)] if layer else []
        for layer in range(6)
        for place in range(4)
    }
    layers["end"] = ["5,0"]
    network = BayesianNetwork({**layers, "start": []}, dict.fromkeys([*layers, "start"], BINARY))
    found = network.separation("0,0", "0,1", max_paths=10)
    assert found.separated
    assert 1 <= len(found.blocks) <= 10
    assert not found.complete
    assert str(found).endswith("...")


def test_parameters_are_parents_of_all_copies() -> None:
    network = structure(x2="x1", x3="x1")
    unrolled = network.unrolled(2)
    assert unrolled.parents("x2[1]") == ("theta[x2]", "x1[1]")
    assert unrolled.children("theta[x2]") == ("x2[1]", "x2[2]")
    assert not unrolled.separation("x2[1]", "x2[2]").separated
    assert unrolled.separation("x2[1]", "x2[2]", ["theta[x1]", "theta[x2]"]).separated
    assert unrolled.separation("theta[x1]", "theta[x2]").separated
    complete = [f"{name}[{row}]" for name in network.nodes for row in (1, 2)]
    assert unrolled.separation("theta[x1]", ["theta[x2]", "theta[x3]"], complete).separated
    with pytest.raises(ValueError, match="whole number"):
        network.unrolled(0)


def test_bad_questions_are_refused() -> None:
    network = structure(b="a", c="b")
    with pytest.raises(ValueError, match="no node in common, got 'a'"):
        network.separation("a", ["b", "a"])
    with pytest.raises(ValueError, match="no node of the network"):
        network.separation("a", "z")
    wide = BayesianNetwork({}, {f"v{place}": BINARY for place in range(11)})
    with pytest.raises(ValueError, match="at most 10"):
        wide.global_independences()
