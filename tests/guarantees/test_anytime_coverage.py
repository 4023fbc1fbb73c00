"""What is said to hold at every look does: violations are counted at any time, not at the last row."""

import numpy as np
import pytest

import certus
from certus.guarantees import ConfidenceSequence
from certus.guarantees.monitoring import alarm_ladder, beta_mixture
from certus.guarantees.monitoring.rate_evidence import RateEvidence
from tests.guarantees import anytime_gate, gate

RELATIVE = 1.0 + 1e-9


@pytest.mark.parametrize("side", ["both", "upper", "lower"])
@pytest.mark.parametrize("delta", gate.DELTAS)
def test_beta_binomial_sequence_covers_at_all_times_for_every_rate(side, delta):
    assert anytime_gate.worst_sequence(side, delta) <= delta * RELATIVE


@pytest.mark.parametrize("side", ["both", "upper", "lower"])
def test_enumerated_exclusions_are_those_of_the_public_class(side):
    for rows, events in [(1, 1), (7, 0), (20, 20), (40, 13)]:
        losses = np.arange(rows) < events
        low, high = ConfidenceSequence(side=side, confidence=0.9).update(losses).interval()
        for rate in anytime_gate.RATES:
            excluded = anytime_gate.excluded(side, rate, 0.1)[rows - 1, events]
            assert excluded == (not low <= rate <= high)


@pytest.mark.parametrize("stream", anytime_gate.STREAMS, ids=lambda stream: stream.name)
def test_gamma_exponential_sequence_covers_the_average_at_all_times(stream):
    for delta in (0.1, 0.01):
        assert anytime_gate.gamma_violations(stream, delta, 1000, 300) <= gate.allowed(delta, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("stream", anytime_gate.STREAMS, ids=lambda stream: stream.name)
@pytest.mark.parametrize("tuned_variance", [1.0, 50.0])
def test_gamma_exponential_sequence_covers_in_long_streams(stream, tuned_variance):
    for delta in (0.1, 0.05):
        found = anytime_gate.gamma_violations(stream, delta, 2000, 1000, tuned_variance=tuned_variance)
        assert found <= gate.allowed(delta, 2000)


@pytest.mark.parametrize("delta", gate.DELTAS)
def test_false_alarms_over_all_references_and_streams(delta):
    """Exact: the reference is random too, and the stream is as good as the reference or better."""
    assert anytime_gate.worst_false_alarm(delta) <= delta * RELATIVE


@pytest.mark.parametrize("delta", [0.5, *gate.DELTAS, 1e-6, 1e-12])
def test_ladder_spends_its_level_and_no_more(delta):
    failures, levels = (list(part) for part in zip(*alarm_ladder.levels(delta), strict=True))
    spent = alarm_ladder.budget(failures, levels)
    assert 0.9 * delta <= spent <= delta * RELATIVE
    assert spent <= alarm_ladder.exact(delta)
    assert failures == sorted(failures)
    assert levels == sorted(levels, reverse=True)


@pytest.mark.parametrize(("events", "rows"), [(0, 10), (10, 10), (50, 1000), (3, 7), (400_000, 10**6)])
def test_ladder_of_counts_by_a_second_route(events, rows):
    first, second = (
        make(events, rows, 0.05, 0.01) for make in (alarm_ladder.from_counts, alarm_ladder.from_counts_again)
    )
    assert [r.threshold for r in first] == pytest.approx([r.threshold for r in second], rel=1e-11)


def test_restarts_keep_the_level_at_the_threshold_itself():
    assert anytime_gate.restarted_false_alarms(300, 400, 25) <= gate.allowed(0.1, 300)


def test_evidence_with_one_start_is_the_enumerated_one():
    rungs = anytime_gate.shipped_ladder(5, 100, 0.05)
    table = anytime_gate.alarms(rungs)
    rng = np.random.default_rng(3)
    for rate in (0.1, 0.3, 0.5):
        losses = (rng.random(anytime_gate.HORIZON) < rate).astype(float)
        cells = table[np.arange(anytime_gate.HORIZON), np.cumsum(losses).astype(int)]
        expected = int(np.argmax(cells)) if cells.any() else None
        assert RateEvidence(rungs, 10**6).advance(losses) == expected


def false_alarms(streams, rows, make):
    """Share of stationary streams with an alarm; reference and stream are drawn anew for each."""
    return sum(make(np.random.default_rng([5, i]), rows) for i in range(streams)) / streams


def binary_alarm(rng, rows):
    watch = certus.monitor(losses=rng.random(200) < 0.05)
    return watch.update(losses=rng.random(rows) < 0.05).alarm is not None


def bounded_alarm(rng, rows):
    watch = certus.monitor(losses=rng.beta(1, 9, 200), loss="given", loss_range=(0, 1))
    return watch.update(losses=rng.beta(1, 9, rows)).alarm is not None


def test_monitor_rarely_alarms_over_300_stationary_streams():
    assert false_alarms(300, 1000, binary_alarm) <= gate.allowed(0.05, 300)


def test_monitor_of_bounded_losses_rarely_alarms():
    assert false_alarms(60, 500, bounded_alarm) <= gate.allowed(0.05, 60)


@pytest.mark.slow
def test_monitor_of_bounded_losses_rarely_alarms_over_300_streams():
    assert false_alarms(300, 2000, bounded_alarm) <= gate.allowed(0.05, 300)


@pytest.mark.slow
def test_monitor_rarely_alarms_in_long_streams():
    assert false_alarms(300, 10_000, binary_alarm) <= gate.allowed(0.05, 300)


def test_drift_from_5_to_15_percent_is_noticed_within_70_rows():
    """The median over all streams is exact; at 10 % false alarms it would be earlier still."""
    assert anytime_gate.median_alarm(0.15, horizon=100) == 62
    assert anytime_gate.median_alarm(0.15, 0.1, horizon=100) < 62


def test_median_alarm_of_the_monitor_itself():
    rows = []
    for i in range(400):
        losses = np.random.default_rng([9, i]).random(150) < 0.15
        rows.append(certus.monitor(errors=50, rows=1000).update(losses=losses).alarm_row or 150)
    assert np.median(rows) <= 70


def test_late_drift_is_noticed_thanks_to_restarts():
    rungs = anytime_gate.shipped_ladder(50, 1000, 0.05)
    rng = np.random.default_rng(2)
    losses = np.r_[rng.random(5000) < 0.05, rng.random(3000) < 0.15].astype(float)
    with_restarts, without = (RateEvidence(rungs, window).advance(losses) for window in (100, 10**6))
    assert 5000 < with_restarts < 5500
    assert without is None or without > with_restarts + 300


def test_interval_is_the_published_one():
    low, high = beta_mixture.interval(30, 1000, float(np.log(20)), (0.5, 0.5))
    assert (round(low, 4), round(high, 4)) == (0.0143, 0.0540)
