"""How many training labels are provably those of the exact optimum: the record, and the route that checks it."""

from collections.abc import Mapping
from typing import Any

from certus.guarantees.records.bases import Basis
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import count


def exact_labels(undecided: int, rows: int, *, theorem: str, rule: str, **bound: float) -> Certificate:
    """All but `undecided` of the labels of `rows` are those of the exact optimum.

    `bound` names the one number that the count rests on (``gap=...`` or ``distance=...``).
    """
    return _record({"undecided": undecided, "rows": rows, **bound}, theorem, rule)


def _record(witness: Mapping[str, Any], theorem: str, rule: str) -> Certificate:
    rows, kept = witness["rows"], witness["rows"] - witness["undecided"]
    claim = f"At least {count(kept)} of {count(rows)} training rows get the label that the exact optimum gives."
    return Basis(rule, theorem, ("convex", "strongly-convex", "floating-point-model")).exact(
        claim, "labels of the exact optimum", "lower", float(kept), 0.0, {}, witness
    )


def check_exact_labels(certificate: Certificate, *, theorem: str, rule: str, bound: str) -> Derivation:
    """Derive the count again from the witness; the number it rests on is checked with the optimality gap."""
    witness = certificate.witness
    rows, undecided = witness["rows"], witness["undecided"]
    if isinstance(rows, float) or isinstance(undecided, float) or not 0 <= undecided <= rows:
        raise CertificateError(f"{certificate.quantity}: the witness is not a count of rows.")
    if not witness[bound] >= 0.0:
        raise CertificateError(f"{certificate.quantity}: the {bound} must be at least 0.")
    return Derivation(float(rows - undecided), error=0.0, slack=0.0, record=_record(witness, theorem, rule))
