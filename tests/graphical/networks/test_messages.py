"""Chains and factor graphs: messages against sums over everything."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certus.distributions import Factor
from certus.graphical import BayesianNetwork, Chain, FactorGraph, ImpossibleEvidence
from tests.graphical.networks.known_networks import fuel_gauge, networks


def random_chain(seed: int, length: int = 5) -> Chain:
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, 4, length)
    tables = [rng.dirichlet(np.ones(after), before) for before, after in itertools.pairwise(cards)]
    return Chain(rng.dirichlet(np.ones(cards[0])), tables)


def all_paths(chain: Chain) -> dict[tuple[int, ...], float]:
    cards = [len(chain.initial), *(table.shape[1] for table in chain.transitions)]
    return {
        path: float(chain.initial[path[0]])
        * math.prod(
            float(table[a, b]) for table, (a, b) in zip(chain.transitions, itertools.pairwise(path), strict=True)
        )
        for path in itertools.product(*map(range, cards))
    }


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sets(st.integers(0, 4)))
def test_chains_against_all_paths(seed: int, observed: set[int]) -> None:
    chain = random_chain(seed)
    paths = all_paths(chain)
    evidence = dict.fromkeys(observed, 0)
    left = {path: p for path, p in paths.items() if all(path[place] == 0 for place in observed)}
    total = sum(left.values())
    assert math.exp(chain.log_probability(evidence)) == pytest.approx(total)
    for place, values in enumerate(chain.marginals(evidence)):
        for state, value in enumerate(values):
            wanted = sum(p for path, p in left.items() if path[place] == state) / total
            assert value == pytest.approx(wanted, abs=1e-12)
    best = chain.trellis(evidence)
    assert math.exp(best.log_probability) == pytest.approx(max(left.values()))
    assert paths[tuple(best.path.tolist())] == pytest.approx(max(left.values()))
    assert [len(pointer) for pointer in best.pointers] == [table.shape[1] for table in chain.transitions]


def test_without_evidence_the_messages_from_behind_are_one() -> None:
    for message in random_chain(3).backward():
        np.testing.assert_allclose(message, 0.0, atol=1e-14)


def test_two_of_four_are_observed() -> None:
    """P(X2 | x1, x3) is proportional to P(X2 | x1) P(x3 | X2); the last variable sums to 1."""
    tables = np.random.default_rng(0).dirichlet(np.ones(3), (3, 3))
    chain = Chain([0.2, 0.3, 0.5], list(tables))
    wanted = tables[0][1] * tables[1][:, 2]
    np.testing.assert_allclose(chain.marginals({0: 1, 2: 2})[1], wanted / wanted.sum())


def test_a_chain_of_ten_thousand_does_not_underflow() -> None:
    chain = Chain([0.5, 0.5], [[[0.9, 0.1], [0.2, 0.8]]] * 9_999)
    evidence = {place: place % 2 for place in range(10_000)}
    wanted = math.log(0.5) + 5000 * math.log(0.1) + 4999 * math.log(0.2)
    assert chain.log_probability(evidence) == pytest.approx(wanted, rel=1e-12)
    assert chain.trellis(evidence).log_probability == pytest.approx(wanted, rel=1e-12)


def test_bad_chains_are_refused() -> None:
    with pytest.raises(ValueError, match="rows sum to 1"):
        Chain([0.5, 0.6], [])
    with pytest.raises(ValueError, match="must have 2 rows"):
        Chain([0.5, 0.5], [np.full((3, 2), 0.5)])
    with pytest.raises(ValueError, match="x_0 to x_1"):
        Chain([0.5, 0.5], [np.eye(2)]).marginals({2: 0})
    with pytest.raises(ImpossibleEvidence):
        Chain([0.5, 0.5], [np.eye(2)]).marginals({0: 0, 1: 1})


def product_of(factors: list[Factor]) -> Factor:
    found = Factor({}, [1.0])
    for factor in factors:
        found = found * factor
    return found


def example_factors(seed: int) -> list[Factor]:
    """f_a(x1, x2) f_b(x2, x3) f_c(x4, x2)."""
    rng = np.random.default_rng(seed)
    labels = {f"x{place}": list(range(place + 1)) for place in range(1, 5)}
    scopes = (("x1", "x2"), ("x2", "x3"), ("x4", "x2"))
    return [
        Factor({name: labels[name] for name in scope}, rng.random([len(labels[name]) for name in scope]))
        for scope in scopes
    ]


@pytest.mark.parametrize("root", ["x1", "x2", "x3", "x4", None])
def test_three_factors(root: str | None) -> None:
    factors = example_factors(1)
    joint = product_of(factors)
    found = FactorGraph(factors).sum_product(root=root)
    assert len(found.messages) == 12
    assert found.log_total == pytest.approx(math.log(joint.total))
    for name, values in found.marginals.items():
        np.testing.assert_allclose(values, joint.marginal(name).normalized().values)
    best = FactorGraph(factors).max_product(root=root)
    assert math.exp(best.log_value) == pytest.approx(joint.values.max())
    assert joint.value(best.assignment) == pytest.approx(joint.values.max())


def test_a_leaf_factor_sends_itself_and_a_leaf_variable_sends_one() -> None:
    factors = [Factor({"a": [0, 1]}, [0.2, 0.8]), Factor({"a": [0, 1], "b": [0, 1]}, [[1, 2], [3, 4]])]
    found = FactorGraph(factors).sum_product(root="b")
    np.testing.assert_allclose(np.exp(found.messages[0, "a"]), [0.2, 0.8])
    np.testing.assert_allclose(np.exp(found.messages["a", 1]), [0.2, 0.8])
    np.testing.assert_allclose(np.exp(found.messages[1, "b"]), [0.2 + 2.4, 0.4 + 3.2])
    np.testing.assert_allclose(np.exp(found.messages["b", 1]), [1.0, 1.0])


def test_a_head_to_head_network_by_pushing_sums_inwards() -> None:
    """P(B) = sum_A sum_C P(B | A, C) P(A) sum_D P(C | D) P(D)."""
    rng = np.random.default_rng(5)
    shapes = {"A": (2,), "D": (3,), "C": (3, 2), "B": (2, 2, 3)}
    network = BayesianNetwork(
        {"C": ["D"], "B": ["A", "C"]},
        {"A": [0, 1], "B": [0, 1, 2], "C": [0, 1], "D": [0, 1, 2]},
        {name: rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for name, shape in shapes.items()},
    )
    inner = network.table("D") @ network.table("C")
    wanted = np.einsum("a,acb,c->b", network.table("A"), network.table("B"), inner)
    np.testing.assert_allclose(FactorGraph.from_network(network).sum_product().marginals["B"], wanted)


def test_one_factor_or_three_for_a_collider() -> None:
    network = fuel_gauge()
    three, one = FactorGraph.from_network(network), FactorGraph.from_network(network, merged=True)
    assert (len(three.factors), len(one.factors)) == (3, 1)
    for graph in (three, one):
        np.testing.assert_allclose(graph.sum_product(evidence={"G": 0}).marginals["F"], [9 / 35, 26 / 35])
        assert graph.max_product(evidence={"G": 0}).assignment == {"B": 1, "F": 1, "G": 0}


@settings(max_examples=80, deadline=None)
@given(networks(6), st.data())
def test_trees_agree_with_the_junction_tree(network: BayesianNetwork, data: Any) -> None:
    graph = FactorGraph.from_network(network)
    assert graph.is_tree == (network.kind != "loopy")
    assume(graph.is_tree)
    names = data.draw(st.sets(st.sampled_from(network.nodes)))
    evidence = {name: data.draw(st.sampled_from(network.states(name))) for name in names}
    if network.probability(evidence) == 0:
        with pytest.raises(ValueError, match="must be possible"):
            graph.sum_product(evidence=evidence)
        with pytest.raises(ValueError, match="must be possible"):
            graph.max_product(evidence=evidence)
        return
    found = graph.sum_product(evidence=evidence)
    assert found.log_total == pytest.approx(network.log_probability(evidence), abs=1e-9)
    for name, values in network.marginals(evidence).items():
        np.testing.assert_allclose(found.marginals[name], values, atol=1e-12)
    best = graph.max_product(evidence=evidence)
    assert best.log_value == pytest.approx(network.mpe(evidence).log_probability, abs=1e-9)


def test_ties_need_pointers() -> None:
    """Per-variable maxima of this table would pick (0, 0), which has the value 0."""
    table = Factor({"a": [0, 1], "b": [0, 1]}, [[0.0, 0.5], [0.5, 0.0]])
    best = FactorGraph([table]).max_product()
    assert math.exp(best.log_value) == pytest.approx(0.5)
    assert best.assignment["a"] != best.assignment["b"]


def test_cycles_and_unknown_names_are_refused() -> None:
    cycle = [Factor({a: [0, 1], b: [0, 1]}, np.ones((2, 2))) for a, b in ("ab", "bc", "ca")]
    with pytest.raises(ValueError, match="must be a tree"):
        FactorGraph(cycle).sum_product()
    with pytest.raises(ValueError, match="The root is 'z'"):
        FactorGraph(cycle[:1]).sum_product("z")
    with pytest.raises(ValueError, match="evidence names 'z'"):
        FactorGraph(cycle[:1]).sum_product(evidence={"z": 0})
    with pytest.raises(ValueError, match="must be one of"):
        FactorGraph(cycle[:1]).sum_product(evidence={"a": 5})
    with pytest.raises(ValueError, match="same labels"):
        FactorGraph([Factor({"a": [0, 1]}, [1, 1]), Factor({"a": [1, 0]}, [1, 1])])
