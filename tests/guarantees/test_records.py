"""Certificates and reports: what they refuse, how they travel, and that tampering shows."""

import copy
import dataclasses
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import certus
from certus.guarantees import (
    AdaptiveConformal,
    Certificate,
    CertificateError,
    ConfidenceSequence,
    Report,
    as_estimate,
    auc_bound,
    balanced_accuracy_bound,
    complement,
    error_bound,
    f_bound,
    intersection,
    macro_f_bound,
    mean_bound,
    pairwise_auc_bound,
    strong_convexity_gap,
    union,
)
from certus.guarantees.holdout.paired import sign_certificate
from certus.guarantees.holdout.selection import discordant_counts, shortlist_certificate
from certus.guarantees.records import rules

RNG = np.random.default_rng(0)
LOSSES = RNG.beta(1, 9, 60)
WRONG = RNG.random((3, 80)) < np.array([0.1, 0.2, 0.6])[:, None]
EXAMPLES = {
    "error": error_bound(15, 500),
    "error, lower": error_bound(15, 500, side="lower"),
    "error, both": error_bound(15, 500, side="both", confidence=0.99),
    "error, kl": error_bound(15, 500, method="kl", side="both"),
    "error, hoeffding": error_bound(15, 500, method="hoeffding", uses=7),
    **{
        method: mean_bound(LOSSES, method=method, side="both", variance=0.02 if method == "bernstein" else None)
        for method in (
            "hoeffding",
            "kl",
            "bernstein",
            "empirical-bernstein",
            "hoeffding-bentkus",
            "betting",
            "star",
        )
    },
    "F1": f_bound(90, 5, 10),
    "F2": f_bound(90, 5, 10, beta=2.0, uses=3),
    "balanced accuracy": balanced_accuracy_bound([95, 90], [100, 100]),
    "macro F1": macro_f_bound([95, 90, 0], [10, 5, 0], [5, 9, 1]),
    "loss of a score": complement(f_bound(90, 5, 10)),
    "estimate": as_estimate(error_bound(15, 500), "trained on more rows"),
    "area": auc_bound(RNG.normal(1, 1, 30), RNG.normal(0, 1, 50)),
    "area of pairs": pairwise_auc_bound(np.arange(90) % 3, np.eye(3)[np.arange(90) % 3] + RNG.normal(0, 0.4, (90, 3))),
    "gap": strong_convexity_gap(1e-4, 0.5, 12.0, gradient_error=1e-9, terms=100),
    "gap at machine precision": strong_convexity_gap(1e-12, 0.5, 12.0, terms=100),
    "sign": sign_certificate(30, 15, 500, names=("A", "B")),
    "shortlist": shortlist_certificate(["a", "b", "c"], discordant_counts(WRONG)),
    "union": union([error_bound(15, 500), strong_convexity_gap(0.1, 1.0, 1.0)]),
    "intersection": intersection([error_bound(15, 500), error_bound(15, 500, side="lower")]),
    "sequence of a rate": ConfidenceSequence(prior=(1, 19)).update(WRONG[0]).certificate(),
    "sequence of a rate, upper": ConfidenceSequence(side="upper").update(WRONG[0]).certificate(),
    "sequence of an average": ConfidenceSequence("gamma-exponential").update(LOSSES).certificate(),
    "adaptive conformal": AdaptiveConformal(step=0.2).update(LOSSES).certificate(),
    "alarm": certus.monitor(errors=1, rows=100).update(losses=WRONG[2]).alarm,
    "alarm by betting": certus.monitor(losses=LOSSES, loss="given", loss_range=(0, 1)).update(losses=WRONG[2]).alarm,
}
every_example = pytest.mark.parametrize("certificate", EXAMPLES.values(), ids=EXAMPLES)


@every_example
def test_checks_and_survives_every_way_of_travelling(certificate):
    assert certificate.check() is True
    for copied in (
        Certificate.from_json(certificate.to_json()),
        Certificate.from_dict(json.loads(json.dumps(certificate.to_dict()))),
        pickle.loads(pickle.dumps(certificate)),
        copy.deepcopy(certificate),
    ):
        assert copied == certificate
        assert hash(copied) == hash(certificate)
        assert copied.check()


def tampered(certificate):
    """Changes that make a certificate say something else than its witness supports."""
    value = certificate.value
    if isinstance(value, tuple):
        tighter = (value[0] + 1e-3 * (value[1] - value[0]), value[1])
    else:
        tighter = value * (0.999 if certificate.direction == "upper" else 1.001) if value else 1.0
    yield "value", tighter
    yield "claim", certificate.claim + " Really."
    yield "theorem", "A better theorem (2030)"
    yield "quantity", "something nicer"
    yield "assumptions", ()
    if certificate.kind == "probable":
        yield "confidence", 0.999
        yield "confidence", 0.5
        yield "kind", "anytime"
    for key, item in certificate.witness.items():
        if isinstance(item, int) and not isinstance(item, bool):
            yield "witness", {**certificate.witness, key: item + 3}
    if "uses" in certificate.inputs:
        yield "inputs", {**certificate.inputs, "uses": certificate.inputs["uses"] + 1}
    yield "inputs", {**certificate.inputs, "note": "trust me"}
    yield "witness", {}


FIXED_QUANTITY = ("union", "intersection", "balanced-accuracy", "macro-f1", "complement", "estimate")


@every_example
def test_tampering_is_found(certificate):
    for field, change in tampered(certificate):
        if field == "quantity" and certificate.rule not in FIXED_QUANTITY:
            change = ""  # a free name: only the claim ties it down
            with pytest.raises(ValueError, match="quantity"):
                dataclasses.replace(certificate, quantity=change)
            continue
        if certificate.rule == "strong-convexity-gap" and field == "witness" and "terms" in change:
            continue  # more terms only matter at machine precision
        if change == getattr(certificate, field):
            continue  # a certificate without assumptions cannot lose them
        forged = dataclasses.replace(certificate, **{field: change})
        with pytest.raises(CertificateError):
            forged.check()


def test_renaming_the_quantity_breaks_the_claim():
    with pytest.raises(CertificateError, match="claim"):
        dataclasses.replace(error_bound(15, 500), quantity="recall").check()


def test_data_must_belong_to_the_certificate():
    wrong = np.zeros(500)
    wrong[:15] = 1
    assert error_bound(15, 500).check(wrong)
    with pytest.raises(CertificateError, match="16 events in 500 rows"):
        error_bound(15, 500).check(np.r_[1, wrong[:-1]])
    bound = mean_bound(LOSSES)
    assert bound.check(LOSSES)
    with pytest.raises(CertificateError, match="not the losses"):
        bound.check(LOSSES[::-1])
    with pytest.raises(CertificateError, match="gradient"):
        strong_convexity_gap(1e-4, 0.5, 12.0).check([1.0, 0.0])


def test_large_samples_are_checked_against_their_digest():
    losses = np.random.default_rng(1).random(100_001)
    bound = mean_bound(losses)
    assert "losses" not in bound.witness
    assert bound.check(losses)
    with pytest.raises(CertificateError, match=r"check\(data=losses\)"):
        bound.check()
    with pytest.raises(CertificateError, match="not the losses"):
        bound.check(np.clip(losses * 0.99, 0, 1))


def test_failure_is_the_declared_decimal():
    assert error_bound(1, 10, confidence=0.95).failure == 0.05
    assert error_bound(1, 10, confidence=0.999999999999).failure == 1e-12


def test_vacuous():
    assert error_bound(5, 5).vacuous
    assert not error_bound(4, 5).vacuous
    assert error_bound(0, 5, side="lower").vacuous
    assert not strong_convexity_gap(1.0, 1.0, 1.0).vacuous
    assert strong_convexity_gap(math.inf, 1.0, 1.0).vacuous


def test_immutable():
    certificate = error_bound(15, 500)
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate.value = 0.0
    for change in (
        lambda d: d.update(rows=1),
        lambda d: d.__setitem__("rows", 1),
        lambda d: d.clear(),
        lambda d: d.pop("rows"),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change(certificate.witness)
    with pytest.raises(AttributeError, match="with_"):
        Report([certificate]).certificates = ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 3}, "schema version 3"),
        ({"schema": True}, "schema version True"),
        ({"extra": 1}, "extra"),
        ({"value": "0.1"}, "value must be a number"),
        ({"value": {"$float": "nan"}}, "value must be a number"),
        ({"value": {"$float": "1"}}, "malformed special number"),
        ({"value": [0.1, 0.2]}, "value must be a number"),
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": None}, "confidence"),
        ({"kind": "certain"}, "kind must be one of"),
        ({"direction": "sideways"}, "direction must be one of"),
        ({"assumptions": ["good-luck"]}, "good-luck"),
        ({"assumptions": "iid"}, "JSON array"),
        ({"witness": [1, 2]}, "JSON object"),
        ({"claim": ""}, "claim"),
        ({"rule": 7}, "rule"),
    ],
)
def test_malformed_records_are_refused(change, message):
    record = {**error_bound(15, 500).to_dict(), **change}
    with pytest.raises(CertificateError, match=message):
        Certificate.from_dict(record)


def test_missing_fields_and_broken_json_are_refused():
    record = error_bound(15, 500).to_dict()
    del record["theorem"]
    with pytest.raises(CertificateError, match="theorem"):
        Certificate.from_dict(record)
    with pytest.raises(CertificateError, match="JSON object"):
        Certificate.from_json("[]")
    with pytest.raises(CertificateError, match="not a JSON document"):
        Certificate.from_json("{")
    with pytest.raises(CertificateError, match="not a JSON document"):
        Certificate.from_json("[" * 100_000)
    with pytest.raises(CertificateError, match="certificates"):
        Report.from_json('{"schema": 1}')


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=4),
        lambda s: st.lists(s, max_size=3) | st.dictionaries(st.text(max_size=3), s, max_size=3),
        max_leaves=6,
    )
)
def test_hostile_json_gives_one_clear_error_or_a_certificate(junk):
    record = {**error_bound(15, 500).to_dict(), "witness": junk, "inputs": {"side": junk}}
    try:
        Certificate.from_dict(json.loads(json.dumps(record))).check()
    except CertificateError:
        return
    pytest.fail("a certificate with a junk witness passed its check")


def test_infinite_numbers_survive_json():
    certificate = strong_convexity_gap(0.1, 1.0, 1.0)
    assert math.isinf(certificate.trivial)
    assert "Infinity" not in certificate.to_json()
    assert Certificate.from_json(certificate.to_json()).trivial == math.inf


def test_unknown_rule_has_a_hint():
    with pytest.raises(CertificateError, match="import the package"):
        dataclasses.replace(error_bound(1, 10), rule="nobody/knows").check()


def test_a_rule_cannot_be_registered_twice():
    with pytest.raises(ValueError, match="already has a checker"):
        rules.checker("clopper-pearson")(lambda certificate, data: 0.0)


def test_confidence_must_fit_the_kind():
    base = error_bound(15, 500)
    with pytest.raises(ValueError, match="must be 1"):
        dataclasses.replace(base, kind="exact")
    with pytest.raises(ValueError, match="must be 0"):
        dataclasses.replace(base, kind="estimate")
    with pytest.raises(ValueError, match="strictly between"):
        dataclasses.replace(base, confidence=1.0)


def test_estimates_never_print_as_guarantees():
    estimate = dataclasses.replace(error_bound(15, 500), kind="estimate", confidence=0.0, claim="The error is 3%.")
    assert "not a guarantee" in str(estimate)
    assert "not a guarantee" in Report([estimate]).text()
    assert Report([estimate]).confidence == 1.0
    with pytest.raises(ValueError, match="estimate"):
        union([estimate])


def test_report_order_and_lookup():
    loose, tight = error_bound(15, 500, method="hoeffding"), error_bound(15, 500)
    gap, vacuous = strong_convexity_gap(1e-6, 1.0, 1.0), error_bound(3, 3)
    report = Report([vacuous, gap, loose, tight])
    assert list(report) == [tight, loose, gap, vacuous]
    assert report["error"] is tight
    assert report[-1] is vacuous
    assert report.quantities == ("error", "optimality gap")
    assert report.all("error") == (tight, loose, vacuous)
    assert "error" in report
    assert tight in report
    assert "recall" not in report
    with pytest.raises(KeyError, match="recall"):
        report["recall"]
    assert Report.from_json(report.to_json()) == report
    assert pickle.loads(pickle.dumps(report)) == report
    assert report.with_([gap]) == Report([*report, gap])
    assert report.confidence == 0.85
    assert "hold together with confidence 85%" in report.text()
    assert report.check()


def test_vacuous_ones_are_folded_with_the_rows_that_would_help():
    vacuous = mean_bound([0.9, 0.8], method="hoeffding")
    text = Report([vacuous]).text()
    assert text.startswith("(vacuous)")
    assert "67 rows would help" in text
    assert not mean_bound([0.85] * 67, method="hoeffding").vacuous
    assert mean_bound([0.85] * 66, method="hoeffding").vacuous


def test_empty_report():
    assert len(Report()) == 0
    assert Report().text() == "No guarantees."
    assert Report().check()
    assert Report.from_dict(Report().to_dict()) == Report()


def test_html_is_escaped():
    certificate = dataclasses.replace(error_bound(15, 500), claim="<script>alert(1)</script>")
    for page in (
        certificate._repr_html_(),
        Report([certificate])._repr_html_(),
        Report([error_bound(2, 2)])._repr_html_(),
    ):
        assert "<script>" not in page
    assert "vacuous" in Report([error_bound(2, 2)])._repr_html_()


def test_printed_bounds_are_rounded_to_the_safe_side():
    from certus.guarantees.records.wording import number

    for value in np.random.default_rng(3).random(500):
        assert float(number(value, "upper")) >= value * (1 - 1e-10)
        assert float(number(value, "lower")) <= value * (1 + 1e-10)


def test_union_and_intersection_refuse_what_cannot_be_joined():
    with pytest.raises(ValueError, match="at least one"):
        union([])
    with pytest.raises(ValueError, match="one quantity"):
        intersection([error_bound(1, 10), strong_convexity_gap(0.1, 1.0, 1.0)])
    with pytest.raises(ValueError, match="add up to 1"):
        union([error_bound(1, 10, confidence=0.5)] * 2)
    with pytest.raises(ValueError, match="contradict"):
        intersection([error_bound(0, 1000), error_bound(900, 1000, side="lower")])
    exact = union([strong_convexity_gap(0.1, 1.0, 1.0)])
    assert (exact.kind, exact.confidence) == ("exact", 1.0)


@given(st.floats(0, 1e6), st.floats(1e-6, 1e6), st.floats(-1e6, 1e6), st.integers(1, 10**6))
def test_gap_is_never_below_the_exact_formula(norm, strength, objective, terms):
    from fractions import Fraction

    certificate = strong_convexity_gap(norm, strength, objective, terms=terms)
    assert certificate.check()
    assert Fraction(certificate.value) >= Fraction(norm) ** 2 / (2 * Fraction(strength))
    assert Fraction(certificate.inputs["distance"]) >= Fraction(norm) / Fraction(strength)
    assert certificate.value >= terms * 2.0**-52 * abs(objective)


def test_gap_holds_on_a_quadratic():
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(30, 5))
    target, strength = rng.normal(size=30), 0.3
    best = np.linalg.solve(matrix.T @ matrix + strength * np.eye(5), matrix.T @ target)

    def objective(w):
        return 0.5 * np.sum((matrix @ w - target) ** 2) + 0.5 * strength * w @ w

    w = best + rng.normal(scale=0.01, size=5)
    gradient = matrix.T @ (matrix @ w - target) + strength * w
    certificate = strong_convexity_gap(float(np.linalg.norm(gradient)), strength, objective(w), terms=30)
    assert objective(w) - objective(best) <= certificate.value
    assert np.linalg.norm(w - best) <= certificate.inputs["distance"]
    assert certificate.check(gradient)


def test_packed_losses_that_were_damaged_are_found():
    bound = mean_bound(LOSSES)
    for text in ("", "@@@@", bound.witness["losses"][:-4], bound.witness["losses"][4:] + "AAAA"):
        forged = dataclasses.replace(bound, witness={**bound.witness, "losses": text})
        with pytest.raises(CertificateError, match=r"damaged|not 60 numbers|mean of the losses|range"):
            forged.check()
    with pytest.raises(CertificateError, match="damaged"):
        dataclasses.replace(bound, witness={**bound.witness, "losses": 7}).check()
