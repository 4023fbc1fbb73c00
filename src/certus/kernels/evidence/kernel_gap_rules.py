"""The rules under which gaps of kernel machines are certified: theorem, kind of evidence, and the problem behind it.

Names and contents of the witnesses are those of version 0.1.0, whose files these rules check as well. Data are
``(K, y[, sample_weight])`` with the matrix K of kernel values: the table of the problem in the space of functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.training import FenchelTerms, GapRule, ScaledGradient, kept_array
from certus.kernels.evidence.kernel_machine_gap import MachineEvidence
from certus.kernels.learning.gram_data import gram_data, one_against_rest
from certus.kernels.solvers.machine_losses import MARGIN_LOSSES, residual_loss
from certus.losses import ConvexLoss, Multinomial, NoPenalty, Squared
from certus.losses.gap import ConvexProblem, KernelNorm, Point, check_solution

FEW = 5_000  # coefficients of kernel ridge regression that are kept: the check needs the matrix of as many rows


def _ridge(certificate: Certificate, gap: float, data: Any) -> None:
    """The sum of s (y - f)^2 and alpha |f|^2, with a strength of its own for every target."""
    K, y, weights = gram_data(certificate, data)
    coef = kept_array(certificate, "coef", FEW).reshape(len(K), -1)
    Y, parts = np.reshape(y, (len(K), -1)), []
    for k, alpha in enumerate(certificate.inputs["alpha"]):
        penalty = KernelNorm(K, 2.0 * alpha) if alpha > 0.0 else NoPenalty()
        problem = ConvexProblem(K, Y[:, k : k + 1], 2.0 * weights, Squared(), penalty)
        parts.append((problem, problem.point(coef[:, k])))
    check_solution(certificate, gap, parts)


def _machine(certificate: Certificate, gap: float, data: Any) -> None:
    """Any loss with alpha |f|^2 / 2: the lower bound on the minimum that the dual variables give."""
    K, y, weights = gram_data(certificate, data)
    dual, inputs = kept_array(certificate, "dual").reshape(len(K), -1), certificate.inputs
    K = K + 1.0 if inputs["fit_intercept"] else K  # the intercept is one more, constant feature
    loss, targets, weights = _declared(certificate, y, weights)
    alpha, stated = float(inputs["alpha"]), float(certificate.witness["objective"])
    problem = ConvexProblem(K, targets, weights, loss, KernelNorm(K, alpha))
    lower = max(problem.feasible_value(dual[problem.counted], None), 0.0)  # no objective is negative
    size = problem.magnitude(Point(np.abs(weights[:, None] * dual).T / alpha, 0.0))
    at_zero = float(certificate.witness["objective_at_zero"])
    if not lower >= stated - gap - 1e-15 * (len(K) + 8) * (abs(lower) + 2.0 * size + at_zero):
        raise CertificateError(
            f"{certificate.quantity}: on these data the dual variables only show that the minimum is at least "
            f"{lower!r}, less than {stated!r} - {gap!r}."
        )


def _declared(certificate: Certificate, y: Any, weights: Any) -> tuple[ConvexLoss, Any, Any]:
    """The loss, targets and weights of the declared machine on these data."""
    inputs, name = certificate.inputs, certificate.inputs["loss"]
    if inputs["classes"] is None:
        numbers = inputs["loss_parameters"]
        if numbers is None:
            raise CertificateError(f"{certificate.quantity}: data cannot be checked for a loss of one's own.")
        return residual_loss(name, **numbers), y.astype(np.float64).reshape(len(y), -1), weights
    classes = np.array(inputs["classes"])
    codes = np.searchsorted(classes, y.astype(classes.dtype))
    weights = weights * np.array(inputs["class_weights"])[codes]
    if name == "multinomial":
        return Multinomial(), codes, weights
    if name not in MARGIN_LOSSES:
        raise CertificateError(f"{certificate.quantity}: data cannot be checked for a loss of one's own.")
    return MARGIN_LOSSES[name](), one_against_rest(codes, len(classes)), weights


RIDGE = GapRule(
    "kernels/ridge-gap",
    {
        "Gap of a strongly convex objective from its gradient (Nesterov 2018, Lectures on Convex Optimization, 2.1)": (
            ScaledGradient
        )
    },
    _ridge,
    zero="at the zero function",
    most=FEW,
)
MACHINE = GapRule(
    "kernels/machine-gap",
    {"Fenchel duality gap of a regularized risk (Rockafellar 1970, theorem 31.1)": FenchelTerms},
    _machine,
    zero="at the zero function",
    ceiling="ceiling",
)


def machine_certificate(evidence: MachineEvidence, dual: Any, inputs: dict[str, Any]) -> Certificate:
    """The certificate that the objective is within a gap of its minimum.

    ``dual`` are the dual variables (rows x outputs); ``inputs`` name the loss, its numbers and the classes.
    """
    return MACHINE.certificate(evidence, inputs, {"dual": dual}, also={"objective": evidence.value})
