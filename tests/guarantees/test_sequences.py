"""Confidence sequences as objects: batches, state, sides, ranges, extremes, and the second route."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from certus.guarantees import CertificateError, ConfidenceSequence
from certus.guarantees.holdout.binomial_tail import log_lower_tail
from certus.guarantees.monitoring import beta_mixture, gamma_mixture, quadrature

METHODS = ("beta-binomial", "gamma-exponential")
LOSSES = np.random.default_rng(0).beta(1, 9, 500)
BILLION = 10**9


@pytest.mark.parametrize("method", METHODS)
def test_division_into_batches_does_not_matter(method):
    whole = ConfidenceSequence(method).update(LOSSES)
    pieces = ConfidenceSequence(method)
    for start in range(0, 500, 7):
        pieces.update(LOSSES[start : start + 7])
    single = ConfidenceSequence(method)
    for loss in LOSSES:
        single.update(loss)
    assert pieces.rows == single.rows == 500
    assert pieces.interval() == pytest.approx(whole.interval(), rel=1e-9)
    assert single.interval() == pytest.approx(whole.interval(), rel=1e-9)
    assert ConfidenceSequence(method).update([]).rows == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", ["both", "upper", "lower"])
def test_certificates_check_with_and_without_losses(method, side):
    sequence = ConfidenceSequence(method, side=side, low=-1.0, high=3.0, confidence=0.9, quantity="regret")
    losses = 4.0 * LOSSES - 1.0
    for rows in (0, 1, 50, 499):
        sequence.update(losses[sequence.rows : rows])
        certificate = sequence.certificate()
        assert certificate.kind == "anytime"
        assert certificate.check()
        assert certificate.check(losses[:rows])
    with pytest.raises(CertificateError, match="not the losses"):
        certificate.check(np.clip(losses[:499] * 0.9, -1, 3))
    assert not certificate.vacuous
    low, high = sequence.interval()
    assert (low == -1.0) == (side == "upper")
    assert (high == 3.0) == (side == "lower")


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.5, 0.95, 0.999999999999]),
    st.sampled_from(["both", "upper", "lower"]),
)
def test_every_count_can_be_checked(counts, confidence, side):
    events, rows = counts
    sequence = ConfidenceSequence(side=side, confidence=confidence)
    record = sequence.to_dict()
    record["state"] = {"rows": rows, "total": float(events), "spread": 0.0}
    sequence = ConfidenceSequence.from_dict(record)
    low, high = sequence.interval()
    assert 0.0 <= low <= events / rows <= high <= 1.0
    assert sequence.certificate().check()


@settings(max_examples=30, deadline=None)
@given(st.floats(0.0, 1e8), st.floats(1e-12, 0.5), st.floats(0.01, 1e4))
def test_radius_of_the_gamma_mixture_is_the_root(variance, delta, tuned):
    level = -math.log(delta)
    rho = gamma_mixture.tuned_rho(tuned, level)
    reach = gamma_mixture.radius(variance, level, rho)
    assert quadrature.log_gamma_mixture(reach, variance, rho) == pytest.approx(level, abs=2e-6)


def test_one_sided_evidence_by_summed_probabilities():
    """With a flat prior the evidence is a binomial tail over a binomial probability: no special function."""
    rows, events = 40, 7
    for rate in (0.01, 0.05, 0.12):
        tail = stats.binom.sf(rows - events, rows + 1, 1 - rate)
        expected = tail / ((rows + 1) * (1 - rate) * stats.binom.pmf(events, rows, rate))
        assert float(np.exp(beta_mixture.log_evidence_above(events, rows, rate, 1.0))) == pytest.approx(expected)


def test_gamma_radius_is_as_tight_as_measured():
    """At a mean of 5 % after 1000 rows .0217 or a little more, one-sided at 95 %."""
    level = math.log(20)
    reach = gamma_mixture.radius(1000 * 0.0475, level, gamma_mixture.tuned_rho(50.0, level))
    assert 0.0215 <= reach / 1000 <= 0.0218


def test_logarithms_do_not_underflow():
    """The tail that underflows in SciPy, and evidence far beyond what a float can hold."""
    assert log_lower_tail(5, 5000, 0.5) == pytest.approx(-3427.9, abs=0.05)
    huge = float(beta_mixture.log_evidence_above(900_000, 10**6, 0.1, 1.0))
    assert huge == pytest.approx(quadrature.log_evidence_above(900_000, 10**6, 0.1, 1.0), rel=1e-9)
    assert huge > 1e6
    assert beta_mixture.log_evidence_above(0, BILLION, 0.5, 1.0) < -20
    low, high = beta_mixture.interval(3 * 10**7, BILLION, 30.0, (0.5, 0.5))
    assert 0.02995 < low < 0.03 < high < 0.03005
    assert beta_mixture.interval(0, 1, math.log(20), (0.5, 0.5))[1] < 1.0


def test_peeking_costs_less_than_twice_the_width():
    low, high = ConfidenceSequence().update([1] * 30 + [0] * 970).interval()
    assert high - low < 2 * (0.0426 - 0.0203)


def test_a_prior_near_the_rate_is_tighter():
    losses = [1] * 30 + [0] * 970
    flat = ConfidenceSequence().update(losses).interval()
    tuned = ConfidenceSequence(prior=(2, 38)).update(losses).interval()
    assert tuned[1] - tuned[0] < 0.85 * (flat[1] - flat[0])


def test_state_survives_json():
    for method in METHODS:
        sequence = ConfidenceSequence(method, prior=(1, 19), side="upper").update(LOSSES[:100])
        again = ConfidenceSequence.from_json(sequence.to_json())
        assert again.update(LOSSES[100:]).to_json() == sequence.update(LOSSES[100:]).to_json()
        assert again.certificate() == sequence.certificate()


def test_a_loss_outside_the_range_voids_the_sequence_and_keeps_counting():
    sequence = ConfidenceSequence("gamma-exponential", high=2.0).update([0.5, 1.0])
    before = sequence.interval()
    sequence.update([0.5, 2.5, 0.1])
    assert "the loss 2.5 in row 4 is outside the declared range [0, 2]" in sequence.void
    assert sequence.interval() == (-math.inf, math.inf) != before
    assert sequence.rows == 5
    with pytest.raises(CertificateError, match="row 4"):
        sequence.certificate()
    assert "void" in repr(ConfidenceSequence.from_json(sequence.to_json()))
    assert "row 1 is outside" in ConfidenceSequence().update(math.inf).void


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "method must be one of"),
        ({"side": "left"}, "side must be one of"),
        ({"confidence": 1.0}, "confidence must be a number strictly between"),
        ({"low": 1.0, "high": 0.0}, "low must be less than high"),
        ({"prior": (0.1, 1.0)}, "at least 0.5"),
        ({"prior": 3}, "pair of numbers"),
        ({"tuned_variance": 0.0}, "between 0.001 and 1e9"),
        ({"tuned_variance": "much"}, "must be a positive number"),
    ],
)
def test_bad_settings(arguments, message):
    with pytest.raises(ValueError, match=message):
        ConfidenceSequence(**arguments)


@pytest.mark.parametrize(
    ("losses", "message"),
    [([0.1, math.nan], "row 1 of the batch is NaN"), ("many", "must be numbers"), ([[1.0]], "shape")],
)
def test_bad_losses_change_nothing(losses, message):
    sequence = ConfidenceSequence().update([1, 0])
    with pytest.raises(ValueError, match=message):
        sequence.update(losses)
    assert (sequence.rows, sequence.void) == (2, "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 7}, "schema version 7"),
        ({"state": {"rows": 3, "total": 4.0, "spread": 0.0}}, "do not belong together"),
        ({"setting": {}}, "malformed"),
    ],
)
def test_malformed_state(change, message):
    record = ConfidenceSequence().update([0, 1]).to_dict() | change
    with pytest.raises(CertificateError, match=message):
        ConfidenceSequence.from_dict(record)
    with pytest.raises(CertificateError, match="not a JSON document"):
        ConfidenceSequence.from_json(json.dumps(record)[:-3])
    with pytest.raises(CertificateError, match="not a JSON document"):
        ConfidenceSequence.from_json(b"\xff")


@pytest.mark.parametrize("method", ["beta-binomial", "gamma-exponential"])
@pytest.mark.parametrize("split", [40, 400, 880])
def test_errors_in_batches_of_any_size_give_equal_bits(method: str, split: int) -> None:
    for seed in range(10):
        errors = (np.random.default_rng(seed).random(1500) < 0.1).astype(float)
        whole, parts = (ConfidenceSequence(method=method) for _ in range(2))
        whole.update(errors)
        for start in range(0, split, 40):
            parts.update(errors[start : start + 40])
        parts.update(errors[split:])
        assert parts.to_json() == whole.to_json()
