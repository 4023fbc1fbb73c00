"""The certificate of Poisson and gamma regression, and the second route by which it is checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import gap_record
from certus.linear.evidence.decrement_gap import SELF_CONCORDANT, decrement_bound
from certus.linear.evidence.mean_gap import MeanEvidence
from certus.linear.problems.mean_problem import unit_losses

Array = NDArray[np.float64]
RULE = "linear/mean-gap"
THEOREM = "Strong convexity after minimizing over the intercept (Nesterov 2018, 2.1; Rockafellar 1970, theorem 5.7)"
KEPT = 20_000  # coefficients up to this many are kept in the witness, so that data can be checked against them


def mean_certificate(
    evidence: MeanEvidence, loss: str, alpha: float, coef: Array, intercept: float, *, fit_intercept: bool
) -> Certificate:
    """The certificate that the stored coefficients are within a gap of the optimum."""
    witness: dict[str, Any] = {"objective": evidence.objective, "objective_at_zero": evidence.objective_at_zero}
    if evidence.decrement is not None:
        witness |= {"decrement": evidence.decrement.size, "reach": evidence.decrement.reach}
    else:
        witness |= {name: getattr(evidence, name) for name in ("slope", "center_share", "strength")}
    if coef.size <= KEPT:
        witness["coef"] = coef.ravel().tolist()
        witness["intercept"] = float(intercept)
    return _record(evidence.gap, {"loss": loss, "alpha": float(alpha), "fit_intercept": fit_intercept}, witness)


def _record(gap: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(
        gap,
        witness["objective_at_zero"],
        theorem=SELF_CONCORDANT if "decrement" in witness else THEOREM,
        rule=RULE,
        inputs=inputs,
        witness=witness,
        zero="without coefficients",
    )


@rules.checker(RULE)
def check_mean_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from the witness; with ``(X, y[, sample_weight])`` also look for a better solution."""
    witness = certificate.witness
    names = ("decrement", "reach") if "decrement" in witness else ("slope", "center_share", "strength")
    parts = {name: float(witness[name]) for name in (*names, "objective")}
    if not all(value >= 0.0 for value in parts.values()) or not math.isfinite(parts["objective"]):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    bounds = [Fraction(parts["objective"])]
    if "decrement" in parts:
        bounds.append(decrement_bound(certificate.quantity, parts["decrement"], parts["reach"]))
    elif parts["strength"] > 0.0 and math.isfinite(parts["slope"] + parts["center_share"]):
        slope = Fraction(parts["slope"])
        bounds.append(slope * slope / (2 * Fraction(parts["strength"])) + Fraction(parts["center_share"]))
    gap = float(min(bounds))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _check_with_data(certificate, data)
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(gap, error=1e-14, slack=1e-6 if gap > 1e-300 else math.inf, record=record)


def _check_with_data(certificate: Certificate, data: Any) -> None:
    """Compare with what a general-purpose optimizer finds from the certified coefficients."""
    witness, inputs = certificate.witness, certificate.inputs
    if "coef" not in witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {KEPT} coefficients are not kept in a certificate, so data cannot "
            "be checked against it"
        )
    X, y, *rest = data
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    y = np.asarray(y, dtype=np.float64)
    weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),))
    strength = inputs["alpha"] * weights.sum()
    free = 1.0 if inputs["fit_intercept"] else 0.0
    at = np.append(np.array(witness["coef"], dtype=np.float64), witness["intercept"])

    def value_and_gradient(both: Array) -> tuple[float, Array]:
        scores = X @ both[:-1] + both[-1]
        with np.errstate(over="ignore", invalid="ignore"):
            value = weights @ unit_losses(inputs["loss"], y, scores)
            slope = weights * (np.exp(scores) - y if inputs["loss"] == "poisson" else 1.0 - y * np.exp(-scores))
        gradient = np.append(X.T @ slope + strength * both[:-1], free * slope.sum())
        return float(value + 0.5 * strength * both[:-1] @ both[:-1]), gradient

    reached = value_and_gradient(at)[0]
    found = optimize.minimize(
        value_and_gradient, at, jac=True, method="L-BFGS-B", options={"maxiter": 300, "ftol": 0.0}
    )
    assert isinstance(certificate.value, float)
    if reached - float(found.fun) > certificate.value + 1e-15 * len(X) * max(reached, float(weights.sum())):
        raise CertificateError(
            f"{certificate.quantity}: on these data another solution is better by {reached - float(found.fun)!r}, "
            f"more than the certificate's {certificate.value!r}"
        )
