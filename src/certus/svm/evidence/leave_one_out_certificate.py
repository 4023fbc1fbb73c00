"""The certificates of exact leave-one-out: statements about the rows at hand, and estimates of nothing more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, count, number, percent, rules

ERROR_RULE = "svm/leave-one-out-error"
ABSOLUTE_RULE = "svm/leave-one-out-absolute"
THEOREM = "Statistical Learning Theory: leave-one-out and support vectors (Vapnik 1998)"
REMARK = "; it estimates the error and does not bound it."


def error_certificate(wrong: int, unsure: int, retrained: int, rows: int) -> Certificate:
    """The share of rows that are wrong when left out; those that rounding could have decided count as wrong."""
    return _error({"wrong": wrong, "unsure": unsure, "retrained": retrained, "rows": rows})


def absolute_error_certificate(mean: float, reach: float, retrained: int, rows: int) -> Certificate:
    """The mean absolute error of left-out rows, plus by how much the exact optimum's could differ."""
    return _absolute({"mean": mean, "reach": reach, "retrained": retrained, "rows": rows})


def _record(
    claim: str, quantity: str, value: float, trivial: float, rule: str, witness: Mapping[str, Any]
) -> Certificate:
    return Basis(rule, THEOREM, ("convex", "floating-point-model")).exact(
        claim + REMARK, quantity, "upper", value, trivial, {}, witness
    )


def _error(witness: Mapping[str, Any]) -> Certificate:
    rows, wrong = witness["rows"], witness["wrong"] + witness["unsure"]
    claim = (
        f"Trained without it, the exact optimum is wrong about {count(witness['wrong'])} of {count(rows)} rows"
        + (f", perhaps {count(witness['unsure'])} more" if witness["unsure"] else "")
        + f" ({percent(wrong / rows, 'upper')}; {count(witness['retrained'])} rows needed training again)"
    )
    return _record(claim, "leave-one-out error", wrong / rows, 1.0, ERROR_RULE, witness)


def _absolute(witness: Mapping[str, Any]) -> Certificate:
    value = witness["mean"] + witness["reach"]
    claim = (
        f"Trained without it, the exact optimum is off by {number(value, 'upper')} on average over "
        f"{count(witness['rows'])} rows ({count(witness['retrained'])} of them needed training again)"
    )
    return _record(claim, "leave-one-out absolute error", value, math.inf, ABSOLUTE_RULE, witness)


@rules.checker(ERROR_RULE)
def check_error(certificate: Certificate, data: Any = None) -> Derivation:
    """Divide again; ``data``, if given, are the left-out rows' flags "wrong"."""
    witness = certificate.witness
    parts = [witness[name] for name in ("wrong", "unsure", "retrained", "rows")]
    if any(isinstance(part, float) or part < 0 for part in parts) or parts[0] + parts[1] > parts[3] or parts[3] < 1:
        raise CertificateError(f"{certificate.quantity}: the witness is not a count of rows.")
    if data is not None:
        wrong = sum(bool(flag) for flag in data)
        if len(data) != parts[3] or not parts[0] <= wrong <= parts[0] + parts[1]:
            raise CertificateError(f"{certificate.quantity}: the data have {wrong} wrong rows of {len(data)}.")
    record = _error(witness)
    return Derivation(record.value, error=0.0, slack=0.0, record=record)


@rules.checker(ABSOLUTE_RULE)
def check_absolute(certificate: Certificate, data: Any = None) -> Derivation:
    """Add again; ``data``, if given, are the left-out rows' absolute errors."""
    witness = certificate.witness
    if not (witness["mean"] >= 0.0 and witness["reach"] >= 0.0):
        raise CertificateError(f"{certificate.quantity}: mean and reach must be at least 0.")
    if data is not None and math.fsum(data) / len(data) > witness["mean"] + witness["reach"] + 1e-12:
        raise CertificateError(f"{certificate.quantity}: the data are off by more on average.")
    record = _absolute(witness)
    return Derivation(record.value, error=0.0, slack=0.0, record=record)
