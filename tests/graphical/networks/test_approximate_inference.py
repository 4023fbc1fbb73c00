"""Bounds never cross the truth; sampling holds at its confidence; estimates say that they are."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from certus.graphical import BayesianNetwork, ImpossibleEvidence
from certus.graphical.evidence.plain_factors import plain_factors
from certus.graphical.networks.bounds.log_factors import small_first_order
from certus.graphical.networks.bounds.mean_field import MeanField
from certus.graphical.networks.bounds.mini_buckets import mini_bucket_bound
from certus.graphical.networks.inference.clique_messages import Question
from certus.graphical.networks.inference.evidence_input import Evidence
from certus.guarantees import CertificateError
from tests.graphical.networks.known_networks import fuel_gauge, random_network
from tests.graphical.networks.test_exact_inference import questions


@settings(max_examples=25, deadline=None)
@given(questions())
def test_bounds_never_cross_the_truth(case: tuple[BayesianNetwork, dict[str, Any], int]) -> None:
    network, evidence, _seed = case
    truth = network.log_probability(evidence)
    before = math.inf
    for i_bound in (1, 2, 4):
        certificate = network.bound_log_probability(evidence, i_bound=i_bound)
        low, high = certificate.value  # type: ignore[misc]
        assert low <= truth <= high
        assert high <= before
        before = high
        assert certificate.kind == "exact"
        assert certificate.check()
    assert high - truth < 1e-9 or truth == -math.inf


def dense_network(seed: int, nodes: int = 16) -> BayesianNetwork:
    return random_network(np.random.default_rng(seed), nodes, most_parents=4, cards=(2, 3))


@pytest.mark.parametrize("seed", range(2))
def test_the_interval_shrinks_with_the_size_of_tables(seed: int) -> None:
    network = dense_network(seed)
    evidence = {name: 0 for name in network.nodes if not network.children(name)}
    truth = network.log_probability(evidence)
    widths = []
    for i_bound in (2, 4, 6, 16):
        low, high = network.bound_log_probability(evidence, i_bound=i_bound).value  # type: ignore[misc]
        assert low <= truth <= high
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 1e-9
    assert widths[0] > 1e-3


@pytest.mark.parametrize("seed", range(2))
def test_maxima_are_bounded_too(seed: int) -> None:
    network = dense_network(seed)
    plain = plain_factors(Question(network, Evidence()))
    best = network.mpe().log_probability
    order = small_first_order(plain)
    bounds = [mini_bucket_bound(plain, order, i_bound, maximise=True) for i_bound in (1, 3, 16)]
    assert all(bound.value + bound.rounding >= best for bound in bounds)
    assert bounds[0].split
    assert bounds[-1].value == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_explanations_that_do_not_fit_come_with_their_gap(seed: int) -> None:
    network = dense_network(seed)
    best = network.mpe({"v0": 0}).log_probability
    found = network.mpe({"v0": 0}, max_cells=10)
    assert found.assignment["v0"] == 0
    assert found.log_probability <= best + 1e-9 <= found.log_probability + found.certificate.value + 1e-9
    assert found.certificate.check()
    forged = dataclasses.replace(
        found.certificate, witness=dict(found.certificate.witness) | {"upper": best - 0.1}, value=0.0
    )
    with pytest.raises(CertificateError):
        forged.check()


def test_a_bound_without_hoelders_weights_would_be_wrong() -> None:
    """The product of the sums of powers without their roots is no bound: the weights matter."""
    network = dense_network(0)
    evidence = {name: 0 for name in network.nodes if not network.children(name)}
    certificate = network.bound_log_probability(evidence, i_bound=2)
    low, high = certificate.value  # type: ignore[misc]
    for bounds in ([low, high - 0.5], [low + 5.0, high]):
        witness = dict(certificate.witness) | {"bounds": bounds}
        forged = dataclasses.replace(certificate, witness=witness, value=tuple(sorted(bounds)))
        with pytest.raises(CertificateError):
            forged.check()
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, witness=dict(certificate.witness) | {"exact": True}).check()


def test_mean_field_climbs_to_a_lower_bound() -> None:
    for seed in range(10):
        network = dense_network(seed, 10)
        evidence = network._evidence({"v0": 0})
        plain = plain_factors(Question(network, evidence))
        field = MeanField(plain, [np.full(int(card), 1.0 / int(card)) for card in plain["states"]]).run()
        assert all(after >= before - 1e-9 for before, after in zip(field.history, field.history[1:], strict=False))
        assert field.history[-1] <= network.log_probability({"v0": 0}) + 1e-9
    answer = fuel_gauge().query("F", method="mean_field")
    np.testing.assert_allclose(answer.values, [0.1, 0.9])
    assert answer.certificate.kind == "estimate"
    assert answer.certificate.check()


def test_loopy_propagation_is_exact_on_trees() -> None:
    network = fuel_gauge()
    for schedule in ("residual", "sequential", "parallel"):
        answer = network.query("F", {"G": 0}, method="loopy", schedule=schedule)
        np.testing.assert_allclose(answer.values, [9 / 35, 26 / 35], atol=1e-9)
        assert answer.details["converged"]
    assert network.query("F", {"G": 0}, method="loopy", damping=0.3).values[0] == pytest.approx(9 / 35, abs=1e-6)


def test_loopy_propagation_says_how_it_ended() -> None:
    network = dense_network(1)
    answer = network.query("v3", {"v0": 0}, method="loopy")
    exact = network.query("v3", {"v0": 0}).values
    assert np.abs(answer.values - exact).max() < 0.2
    certificate = answer.certificate
    assert certificate.kind == "estimate"
    assert not certificate.guaranteed
    assert "converge" in certificate.claim
    assert certificate.check()


@pytest.mark.parametrize("method", ["rejection", "weighting"])
def test_sampling_bounds_hold_at_their_confidence(method: str) -> None:
    """Misses of a bound of confidence 0.8 in 60 repetitions are within what chance allows."""
    network, evidence = fuel_gauge(), {"G": 0}
    exact = network.query(["F", "B"], evidence).values
    misses = 0
    for seed in range(60):
        answer = network.query(["F", "B"], evidence, method=method, n_samples=400, confidence=0.8, random_state=seed)
        misses += bool(np.abs(answer.values - exact).max() > answer.certificate.value)
        if seed == 0:
            assert answer.certificate.kind == "probable"
            assert answer.certificate.check()
            assert answer.certificate.value < 0.5
    assert misses <= 12 + 3 * math.sqrt(60 * 0.2 * 0.8)


def test_soft_evidence_in_sampling() -> None:
    network, evidence = fuel_gauge(), {"G": [0.3, 0.9], "B": 0}
    exact = network.query("F", evidence).values
    for method in ("rejection", "weighting", "gibbs"):
        answer = network.query("F", evidence, method=method, n_samples=20_000, random_state=1)
        np.testing.assert_allclose(answer.values, exact, atol=0.03)


def test_gibbs_finds_the_posterior() -> None:
    network = random_network(np.random.default_rng(7), 8, cards=(2, 3))
    evidence = {"v1": 0}
    answer = network.query(["v0", "v4"], evidence, method="gibbs", n_samples=60_000, random_state=0)
    np.testing.assert_allclose(answer.values, network.query(["v0", "v4"], evidence).values, atol=0.02)
    assert answer.details["rhat"] < 1.05
    assert answer.details["ess"] > 1000
    assert answer.certificate.kind == "estimate"
    again = network.query(["v0", "v4"], evidence, method="gibbs", n_samples=60_000, random_state=0)
    np.testing.assert_array_equal(answer.values, again.values)


def test_bad_options_are_refused() -> None:
    network = fuel_gauge()
    with pytest.raises(ValueError, match="method must be one of"):
        network.query("F", method="magic")
    with pytest.raises(ValueError, match="one unobserved target"):
        network.query(["F", "B"], method="loopy")
    with pytest.raises(ValueError, match="damping"):
        network.query("F", method="loopy", damping=1.0)
    with pytest.raises(ValueError, match="schedule"):
        network.query("F", method="loopy", schedule="random")
    with pytest.raises(ValueError, match="i_bound"):
        network.bound_log_probability({"G": 0}, i_bound=0)
    sure = BayesianNetwork({"b": ["a"]}, {"a": [0, 1], "b": [0, 1]}, {"a": [1.0, 0.0], "b": np.eye(2)})
    for method in ("rejection", "weighting", "gibbs"):
        with pytest.raises(ValueError, match=r"agrees? with the evidence"):
            sure.query("a", {"b": 1}, method=method)


@pytest.mark.parametrize("method", ["loopy", "mean_field"])
def test_estimates_refuse_impossible_evidence(method: str) -> None:
    copy = BayesianNetwork(
        {"b": ["a"], "c": ["b"]}, dict.fromkeys("abc", (0, 1)), {"a": [0.5, 0.5], "b": np.eye(2), "c": np.eye(2)}
    )
    with pytest.raises(ImpossibleEvidence) as error:
        copy.query("a", {"b": 1, "c": 0}, method=method)
    assert error.value.subset == {"b": 1, "c": 0}


def test_bounds_of_long_chains_are_exact_without_mean_field() -> None:
    rng = np.random.default_rng(0)
    names = [f"n{place}" for place in range(800)]
    parents = {after: [before] for before, after in itertools.pairwise(names)}
    tables = {name: rng.dirichlet(np.ones(2), 2) for name in parents}
    chain = BayesianNetwork(parents, dict.fromkeys(names, (0, 1)), {**tables, "n0": [0.5, 0.5]})
    bounds = chain.bound_log_probability({"n799": 1, "n400": 0})
    low, high = bounds.value  # type: ignore[misc]
    assert low <= chain.log_probability({"n799": 1, "n400": 0}) <= high
    assert high - low < 1e-6
    assert bounds.check()
