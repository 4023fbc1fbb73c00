"""Evidence of optimality gaps: every kind's formula, the record, what is kept, and what the checker refuses."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.training import (
    ComplementaryTerms,
    Decrement,
    DualValue,
    FenchelTerms,
    GapBound,
    GapEvidence,
    GapRule,
    ScaledGradient,
    Slope,
    kept,
    kept_array,
    training_data,
)

KINDS: dict[str, type[GapBound]] = {
    kind.__name__: kind for kind in (DualValue, Slope, ScaledGradient, FenchelTerms, Decrement)
}
BOUNDS = [
    (DualValue(9.0, 0.25), Fraction(5, 4)),
    (DualValue(11.0, 0.25), Fraction(1, 4)),
    (Slope(1.0, 0.5, 2.0), Fraction(3, 4)),
    (ScaledGradient(0.5, 0.25, 0.125), Fraction(11, 16)),
    (FenchelTerms(0.5, 1.0, 2.0), Fraction(3, 4)),
    (Decrement(0.5, 1.0), Fraction(1, 4)),
]


def _refuse(certificate: Certificate, gap: float, data: Any) -> None:
    del gap
    X, y, weights = training_data(data)
    if (kept_array(certificate, "coef") != X[0]).any():
        raise CertificateError(f"{certificate.quantity}: other data; {y} {weights}")


RULE = GapRule("gap-of-tests", KINDS, _refuse, most=3)
OPEN_RULE = GapRule("gap-of-terms", {"terms": ComplementaryTerms}, _refuse, ceiling=None, at_zero="scale")


@pytest.mark.parametrize(("bound", "expected"), BOUNDS, ids=lambda part: type(part).__name__)
def test_formulas(bound: GapBound, expected: Fraction) -> None:
    evidence = GapEvidence(10.0, 20.0, bound)
    assert expected <= Fraction(evidence.gap) <= expected * (1 + Fraction(1, 10**14))
    certificate = RULE.certificate(evidence, {"a": 1}, {"coef": [1.0, 2.0]})
    assert certificate.check()
    assert certificate.check(([[1.0, 2.0]], [0.0]))
    with pytest.raises(CertificateError, match="other data"):
        certificate.check(([[1.0, 3.0]], [0.0]))


@pytest.mark.parametrize(("bound", "expected"), BOUNDS, ids=lambda part: type(part).__name__)
def test_forgeries(bound: GapBound, expected: Fraction) -> None:
    del expected
    certificate = RULE.certificate(GapEvidence(10.0, 20.0, bound), {"a": 1}, {"coef": [1.0, 2.0]})
    for factor in (0.5, 0.999999, 1.001):
        with pytest.raises(CertificateError):
            dataclasses.replace(certificate, value=factor * certificate.value).check()
    for name in bound.numbers():
        for number in (-1.0, math.nan, "x", None):
            with pytest.raises(CertificateError):
                dataclasses.replace(certificate, witness={**certificate.witness, name: number}).check()
    with pytest.raises(CertificateError, match="not one of this rule's"):
        dataclasses.replace(certificate, theorem="another").check()
    pair = {"value": (0.0, certificate.value), "direction": "interval", "trivial": (0.0, 1.0)}
    with pytest.raises(CertificateError, match="must be one number"):
        dataclasses.replace(certificate, **pair).check()
    with pytest.raises(CertificateError):
        dataclasses.replace(certificate, witness={}).check()


def test_the_objective_bounds_the_gap_as_well() -> None:
    for bound in (DualValue(-50.0), DualValue(-math.inf), Slope(1.0, 0.0, 0.0), ScaledGradient(math.inf, 0.0)):
        evidence = GapEvidence(10.0, 20.0, bound)
        assert evidence.gap == 10.0
        assert RULE.certificate(evidence, {}, {}).check()
    for dual in (-50.0, -math.inf):  # the objective as it was computed may be too small by the rounding errors
        evidence = GapEvidence(10.0, 20.0, DualValue(dual, 0.5))
        assert evidence.gap >= 10.5
        certificate = RULE.certificate(evidence, {}, {})
        assert certificate.check()
        with pytest.raises(CertificateError, match="second route"):
            dataclasses.replace(certificate, value=9.9).check()
    for bound in (Decrement(1.0, 1.0), FenchelTerms(0.0, 1.0, 0.0)):
        with pytest.raises(CertificateError):
            RULE.certificate(GapEvidence(10.0, 20.0, bound), {}, {})


def test_without_a_ceiling() -> None:
    certificate = OPEN_RULE.certificate(GapEvidence(math.inf, 2.0, ComplementaryTerms(0.5, 0.25)), {}, {})
    assert certificate.check()
    assert set(certificate.witness) == {"gap", "rounding", "scale"}
    assert OPEN_RULE.certificate(GapEvidence(math.inf, 2.0, ComplementaryTerms(math.inf, 0.0)), {}, {}).check()


def test_what_is_too_large_is_not_kept() -> None:
    assert {name: list(few) for name, few in kept(2, few=[1, 2], many=[1, 2, 3]).items()} == {"few": [1, 2]}
    certificate = RULE.certificate(GapEvidence(1.0, 1.0, DualValue(1.0)), {}, {"coef": [0.0] * 4})
    assert certificate.check()
    with pytest.raises(CertificateError, match="are not kept in a certificate"):
        certificate.check(([[0.0] * 4], [0.0]))


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(1e-6, 1e6), st.floats(0, 1e12))
def test_values_are_rounded_up(slope: float, share: float, strength: float, objective: float) -> None:
    evidence = GapEvidence(objective, 1.0, Slope(slope, share, strength))
    exact = min(Fraction(slope) ** 2 / (2 * Fraction(strength)) + Fraction(share), Fraction(objective))
    assert Fraction(evidence.gap) >= exact or evidence.gap < 1e-300
    assert RULE.certificate(evidence, {}, {}).check()
