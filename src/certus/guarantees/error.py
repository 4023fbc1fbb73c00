"""Bounds on an error rate from a count of errors."""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from certus.guarantees import rules
from certus.guarantees.arguments import SIDES, check_choice, check_errors_and_rows
from certus.guarantees.binomial_tail import bisect, log_lower_tail, log_upper_tail
from certus.guarantees.certificate import Certificate
from certus.guarantees.errors import CertificateError
from certus.guarantees.levels import check_confidence, failure_of
from certus.guarantees.rules import Derivation
from certus.guarantees.wording import confidence_percent, percent, plural

CLOPPER_PEARSON = (
    "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial (Clopper, Pearson 1934)"
)


def error_bound(
    errors: int, rows: int, *, confidence: float = 0.95, side: str = "upper", method: str = "clopper-pearson"
) -> Certificate:
    """Bound the true error rate from `errors` mistakes on `rows` independent held-out rows.

    Clopper-Pearson: the largest p with P(Binomial(rows, p) <= errors) >= 1 - confidence. Exact: no other
    bound that depends on the count alone and grows with it is smaller.

    Parameters
    ----------
    errors, rows : int
        Mistakes, and rows looked at.
    confidence : float, default=0.95
        Probability with which the bound holds; both ends together for side="both".
    side : {"upper", "lower", "both"}, default="upper"
        Which side to bound.
    method : {"clopper-pearson"}, default="clopper-pearson"
        The theorem to use.

    Returns
    -------
    Certificate
        `value` is the bound (a pair for side="both").

    Examples
    --------
    >>> bound = error_bound(15, 500)
    >>> round(bound.value, 5)
    0.04582
    >>> bound.claim
    'With confidence 95% the error is at most 4.582% (15 errors in 500 rows).'
    """
    errors, rows = check_errors_and_rows(errors, rows)
    confidence = check_confidence(confidence)
    check_choice(side, "side", SIDES)
    check_choice(method, "method", ("clopper-pearson",))
    delta = failure_of(confidence) / (2 if side == "both" else 1)
    low, high = clopper_pearson_lower(errors, rows, delta), clopper_pearson_upper(errors, rows, delta)
    value = (low, high) if side == "both" else high if side == "upper" else low
    return _record(value, errors, rows, confidence=confidence, side=side)


def _record(
    value: float | tuple[float, float], errors: int, rows: int, *, confidence: float, side: str
) -> Certificate:
    return Certificate(
        claim=rate_claim("error", errors, rows, value, side, confidence, "error"),
        quantity="error",
        direction="interval" if side == "both" else side,
        value=value,
        trivial=(0.0, 1.0) if side == "both" else 1.0 if side == "upper" else 0.0,
        confidence=confidence,
        kind="probable",
        theorem=CLOPPER_PEARSON,
        rule="clopper-pearson",
        assumptions=("iid", "independent-holdout", "fixed-sample-size"),
        inputs={"side": side},
        witness={"errors": errors, "rows": rows},
    )


def rate_claim(
    quantity: str,
    events: int,
    rows: int,
    value: float | tuple[float, float],
    side: str,
    confidence: float,
    noun: str,
) -> str:
    """The sentence of a rate bound, its numbers rounded to the safe side."""
    if isinstance(value, tuple):
        said = f"between {percent(value[0], 'lower')} and {percent(value[1], 'upper')}"
    else:
        said = f"at {'most' if side == 'upper' else 'least'} {percent(value, side)}"
    seen = f"{plural(events, noun)} in {plural(rows, 'row')}"
    return f"With confidence {confidence_percent(confidence)} the {quantity} is {said} ({seen})."


def clopper_pearson_upper(errors: int, rows: int, delta: float) -> float:
    """The p with P(Binomial(rows, p) <= errors) = delta, rounded up."""
    if errors == rows:
        return 1.0
    if errors == 0:
        root = -math.expm1(math.log(delta) / rows)
    else:
        root = float(special.betainccinv(errors + 1.0, rows - errors, delta))
    return _rounded_out(root, 1.0, lambda p: float(special.betaincc(errors + 1.0, rows - errors, p)) <= delta)


def clopper_pearson_lower(errors: int, rows: int, delta: float) -> float:
    """The p with P(Binomial(rows, p) >= errors) = delta, rounded down."""
    if errors == 0:
        return 0.0
    if errors == rows:
        root = math.exp(math.log(delta) / rows)
    else:
        root = float(special.betaincinv(float(errors), rows - errors + 1.0, delta))
    return _rounded_out(
        root, 0.0, lambda p: float(special.betainc(float(errors), rows - errors + 1.0, p)) <= delta
    )


def _rounded_out(root: float, trivial: float, safe: Callable[[float], bool]) -> float:
    """Move a computed root towards the trivial value until the tail condition really holds there."""
    step = 1e-13
    while step < 1e-3:
        # Relative to the distance from 0 for an upper root, and from 1 where that is the nearer end.
        moved = root + math.copysign(step * min(root, 1.0), trivial - root)
        if 0.0 < moved < 1.0 and safe(moved):
            return moved
        step *= 4.0
    return trivial


@rules.checker("clopper-pearson")
def _check_clopper_pearson(certificate: Certificate, data: object) -> Derivation:
    errors, rows = check_errors_and_rows(certificate.witness["errors"], certificate.witness["rows"])
    if data is not None:
        _recount(data, errors, rows)
    side = check_choice(certificate.inputs["side"], "side", SIDES)
    delta = math.log(certificate.failure) - (math.log(2.0) if side == "both" else 0.0)
    mean = errors / rows
    high = 1.0 if errors == rows else bisect(lambda p: log_lower_tail(errors, rows, p) > delta, mean, 1.0)
    low = 0.0 if errors == 0 else bisect(lambda p: log_upper_tail(errors, rows, p) > delta, mean, 0.0)
    value = (low, high) if side == "both" else high if side == "upper" else low
    record = _record(certificate.value, errors, rows, confidence=certificate.confidence, side=side)
    return Derivation(value, error=1e-11, record=record)


def _recount(data: object, errors: int, rows: int) -> None:
    """`data` is the vector of mistakes, one truth value per row."""
    wrong = np.asarray(data)
    if wrong.ndim != 1 or not np.isin(wrong, (0, 1)).all():
        raise CertificateError("error: data must be one 0 or 1 per row, 1 for a mistake")
    if (int(wrong.sum()), wrong.size) != (errors, rows):
        raise CertificateError(
            f"error: the data have {int(wrong.sum())} errors in {wrong.size} rows, "
            f"the witness says {errors} in {rows}"
        )
