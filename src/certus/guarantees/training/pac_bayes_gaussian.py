"""PAC-Bayes-kl for weights drawn around those of a trained network, against a prior that other rows have trained."""

import math
from decimal import Decimal

from numpy.typing import ArrayLike

from certus.guarantees.holdout import concentration
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count, check_positive
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import number, percent, plural
from certus.guarantees.training.pac_bayes import kl_budget, risk_upper, second_route
from certus.guarantees.training.risk_record import (
    check_divergence,
    check_level,
    check_share,
    compare_mean,
    failure_share,
    risk_record,
)

THEOREM = "PAC-Bayes-kl (Maurer 2004) with Gaussian posteriors, their risk by sampling (Langford, Caruana 2002)"
RULE = "pac-bayes-gaussian"


def pac_bayes_gaussian(
    risk: float,
    draws: int,
    distance: float,
    scale: float,
    rows: int,
    confidence: float = 0.95,
    *,
    scales: int = 1,
    quantity: Quantity | str = "expected error",
) -> Certificate:
    """Bound the risk of weights drawn from N(w, s^2 I) against the prior N(w0, s^2 I).

    With the mean risk m of so many draws, delta = (1 - confidence) / (scales + 1), and r the largest number with
    kl(m, r) <= log(1/delta) / draws, all risks R with::

        kl(r, R) <= (|w - w0|^2 / (2 s^2) + log(xi(rows) / delta)) / rows.

    It holds for all w at once, so that w may depend on the rows, and for every s of a list that was fixed before; the
    draws are made after w and s were chosen.

    Parameters
    ----------
    risk : float
        Mean of the draws' risks, each on random ones of the rows (or all), a number from 0 to 1.
    draws : int
        Number of draws.
    distance : float
        |w - w0|.
    scale : float
        The standard deviation s.
    rows : int
        Rows that did not shape w0.
    confidence : float, default=0.95
        Probability with which the bound holds, over rows and draws.
    scales : int, default=1
        Number of standard deviations in the list.
    quantity : str, default="expected error"
        Name of the risk.

    Examples
    --------
    >>> bound = pac_bayes_gaussian(0.05, 1000, 0.1, 0.05, 5000, scales=8)
    >>> round(bound.value, 3), bound.check()
    (0.095, True)
    """
    mean, tries = check_share(risk, "risk"), check_count(draws, "draws", minimum=1)
    apart, spread = check_divergence(distance, "distance"), check_positive(scale, "scale")
    total, (level, paid) = check_count(rows, "rows", minimum=1), check_level(confidence, scales)
    delta = failure_share(level, paid + 1)
    sampled = risk_upper(mean, -math.log(delta) / tries * (1.0 + 1e-14))
    divergence = divergence_of(apart, spread)
    return _record(
        risk_upper(sampled, kl_budget(divergence, total, delta)),
        mean,
        tries,
        apart,
        spread,
        total,
        level,
        paid,
        quantity,
    )


def divergence_of(distance: float, scale: float) -> float:
    """Relative entropy of N(w, s^2 I) to N(w0, s^2 I), rounded up."""
    return 0.5 * (distance / scale) ** 2 * (1.0 + 1e-14)


def _record(
    value: float,
    risk: float,
    draws: int,
    distance: float,
    scale: float,
    rows: int,
    confidence: float,
    scales: int,
    quantity: Quantity | str,
) -> Certificate:
    return risk_record(
        value,
        quantity=quantity,
        basis=f"{plural(draws, 'network')} drawn around the trained one err on {percent(risk)} of "
        f"{plural(rows, 'row')}, relative entropy to the prior {number(divergence_of(distance, scale))}",
        confidence=confidence,
        uses=1,
        theorem=THEOREM,
        rule=RULE,
        assumptions=("bounded-range", "prior-fixed", "independent-draws"),
        inputs={"scales": scales},
        witness={"risk": risk, "draws": draws, "distance": distance, "scale": scale, "rows": rows},
    )


@rules.checker(RULE)
def _check(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """Both inversions in 50 digits; `data`, if given, are the risks of the draws."""
    witness = certificate.witness
    scales = check_count(certificate.inputs["scales"], "scales", minimum=1)
    risk, draws = check_share(witness["risk"], "risk"), check_count(witness["draws"], "draws", minimum=1)
    distance, scale = check_divergence(witness["distance"], "distance"), check_positive(witness["scale"], "scale")
    rows = check_count(witness["rows"], "rows", minimum=1)
    compare_mean(certificate, data, risk, draws)
    level = concentration.log_level_decimal(certificate.confidence, scales + 1)
    sampled = concentration.chernoff_in_decimals(risk, draws, level)
    divergence = float((Decimal(distance) / Decimal(scale)) ** 2 / 2)
    high = second_route(sampled, divergence, rows, certificate.confidence, scales + 1)
    stated = certificate.single_value
    record = _record(stated, risk, draws, distance, scale, rows, certificate.confidence, scales, certificate.quantity)
    return Derivation(high, error=1e-11, scale=1e-3, record=record)
