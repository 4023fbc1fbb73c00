"""Classical sample compression: the risk of a model that can be rebuilt from a few of its training rows."""

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
from certus.guarantees.records.wording import count, plural
from certus.guarantees.training.log_tail import log_tail_inverse, summed_tail_inverse
from certus.guarantees.training.risk_record import check_divergence, check_level, failure_share, risk_record

THEOREM = "Relating Data Compression and Learnability (Littlestone, Warmuth 1986), tail of Langford (2005)"
RULE = "sample-compression"


def compression_bound(
    support: int,
    errors: int,
    rows: int,
    confidence: float = 0.95,
    *,
    log_messages: float = 0.0,
    uses: int = 1,
    quantity: Quantity | str = "error",
) -> Certificate:
    """Bound the error of a model that `support` training rows (and a short message) allow to rebuild.

    With k = support and delta = (1 - confidence) / uses, the largest p with::

        P(Binomial(rows - k, p) <= errors) >= delta / (rows C(rows, k) exp(log_messages)).

    Parameters
    ----------
    support : int
        Rows that the model is rebuilt from.
    errors : int
        Mistakes on the other rows.
    rows : int
        Training rows in all.
    confidence : float, default=0.95
        Probability with which the bound holds.
    log_messages : float, default=0.0
        Logarithm of the number of messages that rebuilding may need besides the rows: log(k!) when their order
        matters, k log(2) for one bit each.
    uses : int, default=1
        Number of settings that were tried on these rows, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> round(compression_bound(50, 0, 1000).value, 3), round(compression_bound(500, 0, 5000).value, 3)
    (0.195, 0.304)
    """
    kept, wrong, total = _check_counts(support, errors, rows)
    level, paid = check_level(confidence, uses)
    messages = check_divergence(log_messages, "log_messages")
    log_delta = math.log(failure_share(level, paid)) - _log_choices(kept, total) - messages
    value = log_tail_inverse(wrong, total - kept, log_delta)
    return _record(value, kept, wrong, total, messages, level, paid, quantity)


def _check_counts(support: object, errors: object, rows: object) -> tuple[int, int, int]:
    total = check_count(rows, "rows", minimum=1)
    kept, wrong = check_count(support, "support"), check_count(errors, "errors")
    if kept + wrong > total:
        raise ValueError(f"support + errors must be at most rows ({total}), got {kept} + {wrong}.")
    return kept, wrong, total


def _log_choices(support: int, rows: int) -> float:
    """log(rows C(rows, support)): which size, and which rows."""
    ways = -math.log1p(rows) - float(special.betaln(rows - support + 1.0, support + 1.0))
    return math.log(rows) + max(0.0, ways) * (1.0 + 1e-14) + 1e-12


def _record(
    value: float,
    support: int,
    errors: int,
    rows: int,
    messages: float,
    confidence: float,
    uses: int,
    quantity: Quantity | str,
) -> Certificate:
    return risk_record(
        value,
        quantity=quantity,
        basis=f"rebuilt from {count(support)} of {plural(rows, 'training row')}, "
        f"{plural(errors, 'error')} on the others",
        confidence=confidence,
        uses=uses,
        theorem=THEOREM,
        rule=RULE,
        assumptions=("compression-scheme",),
        inputs={"log_messages": messages},
        witness={"support": support, "errors": errors, "rows": rows},
    )


@rules.checker(RULE)
def _check_compression(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """The binomial tail added up from logarithms of factorials, and bisected.

    `data`, if given, says for every row outside the compressed set whether the model errs on it.
    """
    support, errors, rows = _check_counts(*(certificate.witness[name] for name in ("support", "errors", "rows")))
    if data is not None and (np.size(data), int(np.count_nonzero(data))) != (rows - support, errors):
        raise CertificateError(
            f"{certificate.quantity}: there are not {errors} errors in {rows - support} rows of data."
        )
    uses, messages = certificate.inputs["uses"], check_divergence(certificate.inputs["log_messages"])
    choose = math.lgamma(rows + 1) - math.lgamma(support + 1) - math.lgamma(rows - support + 1)
    goal = math.log(failure_share(certificate.confidence, uses)) - math.log(rows) - choose - messages
    record = _record(
        certificate.single_value,
        support,
        errors,
        rows,
        messages,
        certificate.confidence,
        uses,
        certificate.quantity,
    )
    return Derivation(summed_tail_inverse(errors, rows - support, goal), error=1e-9, record=record)
