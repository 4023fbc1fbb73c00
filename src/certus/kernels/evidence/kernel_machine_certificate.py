"""The certificates of kernel machines, and the second route by which they are checked."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Derivation, rules
from certus.guarantees.training import check_exact_labels, exact_labels, gap_record
from certus.kernels.evidence.kernel_machine_gap import MachineEvidence
from certus.kernels.learning.gram_data import gram_data
from certus.kernels.solvers.machine_losses import MARGIN_LOSSES, residual_loss
from certus.losses import ConvexLoss, Multinomial

Array = NDArray[np.float64]
RULE = "kernels/machine-gap"
THEOREM = "Fenchel duality gap of a regularized risk (Rockafellar 1970, theorem 31.1)"
LABEL_RULE = "kernels/exact-labels"
LABEL_THEOREM = "Strong convexity bounds the distance to the minimizer, Cauchy-Schwarz the scores (Nesterov 2018, 2.1)"
KEPT = 20_000  # dual variables up to this many are kept in the witness, so that data can be checked against them
PARTS = ("alpha", "slack", "residual", "objective", "ceiling", "objective_at_zero")


def machine_certificate(evidence: MachineEvidence, dual: Array, inputs: dict[str, Any]) -> Certificate:
    """The certificate that the objective is within a gap of its minimum.

    ``dual`` are the dual variables (rows x outputs); ``inputs`` name the loss, its numbers and the classes.
    """
    witness: dict[str, Any] = {name: getattr(evidence, name) for name in PARTS}
    if dual.size <= KEPT:
        witness["dual"] = dual.tolist()
    return _record(evidence.gap, inputs, witness)


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
def check_machine_gap(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the gap again from the witness in rational arithmetic.

    With ``(K, y[, sample_weight])``, K the matrix of kernel values, the lower bound on the minimum that the dual
    variables give is computed again by its formula.
    """
    witness = certificate.witness
    parts = {name: float(witness[name]) for name in PARTS}
    if not all(value >= 0.0 for value in parts.values()) or not math.isfinite(parts["ceiling"]):
        raise CertificateError(f"{certificate.quantity}: the witness holds a number that cannot occur")
    if not parts["alpha"] > 0.0:
        raise CertificateError(f"{certificate.quantity}: alpha must be above 0")
    bounds = [Fraction(parts["ceiling"])]
    if math.isfinite(parts["slack"] + parts["residual"]):
        square = Fraction(parts["residual"]) ** 2 / (2 * Fraction(parts["alpha"]))
        bounds.append(Fraction(parts["slack"]) + square)
    gap = float(min(bounds))
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number")
    if data is not None:
        _check_with_data(certificate, certificate.value, data)
    record = _record(certificate.value, certificate.inputs, witness)
    return Derivation(gap, error=1e-15, slack=1e-6 if gap > 1e-300 else math.inf, record=record)


def _check_with_data(certificate: Certificate, value: float, data: Any) -> None:
    K, y, weights = gram_data(certificate, data, kept="dual", most=f"{KEPT} dual variables")
    witness, inputs = certificate.witness, certificate.inputs
    K = K + 1.0 if inputs["fit_intercept"] else K  # the intercept is one more, constant feature
    loss, targets, weights = _problem(certificate, np.asarray(y), weights)
    dual = np.array(witness["dual"], dtype=np.float64).reshape(len(K), -1)
    pushed = weights[:, None] * dual
    counted = weights > 0.0
    if isinstance(loss, Multinomial):
        conjugates = loss.conjugate(targets, dual)
    else:
        outputs = [loss.conjugate(targets[:, t], dual[:, t]) for t in range(dual.shape[1])]
        conjugates = np.sum(outputs, axis=0)
    terms = weights[counted] * conjugates[counted]
    square = np.einsum("it,it->", pushed, K @ pushed) / (2.0 * float(inputs["alpha"]))
    lower = -float(terms.sum()) - float(square)
    # The rounding errors of c'Kc are relative to the sum of its terms, which may cancel.
    spread = float(((np.sqrt(np.maximum(np.diagonal(K), 0.0)) @ np.abs(pushed)) ** 2).sum()) / float(inputs["alpha"])
    rounding = 1e-15 * (len(K) + 8) * (float(np.abs(terms).sum()) + spread + witness["objective_at_zero"])
    if not lower >= witness["objective"] - value - rounding:
        raise CertificateError(
            f"{certificate.quantity}: on these data the dual variables only show that the minimum is at least "
            f"{lower!r}, less than {witness['objective']!r} - {value!r}"
        )


def _problem(certificate: Certificate, y: NDArray[Any], weights: Array) -> tuple[ConvexLoss, Any, Array]:
    """The loss, targets and weights of the declared machine on these data."""
    inputs = certificate.inputs
    name = inputs["loss"]
    if inputs["classes"] is None:
        numbers = inputs["loss_parameters"]
        if numbers is None:
            raise CertificateError(f"{certificate.quantity}: data cannot be checked for a loss of one's own")
        return residual_loss(name, **numbers), y.astype(np.float64).reshape(len(y), -1), weights
    classes = np.array(inputs["classes"])
    codes = np.searchsorted(classes, y.astype(classes.dtype))
    weights = weights * np.array(inputs["class_weights"])[codes]
    if name == "multinomial":
        return Multinomial(), codes, weights
    if name not in MARGIN_LOSSES:
        raise CertificateError(f"{certificate.quantity}: data cannot be checked for a loss of one's own")
    return MARGIN_LOSSES[name](), one_against_rest(codes, len(classes)), weights


def one_against_rest(codes: NDArray[np.intp], classes: int) -> Array:
    """Targets -1 and 1 (rows x problems); two classes are one problem."""
    if classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(classes), 1.0, -1.0)


def label_certificate(scores: Array, error: Array, lengths: Array, evidence: MachineEvidence) -> Certificate:
    """How many training labels are those of the exact optimum.

    Scores (rows x outputs, known up to ``error``) differ from the optimum's by at most the distance of the functions
    times sqrt k(x, x) (``lengths``); the difference of two of them by sqrt 2 times that.
    """
    distance = evidence.distance()
    reach = distance * lengths * (1.0 + 1e-12)
    if scores.shape[1] == 1:
        margin = np.abs(scores[:, 0])
    else:
        top = np.partition(scores, -2, axis=1)[:, -2:]
        margin, reach = top[:, 1] - top[:, 0], math.sqrt(2.0) * reach
    undecided = int((~(margin > reach + 2.0 * error.max(axis=1))).sum())
    return exact_labels(undecided, len(scores), theorem=LABEL_THEOREM, rule=LABEL_RULE, distance=distance)


@rules.checker(LABEL_RULE)
def check_labels(certificate: Certificate, data: Any = None) -> Derivation:
    """Derive the count again from the witness; the distance itself is checked with the optimality gap."""
    del data
    return check_exact_labels(certificate, theorem=LABEL_THEOREM, rule=LABEL_RULE, bound="distance")
