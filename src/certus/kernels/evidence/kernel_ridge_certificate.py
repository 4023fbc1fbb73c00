"""The certificate of kernel ridge regression, and the second route by which it is checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import gap_record
from certus.kernels.learning.gram_data import gram_data
from certus.kernels.solvers.kernel_ridge_solver import RidgeEvidence

Array = NDArray[np.float64]
RULE = "kernels/ridge-gap"
THEOREM = "Gap of a strongly convex objective from its gradient (Nesterov 2018, Lectures on Convex Optimization, 2.1)"
KEPT = 5_000  # coefficients up to this many are kept in the witness, so that data can be checked against them
PARTS = ("gradient_norm", "gradient_error", "objective", "objective_at_zero")


def ridge_certificate(evidence: RidgeEvidence, coef: Array, alphas: Array) -> Certificate:
    """The certificate that the coefficients are within a gap of the optimum."""
    witness: dict[str, Any] = {name: getattr(evidence, name) for name in PARTS}
    if coef.size <= KEPT:
        witness["coef"] = coef.tolist()
    return _record(evidence.gap, {"alpha": alphas.tolist()}, witness)


def _record(gap: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(
        gap,
        witness["objective_at_zero"],
        theorem=THEOREM,
        rule=RULE,
        inputs=inputs,
        witness=witness,
        zero="at the zero function",
    )


@rules.checker(RULE)
def check_ridge_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from the witness in rational arithmetic.

    With ``(K, y[, sample_weight])``, K the matrix of kernel values, the problem is also solved by eigenvectors of K
    and the two objectives are compared.
    """
    witness = certificate.witness
    parts = {name: float(witness[name]) for name in PARTS}
    if not all(value >= 0.0 for value in parts.values()) or not math.isfinite(parts["objective"]):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    bounds = [Fraction(parts["objective"])]
    if math.isfinite(parts["gradient_norm"] + parts["gradient_error"]):
        bounds.append((Fraction(parts["gradient_norm"]) + Fraction(parts["gradient_error"])) ** 2)
    gap = float(min(bounds))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _check_with_data(certificate, certificate.value, data)
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(gap, error=1e-15, slack=1e-6 if gap > 1e-300 else math.inf, record=record)


def _check_with_data(certificate: Certificate, value: float, data: Any) -> None:
    K, y, weights = gram_data(certificate, data, kept="coef", most=f"{KEPT} coefficients")
    Y = np.asarray(y, dtype=np.float64).reshape(len(K), -1)
    coef = np.array(certificate.witness["coef"], dtype=np.float64).reshape(len(K), -1)
    alphas = np.array(certificate.inputs["alpha"], dtype=np.float64)

    def objective(c: Array) -> float:
        fitted = K @ c
        return float((weights[:, None] * (Y - fitted) ** 2).sum() + (alphas * c * fitted).sum())

    root = np.sqrt(weights)
    values, vectors = np.linalg.eigh(K * np.outer(root, root))
    values = np.maximum(values, 0.0)
    shares = vectors.T @ (root[:, None] * Y)
    scale = np.divide(1.0, values[:, None] + alphas, out=np.zeros_like(shares), where=values[:, None] + alphas > 0)
    other = root[:, None] * (vectors @ (shares * scale))
    better = objective(coef) - objective(other)
    size = np.sqrt(np.maximum(np.diagonal(K), 0.0))[:, None]
    terms = [float((alphas * (size * np.abs(c)).sum(axis=0) ** 2).sum()) for c in (coef, other)]  # of alpha c'Kc
    rounding = 1e-15 * len(K) * (max(terms) + float((weights[:, None] * Y**2).sum()))
    if better > value + rounding:
        raise CertificateError(
            f"{certificate.quantity}: on these data another solution is better by {better!r}, more than the "
            f"certificate's {value!r}"
        )
