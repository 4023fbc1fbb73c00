"""The VC bound: how far the error of every hypothesis of a class can be above its training error."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from certus.guarantees.classes.growth_sums import log_sauer, summed_log_sauer
from certus.guarantees.classes.hypothesis_classes import CLASSES, HypothesisClass
from certus.guarantees.holdout.binomial_tail import bisect
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import check_confidence, failure_of
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import percent, plural
from certus.guarantees.training.risk_record import check_level, check_share, compare_mean, failure_share, risk_record

THEOREM = "Estimation of Dependences Based on Empirical Data: relative deviations (Vapnik 1982)"
RULE = "vc-bound"


def vc_bound(
    risk: float,
    rows: int,
    vc: int | HypothesisClass,
    confidence: float = 0.95,
    *,
    uses: int = 1,
    quantity: Quantity | str = "error",
) -> Certificate:
    """Bound the error of any hypothesis of a class from its training error and the capacity of the class.

    With the growth function G and A = (log G(2 rows) + log(4/delta)) / rows, the root R of (R - risk)^2 = 4 A R::

        R = risk + 2 A + 2 sqrt(A^2 + A risk)         (at most risk + 2 sqrt(A risk) + 4 A)

    A reference value: thousands of rows are needed before it says anything. Rows held out give far smaller bounds.

    Parameters
    ----------
    risk : float
        Training error.
    rows : int
        Training rows.
    vc : int or HypothesisClass
        VC dimension (growth by Sauer's sum), or an entry of the catalogue with a growth function of its own.
    confidence : float, default=0.95
        Probability with which the bound holds for all hypotheses of the class together.
    uses : int, default=1
        Number of classes that were tried on these rows, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> bound = vc_bound(0.05, 1000, 3)
    >>> round(bound.value, 2), vc_bound(0.05, 50, 3).vacuous
    (0.19, True)
    """
    share, total = check_share(risk, "risk"), check_count(rows, "rows", minimum=1)
    level, paid = check_level(confidence, uses)
    log_growth = _log_growth(vc, 2 * total)
    if isinstance(vc, HypothesisClass):
        described: dict[str, Any] = {"class": vc.name, "parameters": dict(vc.parameters)}
    else:
        described = {"vc": check_count(vc, "vc")}
    value = _root(share, total, log_growth, failure_share(level, paid))
    return _record(value, share, total, log_growth, described, level, paid, quantity)


def vc_rows(vc: int | HypothesisClass, error: float, confidence: float = 0.95) -> int:
    """Rows after which every hypothesis without training errors has an error of at most `error`.

    Examples
    --------
    >>> vc_rows(3, 0.1)
    1018
    """
    target, delta = check_confidence(error, "error"), failure_of(check_confidence(confidence))
    if isinstance(vc, HypothesisClass) and math.isinf(vc.vc):
        raise ValueError(f"vc must be a class with a finite VC dimension, got {vc.name!r}.")

    def enough(rows: int) -> bool:
        return _root(0.0, rows, _log_growth(vc, 2 * rows), delta) <= target

    return _first_that(enough)


def _log_growth(vc: int | HypothesisClass, points: int) -> float:
    """Logarithm of the number of labelings of that many points, rounded up."""
    if isinstance(vc, HypothesisClass):
        return math.log(vc.growth(points)) * (1.0 + 1e-14)
    return log_sauer(points, check_count(vc, "vc"))


def _first_that(enough: Callable[[int], bool]) -> int:
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _root(risk: float, rows: int, log_growth: float, delta: float) -> float:
    a = (log_growth + math.log(4.0) - math.log(delta)) / rows
    return min(1.0, (risk + 2.0 * a + 2.0 * math.sqrt(a * a + a * risk)) * (1.0 + 1e-13))


def _record(
    value: float,
    risk: float,
    rows: int,
    log_growth: float,
    described: Mapping[str, Any],
    confidence: float,
    uses: int,
    quantity: Quantity | str,
) -> Certificate:
    capacity = f"VC dimension {described['vc']}" if "vc" in described else f"the class {described['class']}"
    return risk_record(
        value,
        quantity=quantity,
        basis=f"training error {percent(risk)} on {plural(rows, 'row')}, {capacity}",
        confidence=confidence,
        uses=uses,
        theorem=THEOREM,
        rule=RULE,
        assumptions=("class-fixed",),
        inputs={"capacity": described},
        witness={"risk": risk, "rows": rows, "log_growth": log_growth},
    )


@rules.checker(RULE)
def _check_vc(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """Growth by a second route, and the root by bisection.

    `data`, if given, has one truth value per training row: did the hypothesis err.
    """
    witness, inputs = certificate.witness, certificate.inputs
    risk, rows = check_share(witness["risk"], "risk"), check_count(witness["rows"], "rows", minimum=1)
    compare_mean(certificate, data, risk, rows)
    log_growth = _growth_again(inputs["capacity"], 2 * rows)
    delta = failure_share(certificate.confidence, inputs["uses"])
    slope = 4.0 * (log_growth + math.log(4.0 / delta)) / rows
    at_one = (1.0 - risk) ** 2 <= slope
    value = 1.0 if at_one else bisect(lambda r: (r - risk) ** 2 <= slope * r, risk, 1.0)
    if abs(witness["log_growth"] - log_growth) > 1e-9 * max(1.0, log_growth):
        raise CertificateError(
            f"{certificate.quantity}: the witness has log growth {witness['log_growth']!r}, the class {log_growth!r}."
        )
    record = _record(
        certificate.single_value,
        risk,
        rows,
        witness["log_growth"],
        inputs["capacity"],
        certificate.confidence,
        inputs["uses"],
        certificate.quantity,
    )
    return Derivation(value, error=1e-9, record=record)


def _growth_again(described: Mapping[str, Any], points: int) -> float:
    if "vc" in described:
        return summed_log_sauer(points, check_count(described["vc"], "vc"))
    build = CLASSES[described["class"]]
    return math.log(build(**dict(described["parameters"])).growth(points))


@rules.rows_that_help(RULE)
def _rows_that_help(certificate: Certificate) -> int | None:
    """Rows at which the bound would leave 1 if the training error stayed what it is."""
    described, risk = certificate.inputs["capacity"], certificate.witness["risk"]
    if risk >= 0.999 or described.get("class") == "sines":
        return None
    delta = failure_share(certificate.confidence, certificate.inputs["uses"])
    return _first_that(lambda rows: _root(risk, rows, _growth_again(described, 2 * rows), delta) < 1.0)
