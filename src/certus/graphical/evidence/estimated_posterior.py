"""That an approximate posterior promises nothing, and how its method ended."""

from __future__ import annotations

from typing import Any

from certus.guarantees import Certificate
from certus.guarantees.records import Basis, Derivation, rules

RULE = "graphical/estimated-posterior"
QUANTITY = "distance of a posterior probability from the exact one"
_THEOREMS = {
    "loopy": "Probabilistic Reasoning in Intelligent Systems (Pearl 1988)",
    "mean_field": "An introduction to variational methods for graphical models (Jordan et al. 1999)",
    "gibbs": "Stochastic relaxation, Gibbs distributions and the restoration of images (Geman and Geman 1984)",
}


def estimate_certificate(method: str, ended: str) -> Certificate:
    """A record without promise: any distance is possible."""
    claim = f"These probabilities are estimates by {method}, {ended}; nothing is promised about their distance."
    witness = {"method": method, "ended": ended}
    basis = Basis(RULE, _THEOREMS[method])
    return basis.exact(claim, QUANTITY, "upper", 1.0, 1.0, {}, witness, confidence=0.0, kind="estimate")


@rules.checker(RULE)
def check_estimate(certificate: Certificate, _data: Any = None) -> Derivation:
    """Write the record again."""
    record = estimate_certificate(certificate.witness["method"], certificate.witness["ended"])
    return Derivation(record.value, record=record)
