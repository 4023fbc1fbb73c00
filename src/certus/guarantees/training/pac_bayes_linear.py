"""The PAC-Bayes margin bound of a linear classifier: no held-out rows, no constant left open."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import number, percent, plural
from certus.guarantees.training.pac_bayes import kl_budget, risk_upper, second_route
from certus.guarantees.training.risk_record import (
    check_divergence,
    check_level,
    check_share,
    failure_share,
    risk_record,
)

THEOREM = "PAC-Bayes and Margins (Langford, Shawe-Taylor 2003)"
RULE = "pac-bayes-margin"
SCALES = np.geomspace(0.3, 300.0, 48)
CLOSE = 6  # scales whose bounds are computed exactly


def pac_bayes_margin(
    margins: ArrayLike, confidence: float = 0.95, *, uses: int = 1, quantity: Quantity | str = "error"
) -> Certificate:
    """Bound the error of a linear classifier sign(w.x) from its angles to the training rows.

    Weights drawn from N(mu w/|w|, I) err on row i with the chance of a normal tail. With the cosines
    g_i = y_i w.x_i / (|w| |x_i|)::

        error <= 2 R,   kl(mean_i P(N(0,1) > mu g_i), R) <= (mu^2/2 + log(xi(rows)/delta)) / rows.

    It holds for all mu together, so the best is taken.

    Parameters
    ----------
    margins : array-like of shape (rows,)
        The cosines g_i, between -1 and 1.
    confidence : float, default=0.95
        Probability with which the bound holds.
    uses : int, default=1
        Number of feature maps or kernels that were tried, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> round(pac_bayes_margin([0.5] * 2000).value, 3)
    0.033
    """
    cosines = np.asarray(margins, dtype=np.float64)
    if cosines.ndim != 1 or cosines.size == 0 or not (np.abs(cosines) <= 1.0 + 1e-9).all():
        raise ValueError("margins must be a non-empty column of cosines between -1 and 1.\nHint: divide by |w| |x_i|.")
    level, paid = check_level(confidence, uses)
    rows, delta = len(cosines), failure_share(level, paid)
    risks = np.array([float(np.sum(special.ndtr(-mu * cosines))) for mu in SCALES]) / rows * (1.0 + 1e-13)
    budgets = np.array([kl_budget(0.5 * mu * mu, rows, delta) for mu in SCALES])
    rough = risks + np.sqrt(2.0 * risks * budgets) + 2.0 * budgets  # the exact inversion is worth its time for a few
    best = (2.0, float(SCALES[0]), 1.0)
    for index in np.argsort(rough)[:CLOSE]:
        risk = min(1.0, float(risks[index]))
        best = min(best, (2.0 * risk_upper(risk, float(budgets[index])), float(SCALES[index]), risk))
    return _record(min(1.0, best[0]), best[1], best[2], rows, level, paid, quantity)


def _record(
    value: float, scale: float, risk: float, rows: int, confidence: float, uses: int, quantity: Quantity | str
) -> Certificate:
    return risk_record(
        value,
        quantity=quantity,
        basis=f"weights drawn around the classifier err on {percent(risk)} of {plural(rows, 'row')}, "
        f"scale {number(scale)}",
        confidence=confidence,
        uses=uses,
        theorem=THEOREM,
        rule=RULE,
        assumptions=("prior-fixed",),
        witness={"scale": scale, "risk": risk, "rows": rows},
    )


@rules.checker(RULE)
def _check(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """Normal tails by the complementary error function; `data`, if given, are the cosines."""
    witness, uses = certificate.witness, certificate.inputs["uses"]
    scale, risk = check_divergence(witness["scale"], "scale"), check_share(witness["risk"], "risk")
    rows = check_count(witness["rows"], "rows", minimum=1)
    if data is not None:
        tails = [0.5 * math.erfc(scale * g / math.sqrt(2.0)) for g in np.asarray(data, dtype=float).tolist()]
        if len(tails) != rows or abs(math.fsum(tails) / rows - risk) > 1e-10:
            raise CertificateError(f"{certificate.quantity}: the margins do not give the risk {risk!r}.")
    high = second_route(risk, 0.5 * scale * scale, rows, certificate.confidence, uses)
    stated = certificate.single_value
    record = _record(stated, scale, risk, rows, certificate.confidence, uses, certificate.quantity)
    return Derivation(min(1.0, 2.0 * high), error=1e-11, scale=1e-3, record=record)
