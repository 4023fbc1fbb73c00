"""The account of an online learner: numbers, certificates, replay, voided lines, files."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from certus.guarantees import CertificateError, Ledger
from certus.guarantees.ledgers import Line, Void, replayed, twin
from certus.guarantees.records import rules


@rules.checker("ledger-of-tests")
def _bound_again(certificate, data):
    return math.log(certificate.witness["experts"]) * certificate.witness["factor"]


@twin("tests/running-mean")
def _replay(settings, data):
    """Follow the leader would do the same: pays the first column; the comparator is the best column."""
    return _ledger(np.asarray(data), settings["factor"])


def _ledger(losses, factor=2.0):
    bound = math.log(losses.shape[1]) * factor
    facts = {"experts": losses.shape[1], "factor": factor}
    line = Line(
        loss=losses[:, 0].sum(),
        comparator=losses.sum(0).min(),
        bound=bound,
        rule="ledger-of-tests",
        theorem="A theorem (1997)",
        facts=facts,
        needs_range=True,
    )
    wrong = Line(
        quantity="mistakes",
        loss=2,
        comparator=1,
        bound=3.0,
        rule="ledger-of-tests",
        theorem="A theorem (1988)",
        facts={"experts": math.e, "factor": 3.0},
    )
    return Ledger(
        learner="tests/running-mean",
        settings={"factor": factor},
        trials=len(losses),
        loss=losses[:, 0].sum(),
        mistakes=2,
        lines=(line, wrong),
    )


LOSSES = np.array([[0.25, 0.5, 1.0], [0.5, 0.0, 1.0], [0.75, 0.5, 0.25]])


def test_fields_are_those_of_the_first_lines():
    ledger = _ledger(LOSSES)
    assert (ledger.trials, ledger.loss, ledger.comparator, ledger.regret) == (3, 1.5, 1.0, 0.5)
    assert ledger.bound == 2 * math.log(3)
    assert (ledger.mistakes, ledger.mistake_bound, ledger.looks, ledger.void) == (2, 4.0, 0, [])
    empty = Ledger(learner="tests/running-mean", trials=0, loss=0.0)
    assert (empty.comparator, empty.regret, empty.bound, empty.mistake_bound) == (None, None, None, None)


def test_report_keeps_what_happened_apart_from_what_could_have_and_counts_looks():
    ledger = _ledger(LOSSES)
    report = ledger.report()
    assert report["realized regret"].value == 0.5
    assert report["realized regret"].kind == "exact"
    assert report["regret"].value == ledger.bound
    assert report["realized mistakes"].value == 1.0
    assert report.check()
    assert ledger.looks == 1


@pytest.mark.parametrize(("kind", "confidence"), [("expectation", 1.0), ("probable", 0.95), ("anytime", 0.9)])
def test_bounds_hold_as_the_rule_says_and_counts_always(kind, confidence):
    report = replace(_ledger(LOSSES), kind=kind, confidence=confidence).report()
    assert (report["regret"].kind, report["regret"].confidence) == (kind, confidence)
    assert (report["realized regret"].kind, report["realized regret"].confidence) == ("exact", 1.0)


def test_check_replays_the_stream():
    ledger = _ledger(LOSSES)
    assert ledger.check()
    assert ledger.check(LOSSES)
    assert ledger.report()["realized regret"].check(LOSSES)
    other = LOSSES.copy()
    other[2, 0] = 0.5
    with pytest.raises(CertificateError, match=r"loss: the ledger states 1\.5, the replayed stream gives 1\.25"):
        ledger.check(other)
    with pytest.raises(CertificateError, match=r"the replayed stream gives the loss 1\.25"):
        ledger.report()["realized regret"].check(other)


@pytest.mark.parametrize("change", [{"bound": 1.0}, {"loss": 1.25}, {"comparator": 1.5}, {"since": 2}])
def test_check_refuses_a_line_that_was_changed(change):
    ledger = _ledger(LOSSES)
    changed = replace(ledger, lines=(replace(ledger.lines[0], **change), ledger.lines[1]))
    with pytest.raises(CertificateError):
        changed.check(LOSSES)


def test_twin_with_other_lines_is_refused():
    ledger = _ledger(LOSSES)
    with pytest.raises(CertificateError, match="different lines"):
        replace(ledger, lines=ledger.lines[:1]).check(LOSSES)


def test_void_lines_lose_their_bound_and_nothing_else():
    ledger = _ledger(LOSSES)
    fallen = ledger.voided(3, "a loss of 7 is outside [0, 1]")
    assert fallen.bound == math.inf
    assert (fallen.loss, fallen.regret, fallen.mistake_bound) == (ledger.loss, ledger.regret, ledger.mistake_bound)
    assert fallen.void == [Void("regret", 3, "a loss of 7 is outside [0, 1]")]
    assert "regret" not in fallen.report()
    assert fallen.report()["realized regret"].value == 0.5
    assert fallen.report()["mistakes"].value == 3.0
    assert fallen.voided(9, "again").void == fallen.void  # what fell cannot fall again
    assert ledger.void == []


def test_json_round_trip_and_malformed_documents():
    ledger = _ledger(LOSSES).voided(2, "outside")
    ledger.report()
    again = Ledger.from_json(ledger.to_json())
    assert again == ledger
    assert again.check()
    for spoil in ({"trials": -1}, {"loss": "many"}, {"lines": [{}]}, {"kind": "surely"}, {"odd": 1}, {"void": [{}]}):
        record = {**json.loads(ledger.to_json()), **spoil}
        with pytest.raises(CertificateError, match="malformed ledger"):
            Ledger.from_dict(record)
    with pytest.raises(CertificateError, match="must be a JSON object"):
        Ledger.from_json("[]")


def test_switching_lines_and_who_joined_late():
    line = replace(_ledger(LOSSES).lines[0], quantity="regret against 1 switch", since=2)
    ledger = replace(_ledger(LOSSES), lines=(line,))
    assert ledger.switching(1) is line
    assert "from trial 2 on" in ledger.report()["realized regret against 1 switch"].claim
    with pytest.raises(ValueError, match="Hint: share rules keep"):
        ledger.switching(2)


def test_unknown_twins_and_numbers_that_are_none():
    with pytest.raises(CertificateError, match="no twin is registered"):
        replayed("nowhere/nothing", {}, LOSSES)
    with pytest.raises(ValueError, match="already has a twin"):
        twin("tests/running-mean")(_replay)
    with pytest.raises(ValueError, match="loss must be a number"):
        replace(_ledger(LOSSES), loss=math.nan)
    with pytest.raises(ValueError, match="bound must be a number"):
        replace(_ledger(LOSSES).lines[0], bound=math.nan)
    with pytest.raises(KeyError, match="this ledger has regret, mistakes"):
        _ledger(LOSSES).line("risk")
