"""Faster and worse is not faster; a missing peer is skipped by name."""

from types import SimpleNamespace

import pytest

from benchmarks.measure.rounds import Outcome, Row, _missing
from benchmarks.measure.show import verdict
from benchmarks.measure.task import Competitor, Quality


def row(name, seconds, quality, skipped=""):
    answers = [{"first": seconds, "warm": [seconds], "memory": 0, "quality": quality, "warnings": []}]
    return Row(Competitor(name, "math.inf"), skipped=skipped, answers=[] if skipped else answers)


def outcome(quality, *rows):
    return Outcome(SimpleNamespace(quality=quality), {}, list(rows))


GAP = Quality("gap", lambda *_: 0.0, wanted=1e-6)
ACCURACY = Quality("accuracy", lambda *_: 0.0, lower_is_better=False, slack=0.01)


def test_fast_but_inaccurate_peer_does_not_count():
    result = outcome(GAP, row("certus", 2.0, 1e-8), row("hasty", 0.1, 1e-3), row("careful", 3.0, 1e-9))
    assert result.fastest_peer.competitor.name == "careful"
    assert result.ratio == pytest.approx(1.5)


def test_our_own_shortfall_gives_no_ratio():
    result = outcome(GAP, row("certus", 2.0, 1e-3), row("careful", 3.0, 1e-9))
    assert result.ratio is None
    assert verdict(result) == "Ours does not reach the wanted quality; no ratio."


def test_slack_is_counted_from_the_best_competitor():
    result = outcome(ACCURACY, row("certus", 2.0, 0.95), row("close", 1.0, 0.945), row("far", 0.5, 0.9))
    assert result.fastest_peer.competitor.name == "close"
    assert result.ratio == pytest.approx(0.5)


def test_skipped_peer_is_left_out():
    result = outcome(ACCURACY, row("certus", 2.0, 0.95), row("absent", 0, 0, skipped="x is not installed"))
    assert result.fastest_peer is None
    assert verdict(result) == "No peer of equal quality."


def test_missing_package_is_named():
    assert _missing(Competitor("peer", "no_such_package.Model")) == "no_such_package is not installed"
