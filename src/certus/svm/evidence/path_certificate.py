"""The certificate of a regularization path: between all breakpoints the multipliers are nearly optimal."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, count, number
from certus.guarantees.training import DUALITY, ComplementaryTerms, GapEvidence, GapRule, kept_array
from certus.svm._native_calls import Floats
from certus.svm.evidence.gap_certificate import plain_kernel, rows_with_weight
from certus.svm.solvers.path_follower import State

WITHIN = (0.0, 0.21, 0.5, 0.83)  # where each piece is looked at again


def piece_gap(left: State, right: State, weights: Floats) -> float:
    """Bound on the gap at every C between two breakpoints, relative to C sum(w), the objective at zero.

    With a / C and the slopes g between their values at the ends, no term a max(0, g) + (C w - a) max(0, -g) of the gap
    is larger than the product of its factors' larger ends.
    """
    after = right.alpha / right.C
    before = after if left.C == 0.0 else left.alpha / left.C
    idle = np.maximum(before, after) * np.maximum(0.0, np.maximum(left.slopes, right.slopes))
    bound = np.maximum(weights - before, weights - after) * np.maximum(0.0, -np.minimum(left.slopes, right.slopes))
    return float((idle + bound).sum() / weights.sum())


def path_certificate(
    inputs: dict[str, Any], breakpoints: Floats, alphas: Floats, intercepts: Floats, worst: float, rounding: float
) -> Certificate:
    """The certificate that at every C of the path the training objective is nearly its minimum."""
    evidence = GapEvidence(math.inf, 0.0, ComplementaryTerms(worst, rounding))
    ends = {"breakpoints": len(breakpoints), "first": float(breakpoints[0]), "last": float(breakpoints[-1])}
    stored = {"C": breakpoints, "alphas": alphas, "intercepts": intercepts}
    return PATH_GAP.certificate(evidence, inputs, stored, also=ends)


def _record(
    value: float, _at_zero: float, *, theorem: str, rule: str, inputs: Any, witness: Any, **_: Any
) -> Certificate:
    """The certificate; the gap is relative to the objective at zero coefficients already."""
    claim = (
        f"At every C from {number(witness['first'])} to {number(witness['last'])}, interpolation between "
        f"{count(witness['breakpoints'])} breakpoints gives a training objective within "
        f"{number(value, 'upper', 2)} of its minimum, relative to its value at zero coefficients."
    )
    return Basis(rule, theorem, ("convex", "floating-point-model")).exact(
        claim, "optimality gap on the path", "upper", value, math.inf, inputs, witness
    )


def _recompute(certificate: Certificate, value: float, data: Any) -> None:
    """Primal minus dual at points of all pieces."""
    witness, inputs = certificate.witness, certificate.inputs
    alphas = kept_array(certificate, "alphas").astype(np.float64)
    table, y, weights = rows_with_weight(inputs, data)
    gram = plain_kernel(table, np.arange(len(table)), inputs["kernel"])
    sign = np.where(y == inputs["classes"][1], 1.0, -1.0)
    if (
        alphas.shape[1] != len(y)
        or (alphas < 0).any()
        or (alphas > np.outer(witness["C"], weights) * (1.0 + 1e-12)).any()
    ):
        raise CertificateError(f"{certificate.quantity}: the multipliers do not fit these data.")
    points = list(zip(witness["C"], alphas, witness["intercepts"], strict=True))
    for (C0, a0, b0), (C1, a1, b1) in pairwise(points):
        for t in WITHIN:
            C, alpha, b = C0 + t * (C1 - C0), a0 + t * (a1 - a0), b0 + t * (b1 - b0)
            gap = _relative_gap(gram, sign, C, weights, alpha, b)
            if gap > value + 1e-9:
                raise CertificateError(f"{certificate.quantity}: at C = {C!r} the gap is {gap!r} on these data.")


def _relative_gap(gram: Floats, sign: Floats, C: float, weights: Floats, alpha: Floats, b: float) -> float:
    scores = gram @ (sign * alpha)
    if C == 0.0:
        return 0.0
    primal = 0.5 * (sign * alpha) @ scores + C * weights @ np.maximum(0.0, 1.0 - sign * (scores + b))
    dual = alpha.sum() - 0.5 * (sign * alpha) @ scores - b * (sign @ alpha)
    return float((primal - dual) / (C * weights.sum()))


PATH_GAP = GapRule(
    "svm/path-gap", {DUALITY: ComplementaryTerms}, _recompute, ceiling=None, at_zero=None, record=_record
)
