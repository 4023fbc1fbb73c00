"""The certificate of an upper bound on a risk that the training rows themselves support."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records.bases import Basis
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, exact
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.wording import confidence_percent, number, percent


def check_level(confidence: object, uses: object) -> tuple[float, int]:
    """Return a confidence strictly between 0 and 1 and how many bounds share it."""
    return check_confidence(confidence), check_count(uses, "uses", minimum=1)


def check_share(value: object, name: str) -> float:
    """Return a number between 0 and 1, both ends included."""
    try:
        share = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        share = float("nan")
    if isinstance(value, bool) or not 0.0 <= share <= 1.0:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}.")
    return share


def check_divergence(value: object, name: str = "kl") -> float:
    """Return a finite number of at least 0."""
    try:
        divergence = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        divergence = float("nan")
    if isinstance(value, bool) or not 0.0 <= divergence < float("inf"):
        raise ValueError(
            f"{name} must be a finite number of at least 0, got {value!r}.\n"
            "Hint: a relative entropy is never negative; a posterior equal to the prior has 0."
        )
    return divergence


def failure_share(confidence: float, uses: int) -> float:
    """Failure probability of each of `uses` claims."""
    return float((1 - exact(confidence)) / uses)


def compare_mean(certificate: Certificate, data: ArrayLike | None, mean: float, rows: int) -> None:
    """Refuse rows of data (losses, or truth values) whose mean or number is not that of the witness."""
    if data is None:
        return
    losses = np.asarray(data, dtype=float).tolist()
    if len(losses) != rows or abs(math.fsum(losses) / rows - mean) > 1e-12:
        raise CertificateError(f"{certificate.quantity}: the {len(losses)} rows of data do not have the mean {mean!r}.")


def risk_record(
    value: float,
    *,
    quantity: Quantity | str,
    basis: str,
    confidence: float,
    uses: int,
    theorem: str,
    rule: str,
    assumptions: tuple[str, ...],
    witness: Mapping[str, Any],
    inputs: Mapping[str, Any] | None = None,
    trivial: float = 1.0,
) -> Certificate:
    """Certificate of "`quantity` is at most `value`"; `basis` says what it rests on.

    The range of the loss ends at `trivial`; with 1 the bound is written as a percentage.
    """
    paid = f"; {uses} uses paid for" if uses > 1 else ""
    counted = ("candidates-counted",) if uses > 1 else ()
    claim = (
        f"With confidence {confidence_percent(confidence)} the {quantity} is at most "
        f"{percent(value, 'upper') if trivial == 1.0 else number(value, 'upper')} ({basis}{paid})."
    )
    return Basis(rule, theorem, ("iid", *assumptions, *counted)).probable(
        confidence, claim, quantity, "upper", value, trivial, {"uses": uses, **(inputs or {})}, witness
    )
