"""Scores, searches and bounds of structures, against all networks of a few nodes."""

from __future__ import annotations

import dataclasses
import math
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.graphical import BayesianNetwork, Knowledge, learn_structure, score_structure
from certus.graphical.evidence.plain_families import plain_network_score, setting
from certus.graphical.knowledge import ArcRules
from certus.graphical.learning.structures.candidate_families import (
    candidate_families,
    enumerated,
    without_useless,
)
from certus.graphical.learning.structures.constraint_search import independence_tests
from certus.graphical.learning.structures.family_scores import SCORES, FamilyScores
from certus.graphical.learning.structures.state_columns import state_columns
from certus.graphical.learning.structures.structure_bound import ClusterProgram
from certus.graphical.learning.structures.tree_search import best_arborescence, pair_information
from certus.guarantees import CertificateError
from tests.graphical.all_networks import parent_lists, random_table

SEVEN = ["TRF", "TRF", "TGT", "FRF", "TBT", "TBT", "TBT"]
TABLE = {f"X{column + 1}": [row[column] for row in SEVEN] for column in range(3)}


def scores_of_all(table: dict, score: str) -> dict[tuple, float]:
    families = FamilyScores(state_columns(table), score)
    return {parents: families.network(parents) for parents in parent_lists(len(table))}


def test_there_are_25_networks_of_three_nodes() -> None:
    assert [len(parent_lists(nodes)) for nodes in (1, 2, 3, 4)] == [1, 3, 25, 543]


def test_scores_of_the_example() -> None:
    assert score_structure(TABLE, {"X2": ["X1"], "X3": ["X1"]}, "loglik") == pytest.approx(-12.7583248, abs=1e-7)
    assert score_structure(TABLE, {"X1": ["X2"], "X3": ["X1"]}, "loglik") == pytest.approx(-12.7583248, abs=1e-7)
    complete = {"X2": ["X1"], "X3": ["X1", "X2"]}
    assert score_structure(TABLE, complete, "loglik") == pytest.approx(-8.9392398, abs=1e-7)


@pytest.mark.parametrize(("score", "best"), [("bic", -15.7382420), ("bdeu", -16.1738700), ("k2", -15.7693889)])
def test_best_network_of_the_example(score: str, best: float) -> None:
    every = scores_of_all(TABLE, score)
    assert max(every.values()) == pytest.approx(best, abs=1e-7)
    for method in ("exact", "hill_climb"):
        found = learn_structure(TABLE, method=method, score=score, random_state=0)
        assert found.score == pytest.approx(best, abs=1e-7)
        assert found.score <= found.upper_bound <= found.score + 1e-9
        assert found.report.check(TABLE)
    near = sorted(every.values())[::-1]
    if score == "bic":
        assert near[1] == pytest.approx(near[0])
        assert near[2] == pytest.approx(-15.7499253, abs=1e-7)


def test_only_k2_tells_equivalent_networks_apart() -> None:
    chain, fork = ((), (0,), (1,)), ((1,), (), (1,))
    for score in SCORES:
        every = scores_of_all(TABLE, score)
        assert (abs(every[chain] - every[fork]) < 1e-9) == (score != "k2")


def test_statistics_of_the_tests_of_the_example() -> None:
    families = FamilyScores(state_columns(TABLE), "loglik")
    found = [independence_tests(families, a, b, [()])[0][0] for a, b in ((0, 1), (0, 2), (1, 2))]
    assert found == pytest.approx([1.9225434, 1.9225434, 9.5607135], abs=1e-7)
    assert pair_information(families)[1, 2] / 7 / math.log(2) == pytest.approx(0.9852281, abs=1e-7)


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 60), st.sampled_from(SCORES))
@settings(max_examples=25, deadline=None)
def test_scores_agree_with_plain_counting(seed: int, nodes: int, rows: int, score: str) -> None:
    families = FamilyScores(state_columns(random_table(seed, nodes, rows)), score, 2.5)
    rng = np.random.default_rng(seed)
    every = parent_lists(nodes)
    inputs = setting(families, ArcRules(families.columns.names, None))
    for place in rng.integers(0, len(every), size=3):
        plain = plain_network_score(families.columns, inputs, every[place])
        assert families.network(every[place]) == pytest.approx(plain, rel=1e-11, abs=1e-9)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_exact_search_finds_the_best_of_all(seed: int, score: str) -> None:
    table = random_table(seed, 4, 80)
    every = scores_of_all(table, score)
    for most in (1, 2, 3):
        best = max(value for parents, value in every.items() if max(map(len, parents)) <= most)
        found = learn_structure(table, method="exact", score=score, max_parents=most)
        assert found.score == pytest.approx(best, rel=1e-12, abs=1e-9)
        assert found.report.check(table)


@pytest.mark.slow
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_exact_search_finds_the_best_of_five(score: str) -> None:
    table = random_table(11, 5, 100)
    best = max(scores_of_all(table, score).values())
    assert learn_structure(table, method="exact", score=score).score == pytest.approx(best, abs=1e-9)


def test_sets_of_parents_that_are_left_out_lose_to_none() -> None:
    left_out = 0
    for seed in range(6):
        families = FamilyScores(state_columns(random_table(seed, 5, 12 + 4 * seed)), "bic")
        rules = ArcRules(families.columns.names, None)
        lower = without_useless(families, rules)
        for node in range(5):
            large = [own for own in enumerated(rules, node)[0] if len(own) > lower.most[node]]
            left_out += len(large)
            alone = families.families([node], [()])[0]
            assert (families.families([node] * len(large), large) <= alone).all()
    assert left_out > 20


@pytest.mark.parametrize("seed", range(12))
def test_bounds_never_cross_the_best(seed: int) -> None:
    table = random_table(seed, 4, 60)
    score, most = SCORES[seed % 5], 1 + seed % 3
    best = max(v for parents, v in scores_of_all(table, score).items() if max(map(len, parents)) <= most)
    families = FamilyScores(state_columns(table), score)
    program = ClusterProgram(candidate_families(families, ArcRules(families.columns.names, None, most)))
    values = [program.tighten(rounds).value for rounds in (0, 1, 20)]
    assert best - 1e-9 <= values[2] <= values[0] + 1e-9
    assert families.network(program.solve()) == pytest.approx(best, abs=1e-9)
    few = ClusterProgram(candidate_families(families, ArcRules(families.columns.names, None, most), budget=4))
    assert few.tighten().value >= best - 1e-9


def test_a_price_that_nobody_paid_is_noticed() -> None:
    found = learn_structure(random_table(3, 4, 60), score="bic", max_parents=2, random_state=0)
    record = found.report[0]
    table = random_table(3, 4, 60)
    assert record.check(table)
    lowered = [value - 0.5 for value in record.witness["best"]]
    changed = {**record.witness, "best": lowered}
    paid = math.fsum(r * p for r, p in zip(record.witness["ranks"], record.witness["prices"], strict=True))
    value = max(0.0, math.fsum(lowered) - paid - changed["score"]) + changed["rounding"]
    with pytest.raises(CertificateError):
        dataclasses.replace(record, witness=changed, value=value).check(table)
    with pytest.raises(CertificateError, match="another table"):
        record.check(random_table(3, 4, 61))


def test_sets_with_two_nodes_of_few_parents_tighten_the_bound() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, size=(2, 500))
    table = {"a": a, "b": b, "c": a ^ b ^ (rng.random(500) < 0.1)}  # each depends on the two others together
    found = learn_structure(table, method="exact")
    families = FamilyScores(state_columns(table), "bic")
    program = ClusterProgram(candidate_families(families, ArcRules(tuple(table), None)))
    assert program.tighten().value == pytest.approx(found.score, abs=1e-6)
    assert ((0, 1, 2), 2) in program.demands


def test_a_cluster_with_more_first_nodes_than_nodes_is_refused() -> None:
    table = random_table(3, 4, 60)
    record = learn_structure(table, random_state=0).report[0]
    more = {**record.witness, "clusters": [[0, 1]], "ranks": [3], "prices": [1.0]}
    with pytest.raises(CertificateError, match="fewer nodes than it must"):
        dataclasses.replace(record, witness=more).check()


def test_a_best_score_that_is_too_low_is_noticed() -> None:
    table = random_table(5, 4, 60)
    found = learn_structure(table, method="exact")
    record = found.report[0]
    worse = learn_structure(table, method="exact", max_parents=0)
    changed = {**record.witness, "parents": [[]] * 4, "score": worse.score, "best": worse.score}
    claim = record.claim
    with pytest.raises(CertificateError):
        dataclasses.replace(record, witness=changed, value=changed["rounding"], claim=claim).check(table)


@pytest.mark.parametrize("seed", range(4))
def test_no_tree_is_more_likely(seed: int) -> None:
    table = random_table(seed, 4, 50)
    trees = [parents for parents in parent_lists(4) if sum(map(len, parents)) == 3 and max(map(len, parents)) == 1]
    families = FamilyScores(state_columns(table), "loglik")
    best = max(families.network(parents) for parents in trees)
    found = learn_structure(table, method="chow_liu", score="loglik")
    assert found.score == pytest.approx(best, abs=1e-9)
    certificate = found.report["log-likelihood that another tree could gain"]
    assert certificate.value < 1e-9
    assert certificate.check(table)
    links = [list(arc) for arc in certificate.witness["links"]]
    changed = {**certificate.witness, "links": [links[0], links[0], links[1]]}
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, witness=changed).check()


@pytest.mark.parametrize("seed", range(4))
def test_no_network_of_a_tree_and_a_class_is_more_likely(seed: int) -> None:
    table = random_table(seed + 20, 4, 50)
    families = FamilyScores(state_columns(table), "loglik")
    best = max(
        families.network(parents)
        for parents in parent_lists(4)
        if not parents[1] and all(1 in parents[node] and len(parents[node]) <= 2 for node in (0, 2, 3))
    )
    found = learn_structure(table, method="tan", score="loglik", target="v1")
    assert found.score == pytest.approx(best, abs=1e-9)
    assert found.report.check(table)


@pytest.mark.parametrize("seed", range(6))
def test_branchings_against_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    arcs = {(a, b): float(rng.integers(0, 9)) for a in range(5) for b in range(4) if a != b and rng.random() < 0.8}
    arcs |= {(4, b): arcs.get((4, b), 0.0) for b in range(4)}
    best = -math.inf
    for parents in np.ndindex(5, 5, 5, 5):
        if all((parent, child) in arcs for child, parent in enumerate(parents)):
            own = tuple((parent,) if parent < 4 else () for parent in parents)
            if all(parents[node] != node for node in range(4)) and _rooted(own):
                best = max(best, sum(arcs[(parent, child)] for child, parent in enumerate(parents)))
    found = best_arborescence(range(5), 4, arcs)
    assert sum(arcs[(parent, child)] for child, parent in found.items()) == pytest.approx(best)


def _rooted(parents: tuple) -> bool:
    return all(_ends(parents, node) for node in range(len(parents)))


def _ends(parents: tuple, node: int) -> bool:
    for _ in range(len(parents) + 1):
        if not parents[node]:
            return True
        node = parents[node][0]
    return False


KNOWN = Knowledge(
    required=[("v3", "v0")], forbidden=[("v0", "v1")], tiers=[["v3", "v2"], ["v1"]], max_parents={"v1": 1}
)


@pytest.mark.parametrize("method", ["hill_climb", "exact", "pc", "order_mcmc"])
@pytest.mark.parametrize("seed", range(4))
def test_knowledge_is_obeyed(seed: int, method: str) -> None:
    table = random_table(seed, 4, 200)
    found = learn_structure(table, method=method, knowledge=KNOWN, random_state=0)
    edges = set(found.network.edges)
    assert ("v3", "v0") in edges
    assert not edges & {("v0", "v1"), ("v1", "v3"), ("v1", "v2")}
    if method != "pc":
        assert len(found.network.parents("v1")) <= 1
    if method == "exact":
        rules = ArcRules(tuple(table), KNOWN)
        every = scores_of_all(table, "bic")
        assert found.score == pytest.approx(max(v for parents, v in every.items() if rules.fits(parents)), abs=1e-9)
        assert found.report.check(table)


def test_knowledge_of_a_tree_is_obeyed() -> None:
    table = random_table(2, 4, 200)
    known = Knowledge(required=[("v3", "v0")], forbidden=[("v0", "v1"), ("v1", "v0")])
    found = learn_structure(table, method="chow_liu", knowledge=known, score="loglik")
    rules = ArcRules(tuple(table), known, 1)
    every = scores_of_all(table, "loglik")
    assert found.score == pytest.approx(max(v for parents, v in every.items() if rules.fits(parents)), abs=1e-9)


@pytest.mark.parametrize("method", ["hill_climb", "exact", "chow_liu", "tan", "pc", "order_mcmc"])
def test_tables_with_little_in_them(method: str) -> None:
    for table in ({"a": ["x", "y"]}, {"a": [1, 1], "b": [2, 2]}, {"a": [1], "b": [2], "c": [3]}):
        found = learn_structure(table, method=method, random_state=0)
        assert found.report.check(table)
        assert found.upper_bound >= found.score
    if method in ("hill_climb", "exact", "pc"):
        assert not learn_structure(random_table(1, 4, 200), method=method, max_parents=0).network.edges


@pytest.mark.parametrize("seed", range(3))
def test_walks_over_orders_against_all_orders(seed: int) -> None:
    table = random_table(seed, 4, 25)
    found = learn_structure(table, method="order_mcmc", score="bdeu", random_state=0)
    assert found.score == pytest.approx(learn_structure(table, method="exact", score="bdeu").score, abs=1e-9)
    families = FamilyScores(state_columns(table), "bdeu")
    weights, arcs = [], []
    for order in permutations(range(4)):
        total, given = 0.0, np.zeros((4, 4))
        for place, node in enumerate(order):
            before = order[:place]
            sets = [own for size in range(len(before) + 1) for own in combinations(before, size)]
            values = families.families([node] * len(sets), sets)
            total += np.logaddexp.reduce(values)
            for own, share in zip(sets, np.exp(values - np.logaddexp.reduce(values)), strict=True):
                given[list(own), node] += share
        weights.append(total)
        arcs.append(given)
    shares = np.exp(np.array(weights) - max(weights))
    expected = np.tensordot(shares / shares.sum(), np.array(arcs), axes=1)
    names = list(table)
    estimates = np.array([[found.arcs.get((a, b), 0.0) for b in names] for a in names])
    assert np.abs(estimates - expected).max() < 0.12  # 320 orders of a walk


def test_a_climb_reaches_the_best_of_a_sampled_network() -> None:
    table = random_table(7, 8, 500)
    climbed = learn_structure(table, random_state=0)
    assert climbed.score == pytest.approx(learn_structure(table, method="exact").score, abs=1e-6)
    again = learn_structure(table, random_state=0)
    assert again.network.edges == climbed.network.edges


def test_the_tests_find_a_collider_whatever_the_order_of_columns() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, size=(2, 3000))
    c = np.where(rng.random(3000) < 0.9, a | b, rng.integers(0, 2, 3000))
    d = np.where(rng.random(3000) < 0.9, c, rng.integers(0, 2, 3000))
    table = {"a": a, "b": b, "c": c, "d": d}
    for order in ("abcd", "dcba", "cadb"):
        found = learn_structure({name: table[name] for name in order}, method="pc")
        assert set(found.network.edges) == {("a", "c"), ("b", "c"), ("c", "d")}


def test_twenty_one_columns_are_searched_by_integer_programming() -> None:
    table = random_table(1, 21, 150)
    found = learn_structure(table, method="exact", max_parents=1)
    assert found.score <= found.upper_bound <= found.score + 1e-6 * abs(found.score)
    assert found.score >= learn_structure(table, max_parents=1, random_state=0).score - 1e-9
    with pytest.raises(ValueError, match="max_parents must be at most 4"):
        learn_structure(table, method="exact")


def test_threads_do_not_change_a_bit() -> None:
    table = random_table(4, 9, 400)
    found = []
    for threads in (1, 3):
        found.append(learn_structure(table, score="bdeu", random_state=1, n_jobs=threads))
    assert found[0].score == found[1].score
    assert found[0].network.edges == found[1].network.edges


@pytest.mark.parametrize(
    ("table", "match"),
    [
        ({"a": [0.5, 1.5], "b": [0, 1]}, "Column 'a' must hold labels.*\nHint: Discretizer"),
        ({"a": list(range(40)), "b": [0, 1] * 20}, "40 distinct numbers"),
        ({"a": ["x", None], "b": [0, 1]}, "missing cell in column 'a', row 1"),
        ({}, "at least one column"),
        ({"a": [[1], [2]], "b": [0, 1]}, "labels that can be told apart, got a list"),
        ({"a": [np.inf, 1.0], "b": [0, 1]}, "got infinity"),
        ({"a": [None, None], "b": [0, 1]}, "at least one cell"),
    ],
)
def test_bad_tables(table: dict, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        learn_structure(table)


@pytest.mark.parametrize(
    ("known", "match"),
    [
        ({"required": [("X1", "X9")]}, "required names 'X9'"),
        ({"required": [("X1", "X2"), ("X2", "X1")]}, "no directed cycle"),
        ({"required": [("X1", "X2")], "forbidden": [("X1", "X2")]}, "required and forbidden"),
        ({"required": [("X3", "X1")], "tiers": [["X1"], ["X3"]]}, "must not be forbidden"),
        ({"required": [("X3", "X1")], "max_parents": 0}, "room for the required parents of 'X1'"),
        ({"required": ["X1"]}, "must hold pairs"),
        ({"max_parents": -1}, "whole number of at least 0"),
        ({"tiers": [["X1"], ["X1"]]}, "tiers must name each node once"),
    ],
)
def test_bad_knowledge(known: dict, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        learn_structure(TABLE, knowledge=Knowledge(**known))


def test_a_network_is_scored_with_its_own_states() -> None:
    states = {"X1": ["F", "T"], "X2": ["B", "G", "R", "never"], "X3": ["T", "F"]}
    network = BayesianNetwork({"X1": ["X2"]}, states)
    assert score_structure(TABLE, network) == pytest.approx(score_structure(TABLE, {"X1": ["X2"]}) - math.log(7))
    with pytest.raises(ValueError, match="must hold states of the node, got 'F'"):
        score_structure(TABLE, BayesianNetwork({}, {**states, "X3": ["T"]}))
