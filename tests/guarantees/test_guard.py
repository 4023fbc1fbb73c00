"""Guarded rates: results, infeasible answers, certificates that cannot be tampered with, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certus.guarantees import Certificate, CertificateError, Report, assured_rank, control_rates
from certus.guarantees.thresholds.threshold_tests import PROCEDURES

RNG = np.random.default_rng(0)
POSITIVE = RNG.random(3000) < 0.3
SCORES = RNG.normal(size=3000) + 2.5 * POSITIVE


def test_recall_threshold_is_an_order_statistic_of_the_positives():
    guard = control_rates(SCORES, POSITIVE, {"recall": 0.95})
    own = np.sort(SCORES[POSITIVE])[::-1]
    assert guard.threshold == own[assured_rank(len(own), 0.95, 0.95) - 1]
    assert guard.flag(SCORES).sum() == np.sum(guard.threshold <= SCORES)


def test_false_alarm_threshold_lies_just_above_a_negative():
    guard = control_rates(SCORES, POSITIVE, {"false_alarm": 0.1})
    own = np.sort(SCORES[~POSITIVE])
    needed = assured_rank(len(own), "0.9", 0.95)
    assert guard.threshold == np.nextafter(own[needed - 1], np.inf)
    assert np.mean(own >= guard.threshold) < 0.1


def test_alarm_rate_needs_no_labels():
    guard = control_rates(SCORES, POSITIVE, {"alarm_rate": 0.2})
    other = control_rates(SCORES, ~POSITIVE, {"alarm_rate": 0.2})
    assert guard.threshold == other.threshold
    assert np.mean(guard.flag(SCORES)) < 0.2


def test_several_rates_give_a_band():
    rates = {"recall": 0.9, "false_alarm": 0.2}
    high = control_rates(SCORES, POSITIVE, rates)
    low = control_rates(SCORES, POSITIVE, rates, prefer="low")
    assert high.safe == low.safe == (low.threshold, high.threshold)
    assert low.threshold < high.threshold
    assert high.report.confidence == pytest.approx(0.95)
    assert {c.quantity for c in high.report} == {"recall", "false-alarm rate"}
    assert all(c.confidence == 0.975 and c.kind == "probable" for c in high.report)


def test_precision_takes_the_lowest_passing_threshold_unless_told_otherwise():
    low = control_rates(SCORES, POSITIVE, {"precision": 0.8})
    high = control_rates(SCORES, POSITIVE, {"precision": 0.8}, prefer="high")
    assert low.threshold == min(low.safe) < max(low.safe) == high.threshold
    flagged = low.flag(SCORES)
    assert POSITIVE[flagged].mean() > 0.8


def test_three_rates_at_once():
    guard = control_rates(SCORES, POSITIVE, {"recall": 0.75, "precision": 0.75, "false_alarm": 0.2})
    assert guard.feasible
    assert len(guard.report) == 3
    assert guard.report.check((SCORES, POSITIVE))


def test_too_few_positives_is_an_answer_with_the_rows_needed():
    guard = control_rates(SCORES[:100], POSITIVE[:100], {"recall": 0.95})
    positives = int(POSITIVE[:100].sum())
    assert not guard.feasible
    assert guard.threshold is None
    assert len(guard.report) == 0
    assert f"{positives} positive rows cannot support recall=95% even with a perfect record; 59 are" in guard.reason
    assert guard.rows_needed == -(-59 * 100 // positives)
    assert str(guard).startswith("Infeasible: ")
    with pytest.raises(ValueError, match="this guard has no threshold"):
        guard.flag(SCORES)


def test_needed_positives_are_exact():
    """59 positives with a perfect record are enough for a recall of 95%, 58 are not."""
    assert control_rates(np.arange(59.0), np.ones(59, dtype=bool), {"recall": 0.95}).threshold == 0.0
    assert not control_rates(np.arange(58.0), np.ones(58, dtype=bool), {"recall": 0.95}).feasible


def test_targets_out_of_reach_say_that_rows_do_not_help():
    guard = control_rates(SCORES, POSITIVE, {"recall": 0.97, "false_alarm": 0.05})
    assert not guard.feasible
    assert guard.rows_needed is None
    assert "if they are typical, more rows would not help" in guard.reason


def test_estimated_rows_are_about_right():
    rates = {"recall": 0.85, "false_alarm": 0.12}
    few = control_rates(SCORES[:400], POSITIVE[:400], rates)
    assert not few.feasible
    assert few.rows_needed > 400
    assert "an estimate" in few.reason
    rng = np.random.default_rng(8)
    positive = rng.random(4 * few.rows_needed) < 0.3
    scores = rng.normal(size=len(positive)) + 2.5 * positive
    assert control_rates(scores, positive, rates).feasible


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_given_thresholds(procedure):
    rates = {"recall": 0.8, "precision": 0.7, "false_alarm": 0.3}
    guard = control_rates(SCORES, POSITIVE, rates, thresholds=[1.3, 1.2, 1.4, -5.0], procedure=procedure)
    assert guard.feasible
    assert set(guard.safe) <= {1.3, 1.2, 1.4}
    assert guard.threshold in guard.safe
    assert guard.report.check((SCORES, POSITIVE))
    assert all(c.confidence == 0.95 and "candidates-fixed" in c.assumptions for c in guard.report)


def test_a_fixed_sequence_stops_at_the_first_failure():
    rates = {"recall": 0.8}
    stopped = control_rates(SCORES, POSITIVE, rates, thresholds=[9.0, 0.0], procedure="fixed-sequence")
    gone_on = control_rates(SCORES, POSITIVE, rates, thresholds=[0.0, 9.0], procedure="fixed-sequence")
    assert not stopped.feasible
    assert gone_on.threshold == 0.0


def test_holm_is_at_least_as_strong_as_bonferroni():
    grid = np.linspace(-2, 4, 40)
    holm = control_rates(SCORES, POSITIVE, {"precision": 0.8}, thresholds=grid, procedure="holm")
    bonferroni = control_rates(SCORES, POSITIVE, {"precision": 0.8}, thresholds=grid, procedure="bonferroni")
    assert set(bonferroni.safe) <= set(holm.safe)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10_000),
    st.sampled_from([{"recall": 0.7}, {"false_alarm": 0.3}, {"recall": 0.6, "precision": 0.5}, {"precision": 0.4}]),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_every_result_can_be_checked(seed, rates, confidence):
    rng = np.random.default_rng(seed)
    positive = rng.random(80) < 0.5
    scores = np.round(rng.normal(size=80) + positive, 1)
    guard = control_rates(scores, positive, rates, confidence=confidence)
    assert guard.feasible == (guard.threshold is not None) == bool(len(guard.report)) == (guard.reason == "")
    again = Report.from_json(guard.report.to_json())
    assert again == guard.report
    assert again.check()
    assert again.check((scores, positive))


def certificate_of(rates, **options):
    return control_rates(SCORES, POSITIVE, rates, **options).report[0]


TAMPERING = {
    "value": lambda r: r.update(value=0.99),
    "value and target": lambda r: (r.update(value=0.99), r["inputs"].update(target="99/100")),
    "confidence": lambda r: r.update(confidence=0.999),
    "confidence and failure": lambda r: (r.update(confidence=0.999999), r["inputs"].update(failure="1/1000000")),
    "threshold": lambda r: r["witness"].update(threshold=7.0),
    "claim": lambda r: r.update(claim="Trust me."),
    "rate": lambda r: r["inputs"].update(rate="alarm_rate"),
    "no witness": lambda r: r.update(witness={}),
}


@pytest.mark.parametrize("name", TAMPERING)
@pytest.mark.parametrize("rates", [{"recall": 0.9}, {"precision": 0.8}], ids=["recall", "precision"])
def test_tampered_certificates_fail(rates, name):
    record = certificate_of(rates).to_dict()
    TAMPERING[name](record)
    with pytest.raises(CertificateError, match=r"recall|precision|malformed"):
        Certificate.from_dict(record).check()


def test_counts_are_checked_against_data():
    certificate = certificate_of({"recall": 0.9})
    with pytest.raises(CertificateError, match="the rows do not give"):
        certificate.check((SCORES[::-1], POSITIVE))
    record = certificate.to_dict()
    record["witness"]["successes"] = record["witness"]["trials"]
    forged = record["claim"].replace(f"{certificate.witness['successes']} of", f"{certificate.witness['trials']} of")
    record["claim"] = forged
    with pytest.raises(CertificateError, match="the rows do not give"):
        Certificate.from_dict(record).check((SCORES, POSITIVE))


def test_a_search_cannot_hide_its_failures():
    certificate = certificate_of({"precision": 0.8}, thresholds=[-3.0, 1.6], procedure="holm")
    record = certificate.to_dict()
    record["inputs"]["procedure"] = "fixed-sequence"
    record["witness"]["starts"] = [0]
    with pytest.raises(CertificateError, match="does not pass by fixed-sequence"):
        Certificate.from_dict(record).check()


def test_precision_is_not_monotone():
    record = certificate_of({"recall": 0.9}).to_dict()
    record["inputs"]["rate"] = "precision"
    with pytest.raises(CertificateError, match="not monotone"):
        Certificate.from_dict(record).check()


def test_bad_input():
    with pytest.raises(ValueError, match="at least one of recall, false_alarm, alarm_rate, precision must be given"):
        control_rates(SCORES, POSITIVE, {})
    with pytest.raises(ValueError, match="'specificity' is not a rate"):
        control_rates(SCORES, POSITIVE, {"specificity": 0.9})
    with pytest.raises(ValueError, match="recall must be a number strictly between 0 and 1, got 95"):
        control_rates(SCORES, POSITIVE, {"recall": 95})
    with pytest.raises(ValueError, match="confidence must be a number strictly between 0 and 1, got 1"):
        control_rates(SCORES, POSITIVE, {"recall": 0.9}, confidence=1)
    with pytest.raises(ValueError, match="at least one held-out row"):
        control_rates([], np.array([], dtype=bool), {"recall": 0.9})
    with pytest.raises(ValueError, match="one value for each of the 3000 scores"):
        control_rates(SCORES, POSITIVE[:-1], {"recall": 0.9})
    with pytest.raises(ValueError, match="positive must hold True and False"):
        control_rates(SCORES, POSITIVE.astype(int), {"recall": 0.9})
    with pytest.raises(ValueError, match="scores must be finite; row 1 is nan, 1 of 3"):
        control_rates([0.0, np.nan, 1.0], [True, False, True], {"recall": 0.9})
    with pytest.raises(ValueError, match="procedure must be one of 'holm'"):
        control_rates(SCORES, POSITIVE, {"recall": 0.9}, procedure="none")
    with pytest.raises(ValueError, match="prefer must be 'high' or 'low'"):
        control_rates(SCORES, POSITIVE, {"recall": 0.9}, prefer="middle")
    with pytest.raises(ValueError, match="thresholds must be a one-dimensional array of finite numbers"):
        control_rates(SCORES, POSITIVE, {"recall": 0.9}, thresholds=[np.nan])


def test_one_class_only():
    none = control_rates(SCORES, np.zeros(3000, dtype=bool), {"recall": 0.9})
    assert not none.feasible
    assert "0 positive rows cannot support recall=90%" in none.reason
    assert not control_rates([1.0], [True], {"precision": 0.9}).feasible
