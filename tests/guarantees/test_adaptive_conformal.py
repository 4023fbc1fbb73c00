"""Adaptive conformal prediction keeps its bound on every stream, and thresholds are the ranks they should be."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.guarantees import AdaptiveConformal, CertificateError, Report


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-5, 5), max_size=150),
    st.sampled_from([0.5, 0.9, 0.95]),
    st.sampled_from([0.005, 0.02, 0.3]),
    st.integers(1, 40),
)
def test_the_bound_holds_for_every_stream(scores, coverage, step, memory):
    adaptive = AdaptiveConformal(coverage, step=step, memory=memory)
    for rows, score in enumerate(scores, start=1):
        adaptive.update(score)
        alpha = 1 - Fraction(str(coverage))
        away = (max(alpha, 1 - alpha) + Fraction(str(step))) / (Fraction(str(step)) * rows)
        assert abs(Fraction(adaptive.missed, rows) - alpha) <= away
        assert -Fraction(str(step)) <= adaptive.level <= 1 + Fraction(str(step))
    assert adaptive.certificate().check(np.array(scores))


@pytest.mark.parametrize("grow", [1.0, -1.0, 0.0])
def test_the_bound_holds_against_an_adversary(grow):
    """Scores that always grow are missed by every finite threshold; those that always fall by none."""
    adaptive = AdaptiveConformal(0.9, step=0.02, memory=50).update(grow * np.arange(2000.0))
    low, high = adaptive.certificate().value
    assert low <= adaptive.missed / 2000 <= high
    assert high - low < 0.05


def test_coverage_recovers_after_a_drift():
    rng = np.random.default_rng(0)
    scores = np.abs(rng.normal(size=4000)) * np.repeat([1.0, 10.0], 2000)
    adaptive = AdaptiveConformal(0.9, step=0.05, memory=500).update(scores)
    assert abs(adaptive.missed / 4000 - 0.1) < 0.01
    fixed = np.quantile(scores[:500], 0.9)
    assert np.mean(scores[2000:] > fixed) > 0.8


def test_threshold_is_the_rank_of_the_latest_scores():
    adaptive = AdaptiveConformal(0.9, step=0.02, memory=20)
    assert adaptive.threshold == math.inf
    adaptive.update(np.arange(30.0)[::-1])
    rank = math.ceil(21 * (1 - adaptive.level))
    assert adaptive.threshold == np.sort(np.arange(20.0))[rank - 1] if rank <= 20 else math.inf


def test_state_survives_and_goes_on():
    scores = np.random.default_rng(1).normal(size=300)
    scores[10] = np.inf
    whole = AdaptiveConformal(memory=40).update(scores)
    parts = AdaptiveConformal.from_dict(AdaptiveConformal(memory=40).update(scores[:25]).to_dict()).update(scores[25:])
    assert parts.to_dict() == whole.to_dict()
    assert parts.threshold == whole.threshold


def test_certificate_is_exact_and_needs_nothing():
    certificate = AdaptiveConformal().update(np.arange(1000.0)).certificate()
    assert (certificate.kind, certificate.confidence, certificate.assumptions) == ("exact", 1.0, ())
    assert Report([certificate]).check()
    with pytest.raises(CertificateError, match="another number of missed rows"):
        certificate.check(np.zeros(1000))
    assert AdaptiveConformal().certificate().vacuous


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"coverage": 1.0}, "coverage must be a number strictly between"),
        ({"step": 0.0}, "step must be a number strictly between"),
        ({"memory": 0}, "memory must be a whole number of at least 1"),
    ],
)
def test_bad_settings(arguments, message):
    with pytest.raises(ValueError, match=message):
        AdaptiveConformal(**arguments)


def test_malformed_state():
    record = AdaptiveConformal().update([1.0, 2.0]).to_dict()
    with pytest.raises(CertificateError, match="do not belong together"):
        AdaptiveConformal.from_dict(record | {"rows": 5})
    with pytest.raises(ValueError, match="NaN"):
        AdaptiveConformal().update([math.nan])
