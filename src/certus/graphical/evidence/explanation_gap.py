"""How much better another assignment can be, where max-product costs too much: mini-buckets of maxima from above."""

from __future__ import annotations

import math
from typing import Any

from certus.graphical.evidence.best_explanation import log_value
from certus.graphical.evidence.plain_factors import plain_factors
from certus.graphical.evidence.probability_interval import upper_by_powers
from certus.graphical.networks.bounds.log_factors import small_first_order
from certus.graphical.networks.bounds.mini_buckets import mini_bucket_bound
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/explanation-gap"
QUANTITY = "log-probability by which another assignment could beat this one"
BASIS = Basis(
    RULE, "Mini-buckets: a general scheme for bounded inference (Dechter and Rish 2003)", ("floating-point-model",)
)


def gap_certificate(question: Any, states: dict[int, int], i_bound: int = 10) -> Certificate:
    """The certificate of an assignment of all free nodes, by their places."""
    plain = plain_factors(question)
    order = small_first_order(plain)
    best, size = mini_bucket_bound(plain, order, 1, maximise=True), 1
    for wider in range(2, i_bound + 1):
        found = mini_bucket_bound(plain, order, wider, maximise=True)
        if found.value + found.rounding < best.value + best.rounding:
            best, size = found, wider
    places = [question.network._dag.place[name] for name in plain["names"]]
    witness = {
        **plain,
        "order": order,
        "i_bound": size,
        "exact": False,
        "assignment": [states[node] for node in places],
        "upper": best.value + best.rounding,
    }
    return _record({"evidence": len(question.evidence.given)}, witness)


def _record(inputs: Any, witness: Any) -> Certificate:
    reached, upper = log_value(witness), float(witness["upper"])
    if not math.isfinite(upper) or not math.isfinite(reached):
        raise CertificateError(f"{QUANTITY}: the witness holds no bound")
    rounding = 4e-16 * (len(witness["factors"]) + 4) * (1.0 + abs(reached))
    value = max(0.0, upper - reached) + rounding
    claim = (
        f"No assignment of the {plural(len(witness['assignment']), 'unobserved node')} has, together with the evidence "
        f"on {plural(int(inputs['evidence']), 'node')}, a log-probability that is higher by more than "
        f"{number(value, 'upper')}."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, math.inf, inputs, witness)


@rules.checker(RULE)
def check_gap(certificate: Certificate, _data: Any = None) -> Derivation:
    """Find the upper bound again on the numbers themselves."""
    witness = certificate.witness
    record = _record(certificate.inputs, witness)
    upper = upper_by_powers(witness, maximise=True)
    if float(witness["upper"]) < upper - 1e-9 * (1.0 + abs(upper)):
        raise CertificateError(f"{QUANTITY}: the bound {witness['upper']!r} is stated, not {upper!r}")
    return Derivation(record.value, error=1e-12, record=record)
