"""The certificate of linear machines, and the second route by which it is checked."""

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
from certus.linear.evidence.machine_evidence import MachineEvidence

Array = NDArray[np.float64]
RULE = "linear/machine-gap"
THEOREM = "Weak duality of the support vector machine (Shalev-Shwartz, Ben-David 2014, section 15.4)"
KEPT = 20_000  # coefficients up to this many are kept in the witness, so that data can be checked against them


def machine_certificate(
    evidence: MachineEvidence, inputs: dict[str, Any], coef: Array, intercept: Array
) -> Certificate:
    """The certificate that the stored coefficients are within the gap of the optimum.

    ``inputs`` holds loss, penalty, multi_class, C, epsilon, intercept_scaling (None without intercept), and for
    classifiers the classes and their weights.
    """
    witness: dict[str, Any] = {
        "objective": evidence.objective,
        "dual": evidence.dual,
        "rounding": evidence.rounding,
        "objective_at_zero": evidence.objective_at_zero,
    }
    if coef.size <= KEPT:
        witness["coef"] = coef.tolist()
        witness["intercept"] = intercept.tolist()
    return _record(evidence.gap, inputs, witness)


def _record(gap: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(gap, witness["objective_at_zero"], theorem=THEOREM, rule=RULE, inputs=inputs, witness=witness)


@rules.checker(RULE)
def check_machine_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from the witness; with ``(X, y[, sample_weight])`` also look for a better solution.

    The search runs a general-purpose optimizer on a smoothed objective from the certified coefficients.
    """
    witness = certificate.witness
    objective, rounding = float(witness["objective"]), float(witness["rounding"])
    if not (objective >= 0.0 and rounding >= 0.0 and math.isfinite(objective)):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    bounds = [Fraction(objective)]
    dual = float(witness["dual"])
    if math.isfinite(dual - rounding):
        bounds.append(max(Fraction(objective) - Fraction(dual), Fraction(0)) + Fraction(rounding))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _check_with_data(certificate, data)
    derived = float(min(bounds))
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(derived, error=1e-14, slack=1e-6 if derived > 1e-300 else math.inf, record=record)


def _check_with_data(certificate: Certificate, data: Any) -> None:
    witness, inputs = certificate.witness, certificate.inputs
    if "coef" not in witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {KEPT} coefficients are not kept in a certificate, so data cannot "
            "be checked against it"
        )
    X, y, *rest = data
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),))
    costs, targets = inputs["C"] * weights, np.asarray(y)
    if inputs["classes"] is not None:
        codes = np.searchsorted(np.array(inputs["classes"]), targets)
        costs = costs * np.array(inputs["class_weights"])[codes]
        targets = codes
    scale = inputs["intercept_scaling"]
    Z = X if scale is None else np.hstack([X, np.full((len(X), 1), scale)])
    W = np.array(witness["coef"], dtype=np.float64).reshape(-1, X.shape[1])
    if scale is not None:
        W = np.hstack([W, np.array(witness["intercept"], dtype=np.float64).reshape(-1, 1) / scale])

    def value(flat: Array, smoothing: float) -> float:
        return _objective(Z, targets, costs, flat.reshape(W.shape), inputs, smoothing)

    reached, best = value(W.ravel(), 0.0), math.inf
    for smoothing in (1e-1, 1e-3):
        run = optimize.minimize(value, W.ravel(), args=(smoothing,), method="L-BFGS-B", options={"maxiter": 200})
        best = min(best, value(run.x, 0.0))
    assert isinstance(certificate.value, float)
    if abs(reached - witness["objective"]) > witness["rounding"] + 1e-12 * (1.0 + reached):
        raise CertificateError(
            f"{certificate.quantity}: the objective on these data is {reached!r}, the witness has "
            f"{witness['objective']!r}"
        )
    if reached - best > certificate.value + 1e-15 * len(X) * reached:
        raise CertificateError(
            f"{certificate.quantity}: on these data another solution is better by {reached - best!r}, more than "
            f"the certificate's {certificate.value!r}"
        )


def _objective(Z: Array, targets: Any, costs: Array, W: Array, inputs: Any, smoothing: float) -> float:
    """The objective by its definition; kinks are rounded off over a width ``smoothing``."""
    scores = Z @ W.T
    if inputs["multi_class"] == "crammer_singer":
        if len(W) == 1:
            scores = np.hstack([-scores / 2.0, scores / 2.0])
        margins = scores + 1.0
        margins[np.arange(len(Z)), targets] -= 1.0
        excess = margins.max(axis=1) - scores[np.arange(len(Z)), targets]
        penalty = 0.5 * float(np.sum(W * W)) * (0.5 if len(W) == 1 else 1.0)
        return penalty + float(costs @ excess)
    if inputs["classes"] is None:
        excess = np.abs(targets[:, None] - scores) - inputs["epsilon"]
    else:
        signs = np.where(targets[:, None] == (np.arange(len(W)) if len(W) > 1 else np.array([1])), 1.0, -1.0)
        excess = 1.0 - signs * scores
    positive = np.maximum(excess, 0.0)
    if inputs["loss"].startswith("squared"):
        positive = positive**2
    elif smoothing > 0.0:
        positive = np.where(positive < smoothing, positive**2 / (2.0 * smoothing), positive - smoothing / 2.0)
    penalty = np.abs(W).sum() if inputs["penalty"] == "l1" else 0.5 * np.sum(W * W)
    return float(penalty + (costs[:, None] * positive).sum())
