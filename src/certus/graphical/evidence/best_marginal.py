"""That no joint assignment to chosen nodes is more probable, the other nodes summed out (marginal MAP)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from certus.graphical.evidence.plain_factors import Elimination, gamma, plain_factors
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/best-marginal"
QUANTITY = "log-probability by which another assignment of the targets could beat this one"
BASIS = Basis(
    RULE,
    "Complexity results and approximation strategies for MAP explanations (Park and Darwiche 2004)",
    ("floating-point-model",),
)


def marginal_certificate(question: Any, states: Mapping[int, int]) -> Certificate:
    """The certificate of the best states of the targets, by their places."""
    plain = plain_factors(question)
    place = {name: variable for variable, name in enumerate(plain["names"])}
    free = [node for node in states if node not in question.evidence.states]
    witness = {
        **plain,
        "targets": [place[question.network.nodes[node]] for node in free],
        "assignment": [states[node] for node in free],
        "roundings": float(question.tree.roundings) + 1.0,
    }
    return _record({"evidence": len(question.evidence.given)}, witness)


def _record(inputs: Any, witness: Any) -> Certificate:
    roundings = float(witness["roundings"])
    if not 0.0 < roundings < math.inf:
        raise CertificateError(f"{QUANTITY}: the witness holds no count of roundings")
    off = gamma(roundings)
    value = 2.0 * off / (1.0 - off) if off < 1.0 else math.inf
    claim = (
        f"No assignment of the {plural(len(witness['targets']), 'target')} has, together with the evidence on "
        f"{plural(int(inputs['evidence']), 'node')}, a log-probability that is higher by more than "
        f"{number(value, 'upper')}."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


@rules.checker(RULE)
def check_marginal(certificate: Certificate, _data: Any = None) -> Derivation:
    """Sum out in another order, once at the assignment and once before maximizing over all assignments."""
    witness = certificate.witness
    record = _record(certificate.inputs, witness)
    targets = [int(place) for place in witness["targets"]]
    everything = Elimination(witness)
    everything.eliminate(set(range(len(witness["states"]))) - set(targets))
    best = float(everything.run([], maximise=True))
    fixed = [
        [[target], [float(state == chosen) for state in range(int(witness["states"][target]))]]
        for target, chosen in zip(targets, witness["assignment"], strict=True)
    ]
    at = Elimination({**witness, "factors": [*witness["factors"], *fixed]})
    found = float(at.run([]))
    if not best > 0.0 or not found > 0.0:
        raise CertificateError(f"{QUANTITY}: the assignment is impossible")
    gap = math.log(best) + everything.log_scale - math.log(found) - at.log_scale
    rounding = 2.0 * gamma(everything.roundings + at.roundings) + 1e-15 * (2.0 + abs(at.log_scale))
    if gap > float(record.value) + rounding:  # type: ignore[arg-type]
        raise CertificateError(f"{QUANTITY}: another assignment is better by {gap!r}")
    return Derivation(record.value, error=1e-12, record=record)
