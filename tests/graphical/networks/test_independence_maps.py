"""Equivalence of graphs, I-maps and perfect maps, by enumeration of all small graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from certus.distributions import Factor
from certus.graphical import (
    BayesianNetwork,
    enumerate_dags,
    equivalence_classes,
    factorizes,
    is_i_map,
    minimal_i_map,
    p_map,
)
from tests.graphical.networks.known_networks import gene_network, networks, random_network


def structure(parents: dict[str, tuple[str, ...]]) -> BayesianNetwork:
    return BayesianNetwork(parents, dict.fromkeys(parents, (0, 1)))


def test_25_graphs_in_11_classes() -> None:
    assert [len(enumerate_dags(n)) for n in range(1, 5)] == [1, 3, 25, 543]
    assert sorted(map(len, equivalence_classes(3))) == [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 6]
    assert len(equivalence_classes(4)) == 185
    with pytest.raises(ValueError, match="from 1 to 5"):
        enumerate_dags(6)


@pytest.mark.parametrize("n", [3, 4])
def test_classes_have_the_same_independences_and_the_same_pattern(n: int) -> None:
    classes = equivalence_classes(n)
    seen = set()
    for members in classes:
        nets = [structure(member) for member in members]
        statements = {frozenset(net.global_independences()) for net in nets}
        patterns = {net.cpdag() for net in nets}
        assert len(statements) == len(patterns) == 1
        seen |= statements
        pattern = patterns.pop()
        edges = [set(net.edges) for net in nets]
        assert pattern.directed == set.intersection(*edges)
        assert all(nets[0].equivalent(net) for net in nets)
        free = {frozenset(edge) for edge in set.union(*edges) - set.intersection(*edges)}
        assert pattern.undirected == free
    assert len(seen) == len(classes)


def test_the_v_structure_stands_alone() -> None:
    chain, fork = structure({"a": (), "c": ("a",), "b": ("c",)}), structure({"a": ("c",), "c": (), "b": ("c",)})
    collider = structure({"a": (), "b": (), "c": ("a", "b")})
    assert chain.equivalent(fork)
    assert not chain.equivalent(collider)
    assert collider.v_structures() == [("a", "c", "b")]


@settings(max_examples=30, deadline=None)
@given(networks(4))
def test_i_map_just_if_it_factorizes(network: BayesianNetwork) -> None:
    """Theorem in both directions, over all graphs of the same nodes."""
    joint = network.joint()
    own = {name: network.parents(name) for name in network.nodes}
    assert is_i_map(own, joint)
    assert factorizes(own, joint)
    names = network.nodes
    renamed = {f"x{place + 1}": name for place, name in enumerate(names)}
    for dag in enumerate_dags(len(names))[:: 1 if len(names) < 4 else 37]:
        parents = {renamed[child]: [renamed[parent] for parent in given_nodes] for child, given_nodes in dag.items()}
        assert is_i_map(parents, joint) == factorizes(parents, joint)


def test_a_complete_graph_is_an_i_map_of_anything() -> None:
    joint = random_network(np.random.default_rng(0), 4, cards=(2, 3)).joint()
    names = joint.names
    assert is_i_map({name: names[:place] for place, name in enumerate(names)}, joint)
    xor = Factor({"a": [0, 1], "b": [0, 1]}, [[0.5, 0.0], [0.0, 0.5]])
    assert not is_i_map({}, xor)


def test_minimal_i_maps_lose_no_edge() -> None:
    joint = gene_network().joint()
    causal = minimal_i_map(joint, ["A", "B", "C"])
    assert causal == {"A": (), "B": (), "C": ("A", "B")}
    reverse = minimal_i_map(joint, ["C", "B", "A"])
    assert sum(map(len, reverse.values())) == 3
    for order in itertools.permutations("ABC"):
        found = minimal_i_map(joint, order)
        assert is_i_map(found, joint)
        for name, parents in found.items():
            for parent in parents:
                fewer = {**found, name: tuple(other for other in parents if other != parent)}
                assert not is_i_map(fewer, joint)
    with pytest.raises(ValueError, match="order must name"):
        minimal_i_map(joint, ["A", "B"])


def test_perfect_maps_of_random_graphs() -> None:
    rng = np.random.default_rng(4)
    for dag in enumerate_dags(4)[::17]:
        shapes = {name: (2,) * len(own) for name, own in dag.items()}
        tables = {name: rng.dirichlet(np.full(2, 2.0), shape) for name, shape in shapes.items()}
        network = BayesianNetwork(dag, dict.fromkeys(dag, (0, 1)), tables)
        found = p_map(network.joint(), tolerance=1e-7)
        assert found.pattern == network.cpdag()
        assert found.parents is not None
        assert structure(found.parents).equivalent(network)


def test_no_perfect_map_of_xor_and_of_a_cycle() -> None:
    grid = np.indices((2, 2, 2))
    xor = Factor({"a": [0, 1], "b": [0, 1], "c": [0, 1]}, (grid.sum(axis=0) % 2 == 0) / 4)
    found = p_map(xor)
    assert found.pattern is None
    assert found.conflict
    rng = np.random.default_rng(1)
    cycle = Factor({}, [1.0])
    for a, b in ("ab", "bc", "cd", "da"):
        cycle = cycle * Factor({a: [0, 1], b: [0, 1]}, rng.uniform(0.2, 3.0, (2, 2)))
    found = p_map(cycle.normalized())
    assert found.pattern is None
    joint = cycle.normalized()
    for statement in found.conflict:
        assert joint.independent(statement.a, statement.b, statement.given) == statement.independent
    assert {(s.a, s.b, s.given) for s in found.conflict if s.independent} == {
        ("a", "c", ("b", "d")),
        ("b", "d", ("a", "c")),
    }
    with pytest.raises(ValueError, match="at most 8"):
        p_map(random_network(np.random.default_rng(0), 9, cards=(2,)).joint())


@pytest.mark.parametrize("seed", range(6))
def test_no_graph_satisfies_the_conflict_and_some_graph_any_part_of_it(seed: int) -> None:
    """Against the paths of every graph, for distributions with parities and undirected circles among them."""
    rng = np.random.default_rng(seed)
    joint = Factor({name: [0, 1] for name in "abcd"}, np.ones(16))
    for scope in ("abc", "bd", "cd")[: 2 + seed % 2] if seed < 4 else ("ab", "bc", "cd", "da"):
        own = rng.uniform(0.1, 3.0, (2,) * len(scope))
        if scope == "abc":
            own = (np.indices(own.shape).sum(axis=0) % 2 == 0).astype(float)
        joint = joint * Factor({name: [0, 1] for name in scope}, own)
    joint = joint.normalized()
    found = p_map(joint)
    assert found.pattern is None
    renamed = {f"x{place + 1}": name for place, name in enumerate("abcd")}
    graphs = [
        structure({renamed[v]: tuple(renamed[p] for p in own) for v, own in graph.items()})
        for graph in enumerate_dags(4)
    ]
    held = [{s for s in found.conflict if g.separation(s.a, s.b, s.given).separated == s.independent} for g in graphs]
    whole = set(found.conflict)
    assert whole not in held
    assert all(any(whole - {statement} <= own for own in held) for statement in whole)
    assert all(joint.independent(s.a, s.b, s.given) == s.independent for s in whole)


def test_lint() -> None:
    network = BayesianNetwork(
        {"b": ["a"], "c": ["a", "b"]},
        {"a": ["x", "y"], "b": ["x", "y", "z"], "c": ["x"]},
        {
            "a": [0.3, 0.70001],
            "b": [[0.9995, 0.0005, 0.0], [0.9995, 0.0005, 0.0]],
            "c": np.ones((2, 3, 1)),
        },
    )
    kinds = {(found.kind, found.node) for found in network.lint()}
    assert {
        ("rescaled", "a"),
        ("zeros", "b"),
        ("nearly-certain", "b"),
        ("useless-states", "b"),
        ("useless-states", "c"),
        ("equal-rows", "b"),
        ("order", None),
    } <= kinds
    assert gene_network().lint() == []
    assert [found.kind for found in gene_network().structure().lint()] == ["no-tables"]


def test_lint_finds_the_causal_order() -> None:
    """Effects as parents of their causes need more edges."""
    joint = gene_network().joint()
    reverse = minimal_i_map(joint, ["C", "B", "A"])
    tables = {name: joint.marginal(*own, name).conditional(*own).values for name, own in reverse.items()}
    network = BayesianNetwork(reverse, dict.fromkeys("CBA", ("act", "inact")), tables)
    assert any(found.kind == "order" and "2 edges instead of 3" in found.message for found in network.lint())
