"""The network itself: structure, counts, tables, rows, files of models, and what it refuses."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import certus
from certus.graphical import BayesianNetwork
from tests.graphical.networks.known_networks import fuel_gauge, gene_network, networks, seven_nodes

BINARY = {f"x{place}": ["a", "b"] for place in range(1, 8)}


def test_seven_nodes_have_42_entries_and_21_parameters() -> None:
    network = BayesianNetwork(seven_nodes(), BINARY)
    assert (network.n_entries, network.n_parameters, 2**7 - 1) == (42, 21, 127)
    order = network.topological_order()
    assert all(order.index(parent) < order.index(child) for parent, child in network.edges)
    assert network.markov_blanket("x4") == ("x1", "x2", "x3", "x5", "x6", "x7")
    assert set(network.ancestors("x6")) == {"x4", "x1", "x2", "x3"}
    assert network.descendants("x1") == ("x4", "x5", "x6", "x7")
    assert ("x5", "x4") not in network.moral_edges()
    assert ("x4", "x5") in network.moral_edges()


@pytest.mark.parametrize(
    ("parents", "kind"),
    [
        ({"b": ["a"], "c": ["b"]}, "chain"),
        ({"b": ["a"], "c": ["a"]}, "directed tree"),
        ({"c": ["a", "b"]}, "polytree"),
        ({"b": ["a"], "c": ["a", "b"]}, "loopy"),
        ({"b": ["a"]}, "chain"),
        ({}, "chain"),
    ],
)
def test_kinds(parents: dict[str, list[str]], kind: str) -> None:
    assert BayesianNetwork(parents, {name: [0, 1] for name in "abcde"}).kind == kind


def test_the_joint_of_the_gene_network() -> None:
    joint = gene_network().joint()
    assert joint.value({"C": "act"}) == pytest.approx(0.403, abs=1e-12)
    assert joint.given({"C": "act"}).normalized().value({"A": "act"}) == pytest.approx(0.513648, abs=1e-6)
    assert gene_network().n_parameters == 6


@settings(max_examples=30, deadline=None)
@given(networks(), st.integers(0, 2**31))
def test_rows_have_the_probability_that_the_joint_says(network: BayesianNetwork, seed: int) -> None:
    rows = network.sample(20, random_state=seed)
    logs = network.row_log_probabilities(rows)
    joint = network.joint()
    for row, found in zip(rows.iter_rows(named=True), logs, strict=True):
        assert np.exp(found) == pytest.approx(joint.value(row), rel=1e-9)
        assert found > -np.inf


def test_draws_follow_the_joint_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    network = fuel_gauge()
    rows = network.sample(40_000, random_state=1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert network.sample(40_000, random_state=1).equals(rows)
    joint = network.joint()
    for cell in np.ndindex(2, 2, 2):
        wanted = joint.value(dict(zip("BFG", cell, strict=True)))
        seen = float(np.mean([tuple(row) == cell for row in rows.iter_rows()]))
        assert abs(seen - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / 40_000)


def test_saved_pickled_and_equal(tmp_path: Path) -> None:
    network = gene_network()
    certus.save(network, tmp_path / "gene.certus")
    again = certus.load(tmp_path / "gene.certus")
    assert again == network == pickle.loads(pickle.dumps(network))
    structure = network.structure()
    assert structure != network
    certus.save(structure, tmp_path / "gene.certus")
    assert certus.load(tmp_path / "gene.certus") == structure


def test_names_and_labels_of_any_kind() -> None:
    network = BayesianNetwork(
        {'a, "b"': ["ü ñ"]}, {"ü ñ": [True, False], 'a, "b"': [1.5, 2.5]}, {"ü ñ": [0.0, 1.0], 'a, "b"': np.eye(2)}
    )
    row = network.sample(1, random_state=0)
    assert row.row(0) == (False, 2.5)


def test_rows_a_little_off_are_rescaled_and_counted() -> None:
    network = BayesianNetwork({}, {"a": [0, 1], "b": [0, 1]}, {"a": [0.3, 0.70001], "b": [0.3, 0.7]})
    assert network.rescaled == {"a": 1}
    assert network.table("a").sum() == pytest.approx(1.0, abs=1e-15)
    assert BayesianNetwork({}, {"a": [0, 1]}, {"a": network.table("a")}).rescaled == {}


AB = {"a": [0, 1], "b": [0, 1]}


@pytest.mark.parametrize(
    ("parents", "states", "tables", "message"),
    [
        ({"a": ["b"], "b": ["a"]}, AB, None, "'a' -> 'b' -> 'a'|'b' -> 'a' -> 'b'"),
        ({"a": ["a"]}, AB, None, "'a' -> 'a'"),
        ({"a": ["bb"]}, {"a": [0, 1], "b": [0]}, None, "(?s)'bb'.*near names are 'b'"),
        ({"c": []}, AB, None, "'c', which is no node"),
        ({"a": ["b", "b"]}, AB, None, "once each"),
        ({}, {"a": [0, 0]}, None, "distinct labels"),
        ({}, {"a": []}, None, "at least one"),
        ({}, {"a": "yes"}, None, "got the string"),
        ({}, {1: [0]}, None, "must be a string"),
        ({}, {"a": [0, float("nan")]}, None, "missing values"),
        ({}, AB, {"a": [0.5, 0.5]}, "none for 'b'"),
        ({}, AB, {"a": [0.5, 0.4], "b": [0.5, 0.5]}, r"(?s)'a' must sum to 1, got 0.9.*Hint"),
        ({"b": ["a"]}, AB, {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.3, 0.8]]}, r"parents 1"),
        ({}, AB, {"a": [0.5, 0.5, 0.0], "b": [0.5, 0.5]}, r"shape \(2,\)"),
        ({}, AB, {"a": [1.5, -0.5], "b": [0.5, 0.5]}, "must hold probabilities"),
        ({}, AB, {"a": ["x", "y"], "b": [0.5, 0.5]}, "array of numbers"),
        ({}, AB, {"a": [0.5, 0.5], "b": [0.5, 0.5], "c": [1]}, "no node"),
    ],
)
def test_bad_networks_are_refused(parents: dict, states: dict, tables: dict | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BayesianNetwork(parents, states, tables)


def test_gigantic_tables_are_refused_before_allocating() -> None:
    states = {f"v{place}": range(100) for place in range(20)}
    parents = {"v0": [f"v{place}" for place in range(1, 20)]}
    with pytest.raises(MemoryError, match="entries"):
        BayesianNetwork(parents, states, {name: [1.0] for name in states})


def test_bad_rows_and_names_are_refused() -> None:
    network = gene_network()
    with pytest.raises(ValueError, match=r"(?s)Column 'B'.*'maybe' in row 1.*states are 'act'"):
        network.row_log_probabilities({"A": ["act"] * 2, "B": ["act", "maybe"], "C": ["act"] * 2})
    with pytest.raises(ValueError, match="column for every node"):
        network.row_log_probabilities({"A": ["act"]})
    with pytest.raises(ValueError, match="missing cell of 'B' in row 0"):
        network.row_log_probabilities({"A": ["act"], "B": [None], "C": ["act"]})
    with pytest.raises(ValueError, match="no node of the network"):
        network.table("D")
    with pytest.raises(ValueError, match="must have tables"):
        network.structure().table("A")
    with pytest.raises(ValueError, match="whole number"):
        network.sample(-1)


def test_long_cycles_are_told_in_part() -> None:
    names = [f"n{place}" for place in range(1000)]
    parents = {name: [names[place - 1]] for place, name in enumerate(names)}
    with pytest.raises(ValueError, match="981 more") as error:
        BayesianNetwork(parents, dict.fromkeys(names, (0, 1)))
    assert len(str(error.value)) < 500
