"""That no assignment is more probable than the one that max-product found (Dawid 1992)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.graphical.evidence.plain_factors import Elimination, gamma, plain_factors
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/best-explanation"
QUANTITY = "log-probability by which another assignment could beat this one"
BASIS = Basis(
    RULE,
    "Applications of a general propagation algorithm for probabilistic expert systems (Dawid 1992)",
    ("floating-point-model",),
)


def explanation_certificate(question: Any, states: dict[int, int], rank: int = 1) -> Certificate:
    """The certificate of the best states of all free nodes, by their places; the best but ``rank - 1`` others."""
    plain = plain_factors(question)
    free = [node for node in np.flatnonzero(question.kept).tolist() if node not in question.evidence.states]
    witness = {
        **plain,
        "assignment": [states[node] for node in free],
        "roundings": float(question.tree.roundings) + 1.0,
    }
    return _record({"evidence": len(question.evidence.given), "rank": rank}, witness)


def _record(inputs: Any, witness: Any) -> Certificate:
    roundings = float(witness["roundings"])
    if not 0.0 < roundings < math.inf:
        raise CertificateError(f"{QUANTITY}: the witness holds no count of roundings")
    off = gamma(roundings)
    value = 2.0 * off / (1.0 - off) if off < 1.0 else math.inf
    rank = int(inputs["rank"])
    part = "" if rank == 1 else f"Among the assignments that the factors leave after {plural(rank - 1, 'better one')}: "
    claim = (
        f"{part}No assignment of the {plural(len(witness['assignment']), 'unobserved node')} has, together with the "
        f"evidence on {plural(int(inputs['evidence']), 'node')}, a log-probability that is higher by more than "
        f"{number(value, 'upper')}."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


def log_value(witness: Any) -> float:
    """The log of the product of all factors at the assignment."""
    states, assignment = list(witness["states"]), [int(state) for state in witness["assignment"]]
    if len(assignment) != len(states) or any(not 0 <= at < count for at, count in zip(assignment, states, strict=True)):
        raise CertificateError(f"{QUANTITY}: the witness holds no assignment")
    total = 0.0
    for scope, values in witness["factors"]:
        place = 0
        for variable in scope:
            place = place * int(states[variable]) + assignment[variable]
        total += math.log(values[place]) if values[place] > 0.0 else -math.inf
    return total


@rules.checker(RULE)
def check_explanation(certificate: Certificate, _data: Any = None) -> Derivation:
    """Add up the logarithms along the assignment, and maximize over all variables in another order."""
    witness = certificate.witness
    record = _record(certificate.inputs, witness)
    elimination = Elimination(witness)
    best = float(elimination.run([], maximise=True))
    found = log_value(witness)
    if not best > 0.0 or found == -math.inf:
        raise CertificateError(f"{QUANTITY}: the assignment is impossible")
    highest = math.log(best) + elimination.log_scale
    rounding = gamma(elimination.roundings) + 4e-16 * (len(witness["factors"]) + 4) * (1.0 + abs(highest))
    if highest - found > float(record.value) + 2.0 * rounding:  # type: ignore[arg-type]
        raise CertificateError(f"{QUANTITY}: another assignment reaches {highest!r}, this one {found!r}")
    return Derivation(record.value, error=1e-12, record=record)
