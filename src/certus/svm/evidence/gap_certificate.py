"""The certificate of the duality gap, and the second route by which it is checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.training import (
    DUALITY,
    ComplementaryTerms,
    GapEvidence,
    GapRule,
    kept_array,
    training_data,
)
from certus.svm._native_calls import GAUSSIAN, GIVEN, LINEAR, POLYNOMIAL, SIGMOID, TWO_SUMS, Floats, Problems
from certus.svm.solvers import dual_problems

KEPT = 2_000  # multipliers that are kept: the check builds the kernel matrix of as many rows


def gap_certificate(gap: float, rounding: float, scale: float, problem: Any, solution: Any) -> Certificate:
    """The certificate that the training objective is within ``gap + rounding`` of its minimum."""
    evidence = GapEvidence(math.inf, scale, ComplementaryTerms(gap, rounding))
    stored = {"alpha": solution.alpha, "middle": solution.middle, "margin": solution.margin}
    return DUALITY_GAP.certificate(evidence, problem, stored)


def _recompute(certificate: Certificate, gap: float, data: Any) -> None:
    """Primal minus dual from scratch: the kernel matrix entry by entry, two objectives instead of the gap's terms."""
    inputs, alpha = certificate.inputs, kept_array(certificate, "alpha", KEPT).astype(np.float64)
    table, y, weights = rows_with_weight(inputs, data)
    problems, feasible = declared(inputs, y, weights)
    fits = alpha.shape == problems.upper.shape and (alpha >= 0).all() and (alpha <= problems.upper).all()
    if not (fits and _keep_their_sums(problems, alpha, feasible)):
        raise CertificateError(f"{certificate.quantity}: the multipliers do not fit these data.")
    total = sum(
        _primal_minus_dual(table, inputs["kernel"], problems, alpha, certificate.witness, number_)
        for number_ in range(problems.count)
    )
    if total > gap + 1e-9 * max(abs(certificate.witness["scale"]), 1e-300):
        raise CertificateError(f"{certificate.quantity}: on these data the duality gap is {total!r}, above {gap!r}.")


DUALITY_GAP = GapRule(
    "svm/duality-gap", {DUALITY: ComplementaryTerms}, _recompute, ceiling=None, at_zero="scale", most=KEPT
)


def rows_with_weight(inputs: Any, data: Any) -> tuple[Floats, Any, Floats]:
    """Table, target and weights of the rows of ``(X, y[, sample_weight])`` whose weight is not zero."""
    X, y, weights = training_data(data)
    kept, X = weights > 0, X.astype(np.float64)
    table = X[np.ix_(kept, kept)] if inputs["kernel"][0] == GIVEN else X[kept]
    if "center" in inputs:
        if inputs["kernel"][0] != LINEAR or inputs["machine"] == "one-class" or not inputs.get("fit_intercept", True):
            raise CertificateError("Columns are shifted, but no intercept makes up for that.")
        table = table - np.array(inputs["center"])
    return table, y[kept] if y is not None else None, weights[kept]


def declared_problems(inputs: Any, y: Any, weights: Floats) -> Problems:
    """The quadratic problems that the declared machine has on these data."""
    return declared(inputs, y, weights)[0]


def _keep_their_sums(problems: Problems, alpha: Floats, feasible: Floats) -> bool:
    """Whether the sums of multipliers that nu demands are those of a feasible point; a bias of C-SVC has terms."""
    if problems.linear.any() and problems.bias != TWO_SUMS:
        return True
    drift, room = alpha - feasible, 1e-9 * problems.totals(alpha)
    sides = [problems.totals(np.where(problems.sign == side, drift, 0.0)) for side in (1, -1)]
    return bool(all((np.abs(side) <= room).all() for side in sides))


def declared(inputs: Any, y: Any, weights: Floats) -> tuple[Problems, Floats]:
    """The quadratic problems that the declared machine has on these data, and a feasible point of them."""
    machine = inputs["machine"]
    if machine in ("c-svc", "nu-svc"):
        codes = np.searchsorted(np.array(inputs["classes"]), y)
        weights = weights * np.array(inputs["class_weights"])[codes]
        classes = len(inputs["classes"])
        if machine == "c-svc":
            form = dual_problems.one_vs_rest if "against" in inputs else dual_problems.c_classification
            return form(codes, inputs["C"] * weights, classes, bias=inputs["fit_intercept"])
        return dual_problems.nu_classification(codes, weights, classes, inputs["nu"])
    if machine == "epsilon-svr":
        return dual_problems.epsilon_regression(y.astype(float), inputs["C"] * weights, inputs["epsilon"])
    if machine == "nu-svr":
        return dual_problems.nu_regression(y.astype(float), inputs["C"] * weights, inputs["nu"])
    return dual_problems.one_class(weights, inputs["nu"])


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
