"""The certificate of a robust regression: any dual point bounds the minimum from below, whoever found it.

The witness holds the value of the objective, the value of a dual point and a bound on the rounding errors of both; with
data, both values are computed again from the coefficients and the dual point themselves, in extended precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import gap_record

Array = NDArray[np.float64]
RULE = "linear/duality-gap"
THEOREM = "Fenchel duality gap (Rockafellar 1970, theorem 31.1)"
KEPT = 20_000  # coefficients and rows up to this many are kept in the witness, so that data can be checked against them

Values = Callable[[Any, Any, Any, Any, Any], tuple[float, float]]
_problems: dict[str, Values] = {}


@dataclass(frozen=True)
class DualityEvidence:
    """``gap = objective - dual + rounding``, or the objective itself if that is less."""

    objective: float
    dual: float
    rounding: float
    objective_at_zero: float

    @property
    def gap(self) -> float:
        """Bound on P - min P."""
        return min(max(self.objective - self.dual, 0.0) + self.rounding, self.objective)


def values_of(problem: str) -> Callable[[Values], Values]:
    """Register the function that computes (objective, dual value) of a kind of problem again.

    It gets X, y, weights, the inputs and the witness, and raises `CertificateError` for an infeasible dual point.
    """

    def add(function: Values) -> Values:
        _problems[problem] = function
        return function

    return add


def duality_certificate(
    evidence: DualityEvidence,
    inputs: dict[str, Any],
    solution: dict[str, Any],
    dual: Array,
    assumed: tuple[str, ...] = (),
) -> Certificate:
    """The certificate; ``inputs["problem"]`` names the kind, ``solution`` holds the stored coefficients.

    ``assumed`` are assumptions beyond those of every such certificate.
    """
    witness: dict[str, Any] = {
        "objective": evidence.objective,
        "dual": evidence.dual,
        "rounding": evidence.rounding,
        "objective_at_zero": evidence.objective_at_zero,
    }
    if len(solution["coef"]) <= KEPT and len(dual) <= KEPT:
        witness |= {**solution, "dual_point": dual.tolist()}
    record = _record(evidence.gap, inputs, witness)
    return replace(record, assumptions=(*record.assumptions, *assumed))


def _record(gap: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(
        gap,
        witness["objective_at_zero"],
        theorem=THEOREM,
        rule=RULE,
        inputs=inputs,
        witness=witness,
        zero="without coefficients",
    )


@rules.checker(RULE)
def check_duality_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from the witness; with ``(X, y[, sample_weight])`` both values from the data."""
    witness = certificate.witness
    objective, dual, rounding = (float(witness[name]) for name in ("objective", "dual", "rounding"))
    if not (objective >= 0.0 and rounding >= 0.0 and math.isfinite(objective)):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    bounds = [Fraction(objective)]
    if math.isfinite(dual - rounding):
        bounds.append(max(Fraction(objective) - Fraction(dual), Fraction(0)) + Fraction(rounding))
    gap = float(min(bounds))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _check_with_data(certificate, data)
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(gap, error=1e-14, slack=1e-6 if gap > 1e-300 else math.inf, record=record)


def _check_with_data(certificate: Certificate, data: Any) -> None:
    witness, inputs = certificate.witness, certificate.inputs
    if "coef" not in witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {KEPT} coefficients or rows are not kept in a certificate, so data "
            "cannot be checked against it"
        )
    X, y, *rest = data
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.longdouble)
    y = np.asarray(y, dtype=np.longdouble)
    weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),))
    objective, dual = _problems[inputs["problem"]](X, y, weights.astype(np.longdouble), inputs, witness)
    assert isinstance(certificate.value, float)
    noise = 1e-15 * len(X) * max(objective, float(witness["objective_at_zero"]))
    if min(objective - dual, objective) > certificate.value * (1.0 + 1e-9) + noise:
        raise CertificateError(
            f"{certificate.quantity}: on these data the gap is {objective - dual!r}, more than the certificate's "
            f"{certificate.value!r}"
        )
