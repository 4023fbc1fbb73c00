"""How far posterior probabilities can be from the exact ones: counted roundings of non-negative terms.

Elimination only multiplies, adds and divides non-negative numbers, so that every rounding changes a result by a factor
within 1 +- u, and n of them by at most n u / (1 - n u) (Higham 2002). The second route eliminates in another order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.graphical.evidence.plain_factors import TINY, Elimination, gamma, plain_factors
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, number, plural, rules

RULE = "graphical/exact-posterior"
QUANTITY = "relative error of a posterior probability"
BASIS = Basis(
    RULE, "Accuracy and Stability of Numerical Algorithms, lemma 3.1 (Higham 2002)", ("floating-point-model",)
)


def posterior_certificate(
    question: Any, targets: list[int], values: NDArray[np.float64], roundings: float | None = None
) -> Certificate:
    """The certificate of a joint posterior of unobserved nodes."""
    plain = plain_factors(question)
    names = [question.network.nodes[target] for target in targets]
    witness = {
        **plain,
        "targets": [plain["names"].index(name) for name in names],
        "probabilities": values.ravel().tolist(),
        "roundings": 2.0 * float(question.tree.roundings if roundings is None else roundings) + values.size + 4.0,
    }
    return _record({"evidence": len(question.evidence.nodes)}, witness)


def _record(inputs: Any, witness: Any) -> Certificate:
    roundings = float(witness["roundings"])
    if not 0.0 < roundings < math.inf:
        raise CertificateError(f"{QUANTITY}: the witness holds no count of roundings")
    value = gamma(roundings)
    names = ", ".join(str(witness["names"][place]) for place in witness["targets"])
    claim = (
        f"Each of the {len(witness['probabilities'])} probabilities of "
        f"{names} given evidence on {plural(int(inputs['evidence']), 'node')} is within a factor of 1 "
        f"+- {number(value, 'upper')} of the exact one for these tables, or both are below {TINY:.3g}."
    )
    return BASIS.exact(claim, QUANTITY, "upper", value, 1.0, inputs, witness)


@rules.checker(RULE)
def check_posterior(certificate: Certificate, _data: Any = None) -> Derivation:
    """Eliminate all other variables in another order and compare the probabilities."""
    witness = certificate.witness
    record = _record(certificate.inputs, witness)
    elimination = Elimination(witness)
    table = elimination.run([int(place) for place in witness["targets"]]).ravel()
    total = float(table.sum())
    if not total > 0.0:
        raise CertificateError(f"{QUANTITY}: the evidence is impossible")
    again, stated = table / total, np.asarray(witness["probabilities"], dtype=np.float64)
    own = gamma(2.0 * elimination.roundings + table.size + 4.0)
    if stated.shape != again.shape or not np.isfinite(stated).all() or (stated < 0).any():
        raise CertificateError(f"{QUANTITY}: the witness does not hold {again.size} probabilities")
    allowed = (float(record.value) + own) * np.maximum(stated, again) * (1.0 + 1e-6) + TINY  # type: ignore[arg-type]
    if (np.abs(stated - again) > allowed).any():
        worst = int(np.argmax(np.abs(stated - again) - allowed))
        raise CertificateError(f"{QUANTITY}: {stated[worst]!r} is stated, elimination gives {again[worst]!r}")
    return Derivation(record.value, error=1e-12, record=record)
