"""Exact certificates of optimization: how far a solution is from the best one."""

import math
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from certus.guarantees.records import rules
from certus.guarantees.records.bases import Basis
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import number

STRONG_CONVEXITY = "Lectures on Convex Optimization, strongly convex functions (Nesterov 2018)"
EPSILON = 2.0**-52
SMALLEST = sys.float_info.min


def strong_convexity_gap(
    gradient_norm: float,
    strength: float,
    objective: float,
    *,
    gradient_error: float = 0.0,
    terms: int = 1,
    quantity: Quantity | str = "optimality gap",
    rule: str = "strong-convexity-gap",
) -> Certificate:
    """Bound objective - minimum from the gradient of a strongly convex, smooth objective.

    For P(w) = loss(w) + (strength/2)|w|^2 with a convex, smooth loss::

        P(w) - min P <= |grad P(w)|^2 / (2 strength),        |w - w*| <= |grad P(w)| / strength.

    The first number is never reported below the rounding noise of the objective, terms * 2^-52 * |objective|.

    Parameters
    ----------
    gradient_norm : float
        Euclidean norm of the gradient at the returned coefficients.
    strength : float
        Modulus of strong convexity, greater than 0.
    objective : float
        Value of the objective there.
    gradient_error : float, default=0.0
        Bound on the rounding error of the computed gradient's norm; it is added to it.
    terms : int, default=1
        Number of terms that the objective sums up (usually the rows); scales the rounding floor.
    quantity : str, default="optimality gap"
        Name under which a report lists it.
    rule : str, default="strong-convexity-gap"
        Checker; a family that can recompute the gradient from data registers its own.

    Returns
    -------
    Certificate
        Exact; `value` is the gap and `inputs["distance"]` the radius around w.

    Examples
    --------
    >>> gap = strong_convexity_gap(1e-4, 0.5, 12.0)
    >>> gap.inputs["at_machine_precision"], round(gap.value * 1e8, 6)
    (False, 1.0)
    """
    for name, given in (("gradient_norm", gradient_norm), ("gradient_error", gradient_error)):
        if not given >= 0.0:
            raise ValueError(f"{name} must be at least 0, got {given!r}.")
    if not (strength > 0.0 and math.isfinite(strength)):
        raise ValueError(
            f"strength must be finite and greater than 0, got {strength!r}.\n"
            "Hint: without strong convexity use a duality gap."
        )
    slope = float(gradient_norm) + float(gradient_error)
    if slope > 0.0:
        slope = math.nextafter(slope, math.inf)
    gap = slope * slope / (2.0 * strength) * (1.0 + 4.0 * EPSILON)
    distance = slope / strength * (1.0 + 2.0 * EPSILON)
    if slope > 0.0:  # both may underflow
        gap, distance = max(gap, SMALLEST), max(distance, SMALLEST)
    floor = terms * EPSILON * abs(objective)
    return _record(
        max(gap, floor),
        quantity=quantity,
        rule=rule,
        inputs={"distance": distance, "at_machine_precision": gap <= floor},
        witness={
            "gradient_norm": float(gradient_norm),
            "gradient_error": float(gradient_error),
            "strength": float(strength),
            "objective": float(objective),
            "terms": int(terms),
        },
    )


def gap_record(
    gap: float,
    at_zero: float,
    *,
    theorem: str,
    rule: str,
    inputs: Mapping[str, Any],
    witness: Mapping[str, Any],
    zero: str = "at zero coefficients",
) -> Certificate:
    """The certificate that a convex training objective is within a gap of its minimum, however the gap was found.

    Parameters
    ----------
    gap : float
        Bound on objective - minimum.
    at_zero : float
        The objective of the model that does nothing, with which the gap is compared.
    theorem, rule : str
        Where the bound comes from, and the checker that derives it again.
    inputs, witness : mapping
        What was declared, and what the checker needs.
    zero : str, default="at zero coefficients"
        What the model that does nothing is called.
    """
    share = f" ({number(gap / at_zero, 'upper', 2)} of its value {zero})" if at_zero > 0.0 else ""
    claim = f"The training objective is within {number(gap, 'upper')}{share} of its minimum."
    return Basis(rule, theorem, ("convex", "floating-point-model")).exact(
        claim, "optimality gap", "upper", gap, math.inf, inputs, witness
    )


def _record(
    value: float, *, quantity: Quantity | str, rule: str, inputs: Mapping[str, Any], witness: Mapping[str, Any]
) -> Certificate:
    remark = " (machine precision)" if inputs["at_machine_precision"] else ""
    claim = (
        f"The training objective is within {number(value, 'upper')}{remark} of its minimum, "
        f"and the coefficients within {number(inputs['distance'], 'upper')} of the minimizer."
    )
    return Basis(rule, STRONG_CONVEXITY, ("convex", "smooth", "strongly-convex", "floating-point-model")).exact(
        claim, quantity, "upper", value, math.inf, inputs, witness
    )


@rules.checker("strong-convexity-gap")
def check_strong_convexity_gap(certificate: Certificate, data: object = None) -> Derivation:
    """Derive gap and distance again in exact rational arithmetic.

    `data`, if given, is the gradient itself: its norm may not exceed the one in the witness.
    """
    witness = certificate.witness
    if data is not None:
        norm = math.hypot(*(float(g) for g in data))  # type: ignore[attr-defined]
        if norm > (witness["gradient_norm"] + witness["gradient_error"]) * (1.0 + 1e-12):
            raise CertificateError(f"{certificate.quantity}: the gradient's norm is {norm!r}, above the witness.")
    if not witness["strength"] > 0 or not witness["gradient_norm"] >= 0 or not witness["gradient_error"] >= 0:
        raise CertificateError(f"{certificate.quantity}: the witness is not a strongly convex problem.")
    if math.isinf(witness["gradient_norm"] + witness["gradient_error"]):
        return Derivation(math.inf)
    slope = Fraction(witness["gradient_norm"]) + Fraction(witness["gradient_error"])
    strength = Fraction(witness["strength"])
    gap, distance = slope * slope / (2 * strength), slope / strength
    floor = witness["terms"] * Fraction(EPSILON) * abs(Fraction(witness["objective"]))
    stated = certificate.inputs["distance"]
    if not distance <= Fraction(stated) <= max(distance * (1 + Fraction(1, 10**9)), Fraction(SMALLEST)):
        raise CertificateError(
            f"{certificate.quantity}: states the distance {stated!r}, the second route gives {float(distance)!r}."
        )
    if not isinstance(certificate.value, float):
        raise CertificateError(f"{certificate.quantity}: the gap must be one number.")
    if slope > 0:
        gap = max(gap, Fraction(SMALLEST))
    at_floor = gap <= floor
    if abs(gap - floor) <= floor / 10**9:  # rounding may decide which of the two equals is named
        at_floor = bool(certificate.inputs["at_machine_precision"])
    record = _record(
        certificate.value,
        quantity=certificate.quantity,
        rule=certificate.rule,
        inputs={"distance": stated, "at_machine_precision": at_floor},
        witness=witness,
    )
    return Derivation(float(max(gap, floor)), error=1e-15, record=record)
