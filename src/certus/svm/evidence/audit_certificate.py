"""The audit of the optimality (KKT) conditions: which rows lie where, and by how much a condition fails at most."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, count, number, rules
from certus.svm.solvers.verified_solution import Solution

RULE = "svm/kkt-audit"
THEOREM = "Karush-Kuhn-Tucker conditions (Kuhn, Tucker 1951)"


def audit(solution: Solution) -> dict[str, Any]:
    """Counts of the variables and the largest failure of a condition, over all problems.

    outside: a = 0, the derivative g must not be negative; margin: 0 < a < upper, g must be zero; bound:
    a = upper, g must not be positive.
    """
    alpha, upper, slopes = solution.alpha, solution.problems.upper, solution.all_slopes()
    outside, bound = alpha <= 0.0, alpha >= upper
    failures = np.where(outside, -slopes, np.where(bound, slopes, np.abs(slopes)))
    return {
        "outside": int(outside.sum()),
        "margin": int((~outside & ~bound).sum()),
        "bound": int(bound.sum()),
        "failure": float(failures.max(initial=0.0)),
    }


def audit_certificate(found: dict[str, Any], error: float) -> Certificate:
    """The certificate that no optimality condition fails by more than the audit found, plus rounding."""
    return _record({**found, "rounding": error})


def _record(witness: Mapping[str, Any]) -> Certificate:
    value = witness["failure"] + witness["rounding"]
    claim = (
        f"The optimality conditions hold to {number(value, 'upper', 2)}: {count(witness['outside'])} "
        f"multipliers are zero, {count(witness['margin'])} lie on the margin, {count(witness['bound'])} are at "
        "their bound."
    )
    return Basis(RULE, THEOREM, ("floating-point-model",)).exact(
        claim, "KKT residual", "upper", value, math.inf, {}, witness
    )


@rules.checker(RULE)
def check_audit(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the value again from the witness; the gap's certificate is the one that is checked with data."""
    del data
    witness = certificate.witness
    for name in ("outside", "margin", "bound"):
        if isinstance(witness[name], float) or witness[name] < 0:
            raise CertificateError(f"{certificate.quantity}: {name} is not a count.")
    if not (witness["failure"] >= 0.0 and witness["rounding"] >= 0.0):
        raise CertificateError(f"{certificate.quantity}: failure and rounding must be at least 0.")
    record = _record(witness)
    return Derivation(record.value, error=0.0, slack=0.0, record=record)
