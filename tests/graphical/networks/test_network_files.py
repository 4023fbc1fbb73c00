"""Files of networks: round trips with hostile names, known numbers, and lines of what is wrong."""

from __future__ import annotations

import contextlib
import gzip
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from certus.graphical import BayesianNetwork, ImpossibleEvidence, NetworkFileError, read_network, write_network
from tests.graphical.networks.known_networks import networks

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8)
ODD = ["a,b", 'say "no"', "two words", "naïve Ω", "x|y", "{s}", "// no comment", "%", "\\", "a;b", "1e5", "<&>"]

BIF = """// a comment
network "rain, and more" { property author someone; }
variable rain { type discrete [ 2 ] { yes, no }; property position = (1, 2); }
variable "wet grass" { /* two
lines */ type discrete[3] { "soaked, really", damp "dry" }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( "wet grass" | rain ) {
  (no) 0.1, 0.2, 0.7;
  (yes) 5e-1, .3, 0.2;
}
"""


@st.composite
def odd_networks(draw: st.DrawFn) -> BayesianNetwork:
    """Random tables under random names and states."""
    plain = draw(networks(4))
    names = draw(st.lists(TEXTS | st.sampled_from(ODD), min_size=4, max_size=4, unique_by=str.strip))
    renamed = dict(zip(plain.nodes, names, strict=False))
    states = {
        renamed[name]: draw(
            st.lists(
                TEXTS | st.sampled_from(ODD),
                min_size=len(plain.states(name)),
                max_size=len(plain.states(name)),
                unique_by=str.strip,
            )
        )
        for name in plain.nodes
    }
    parents = {renamed[name]: [renamed[parent] for parent in plain.parents(name)] for name in plain.nodes}
    return BayesianNetwork(parents, states, {renamed[name]: plain.table(name) for name in plain.nodes})


@pytest.mark.parametrize("ending", ["bif", "net", "json", "bif.gz"])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(network=odd_networks())
def test_round_trip_keeps_every_name_state_and_bit(ending: str, tmp_path: Path, network: BayesianNetwork) -> None:
    path = tmp_path / f"net.{ending}"
    write_network(network, path)
    again = read_network(path)
    assert again == network


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(network=odd_networks())
def test_round_trip_in_xml_keeps_all_but_outer_spaces(tmp_path: Path, network: BayesianNetwork) -> None:
    texts = [*network.nodes, *(state for name in network.nodes for state in network.states(name))]
    path = tmp_path / "net.xml"
    write_network(network, path)
    if all(text == text.strip() and text for text in texts):
        assert read_network(path) == network


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(network=networks())
def test_round_trip_of_numbers_in_uai(tmp_path: Path, network: BayesianNetwork) -> None:
    path = tmp_path / "net.uai"
    write_network(network, path)
    again = read_network(path)
    for old, new in zip(network.nodes, again.nodes, strict=True):
        np.testing.assert_array_equal(again.table(new), network.table(old))


def test_bif_as_it_is_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "rain.bif"
    path.write_text(BIF)
    network = read_network(path)
    assert network.nodes == ("rain", "wet grass")
    assert network.states("wet grass") == ("soaked, really", "damp", "dry")
    np.testing.assert_array_equal(network.table("wet grass"), [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    assert network.properties["variables"] == {"rain": ["position = (1, 2)"]}
    write_network(network, tmp_path / "again.bif")
    again = read_network(tmp_path / "again.bif")
    assert again == network
    assert again.properties == network.properties


def test_a_whole_table_with_parents_has_the_child_slowest(tmp_path: Path) -> None:
    path = tmp_path / "light.bif"
    path.write_text(
        "network n {}\nvariable a { type discrete [2] {t, f}; }\nvariable b { type discrete [2] {t, f}; }\n"
        "probability (a) { table 0.5 0.5; }\nprobability (b | a) { table 0.6 0.05 0.4 0.95; }\n"
    )
    np.testing.assert_array_equal(read_network(path).table("b"), [[0.6, 0.4], [0.05, 0.95]])


def test_default_rows(tmp_path: Path) -> None:
    path = tmp_path / "default.bif"
    path.write_text(BIF.replace("(no) 0.1, 0.2, 0.7;", "default 0.25, 0.25, 0.5;"))
    np.testing.assert_array_equal(read_network(path).table("wet grass")[1], [0.25, 0.25, 0.5])


def test_rows_a_little_off_are_rescaled_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "off.bif"
    path.write_text(BIF.replace("0.2, 0.7", "0.2, 0.7000003"))
    assert read_network(path).rescaled == {"wet grass": 1}


NET = """net { name = "test"; }
% a comment
node A { states = ("y" "n"); label = "the first"; }
discrete node B { states = ("1" "2" "3"); }
potential (A) { data = (0.3 0.7); }
potential (B | A) { data = ((0.1 0.2 0.7) % row
 (0.5 0.25 0.25)); }
"""
XDSL = """<?xml version="1.0"?>
<smile version="1.0" id="n"><nodes>
<cpt id="A"><state id="y"/><state id="n"/><probabilities>0.3 0.7</probabilities></cpt>
<deterministic id="B"><state id="y"/><state id="n"/><parents>A</parents>
<resultingstates>n y</resultingstates></deterministic>
</nodes></smile>
"""


def test_net_and_xdsl(tmp_path: Path) -> None:
    (tmp_path / "a.net").write_text(NET)
    network = read_network(tmp_path / "a.net")
    np.testing.assert_array_equal(network.table("B"), [[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    assert network.properties["nodes"] == {"A": {"label": '"the first"'}}
    (tmp_path / "a.xdsl").write_text(XDSL)
    network = read_network(tmp_path / "a.xdsl")
    np.testing.assert_array_equal(network.table("B"), [[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="can be written"):
        write_network(network, tmp_path / "b.xdsl")


BOMB = '<!DOCTYPE BIF [<!ENTITY a "aaaa">]>\n<BIF><NETWORK><NAME>&a;</NAME></NETWORK></BIF>'
HEAD = "network n {}\nvariable a { type discrete [2] {t, f}; }\n"
MANY = "".join(
    f"variable v{place} {{ type discrete [100] {{{', '.join(f's{state}' for state in range(100))}}}; }}\n"
    for place in range(12)
)


@pytest.mark.parametrize(
    ("ending", "text", "line", "message"),
    [
        ("bif", BIF.replace("(yes)", "(maybe)"), 9, "'maybe' is no state of 'rain'"),
        ("bif", BIF.replace("(yes)", "(no)"), 9, "given twice"),
        ("bif", BIF.replace("  (yes) 5e-1, .3, 0.2;\n", ""), 7, r"no row for \(yes\)"),
        ("bif", BIF.replace(".3, 0.2", ".3, 0.1"), 7, "sum to 1, got 0.9"),
        ("bif", BIF.replace(".3, 0.2", ".3"), 9, "3 numbers"),
        ("bif", BIF.replace("| rain", "| storm"), 7, "'storm' is no node"),
        ("bif", BIF.replace("| rain )", "| rain"), 7, "must stand here"),
        ("bif", BIF.replace("discrete[3]", "discrete[4]"), 4, "must have 4 states, got 3"),
        ("bif", BIF[:-10], 9, "a number must stand here"),
        ("bif", BIF.replace("*/", ""), 4, "no end"),
        ("bif", BIF.replace("0.8", "nan"), 6, "a number must stand here"),
        ("bif", BIF.replace("0.8", "inf"), 6, "a number must stand here"),
        ("bif", HEAD, 2, "has no table"),
        ("bif", HEAD + HEAD[13:], 3, "declared twice"),
        ("bif", HEAD + "probability (a) { table 1 0; }\n" * 2, 4, "two tables"),
        ("bif", HEAD + "probability (a | a) { default 1 0; }", 3, "a node twice"),
        ("bif", "", 1, "no node"),
        ("bif", "variable a { type continuous; }", 1, "'discrete'"),
        (
            "bif",
            MANY + "probability (v0 | " + ", ".join(f"v{place}" for place in range(1, 12)) + ") { default 1; }",
            13,
            "entries, too many",
        ),
        ("xml", BOMB, 1, "entities"),
        ("xml", "<BIF>\n<NETWORK>", 2, "no XML"),
        ("xml", "<a>" * 200, 1, "too deeply"),
        ("xml", "<smile/>", 1, "must be <BIF>"),
        ("json", '{"format": "certus-network",\n "version": 1', 2, "no JSON"),
        ("json", "[" * 100_000, 1, "too deeply|no JSON"),
        ("json", "{}", 1, "no network"),
        (
            "json",
            '{"format": "certus-network", "version": 1, "nodes": [{"name": "a", "states": [NaN]}]}',
            1,
            "no number",
        ),
        ("uai", "BAYES\n2\n2 2\n2\n1 0\n2 0 1\n2 0.5 0.5\n3 1 0 1", 8, "hold 4 numbers"),
        ("uai", "BAYES\n2\n2 2\n2\n1 0\n2 0 5\n", 6, "'x5' is no node"),
        ("uai", "BAYES\n-1", 2, "whole number"),
        ("uai", "MARKOV\n1", 1, "'BAYES'"),
        ("net", NET.replace("0.25)", "0.5)"), 6, "sum to 1"),
        ("net", NET.replace("0.7)", "x)", 1), 5, "a number"),
        ("net", "node A { position = (1 2); }", 1, "no states"),
        ("xdsl", XDSL.replace("n y", "n z"), 4, "'z' is no state"),
        ("xdsl", XDSL.replace("cpt", "noisymax"), 3, "only <cpt>"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, ending: str, text: str, line: int, message: str) -> None:
    path = tmp_path / f"bad.{ending}"
    path.write_text(text)
    with pytest.raises(NetworkFileError, match=message) as raised:
        read_network(path)
    assert raised.value.line == line


def test_a_number_of_thousands_of_digits_in_json(tmp_path: Path) -> None:
    node = f'{{"name": "a", "states": [0, 1], "parents": [], "table": [{"1" * 5000}, 0]}}'
    (tmp_path / "a.json").write_text(f'{{"format": "certus-network", "version": 1, "nodes": [{node}]}}')
    with pytest.raises(NetworkFileError, match="too long"):
        read_network(tmp_path / "a.json")


def test_a_cycle_in_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cycle.bif"
    path.write_text(
        HEAD + "variable b { type discrete [2] {t, f}; }\n"
        "probability (a | b) { default 1 0; }\nprobability (b | a) { default 1 0; }\n"
    )
    with pytest.raises(NetworkFileError, match=r"'a' -> 'b' -> 'a'|'b' -> 'a' -> 'b'"):
        read_network(path)


def test_other_encodings_of_xml(tmp_path: Path) -> None:
    text = XDSL.replace('"1.0"?', '"1.0" encoding="ISO-8859-1"?').replace('id="y"', 'id="ü"').replace("n y", "n ü")
    (tmp_path / "a.xdsl").write_bytes(text.encode("latin-1"))
    assert read_network(tmp_path / "a.xdsl").states("A") == ("ü", "n")
    odd = BayesianNetwork({}, {"a": ["x\x01", "y"]}, {"a": [0.5, 0.5]})
    with pytest.raises(ValueError, match="control characters"):
        write_network(odd, tmp_path / "a.xml")


def test_errors_survive_pickling() -> None:
    again = pickle.loads(pickle.dumps(NetworkFileError("bad", 3, 4)))
    assert (str(again), again.line) == ("line 3, column 4: bad", 3)
    impossible = pickle.loads(pickle.dumps(ImpossibleEvidence({"a": 1})))
    assert impossible.subset == {"a": 1}


def test_damaged_packs_and_unknown_formats(tmp_path: Path) -> None:
    packed = gzip.compress(BIF.encode())
    (tmp_path / "cut.bif.gz").write_bytes(packed[:-10])
    with pytest.raises(NetworkFileError, match="damaged"):
        read_network(tmp_path / "cut.bif.gz")
    (tmp_path / "a.bif").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(NetworkFileError, match="UTF-8"):
        read_network(tmp_path / "a.bif")
    with pytest.raises(ValueError, match="known by its ending"):
        read_network(tmp_path / "a.txt")
    with pytest.raises(ValueError, match="format must be one of"):
        read_network(tmp_path / "a.bif", "dot")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cut=st.integers(0, len(BIF)), text=st.text(max_size=5), ending=st.sampled_from(["bif", "net", "json", "xml", "uai"])
)
def test_damage_anywhere_is_one_clear_error_or_a_network(tmp_path: Path, cut: int, text: str, ending: str) -> None:
    source = {"bif": BIF, "net": NET}.get(ending, BIF)
    path = tmp_path / f"a.{ending}"
    path.write_text(source[:cut] + text + source[cut + 1 :], encoding="utf-8", errors="replace")
    with contextlib.suppress(NetworkFileError):
        assert read_network(path).nodes
