"""The certificate that a model without penalty has no finite optimum, and the second route by which it is checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, count, rules
from certus.guarantees.training import KEPT, require_kept, training_data
from certus.linear.evidence.separating_direction import Direction

RULE = "linear/separation"
THEOREM = (
    "A convex loss that never rises and somewhere falls along a direction has no minimizer (Albert, Anderson 1984)"
)


def separation_certificate(direction: Direction, *, classes: list[Any] | None, intercept: bool) -> Certificate:
    """The certificate for a verified direction; ``classes`` is None for counts."""
    witness: dict[str, Any] = {"strict": direction.strict, "total": direction.total}
    if len(direction.exact) <= KEPT:
        witness["direction"] = [float(v) if Fraction(float(v)) == v else str(v) for v in direction.exact]
    return _record(float(direction.strict), {"classes": classes, "fit_intercept": intercept}, witness)


def _record(value: float, inputs: Any, witness: Any) -> Certificate:
    what = "counts of 0 from the others" if inputs["classes"] is None else "classes"
    if witness["strict"] == witness["total"]:
        claim = (
            f"A linear combination of the columns separates the {what} without exception ({count(int(value))} "
            "comparisons), so no finite coefficients are optimal: the loss tends to 0 as they grow."
        )
    else:
        claim = (
            f"A linear combination of the columns separates the {what} except for ties (strictly in "
            f"{count(int(value))} of {count(witness['total'])} comparisons), so no finite coefficients are optimal."
        )
    return Basis(RULE, THEOREM, ("convex",)).exact(claim, "separation", "lower", value, 0.0, inputs, witness)


@rules.checker(RULE)
def check_separation(certificate: Certificate, data: Any = None) -> Derivation:
    """Without data only the counts; with ``(X, y[, sample_weight])`` every comparison, in rational arithmetic."""
    witness = certificate.witness
    strict, total = int(witness["strict"]), int(witness["total"])
    if not 0 < strict <= total:
        raise CertificateError(f"{certificate.quantity}: {strict} of {total} comparisons cannot be strict.")
    if data is not None:
        found = _compare_rows(certificate, data)
        if found != (strict, total):
            raise CertificateError(
                f"{certificate.quantity}: on these data {found[0]} of {found[1]} comparisons are strict, the witness "
                f"says {strict} of {total}."
            )
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the count must be one number.")
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(float(strict), error=0.0, slack=0.0, record=record)


def _compare_rows(certificate: Certificate, data: Any) -> tuple[int, int]:
    """How many comparisons the direction decides strictly, and how many there are; none may be the wrong way."""
    witness, inputs = certificate.witness, certificate.inputs
    require_kept(certificate, "direction")
    X, y, weights = training_data(data)
    X, kept = X.astype(np.float64), weights > 0
    v = [Fraction(x) for x in witness["direction"]]
    width = X.shape[1] + bool(inputs["fit_intercept"])
    outputs = [v[k : k + width] for k in range(0, len(v), width)]
    strict, total = 0, 0
    for row, label in zip(X[kept].tolist(), y[kept].tolist(), strict=True):
        for wanted in _comparisons(outputs, label, inputs["classes"]):
            side = _sign(row, wanted)
            if side < 0:
                raise CertificateError(f"{certificate.quantity}: a row is on the wrong side of the direction.")
            strict, total = strict + side, total + 1
    return strict, total


def _comparisons(outputs: list[list[Fraction]], label: Any, classes: Any) -> list[list[Fraction]]:
    """Directions along which a row must not lose: what favors its own class (or a count of 0)."""
    first, against = outputs[0], [-v for v in outputs[0]]
    if classes is None:
        return [against] if label == 0 else [first, against]
    own = list(classes).index(label)
    if len(classes) == 2:
        return [first if own == 1 else against]
    return [[a - b for a, b in zip(outputs[own], output, strict=True)] for k, output in enumerate(outputs) if k != own]


def _sign(row: list[float], direction: list[Fraction]) -> int:
    """Sign of x'v + b: from doubles where rounding cannot change it, else in rational arithmetic."""
    values = [*row, 1.0][: len(direction)]
    terms = [x * float(v) for x, v in zip(values, direction, strict=True)]
    size = sum(abs(term) for term in terms)
    if math.isfinite(size) and size > 1e-280:
        total = math.fsum(terms)
        if abs(total) > 1e-12 * size:
            return 1 if total > 0.0 else -1
    exact = sum((Fraction(x) * v for x, v in zip(values, direction, strict=True)), Fraction(0))
    return (exact > 0) - (exact < 0)
