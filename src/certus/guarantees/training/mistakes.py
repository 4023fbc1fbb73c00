"""The perceptron's mistake bound: the record, and the route that checks it.

If a function of norm 1 has y f(x) >= margin > 0 on all rows and no row has a norm above R, the perceptron, started at
0, makes at most (R / margin)^2 updates, however often and in whatever order it sees these rows (Novikoff 1962).
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from certus.guarantees.records.bases import Basis
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import count

THEOREM = "Perceptron convergence theorem (Novikoff 1962)"


def mistake_bound(witness: Mapping[str, Any], rule: str) -> Certificate:
    """The certificate from a witness with ``radius``, and ``margins`` and ``updates`` of every two-class problem."""
    bounds = [math.floor((witness["radius"] / margin) ** 2 * (1.0 + 1e-14)) for margin in witness["margins"]]
    return _record(float(sum(bounds)), witness, rule)


def _record(value: float, witness: Mapping[str, Any], rule: str) -> Certificate:
    claim = (
        f"However often the training rows are passed, the perceptron makes at most {count(int(value))} mistakes "
        f"on them (it made {count(sum(witness['updates']))})."
    )
    return Basis(rule, THEOREM, ("separable", "floating-point-model")).exact(
        claim, "mistakes", "upper", value, math.inf, {}, witness
    )


def check_margins(certificate: Certificate, y: Any, radius: float, margin_of: Callable[[Any, Any], float]) -> None:
    """Refuse data whose rows are longer, or nearer to a separator, than the witness says.

    ``margin_of`` gets the signs of the rows, -1 and 1, and a direction of the witness.
    """
    witness = certificate.witness
    if radius > witness["radius"]:
        raise CertificateError(f"{certificate.quantity}: a row is longer than the radius in the witness.")
    classes = np.unique(y)
    for k, (direction, margin) in enumerate(zip(witness["directions"], witness["margins"], strict=True)):
        positive = classes[1] if len(classes) == 2 else classes[k]
        if margin_of(np.where(y == positive, 1, -1), np.asarray(direction, dtype=np.longdouble)) < margin:
            raise CertificateError(f"{certificate.quantity}: a row is nearer to the separator than the witness says.")


def check_mistake_bound(certificate: Certificate) -> Derivation:
    """Derive the bound again in rational arithmetic."""
    witness = certificate.witness
    radius, margins, updates = witness["radius"], witness["margins"], witness["updates"]
    if not radius >= 0.0 or not all(margin > 0.0 for margin in margins):
        raise CertificateError(f"{certificate.quantity}: radius and margins must be positive.")
    bounds = [(Fraction(radius) / Fraction(margin)) ** 2 for margin in margins]
    if any(made > bound for made, bound in zip(updates, bounds, strict=True)):
        raise CertificateError(f"{certificate.quantity}: more updates were made than the bound allows.")
    derived = float(sum(math.floor(bound) for bound in bounds))
    record = _record(certificate.single_value, witness, certificate.rule)
    return Derivation(derived, error=0.0, slack=1e-9, scale=1.0, record=record)
