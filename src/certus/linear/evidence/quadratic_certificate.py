"""The certificate of least squares and ridge, and the second route by which it is checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import gap_record
from certus.linear.evidence.quadratic_gap import QuadraticEvidence

Array = NDArray[np.float64]
RULE = "linear/quadratic-gap"
THEOREM = "Exact gap of a strongly convex quadratic (Nesterov 2018, Lectures on Convex Optimization, 2.1)"
KEPT = 20_000  # coefficients up to this many are kept in the witness, so that data can be checked against them


def quadratic_certificate(
    evidence: QuadraticEvidence,
    coef: Array,
    intercept: Array,
    alphas: Array,
    *,
    fit_intercept: bool,
    positive: bool,
) -> Certificate:
    """The certificate that the stored coefficients are within a gap of the optimum."""
    witness: dict[str, Any] = {
        "gradient_norm": evidence.gradient_norm,
        "gradient_error": evidence.gradient_error,
        "intercept_gap": evidence.intercept_gap,
        "objective": evidence.objective,
        "objective_at_zero": evidence.objective_at_zero,
    }
    if coef.size <= KEPT:
        witness["coef"] = coef.tolist()
        witness["intercept"] = intercept.tolist()
    inputs = {"alpha": alphas.tolist(), "fit_intercept": fit_intercept, "positive": positive}
    return _record(evidence.gap, inputs, witness)


def _record(gap: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(gap, witness["objective_at_zero"], theorem=THEOREM, rule=RULE, inputs=inputs, witness=witness)


@rules.checker(RULE)
def check_quadratic_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again: from the witness in rational arithmetic; with ``(X, y[, sample_weight])`` also directly.

    The direct route solves the problem by a dense orthogonal method and compares the two objectives.
    """
    witness = certificate.witness
    names = ("gradient_norm", "gradient_error", "intercept_gap", "objective", "objective_at_zero")
    parts = {name: float(witness[name]) for name in names}
    if not all(value >= 0.0 for value in parts.values()) or not math.isfinite(parts["objective"]):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    bounds = [Fraction(parts["objective"])]
    if math.isfinite(parts["gradient_norm"] + parts["gradient_error"]):
        slope = Fraction(parts["gradient_norm"]) + Fraction(parts["gradient_error"])
        bounds.append(slope * slope + Fraction(parts["intercept_gap"]))
    gap = float(min(bounds))
    if data is not None:
        _check_with_data(certificate, data)
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(gap, error=1e-15, slack=1e-6 if gap > 1e-300 else math.inf, record=record)


def _check_with_data(certificate: Certificate, data: Any) -> None:
    witness, inputs = certificate.witness, certificate.inputs
    if "coef" not in witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {KEPT} coefficients are not kept in a certificate, so data cannot "
            "be checked against it"
        )
    X, y, *rest = data
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.longdouble)
    Y = np.asarray(y, dtype=np.longdouble).reshape(len(X), -1)
    weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),))
    coef = np.array(witness["coef"], dtype=np.longdouble).reshape(-1, X.shape[1])
    intercept = np.array(witness["intercept"], dtype=np.longdouble)
    alphas = np.array(inputs["alpha"], dtype=np.longdouble)
    if coef.shape[0] != Y.shape[1]:
        raise CertificateError(f"{certificate.quantity}: y has {Y.shape[1]} targets, the witness {coef.shape[0]}")

    def objective(W: Any, b: Any) -> float:
        squares = weights[:, None] * (Y - X @ W.T - b) ** 2
        return float(squares.sum() + (alphas[:, None] * W * W).sum())

    best = _independent_solution(X, Y, weights, inputs)
    reached, other = objective(coef, intercept), objective(*best)
    rounding = 1e-15 * len(X) * max(reached, other)
    assert isinstance(certificate.value, float)
    if reached - other > certificate.value + rounding:
        raise CertificateError(
            f"{certificate.quantity}: on these data another solution is better by {reached - other!r}, "
            f"more than the certificate's {certificate.value!r}"
        )


def _independent_solution(X: Any, Y: Any, weights: Any, inputs: Any) -> tuple[Any, Any]:
    """Penalized least squares as one augmented ordinary problem, solved by LAPACK's orthogonal method."""
    from scipy import optimize

    mean_x = np.average(X, axis=0, weights=weights) if inputs["fit_intercept"] else np.zeros(X.shape[1])
    mean_y = np.average(Y, axis=0, weights=weights) if inputs["fit_intercept"] else np.zeros(Y.shape[1])
    root = np.sqrt(weights)[:, None]
    table, target = np.asarray(root * (X - mean_x), float), np.asarray(root * (Y - mean_y), float)
    coef = np.empty((Y.shape[1], X.shape[1]))
    for k, alpha in enumerate(inputs["alpha"]):
        rows = np.vstack([table, math.sqrt(alpha) * np.eye(X.shape[1])])
        right = np.concatenate([target[:, k], np.zeros(X.shape[1])])
        if inputs["positive"]:
            coef[k] = optimize.nnls(rows, right, maxiter=30 * X.shape[1] + 100)[0]
        else:
            coef[k] = np.linalg.lstsq(rows, right, rcond=None)[0]
    return coef, mean_y - coef @ mean_x
