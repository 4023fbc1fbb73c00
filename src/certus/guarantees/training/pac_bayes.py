"""The PAC-Bayes-kl bound: the risk of a randomized model from its training risk and its distance to a prior."""

import math
from decimal import Decimal

from numpy.typing import ArrayLike

from certus.guarantees.holdout import concentration
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import SIDES, check_choice, check_count, one_or_both
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation, Value
from certus.guarantees.records.wording import bounded, confidence_percent, number, percent, plural
from certus.guarantees.training.pac_bayes_constant import log_xi, summed_log_xi
from certus.guarantees.training.risk_record import (
    check_divergence,
    check_level,
    check_share,
    compare_mean,
    failure_share,
)

THEOREM = "A Note on the PAC Bayesian Theorem (Maurer 2004)"
RULE = "pac-bayes-kl"


def pac_bayes_kl(
    risk: float,
    kl: float,
    rows: int,
    confidence: float = 0.95,
    *,
    side: str = "upper",
    uses: int = 1,
    quantity: Quantity | str = "expected error",
) -> Certificate:
    """Bound the risk of a model drawn from a posterior Q, for all posteriors at once.

    With the training risk r of Q, the relative entropy KL(Q | P) to a prior P that was fixed before the data, and
    delta = (1 - confidence) / uses, all risks R with::

        kl(r, R) <= (KL(Q | P) + log(xi(rows) / delta)) / rows

    where xi is exact. Both ends hold together at the same confidence.

    Parameters
    ----------
    risk : float
        Average training loss of a model drawn from Q; the loss has the range [0, 1].
    kl : float
        Relative entropy of Q to P; log(1 / P(h)) for one fixed model h.
    rows : int
        Rows that `risk` was averaged over; those that shaped the prior do not count.
    confidence : float, default=0.95
        Probability with which the bound holds.
    side : {"upper", "lower", "both"}, default="upper"
        Which side to report.
    uses : int, default=1
        Number of priors that were tried on these rows, this one included.
    quantity : str, default="expected error"
        Name of the risk.

    Examples
    --------
    >>> bound = pac_bayes_kl(0.05, 3.0, 1000)
    >>> round(bound.value, 4), bound.check()
    (0.0862, True)
    """
    mean, divergence = check_share(risk, "risk"), check_divergence(kl)
    total = check_count(rows, "rows", minimum=1)
    check_choice(side, "side", SIDES)
    level, paid = check_level(confidence, uses)
    budget = kl_budget(divergence, total, failure_share(level, paid))
    high = risk_upper(mean, budget)
    low = max(0.0, 1.0 - risk_upper(1.0 - mean, budget) - 1e-15)
    value: Value = (low, high) if side == "both" else high if side == "upper" else low
    return _record(value, mean, divergence, total, level, side, paid, quantity)


def kl_budget(divergence: float, rows: int, delta: float) -> float:
    """(divergence + log(xi(rows)/delta)) / rows, rounded up."""
    return (divergence + log_xi(rows) - math.log(delta)) / rows * (1.0 + 1e-14)


def risk_upper(risk: float, budget: float) -> float:
    """The largest R with kl(risk, R) <= budget; a mean that rounding may have lowered is raised first."""
    return min(1.0, concentration.kl_upper(min(1.0, risk + 1e-16), budget))


def second_route(risk: float, divergence: float, rows: int, confidence: float, parts: int) -> float:
    """The upper end in 50 digits, with xi added up term by term."""
    level = concentration.log_level_decimal(confidence, parts)
    return concentration.chernoff_in_decimals(risk, rows, level + Decimal(divergence) + Decimal(summed_log_xi(rows)))


def _record(
    value: Value, risk: float, kl: float, rows: int, confidence: float, side: str, uses: int, quantity: Quantity | str
) -> Certificate:
    paid = f"; {uses} uses paid for" if uses > 1 else ""
    return Certificate(
        claim=f"With confidence {confidence_percent(confidence)} the {quantity} is "
        f"{bounded(value, side, percent)} (training risk {percent(risk)} on {plural(rows, 'row')}, "
        f"relative entropy to the prior {number(kl)}{paid}).",
        quantity=quantity,
        direction="interval" if side == "both" else side,
        value=value,
        trivial=one_or_both(0.0, 1.0, side),
        confidence=confidence,
        kind="probable",
        theorem=THEOREM,
        rule=RULE,
        assumptions=("iid", "bounded-range", "prior-fixed", *(("candidates-counted",) if uses > 1 else ())),
        inputs={"side": side, "uses": uses},
        witness={"risk": risk, "kl": kl, "rows": rows},
    )


@rules.checker(RULE)
def _check_pac_bayes(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data`, if given, are the rows' losses, each averaged over the posterior."""
    witness, side, uses = certificate.witness, certificate.inputs["side"], certificate.inputs["uses"]
    risk, kl = check_share(witness["risk"], "risk"), check_divergence(witness["kl"])
    rows = check_count(witness["rows"], "rows", minimum=1)
    compare_mean(certificate, data, risk, rows)
    high = second_route(risk, kl, rows, certificate.confidence, uses)
    low = 1.0 - second_route(1.0 - risk, kl, rows, certificate.confidence, uses)
    value: Value = (low, high) if side == "both" else high if side == "upper" else low
    record = _record(certificate.value, risk, kl, rows, certificate.confidence, side, uses, certificate.quantity)
    return Derivation(value, error=1e-11, scale=1e-3, record=record)
