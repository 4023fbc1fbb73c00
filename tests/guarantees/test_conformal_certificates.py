"""Certificates of split calibration: re-derivation, tampering, JSON, groups, bad input."""

import math

import numpy as np
import pytest

from certus.guarantees import Certificate, CertificateError, Report, calibrate, calibrate_groups

SCORES = np.random.default_rng(0).normal(size=200)


@pytest.mark.parametrize("assurance", [None, 0.95])
@pytest.mark.parametrize("subject", ["set", "interval"])
@pytest.mark.parametrize("rows", [1, 5, 9, 29, 200])
def test_certificates_check_with_and_without_data(rows, subject, assurance):
    result = calibrate(SCORES[:rows], assurance=assurance, subject=subject)
    again = Report.from_json(result.report.to_json())
    assert again == result.report
    assert again.check()
    assert again.check(SCORES[:rows])


def test_kinds_and_values():
    average, floor = calibrate(SCORES[:100]).certificates
    assert (average.kind, average.confidence) == ("expectation", 1.0)
    assert average.value == pytest.approx(91 / 101)
    assert "exchangeable" in average.assumptions
    assert (floor.kind, floor.confidence) == ("probable", 0.95)
    assert floor.value == pytest.approx(0.848, abs=5e-4)
    assert "iid" in floor.assumptions
    assert "rank 91 of 100" in average.claim
    assert "90% asked" in average.claim


def test_assured_calibration_reaches_the_level_for_this_calibration_set():
    result = calibrate(SCORES[:100], assurance=0.95)
    assert result.rank.rank == 96
    assert result.floor >= 0.9
    assert calibrate(SCORES[:100]).floor < 0.9


def test_too_few_rows_give_infinity_and_say_so():
    result = calibrate(SCORES[:5], confidence=0.9)
    assert result.threshold == math.inf
    assert all(certificate.vacuous for certificate in result.certificates)
    assert "5 calibration rows cannot support 90%" in result.certificates[0].claim
    assert "about 9 rows would help" in result.report.text()
    assured = calibrate(SCORES[:28], confidence=0.9, assurance=0.95)
    assert assured.threshold == math.inf
    assert "about 29 rows would help" in assured.report.text()


TAMPERING = {
    "value tighter": lambda r: r.update(value=r["value"] + 1e-6),
    "value looser": lambda r: r.update(value=r["value"] - 0.1),
    "rank raised": lambda r: r["witness"].update(rank=r["witness"]["rank"] + 1),
    "rank lowered": lambda r: r["witness"].update(rank=r["witness"]["rank"] - 1),
    "rows changed": lambda r: r["witness"].update(rows=100),
    "level changed": lambda r: r["inputs"].update(level="19/20"),
    "assurance changed": lambda r: r["inputs"].update(assurance="99/100"),
    "claim changed": lambda r: r.update(claim="All is well."),
    "assumptions dropped": lambda r: r.update(assumptions=[]),
    "trivial changed": lambda r: r.update(trivial=-1.0),
    "rank not a number": lambda r: r["witness"].update(rank="many"),
    "no witness": lambda r: r.update(witness={}),
}


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("name", TAMPERING)
def test_tampered_certificates_fail(name, which):
    record = calibrate(SCORES).certificates[which].to_dict()
    TAMPERING[name](record)
    with pytest.raises(CertificateError, match="coverage"):
        Certificate.from_dict(record).check()


def test_confidence_of_the_floor_cannot_be_raised():
    record = calibrate(SCORES).certificates[1].to_dict()
    record["confidence"] = 0.99
    with pytest.raises(CertificateError, match="second route"):
        Certificate.from_dict(record).check()


def test_threshold_is_checked_against_data():
    certificate = calibrate(SCORES).certificates[0]
    record = certificate.to_dict()
    record["witness"]["threshold"] = certificate.witness["threshold"] / 2
    with pytest.raises(CertificateError, match="is not the score of rank 181 of 200"):
        Certificate.from_dict(record).check(SCORES)
    with pytest.raises(CertificateError, match="199 scores given"):
        certificate.check(SCORES[:-1])
    short = calibrate(SCORES[:5]).certificates[0].to_dict()
    short["witness"]["threshold"] = 3.0
    with pytest.raises(CertificateError, match="needs an infinite threshold"):
        Certificate.from_dict(short).check()


def test_ties_keep_the_threshold_checkable():
    ties = np.round(SCORES)
    assert calibrate(ties).report.check(ties)


def test_groups_are_calibrated_one_by_one():
    groups = np.where(np.arange(200) < 150, "north", "south")
    groups[:4] = "tiny"
    result = calibrate_groups(SCORES, groups, subject="interval")
    assert list(result.by_group) == ["north", "south", "tiny"]
    for name, part in result.by_group.items():
        alone = calibrate(SCORES[groups == name], subject="interval")
        assert (part.threshold, part.rank) == (alone.threshold, alone.rank)
    assert result.by_group["tiny"].threshold == math.inf
    assert result.report.check((SCORES, groups))
    assert result.report["coverage of group north"].value >= 0.9
    expected = [result.by_group[name].threshold for name in ("south", "north", "south")]
    np.testing.assert_array_equal(result.thresholds(["south", "north", "south"]), expected)
    with pytest.raises(CertificateError, match=r"a pair \(scores, groups\)"):
        result.report.check(SCORES)


def test_number_groups():
    result = calibrate_groups(SCORES, np.arange(200) % 2)
    assert set(result.by_group) == {0, 1}
    assert result.report.check((SCORES, np.arange(200) % 2))


def test_unknown_group_at_prediction():
    result = calibrate_groups(SCORES, np.arange(200) % 2)
    with pytest.raises(ValueError, match=r"groups: 7 has no calibration rows; the calibrated groups are 0, 1"):
        result.thresholds([0, 7])


def test_bad_scores():
    with pytest.raises(ValueError, match="at least one calibration row, got none"):
        calibrate([])
    with pytest.raises(ValueError, match="scores must not be NaN; row 1 is, and 1 of 3"):
        calibrate([0.0, math.nan, 1.0])
    with pytest.raises(ValueError, match=r"one-dimensional, one per calibration row, got shape \(2, 2\)"):
        calibrate(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="one label for each of the 3 scores"):
        calibrate_groups([0.0, 1.0, 2.0], ["a", "b"])
    with pytest.raises(ValueError, match="assurance must be a number strictly between 0 and 1, got 2"):
        calibrate([0.0], assurance=2)
    with pytest.raises(ValueError, match="confidence must be a number strictly between 0 and 1, got 90"):
        calibrate([0.0], confidence=90)


def test_infinite_scores_are_allowed():
    result = calibrate(np.array([0.0] * 50 + [math.inf] * 50), confidence=0.9)
    assert result.threshold == math.inf
    assert result.rank.finite
