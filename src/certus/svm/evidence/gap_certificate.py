"""The certificate of the duality gap, and the second route by which it is checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import gap_record
from certus.svm._native_calls import GAUSSIAN, GIVEN, POLYNOMIAL, SIGMOID, Floats, Problems
from certus.svm.solvers import dual_problems

RULE = "svm/duality-gap"
THEOREM = "Fenchel duality gap (Rockafellar 1970, theorem 31.1)"
KEPT = 2_000  # multipliers up to this many are kept in the witness, so that data can be checked against them


def gap_certificate(gap: float, rounding: float, scale: float, problem: Any, solution: Any) -> Certificate:
    """The certificate that the training objective is within ``gap + rounding`` of its minimum."""
    witness: dict[str, Any] = {"gap": gap, "rounding": rounding, "scale": scale}
    if solution.alpha.size <= KEPT:
        witness["alpha"] = solution.alpha.tolist()
        witness["middle"] = solution.middle.tolist()
        witness["margin"] = solution.margin.tolist()
    return _record(gap + rounding, problem, witness)


def _record(value: float, inputs: Any, witness: Any) -> Certificate:
    return gap_record(value, witness["scale"], theorem=THEOREM, rule=RULE, inputs=inputs, witness=witness)


@rules.checker(RULE)
def check_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Add the parts again; with ``(X, y[, sample_weight])`` also compute primal minus dual from scratch.

    The kernel matrix is then built entry by entry in NumPy, and the two objectives are subtracted instead of
    summing the terms of the gap.
    """
    witness = certificate.witness
    gap, rounding = float(witness["gap"]), float(witness["rounding"])
    if not (gap >= 0.0 and rounding >= 0.0):
        raise CertificateError(f"{certificate.quantity}: gap and rounding must be at least 0")
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _check_with_data(certificate, data)
    exact = math.isfinite(gap + rounding)
    derived = float(Fraction(gap) + Fraction(rounding)) if exact else math.inf
    return Derivation(derived, error=1e-15, record=_record(certificate.value, certificate.inputs, witness))


def _check_with_data(certificate: Certificate, data: Any) -> None:
    witness, inputs = certificate.witness, certificate.inputs
    if "alpha" not in witness:
        raise CertificateError(
            f"{certificate.quantity}: more than {KEPT} multipliers are not kept in a certificate, so data cannot be "
            "checked against it"
        )
    table, y, weights = rows_with_weight(inputs, data)
    problems = declared_problems(inputs, y, weights)
    alpha = np.array(witness["alpha"], dtype=np.float64)
    if alpha.shape != problems.upper.shape or (alpha < 0).any() or (alpha > problems.upper).any():
        raise CertificateError(f"{certificate.quantity}: the multipliers do not fit these data")
    total = sum(
        _primal_minus_dual(table, inputs["kernel"], problems, alpha, witness, number_)
        for number_ in range(problems.count)
    )
    assert isinstance(certificate.value, float)
    if total > certificate.value + 1e-9 * max(abs(witness["scale"]), 1e-300):
        raise CertificateError(
            f"{certificate.quantity}: on these data the duality gap is {total!r}, more than {certificate.value!r}"
        )


def rows_with_weight(inputs: Any, data: Any) -> tuple[Floats, Any, Floats]:
    """Table, target and weights of the rows of ``(X, y[, sample_weight])`` whose weight is not zero."""
    X, y, *rest = data
    X = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    weights = np.ones(len(X)) if not rest or rest[0] is None else np.broadcast_to(rest[0], (len(X),)).astype(float)
    kept = weights > 0
    table = X[np.ix_(kept, kept)] if inputs["kernel"][0] == GIVEN else X[kept]
    return table, np.asarray(y)[kept] if y is not None else None, weights[kept]


def declared_problems(inputs: Any, y: Any, weights: Floats) -> Problems:
    """The quadratic problems that the declared machine has on these data."""
    machine = inputs["machine"]
    if machine in ("c-svc", "nu-svc"):
        codes = np.searchsorted(np.array(inputs["classes"]), y)
        weights = weights * np.array(inputs["class_weights"])[codes]
        classes = len(inputs["classes"])
        if machine == "c-svc":
            form = dual_problems.one_vs_rest if "against" in inputs else dual_problems.c_classification
            return form(codes, inputs["C"] * weights, classes, bias=inputs["fit_intercept"])[0]
        return dual_problems.nu_classification(codes, weights, classes, inputs["nu"])[0]
    if machine == "epsilon-svr":
        return dual_problems.epsilon_regression(y.astype(float), inputs["C"] * weights, inputs["epsilon"])[0]
    if machine == "nu-svr":
        return dual_problems.nu_regression(y.astype(float), inputs["C"] * weights, inputs["nu"])[0]
    return dual_problems.one_class(weights, inputs["nu"])[0]


def _primal_minus_dual(
    table: Floats, kernel: Any, problems: Problems, alpha: Floats, witness: Any, number_: int
) -> float:
    rows, variables = problems.rows(number_), problems.variables(number_)
    members = problems.members[rows]
    sign, upper, linear = problems.sign[variables], problems.upper[variables], problems.linear[variables]
    a, b, r = alpha[variables], witness["middle"][number_], witness["margin"][number_]
    beta = (sign * a).reshape(problems.copies, -1).sum(axis=0)
    scores = plain_kernel(table, members, kernel) @ beta
    slopes = sign * (np.tile(scores, problems.copies) + b) + linear - r
    slack = np.maximum(0.0, -slopes)
    losses = (upper[slack > 0] * slack[slack > 0]).sum()
    return float(beta @ scores + linear @ a + b * (sign @ a) - r * a.sum() + losses)


def plain_kernel(table: Floats, members: Any, kernel: Any) -> Floats:
    """The kernel matrix of some rows, by its definition."""
    kind, gamma, coef0, degree = kernel
    if kind == GIVEN:
        return table[np.ix_(members, members)]
    own = table[members]
    if kind == GAUSSIAN:
        distances = np.array([((own - row) ** 2).sum(axis=1) for row in own])
        return np.exp(-gamma * distances)
    products = own @ own.T
    if kind == POLYNOMIAL:
        return (gamma * products + coef0) ** degree
    return np.tanh(gamma * products + coef0) if kind == SIGMOID else products
