"""Exact answers against the whole joint table, and the numbers of known networks."""

from __future__ import annotations

import dataclasses
import itertools
import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.graphical import BayesianNetwork, ImpossibleEvidence, JunctionTree
from certus.guarantees import CertificateError
from tests.graphical.networks.known_networks import fuel_gauge, gene_network, networks, random_network


def weighted_joint(network: BayesianNetwork, evidence: dict[str, Any]) -> np.ndarray:
    """P(x, e) of every x, by multiplying all tables."""
    table = network.joint().values.copy()
    for axis, name in enumerate(network.nodes):
        if name not in evidence:
            continue
        states, value = network.states(name), evidence[name]
        if isinstance(value, set):
            weights = np.array([float(state in value) for state in states])
        elif isinstance(value, list):
            weights = np.array(value, dtype=float)
        else:
            weights = np.array([float(state == value) for state in states])
        table *= weights.reshape([-1 if place == axis else 1 for place in range(table.ndim)])
    return table


@st.composite
def questions(draw: st.DrawFn) -> tuple[BayesianNetwork, dict[str, Any], int]:
    """A network, evidence of all three kinds, and a seed."""
    network = draw(networks())
    evidence: dict[str, Any] = {}
    for name in network.nodes:
        states = network.states(name)
        kind = draw(st.sampled_from(["none", "none", "state", "set", "soft"]))
        if kind == "state":
            evidence[name] = draw(st.sampled_from(states))
        elif kind == "set":
            evidence[name] = set(draw(st.sets(st.sampled_from(states), min_size=1)))
        elif kind == "soft":
            evidence[name] = draw(st.lists(st.floats(0.01, 5.0), min_size=len(states), max_size=len(states)))
    return network, evidence, draw(st.integers(0, 2**31))


def is_state(value: Any) -> bool:
    return not isinstance(value, set | list)


@settings(max_examples=120, deadline=None)
@given(questions())
def test_every_answer_against_the_joint_table(case: tuple[BayesianNetwork, dict[str, Any], int]) -> None:
    network, evidence, seed = case
    table = weighted_joint(network, evidence)
    total = table.sum()
    assert network.probability(evidence) == pytest.approx(total, rel=1e-11)
    if total <= 0.0:
        with pytest.raises(ImpossibleEvidence) as raised:
            network.marginals(evidence)
        assert_minimal(network, raised.value.subset)
        return
    rng = np.random.default_rng(seed)
    targets = list(rng.permutation(network.nodes)[: rng.integers(1, 4)])
    axes = [network.nodes.index(name) for name in targets]
    wanted = np.einsum(table, list(range(table.ndim)), axes) / total
    answer = network.query(targets, evidence)
    np.testing.assert_allclose(answer.values, wanted, rtol=1e-11, atol=1e-300)
    assert answer.log_evidence == pytest.approx(math.log(total), abs=1e-11)
    assert answer.certificate.check()
    tree = JunctionTree(network)
    tree.marginals({})
    for found in (network.marginals(evidence), tree.marginals(evidence), tree.marginals(evidence)):
        free = [name for name in network.nodes if not (name in evidence and is_fixed(network, name, evidence[name]))]
        assert list(found) == free
        for name, values in found.items():
            own = np.einsum(table, list(range(table.ndim)), [network.nodes.index(name)]) / total
            np.testing.assert_allclose(values, own, rtol=1e-11, atol=1e-300)


def is_fixed(network: BayesianNetwork, name: str, value: Any) -> bool:
    """Whether evidence leaves one state with weight 1."""
    if is_state(value):
        return True
    weights = [float(state in value) for state in network.states(name)] if isinstance(value, set) else value
    return np.count_nonzero(weights) == 1 and max(weights) == 1.0


def assert_minimal(network: BayesianNetwork, subset: dict[str, Any]) -> None:
    assert network.probability(subset) == 0.0
    for name in subset:
        rest = {other: value for other, value in subset.items() if other != name}
        assert network.probability(rest) > 0.0


@settings(max_examples=60, deadline=None)
@given(questions())
def test_explanations_against_the_joint_table(case: tuple[BayesianNetwork, dict[str, Any], int]) -> None:
    network, evidence, seed = case
    table = weighted_joint(network, evidence)
    if table.sum() <= 0.0:
        with pytest.raises(ImpossibleEvidence):
            network.mpe(evidence)
        return
    ordered = np.sort(table[table > 0].ravel())[::-1]
    found = network.explanations(5, evidence)
    assert len(found) == min(5, len(ordered))
    np.testing.assert_allclose([np.exp(each.log_probability) for each in found], ordered[: len(found)], rtol=1e-10)
    seen = {tuple(each.assignment[name] for name in network.nodes) for each in found}
    assert len(seen) == len(found)
    for each in (*found[:2], network.mpe(evidence), JunctionTree(network).mpe(evidence)):
        place = tuple(network.states(name).index(each.assignment[name]) for name in network.nodes)
        assert table[place] == pytest.approx(np.exp(each.log_probability), rel=1e-10)
        assert each.certificate.check()
    rng = np.random.default_rng(seed)
    targets = list(rng.permutation(network.nodes)[: rng.integers(1, 4)])
    axes = [network.nodes.index(name) for name in targets]
    best = network.map(targets, evidence)
    wanted = np.einsum(table, list(range(table.ndim)), axes)
    assert np.exp(best.log_probability) == pytest.approx(wanted.max(), rel=1e-10)
    place = tuple(network.states(name).index(best.assignment[name]) for name in targets)
    assert wanted[place] == pytest.approx(wanted.max(), rel=1e-10)
    assert best.certificate.check()


def test_the_gene_network() -> None:
    network = gene_network()

    def active(target: str, **evidence: str) -> float:
        return float(network.query(target, evidence).values[0])

    assert active("C") == pytest.approx(0.403, abs=1e-12)
    assert active("A", C="act") == pytest.approx(0.513648, abs=5e-7)
    assert active("B", C="act") == pytest.approx(0.565757, abs=5e-7)
    assert active("A", C="act", B="act") == pytest.approx(0.355263, abs=5e-7)
    assert active("A", C="act", B="inact") == pytest.approx(0.72, abs=1e-12)
    best = network.mpe()
    assert set(best.assignment.values()) == {"inact"}
    assert math.exp(best.log_probability) == pytest.approx(0.441, abs=1e-12)


def test_the_fuel_gauge_lies() -> None:
    network = fuel_gauge()
    assert network.probability({"G": 0}) == pytest.approx(0.315, abs=1e-12)
    assert network.query("G", {"F": 0}).values[0] == pytest.approx(0.81, abs=1e-12)
    assert network.query("F", {"G": 0}).values[0] == pytest.approx(9 / 35, abs=1e-12)
    assert network.query("F", {"G": 0, "B": 0}).values[0] == pytest.approx(1 / 9, abs=1e-12)
    assert math.exp(network.mpe().log_probability) == pytest.approx(0.648, abs=1e-12)
    lie = network.mpe({"G": 0})
    assert lie.assignment == {"B": 1, "F": 1, "G": 0}
    assert math.exp(lie.log_probability) == pytest.approx(0.162, abs=1e-12)


def test_explaining_away() -> None:
    """Head to head: independent, until the common effect is seen; then one cause takes belief from the other."""
    network = gene_network()
    assert network.joint().independent("A", "B")
    assert not network.joint().independent("A", "B", "C")
    assert network.query("A", {"C": "act", "B": "act"}).values[0] < network.query("A", {"C": "act"}).values[0]


@settings(max_examples=40, deadline=None)
@given(networks(5), st.integers(0, 2**31))
def test_rows_with_missing_cells(network: BayesianNetwork, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = network.sample(12, random_state=seed)
    target = str(rng.choice(network.nodes))
    columns = {
        name: [None if rng.random() < 0.4 else value for value in rows[name].to_list()]
        for name in network.nodes
        if name == target or rng.random() < 0.8
    }
    found = network.query_rows(columns, target)
    for row in range(12):
        evidence = {name: cells[row] for name, cells in columns.items() if name != target and cells[row] is not None}
        np.testing.assert_allclose(found[row], network.query(target, evidence).values, rtol=1e-11)


def test_impossible_rows_are_nan() -> None:
    network = BayesianNetwork({"b": ["a"]}, {"a": [0, 1], "b": [0, 1]}, {"a": [1.0, 0.0], "b": np.eye(2)})
    found = network.query_rows({"b": [0, 1]}, "a")
    np.testing.assert_array_equal(found, [[1.0, 0.0], [np.nan, np.nan]])


@pytest.mark.parametrize("evidence", [{"G": 0}, {"G": [0.3, 0.9], "B": 1}])
def test_draws_given_evidence_follow_the_posterior(evidence: dict[str, Any]) -> None:
    network = fuel_gauge()
    rows = network.sample(20_000, evidence=evidence, random_state=0)
    table = weighted_joint(network, evidence)
    table /= table.sum()
    for cell in itertools.product((0, 1), repeat=3):
        seen = float(np.mean([row == cell for row in rows.iter_rows()]))
        wanted = float(table[cell])
        assert abs(seen - wanted) <= 5 * math.sqrt(wanted * (1 - wanted) / 20_000)


def test_intervention_is_not_observation() -> None:
    network = gene_network()
    done = network.do({"C": "act"})
    assert done.query("A").values[0] == pytest.approx(0.3)
    assert network.query("A", {"C": "act"}).values[0] > 0.5
    assert network.do({"A": "act"}).query("C").values[0] == pytest.approx(network.query("C", {"A": "act"}).values[0])
    with pytest.raises(ValueError, match="must be one of"):
        network.do({"A": "on"})


def test_ten_thousand_nodes_do_not_underflow() -> None:
    count = 10_000
    parents = {f"v{place}": [f"v{place - 1}"] if place else [] for place in range(count)}
    tables = {name: [[0.9, 0.1], [0.2, 0.8]] if own else [0.5, 0.5] for name, own in parents.items()}
    network = BayesianNetwork(parents, dict.fromkeys(parents, (0, 1)), tables)
    alternating = {f"v{place}": place % 2 for place in range(count)}
    wanted = math.log(0.5) + 5000 * math.log(0.1) + 4999 * math.log(0.2)
    assert network.log_probability(alternating) == pytest.approx(wanted, rel=1e-12)
    every_other = {f"v{place}": 1 for place in range(0, count, 2)}
    two_steps = np.linalg.matrix_power(np.array(tables["v1"]), 2)[1, 1]
    assert network.log_probability(every_other) == pytest.approx(math.log(0.5) + 4999 * math.log(two_steps), rel=1e-10)
    assert network.marginals(every_other)["v1"][1] == pytest.approx(0.64 / two_steps)


def test_a_star_of_thousands_of_leaves_does_not_underflow() -> None:
    count = 3000
    parents = {"root": [], **{f"v{place}": ["root"] for place in range(count)}}
    tables = {name: [[0.01, 0.99], [0.02, 0.98]] if own else [0.5, 0.5] for name, own in parents.items()}
    network = BayesianNetwork(parents, dict.fromkeys(parents, (0, 1)), tables)
    seen = {f"v{place}": 0 for place in range(count)}
    wanted = count * math.log(0.02) + math.log(0.5)
    assert network.log_probability(seen) == pytest.approx(wanted, rel=1e-12)
    assert network.marginals(seen)["root"][1] == pytest.approx(1.0)
    assert JunctionTree(network).marginals(seen)["root"][0] < 1e-300


def test_products_below_the_range_of_numbers_are_not_called_impossible() -> None:
    network = BayesianNetwork(
        {"b": ["a"]}, {"a": [0, 1], "b": [0, 1]}, {"a": [1e-300, 1.0], "b": [[1e-200, 1.0], [0.0, 1.0]]}
    )
    found = network.query("a", {"b": 0})
    np.testing.assert_allclose(found.values, [1.0, 0.0])
    assert network.log_probability({"b": 0}) == pytest.approx(-500.0 * math.log(10.0), rel=1e-12)
    assert network.probability({"a": 1, "b": 0}) == 0.0


def test_the_cost_is_known_before_anything_is_allocated() -> None:
    rng = np.random.default_rng(0)
    side = 26
    parents = {
        f"{row},{column}": [f"{r},{c}" for r, c in ((row - 1, column), (row, column - 1)) if r >= 0 and c >= 0]
        for row in range(side)
        for column in range(side)
    }
    tables = {name: rng.dirichlet(np.ones(2), (2,) * len(own)) for name, own in parents.items()}
    network = BayesianNetwork(parents, dict.fromkeys(parents, (0, 1)), tables)
    with pytest.raises(MemoryError, match=r"(?s)width \d+ .*bytes.*Hint.*bound_log_probability"):
        network.query("25,25", {"0,0": 1}, max_cells=10_000)
    with pytest.raises(MemoryError, match="width"):
        JunctionTree(network, max_cells=10_000)


def test_an_elimination_per_node_where_one_tree_does_not_fit() -> None:
    network = random_network(np.random.default_rng(3), 14, cards=(2,))
    whole = network.marginals({"v0": 0})
    tight = network.marginals({"v0": 0}, max_cells=int(0.7 * JunctionTree(network).cells))
    for name, values in whole.items():
        np.testing.assert_allclose(tight[name], values, rtol=1e-11)


def test_a_tree_keeps_exponents_between_marginals_and_probabilities() -> None:
    """Far below the range of numbers, where the messages that stay have exponents of their own."""
    rng = np.random.default_rng(0)
    hidden, seen = [f"h{place}" for place in range(300)], [f"o{place}" for place in range(300)]
    parents = {own: [before] for before, own in itertools.pairwise(hidden)} | {
        o: [h] for h, o in zip(hidden, seen, strict=True)
    }
    tables = {name: rng.dirichlet(np.ones(2 if name in hidden else 20), (2,)) for name in parents}
    states = {name: range(2 if name in hidden else 20) for name in (*hidden, *seen)}
    network = BayesianNetwork(parents, states, {**tables, "h0": [0.5, 0.5]})
    tree = JunctionTree(network)
    evidence = {name: int(rng.integers(20)) for name in seen}
    for place in (299, 250, 10):
        evidence[seen[place]] = int(rng.integers(20))
        first = tree.marginals(evidence)
        evidence[seen[place - 3]] = int(rng.integers(20))
        assert tree.log_probability(evidence) == pytest.approx(network.log_probability(evidence), rel=1e-12)
        assert len(first) == 300
        expected, found = network.marginals(evidence), tree.marginals(evidence)
        assert all(np.allclose(found[name], values, rtol=1e-11) for name, values in expected.items())


def test_new_evidence_computes_only_what_it_touches() -> None:
    parents = {f"v{place}": [f"v{place - 1}"] if place else [] for place in range(200)}
    tables = {name: [[0.9, 0.1], [0.2, 0.8]] if own else [0.5, 0.5] for name, own in parents.items()}
    network = BayesianNetwork(parents, dict.fromkeys(parents, (0, 1)), tables)
    tree = JunctionTree(network)
    tree.marginals({"v0": 1, "v199": 0})
    assert tree.recomputed == len(tree.cliques)
    tree.marginals({"v0": 1, "v199": 0})
    assert tree.recomputed == 0
    changed = tree.marginals({"v0": 1, "v199": 1})
    one_end = tree.recomputed
    tree.marginals({"v0": 0, "v199": 1})
    assert one_end > 0
    assert min(one_end, tree.recomputed) < len(tree.cliques) / 2 + 1
    np.testing.assert_allclose(changed["v100"], network.marginals({"v0": 1, "v199": 1})["v100"], rtol=1e-12)


def test_nodes_that_are_observed_again_get_a_plan_of_their_own() -> None:
    network = random_network(np.random.default_rng(5), 30, most_parents=5, cards=(2, 3))
    tree = JunctionTree(network)
    assert tree.cells > 4096
    rows = network.sample(6, random_state=0)
    for row in [*rows.iter_rows(named=True)] * 2:
        for names in (("v0", "v3"), ("v1",), ("v2", "v7"), ("v9",), ("v4",), ("v5",)):
            evidence = {name: row[name] for name in names}
            wanted = network.marginals(evidence)
            for name, values in tree.marginals(evidence).items():
                np.testing.assert_allclose(values, wanted[name], rtol=1e-10)
            assert tree.log_probability(evidence) == pytest.approx(network.log_probability(evidence), abs=1e-10)
    assert tree.mpe({"v0": 0}).log_probability == pytest.approx(network.mpe({"v0": 0}).log_probability)


def test_equal_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_network(np.random.default_rng(5), 40, most_parents=6, cards=(2, 3))
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found.append(network.marginals({"v0": 0}))
    assert JunctionTree(network).cells > 2**16
    for name, values in found[0].items():
        np.testing.assert_array_equal(values, found[1][name])


def test_the_network_stays_as_it_is_under_soft_evidence() -> None:
    network = fuel_gauge()
    before = network.query("F").values.copy()
    network.query("F", {"G": [0.1, 0.9]})
    np.testing.assert_array_equal(network.query("F").values, before)


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"g": 0}, "(?s)evidence names 'g'.*nodes"),
        ({"G": 2}, r"(?s)one of its states, got 2.*Hint"),
        ({"G": {0, 7}}, "got 7"),
        ({"G": [0.0, 0.0]}, "not all zero"),
        ({"G": [1.0, 2.0, 3.0]}, "2 numbers"),
        ({"G": [1.0, -2.0]}, "not negative"),
        ({"G": {0: float("nan")}}, "finite"),
    ],
)
def test_bad_evidence_is_refused(evidence: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fuel_gauge().query("F", evidence)


def test_bad_questions_are_refused() -> None:
    network = fuel_gauge()
    with pytest.raises(TypeError, match="must be a dict"):
        network.query("F", ["G"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="once"):
        network.query(["F", "F"])
    with pytest.raises(ValueError, match="at least one"):
        network.query([])
    with pytest.raises(ValueError, match="no node"):
        network.map("X")
    with pytest.raises(ValueError, match="whole number"):
        network.explanations(0)
    with pytest.raises(ValueError, match="must have tables"):
        network.structure().query("F")


@pytest.mark.parametrize("what", ["posterior", "mpe", "map"])
def test_forged_certificates_fail(what: str) -> None:
    network = gene_network()
    if what == "posterior":
        certificate = network.query("A", {"C": "act"}).certificate
        forged = {"probabilities": [0.5136, 0.4864]}
    elif what == "mpe":
        certificate, forged = network.mpe().certificate, {"assignment": [0, 0, 0]}
    else:
        certificate, forged = network.map(["A"], {"C": "act"}).certificate, {"assignment": [1]}
    assert certificate.check()
    for change in ({"witness": {**certificate.witness, **forged}}, {"value": 0.0}):
        with pytest.raises(CertificateError):
            dataclasses.replace(certificate, **change).check()


def test_cells_that_underflow_before_the_last_factors_are_not_lost() -> None:
    """Half the leaves speak for one state first, the others for the other: the last one decides."""
    half = 150
    leaves = [f"x{place}" for place in range(2 * half + 1)]
    away, near = [0.5, 0.5], [0.001, 0.999]
    tables = {name: [away, near] if place < half else [near, away] for place, name in enumerate(leaves)}
    parents = {name: ["a"] for name in leaves}
    network = BayesianNetwork(parents, dict.fromkeys(["a", *leaves], (0, 1)), {"a": [0.5, 0.5], **tables})
    seen = dict.fromkeys(leaves, 0)
    logs = np.array(
        [half * math.log(0.5) + (half + 1) * math.log(0.001), (half + 1) * math.log(0.5) + half * math.log(0.001)]
    )
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    found = network.query("a", seen)
    np.testing.assert_allclose(found.values, shares, rtol=1e-9)
    assert found.certificate.check()
    assert network.log_probability(seen) == pytest.approx(np.logaddexp.reduce(logs) + math.log(0.5), rel=1e-12)
    np.testing.assert_allclose(JunctionTree(network).marginals(seen)["a"], shares, rtol=1e-9)


def test_bounds_hold_where_terms_cancel() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        p, weight = float(rng.random() * 1e-300), float(rng.random() * 1e300)
        network = BayesianNetwork({}, {"a": [0, 1]}, {"a": [p, 1.0 - p]})
        low, high = network.bound_log_probability({"a": [weight, 0.0]}).value
        with localcontext() as context:
            context.prec = 60
            truth = (Decimal(p) / (Decimal(p) + Decimal(1.0 - p)) * Decimal(weight)).ln()
        assert Decimal(low) <= truth <= Decimal(high)
