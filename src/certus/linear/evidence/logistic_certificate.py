"""The certificate of logistic regression, and the second route by which it is checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse
from scipy.special import logsumexp

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import gap_record
from certus.linear.evidence.decrement_gap import SELF_CONCORDANT, decrement_bound

Array = NDArray[np.float64]
RULE = "linear/logistic-gap"
STRONGLY_CONVEX = "Strong convexity with a self-concordant intercept (Nesterov 2018, 2.1; Bach 2010, prop. 1)"
DUALITY = "Fenchel duality gap (Rockafellar 1970, theorem 31.1)"
KEPT = 20_000  # coefficients up to this many are kept in the witness, so that data can be checked against them


def gap_certificate(
    gap: float,
    parts: dict[str, float],
    *,
    theorem: str,
    problem: dict[str, Any],
    coef: Array,
    intercept: Array,
) -> Certificate:
    """The certificate that the stored coefficients are within ``gap`` of the optimum.

    ``parts`` are the numbers that the value is derived from, ``problem`` the penalties, classes and weights.
    """
    witness: dict[str, Any] = dict(parts)
    if coef.size <= KEPT:
        witness["coef"] = coef.tolist()
        witness["intercept"] = intercept.tolist()
    return _record(gap, theorem, problem, witness)


def _record(gap: float, theorem: str, inputs: Any, witness: Any) -> Certificate:
    return gap_record(gap, witness["objective_at_zero"], theorem=theorem, rule=RULE, inputs=inputs, witness=witness)


@rules.checker(RULE)
def check_logistic_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from the witness; with ``(X, y[, sample_weight])`` also look for a better solution.

    The search runs a general-purpose optimizer from the certified coefficients.
    """
    witness = certificate.witness
    objective = Fraction(_not_negative(certificate, "objective"))
    if certificate.theorem == DUALITY:
        bounds = [objective]
        dual, rounding = float(witness["dual"]), _not_negative(certificate, "rounding")
        if math.isfinite(dual - rounding):  # an infinite dual value bounds nothing
            # Rounding may leave the dual value above the objective; the difference is then 0 within "rounding".
            bounds.append(max(objective - Fraction(dual), Fraction(0)) + Fraction(rounding))
    elif certificate.theorem == SELF_CONCORDANT:
        size, reach = (_not_negative(certificate, name) for name in ("decrement", "reach"))
        bounds = [objective, decrement_bound(certificate.quantity, size, reach)]
    else:
        bounds = [objective]
        slope, share = _not_negative(certificate, "slope"), _not_negative(certificate, "center_share")
        strength = _not_negative(certificate, "strength")
        if strength > 0.0 and math.isfinite(slope + share):
            bounds.append(Fraction(slope) ** 2 / (2 * Fraction(strength)) + Fraction(share))
    derived = float(min(bounds))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _check_with_data(certificate, data)
    record = _record(certificate.value, certificate.theorem, certificate.inputs, witness)
    if certificate.theorem not in (DUALITY, STRONGLY_CONVEX, SELF_CONCORDANT):
        raise CertificateError(f"{certificate.quantity}: the theorem {certificate.theorem!r} is not one of this rule's")
    return Derivation(derived, error=1e-14, slack=1e-6 if derived > 1e-300 else math.inf, record=record)


def _not_negative(certificate: Certificate, name: str) -> float:
    value = float(certificate.witness[name])
    if not value >= 0.0:
        raise CertificateError(f"{certificate.quantity}: {name} must be at least 0, the witness has {value!r}")
    return value


def _check_with_data(certificate: Certificate, data: Any) -> None:
    witness, inputs = certificate.witness, certificate.inputs
    if "coef" not in witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {KEPT} coefficients are not kept in a certificate, so data cannot "
            "be checked against it"
        )
    X, y, *rest = data
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    codes = np.searchsorted(np.array(inputs["classes"]), np.asarray(y))
    weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),))
    weights = weights * np.array(inputs["class_weights"])[codes]
    coef = np.array(witness["coef"], dtype=np.float64)
    intercept = np.array(witness["intercept"], dtype=np.float64)
    reached = _objective(X, codes, weights, coef, intercept, inputs)
    best = _search(X, codes, weights, coef, intercept, inputs)
    assert isinstance(certificate.value, float)
    if reached - best > certificate.value + 1e-15 * len(X) * reached:
        raise CertificateError(
            f"{certificate.quantity}: on these data another solution is better by {reached - best!r}, more than "
            f"the certificate's {certificate.value!r}"
        )


def _objective(X: Array, codes: Any, weights: Array, coef: Array, intercept: Array, inputs: Any) -> float:
    scores = X @ coef.T + intercept
    scores = np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores
    losses = logsumexp(scores, axis=1) - scores[np.arange(len(scores)), codes]
    penalized = np.append(coef.ravel(), intercept / inputs["intercept_scaling"]) if _scaled(inputs) else coef.ravel()
    penalty = 0.5 * inputs["l2"] * penalized @ penalized + inputs["l1"] * np.abs(penalized).sum()
    return float(weights @ losses + penalty)


def _scaled(inputs: Any) -> bool:
    return inputs["intercept_scaling"] is not None and bool(inputs["fit_intercept"])


def _search(X: Array, codes: Any, weights: Array, coef: Array, intercept: Array, inputs: Any) -> float:
    """The least objective that L-BFGS finds; coefficients are split into positive parts, so that L1 is smooth."""
    outputs, columns = coef.shape
    design = np.hstack([X, np.ones((len(X), 1))])
    onehot = np.eye(max(2, outputs))[codes]
    start = np.hstack([coef, intercept[:, None]])
    scale = 1.0 / inputs["intercept_scaling"] if _scaled(inputs) else 0.0
    penalty = np.append(np.ones(columns), scale)

    def value_and_gradient(both: Array) -> tuple[float, Array]:
        plus, minus = both.reshape(2, outputs, columns + 1)
        W = plus - minus
        scores = design @ W.T
        full = np.hstack([np.zeros_like(scores), scores]) if outputs == 1 else scores
        normal = logsumexp(full, axis=1)
        residual = weights[:, None] * (np.exp(full - normal[:, None]) - onehot)
        gradient = (residual[:, 1:] if outputs == 1 else residual).T @ design
        value = weights @ (normal - full[np.arange(len(full)), codes])
        value += 0.5 * inputs["l2"] * np.sum((penalty * W) ** 2) + inputs["l1"] * np.sum(penalty * (plus + minus))
        gradient = gradient + inputs["l2"] * penalty**2 * W
        sign = inputs["l1"] * penalty
        return float(value), np.concatenate([(gradient + sign).ravel(), (sign - gradient).ravel()])

    fixed = 0.0 if not inputs["fit_intercept"] else None
    bounds = [(0.0, fixed if j == columns else None) for _ in range(2 * outputs) for j in range(columns + 1)]
    first = np.concatenate([np.maximum(start, 0.0).ravel(), np.maximum(-start, 0.0).ravel()])
    run = optimize.minimize(
        value_and_gradient,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 500, "ftol": 0.0},
    )
    return float(run.fun)
