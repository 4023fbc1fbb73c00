"""Campi and Garatti's bound: the risk of a model from the number of rows that determine it."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.holdout.binomial_tail import bisect, log_probability
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.confidence_levels import exact
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import count, plural
from certus.guarantees.training.risk_record import check_level, failure_share, risk_record

THEOREM = "Compression, Generalization and Learning (Campi, Garatti 2023)"
RULE = "campi-garatti"
_MARGIN = 1e-10  # in the logarithm of the condition: covers the rounding of its few terms
_CHUNK = 1 << 16
LARGEST = 2 * 10**9  # rows for which the sum is added up term by term in reasonable time


def campi_garatti(
    support: int, rows: int, confidence: float = 0.95, *, uses: int = 1, quantity: Quantity | str = "error"
) -> Certificate:
    """Bound the risk of a model that `support` of its `rows` training rows determine: no held-out rows needed.

    With delta = (1 - confidence) / uses the bound is 1 - t for the root t in (0, 1) of::

        (delta / rows) sum_{j=support}^{rows-1} C(j, support) / C(rows, support) t^-(rows - j) = 1.

    The risk is the probability that a fresh row would have joined the compressed set: for a soft-margin support
    vector machine P(y f(x) < 1), which is at least its error; for regression with a tube P(outside the tube).

    Parameters
    ----------
    support, rows : int
        Rows in the compressed set (all rows with y f(x) <= 1 for a support vector machine), and rows in all.
    confidence : float, default=0.95
        Probability with which the bound holds.
    uses : int, default=1
        Number of settings that were tried on these rows, this one included; the bound pays for all.
    quantity : str, default="error"
        Name of the risk.

    Returns
    -------
    Certificate
        `value` is the bound.

    Notes
    -----
    Needs the preference property: dropping a row outside the compressed set leaves the set as it is. A strength
    of regularization that depends on the number of rows breaks it.

    Examples
    --------
    >>> round(campi_garatti(50, 1000).value, 4), round(campi_garatti(10, 200).value, 4)
    (0.0732, 0.1057)
    """
    kept, total = _check_support(support, rows)
    level, paid = check_level(confidence, uses)
    return _record(scenario_upper(kept, total, failure_share(level, paid)), kept, total, level, paid, quantity)


def _check_support(support: object, rows: object) -> tuple[int, int]:
    total = check_count(rows, "rows", minimum=1)
    kept = check_count(support, "support")
    if kept > total:
        raise ValueError(f"support must be at most rows ({total}), got {kept}.\nHint: the order is (support, rows).")
    return kept, total


def scenario_upper(support: int, rows: int, delta: float) -> float:
    """The root as a risk e = 1 - t, rounded up.

    The sum is a negative binomial probability, so the equation reads::

        (delta / rows) P(Binomial(rows, e) > support) = e P(Binomial(rows, e) = support),

    which costs the same for ten rows and for a billion. The left side is the smaller one up to the root, which
    lies above support/rows.
    """
    if support == rows:
        return 1.0
    goal = math.log(delta) - math.log(rows)

    def too_small(risk: float) -> bool:
        above = float(special.betainc(support + 1.0, rows - support, risk))
        if above == 0.0 or risk <= 0.0:
            return True
        return goal + math.log(above) - math.log(risk) - log_probability(support, rows, risk) < _MARGIN

    return bisect(too_small, support / rows, 1.0)


def _record(
    value: float, support: int, rows: int, confidence: float, uses: int, quantity: Quantity | str
) -> Certificate:
    return risk_record(
        value,
        quantity=quantity,
        basis=f"{count(support)} of {plural(rows, 'training row')} determine the model",
        confidence=confidence,
        uses=uses,
        theorem=THEOREM,
        rule=RULE,
        assumptions=("preference-property",),
        witness={"support": support, "rows": rows},
    )


@rules.checker(RULE)
def _check_campi_garatti(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """The sum itself, term by term: above 1 at the stated risk, below 1 a hair before it.

    `data`, if given, says for every training row whether it is in the compressed set.
    """
    support, rows = _check_support(certificate.witness["support"], certificate.witness["rows"])
    uses, risk = certificate.inputs["uses"], certificate.value
    if rows > LARGEST:
        raise CertificateError(f"{certificate.quantity}: {rows} rows are too many to check, at most {LARGEST}.")
    if data is not None:
        flags = np.asarray(data)
        if flags.shape != (rows,) or int(np.count_nonzero(flags)) != support:
            raise CertificateError(f"{certificate.quantity}: the data do not have {support} support rows of {rows}.")
    record = _record(risk, support, rows, certificate.confidence, uses, certificate.quantity)  # type: ignore[arg-type]
    if support == rows:
        return Derivation(1.0, record=record)
    goal = math.log(rows) - math.log(float((1 - exact(certificate.confidence)) / uses))
    if not isinstance(risk, float) or not support / rows < risk <= 1.0:
        raise CertificateError(f"{certificate.quantity}: {risk!r} is not between the share of support rows and 1.")
    if risk < 1.0 and summed_log(support, rows, risk) < goal - 1e-9:
        raise CertificateError(f"{certificate.quantity}: the second route gives a bound above {risk!r}.")
    below = risk * (1.0 - 1e-7)
    if below > support / rows and summed_log(support, rows, below) > goal:
        raise CertificateError(f"{certificate.quantity}: the second route gives a bound below {below!r}.")
    return Derivation(risk, record=record)


def summed_log(support: int, rows: int, risk: float) -> float:
    """Logarithm of sum_j C(j, k)/C(m, k) (1 - risk)^-(m - j), adding the terms from j = m - 1 downwards.

    A term follows from the one before by the factor (1 - k/j) / (1 - risk): they grow down to j = k/risk.
    """
    step, total, last, turn = -math.log1p(-risk), -math.inf, 0.0, support / risk
    top = rows
    while top > support:
        j = np.arange(top, max(support, top - _CHUNK), -1, dtype=float)
        logs = last + np.cumsum(np.log1p(-support / j) + step)
        peak = max(total, float(logs.max()))
        total = peak + math.log(math.exp(total - peak) + float(np.exp(logs - peak).sum()))
        top, last = top - len(j), float(logs[-1])
        if top < turn and last < total - 60.0:
            break
    return total
