"""The verb `monitor`: references, alarms, what is void and what stands, ranges, state."""

import dataclasses
import json

import numpy as np
import pytest

import certus
from certus.bayes import GaussianNB
from certus.guarantees import CertificateError, Monitor, error_bound, mean_bound, strong_convexity_gap
from certus.guarantees.monitoring.drift import void_after_drift

RNG = np.random.default_rng(0)
QUIET, BAD = RNG.random(700) < 0.05, RNG.random(700) < 0.3
STREAM = np.r_[QUIET, BAD].astype(float)


def watched(**more):
    return certus.monitor(errors=50, rows=1000, **more)


def test_no_alarm_then_alarm_with_a_certificate_that_checks():
    watch = watched().update(losses=QUIET)
    assert watch.alarm is None
    assert "No alarm after 700 rows (a false alarm has a chance of at most 5%" in watch.text()
    watch.update(losses=BAD)
    assert 700 < watch.alarm_row < 800
    assert watch.log_evidence >= 0
    assert watch.alarm.kind == "anytime"
    assert watch.alarm.check()
    assert watch.alarm.check(STREAM[: watch.alarm_row])
    assert watch.report.check()
    with pytest.raises(CertificateError, match="not the losses behind the alarm"):
        watch.alarm.check(1.0 - STREAM[: watch.alarm_row])


def test_an_alarm_without_its_evidence_is_refused():
    watch = watched().update(losses=STREAM)
    witness = dict(watch.alarm.witness)
    forged = dataclasses.replace(watch.alarm, witness={**witness, "total": witness["total"] - 3})
    with pytest.raises(CertificateError, match="does not reach"):
        forged.check()
    reference = {**watch.alarm.inputs, "reference": {"errors": 60, "rows": 1000}}
    with pytest.raises(CertificateError):
        dataclasses.replace(watch.alarm, inputs=reference).check()


@pytest.mark.parametrize("size", [1, 13, 250])
def test_division_into_batches_does_not_matter(size):
    whole, parts = watched(coverage=0.9).update(losses=STREAM), watched(coverage=0.9)
    for start in range(0, len(STREAM), size):
        parts.update(losses=STREAM[start : start + size])
    assert parts.alarm == whole.alarm
    assert parts.rows == whole.rows == len(STREAM)
    assert parts.mean == pytest.approx(whole.mean)
    assert parts.adaptive.missed == whole.adaptive.missed


def test_alarm_says_what_is_void_and_what_stands():
    gap = strong_convexity_gap(1e-4, 0.5, 12.0)
    old = error_bound(3, 300)
    watch = watched(report=certus.Report([gap, old]), coverage=0.9).update(losses=QUIET)
    assert {gap, old} <= set(watch.report)
    assert watch.voided == ()
    watch.update(losses=BAD)
    assert [item for item, _ in watch.voided] == [old, error_bound(50, 1000)]
    assert all("iid" in reason for _, reason in watch.voided)
    standing = set(watch.report)
    assert gap in standing
    assert old not in standing
    assert {item.rule for item in standing} == {
        gap.rule,
        "alarm-beta-binomial",
        "sequence-gamma-exponential",
        "adaptive-conformal",
    }
    text = watch.text()
    assert text.startswith("ALARM at row ")
    assert text.count("\nvoid: ") == 2
    assert "stands: Whatever the stream does" in text


def test_what_a_drift_voids():
    assert "iid" in void_after_drift(mean_bound(RNG.random(20)))
    assert "constant-mean" in void_after_drift(certus.guarantees.ConfidenceSequence().update([0, 1]).certificate())
    moving = certus.guarantees.ConfidenceSequence("gamma-exponential").update([0, 1]).certificate()
    assert void_after_drift(moving) == ""
    estimate = dataclasses.replace(error_bound(1, 9), kind="estimate", confidence=0.0)
    assert "no promise" in void_after_drift(estimate)


def test_recent_average_follows_the_drift():
    watch = watched(window=200).update(losses=STREAM)
    (recent,) = [item for item in watch.report if "since row" in str(item.quantity)]
    assert recent.quantity == "error since row 1201"
    assert recent.value[0] > 0.12
    assert recent.check(STREAM[1200:])
    average = watch.report["error since deployment"]
    assert average.check(STREAM)
    assert average.value[0] <= STREAM.mean() <= average.value[1]
    assert recent.confidence > average.confidence


@pytest.mark.parametrize("kind", ["rate", "betting"])
def test_state_survives_json_at_any_row(kind):
    def fresh():
        if kind == "rate":
            return watched(coverage=0.9, window=100)
        return certus.monitor(losses=QUIET * 0.5, loss="given", loss_range=(0, 1), window=100)

    losses = STREAM if kind == "rate" else STREAM * 0.5
    whole, watch = fresh().update(losses=losses), fresh()
    for start in range(0, len(losses), 150):
        watch = Monitor.from_json(watch.update(losses=losses[start : start + 150]).to_json())
    assert watch.alarm == whole.alarm
    assert watch.alarm is not None
    assert watch.report.quantities == whole.report.quantities
    assert json.loads(watch.to_json())["rows"] == len(losses)
    assert watch.summary()["alarm"] is True


def test_bounded_losses_that_vary_little_are_noticed_by_betting():
    rng = np.random.default_rng(2)
    watch = certus.monitor(losses=rng.beta(10, 90, 1000), loss="given", loss_range=(0, 1))
    losses = np.r_[rng.beta(10, 90, 500), rng.beta(13, 87, 500)]
    watch.update(losses=losses)
    assert 500 < watch.alarm_row < 800
    assert watch.alarm.check()
    assert watch.alarm.check(losses[: watch.alarm_row])
    assert watch.voided[0][0].rule == "mean-betting"
    with pytest.raises(CertificateError, match="not the losses behind the alarm"):
        watch.alarm.check(losses[: watch.alarm_row][::-1] * 0.99)


def test_a_loss_outside_the_range_voids_its_line_and_loses_nothing_else():
    gap = strong_convexity_gap(1e-4, 0.5, 12.0)
    watch = certus.monitor(
        y_true=[0.0] * 50, y_pred=[0.1] * 50, loss="absolute", loss_range=(0, 2), coverage=0.9, report=[gap]
    )
    watch.update([1.0, 5.0, 1.0], [1.1, 1.0, 1.1])
    assert "the loss 4.0 in row 2 is outside the declared range [0, 2]" in watch.void
    assert "VOID" in watch.text()
    assert "row 2" in watch._repr_html_()
    watch.update(np.zeros(500), np.full(500, 1.9))
    assert (watch.rows, watch.adaptive.rows, watch.alarm) == (503, 503, None)
    assert gap in watch.report
    assert "share of rows outside their sets" in watch.report
    assert not any(item.rule.startswith("sequence") for item in watch.report)
    assert Monitor.from_json(watch.to_json()).void == watch.void


def test_an_alarm_before_the_range_was_left_stands():
    watch = certus.monitor(threshold=0.1, loss="given", loss_range=(0, 1))
    watch.update(losses=[*[0.9] * 100, 3.0])
    assert watch.alarm_row < 100
    assert watch.void
    assert watch.report.check()


def test_references_agree():
    y_true, y_pred = np.zeros(400, dtype=int), (np.arange(400) < 20).astype(int)
    by_labels = certus.monitor(y_true=y_true, y_pred=y_pred)
    by_counts = certus.monitor(errors=20, rows=400)
    by_losses = certus.monitor(losses=y_pred)
    assert by_labels.to_json() == by_counts.to_json() == by_losses.to_json()
    by_labels.update(["a", "b"], ["a", "c"])
    assert by_labels.mean == 0.5


def test_a_model_brings_its_report():
    X = RNG.normal(size=(300, 2))
    y = (X[:, 0] + 0.5 * RNG.normal(size=300) > 0).astype(int)
    model = GaussianNB().fit(X[:150], y[:150])
    model.report_ = certus.Report([error_bound(1, 77), *model.report_])
    watch = certus.monitor(model, X[150:], y[150:])
    assert error_bound(1, 77) in watch.certificates
    wrong = int((model.predict(X[150:]) != y[150:]).sum())
    assert watch.setting.alarm.reference == {"errors": wrong, "rows": 150}
    watch.update(y[:3], 1 - y[:3])
    assert watch.mean == 1.0


def test_threshold_and_tolerance():
    strict, loose = watched(), watched(tolerance=0.15)
    losses = np.random.default_rng(5).random(400) < 0.18
    assert strict.update(losses=losses).alarm is not None
    assert loose.update(losses=losses).alarm is None
    absolute = certus.monitor(threshold=0.1).update(losses=np.ones(20))
    assert absolute.alarm.value == 0.1
    assert absolute.alarm.check()
    assert absolute.voided == ()


def test_a_reference_too_small_to_alarm_says_so():
    watch = certus.monitor(errors=2, rows=2)
    assert not watch.able
    assert "more reference rows are needed" in watch.text()
    assert watch.update(losses=np.ones(50)).alarm is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of y, y_true, losses, errors and threshold"),
        ({"errors": 1, "rows": 5, "threshold": 0.1}, "got errors, threshold"),
        ({"errors": 7, "rows": 5}, "errors must be at most rows"),
        ({"threshold": 1.0}, "threshold must lie strictly between 0 and 1"),
        ({"y_true": [0, 1]}, "y_true must come with y_pred"),
        ({"y": [0, 1]}, "y must come with a model"),
        ({"losses": [0.5]}, "losses must be 0 or 1"),
        ({"losses": [0.5], "loss": "given"}, "loss_range must be a pair"),
        ({"losses": [2.5], "loss": "given", "loss_range": (0, 1)}, "declared range"),
        ({"errors": 1, "rows": 9, "loss": "absolute", "loss_range": (0, 1)}, "errors and rows go with loss='error'"),
        ({"threshold": 0.1, "loss": "hinge"}, "loss must be one of"),
        ({"threshold": 0.1, "tolerance": -1}, "tolerance must lie between"),
        ({"threshold": 0.1, "window": 0}, "window must be a whole number"),
        ({"threshold": 0.1, "confidence": 2}, "confidence must be"),
        ({"threshold": 0.1, "loss_range": (0, 2)}, "has the range"),
    ],
)
def test_bad_references(arguments, message):
    with pytest.raises(ValueError, match=message):
        certus.monitor(**arguments)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({}, "rows are needed"),
        ({"losses": [0.0], "y_true": [1]}, "either losses"),
        ({"losses": [np.nan]}, "NaN"),
        ({"y_true": [1, 2], "y_pred": [1]}, "one entry per label"),
        ({"y_true": ["a"], "y_pred": [1]}, "never be equal"),
        ({"losses": [0.0], "scores": [1.0]}, "scores are of use only with coverage"),
    ],
)
def test_bad_rows_change_nothing(rows, message):
    watch = watched()
    before = watch.to_json()
    with pytest.raises(ValueError, match=message):
        watch.update(**rows)
    assert watch.to_json() == before
    with pytest.raises(ValueError, match="no prediction sets"):
        watch.threshold()


@pytest.mark.parametrize("change", [{"schema": 9}, {"rows": 3}, {"evidence": {}}, {"rungs": [[1]]}, {"setting": {}}])
def test_malformed_state(change):
    record = watched().update(losses=QUIET).to_dict() | change
    with pytest.raises(CertificateError):
        Monitor.from_dict(record)
    with pytest.raises(CertificateError, match="not a JSON document"):
        Monitor.from_json("{")
