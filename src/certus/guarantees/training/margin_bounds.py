"""Margin bounds: a training set that is classified with room to spare bounds the error."""

import math

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.classes.growth_sums import log_sauer
from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count, check_positive
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.quantity import Quantity
from certus.guarantees.records.rules import Derivation
from certus.guarantees.training.additive_bounds import AdditiveBound
from certus.guarantees.training.risk_record import check_level, check_share

KERNEL = "Foundations of Machine Learning, margin bounds for kernel classes (Mohri, Rostamizadeh, Talwalkar 2018)"
VOTING = "Boosting the Margin (Schapire et al. 1998), by Rademacher complexity (Koltchinskii, Panchenko 2002)"


def kernel_margin_bound(
    margins: ArrayLike,
    margin: float,
    norm: float,
    diagonal: ArrayLike,
    confidence: float = 0.95,
    *,
    uses: int = 1,
    quantity: Quantity | str = "error",
) -> Certificate:
    """Bound the error of a linear or kernel classifier of bounded norm from its margins.

    share(y_i f(x_i) <= margin) + (2 / margin) norm sqrt(sum_i K(x_i, x_i)) / rows + 3 sqrt(log(2/delta) / (2 rows)).

    Parameters
    ----------
    margins : array-like of shape (rows,)
        y_i f(x_i) on the training rows.
    margin : float
        The margin, fixed before the data or counted in `uses`.
    norm : float
        Bound on the norm of f in the space of the kernel, fixed likewise.
    diagonal : array-like of shape (rows,)
        K(x_i, x_i); squared lengths of the rows for a linear classifier.
    confidence : float, default=0.95
        Probability with which the bound holds.
    uses : int, default=1
        Number of pairs of margin and norm that were tried, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> round(kernel_margin_bound([1.0] * 20000, 0.9, 1.0, [1.0] * 20000).value, 3)
    0.045
    """
    level, paid = check_level(confidence, uses)
    values, squares = _check_column(margins, "margins"), _check_column(diagonal, "diagonal")
    if squares.shape != values.shape or (squares < 0).any():
        raise ValueError("diagonal must have one entry of at least 0 per margin.")
    share, rows = _share_below(values, check_positive(margin, "margin")), len(values)
    trace = math.fsum(squares) * (1.0 + 1e-14)
    return _kernel(share, rows, float(margin), check_positive(norm, "norm"), trace, quantity).certificate(level, paid)


def voting_margin_bound(
    margins: ArrayLike,
    margin: float,
    vc: int,
    confidence: float = 0.95,
    *,
    uses: int = 1,
    quantity: Quantity | str = "error",
) -> Certificate:
    """Bound the error of a weighted vote of classifiers (boosting) from its normalized margins.

    share(margin_i <= margin) + (2 / margin) sqrt(2 log G(rows) / rows) + sqrt(log(1/delta) / (2 rows)), with Sauer's
    sum G of the VC dimension of the single classifiers; the number of classifiers does not matter.

    Parameters
    ----------
    margins : array-like of shape (rows,)
        y_i sum_t a_t h_t(x_i) / sum_t |a_t|, between -1 and 1.
    margin : float
        The margin, fixed before the data or counted in `uses`.
    vc : int
        VC dimension of the single classifiers.
    confidence : float, default=0.95
        Probability with which the bound holds.
    uses : int, default=1
        Number of margins that were tried, this one included.
    quantity : str, default="error"
        Name of the risk.

    Examples
    --------
    >>> round(voting_margin_bound([0.8] * 100000, 0.5, 2).value, 2)
    0.09
    """
    level, paid = check_level(confidence, uses)
    values = _check_column(margins, "margins")
    if (np.abs(values) > 1.0 + 1e-9).any():
        row = int(np.flatnonzero(np.abs(values) > 1.0 + 1e-9)[0])
        raise ValueError(
            f"margins must lie between -1 and 1; row {row} is {values[row]!r}.\n"
            "Hint: divide by the sum of the voters' absolute weights."
        )
    share = _share_below(values, check_positive(margin, "margin"))
    return _voting(share, len(values), float(margin), check_count(vc, "vc"), quantity).certificate(level, paid)


def _check_column(values: ArrayLike, name: str) -> np.ndarray:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or column.size == 0 or not np.isfinite(column).all():
        raise ValueError(f"{name} must be a non-empty finite column, got shape {column.shape}.")
    return column


def _share_below(values: np.ndarray, margin: float) -> float:
    return int(np.count_nonzero(values <= margin)) / len(values)


def _kernel(
    share: float, rows: int, margin: float, norm: float, trace: float, quantity: Quantity | str
) -> AdditiveBound:
    return AdditiveBound(
        risk=check_share(share, "share below the margin"),
        rows=check_count(rows, "rows", minimum=1),
        capacity=2.0 * norm * math.sqrt(trace) / (margin * rows) * (1.0 + 1e-15),
        factor=3.0,
        parts=2,
        theorem=KERNEL,
        rule="kernel-margin",
        assumptions=("class-fixed",),
        quantity=quantity,
        basis=f"share of margins up to {margin:g}",
        extra={"margin": margin, "norm": norm, "trace": trace},
    )


def _voting(share: float, rows: int, margin: float, vc: int, quantity: Quantity | str) -> AdditiveBound:
    return AdditiveBound(
        risk=check_share(share, "share below the margin"),
        rows=check_count(rows, "rows", minimum=1),
        capacity=2.0 / margin * math.sqrt(2.0 * log_sauer(rows, vc) / rows),
        factor=1.0,
        parts=1,
        theorem=VOTING,
        rule="voting-margin",
        assumptions=("class-fixed",),
        quantity=quantity,
        basis=f"share of margins up to {margin:g}",
        extra={"margin": margin, "vc": vc},
    )


@rules.checker("kernel-margin")
def _check_kernel(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data`, if given, are the margins."""
    witness, given = certificate.witness, certificate.inputs
    margin, norm, trace = (
        check_positive(given["margin"], "margin"),
        check_positive(given["norm"], "norm"),
        float(given["trace"]),
    )
    if not trace >= 0.0:
        raise CertificateError(f"{certificate.quantity}: the trace is {trace!r}.")
    bound = _kernel(witness["risk"], witness["rows"], margin, norm, trace, certificate.quantity)
    return bound.derivation(certificate, _losses(data, margin))


@rules.checker("voting-margin")
def _check_voting(certificate: Certificate, data: ArrayLike | None) -> Derivation:
    """`data`, if given, are the margins."""
    witness, given = certificate.witness, certificate.inputs
    margin, vc = check_positive(given["margin"], "margin"), check_count(given["vc"], "vc")
    bound = _voting(witness["risk"], witness["rows"], margin, vc, certificate.quantity)
    return bound.derivation(certificate, _losses(data, margin))


def _losses(margins: ArrayLike | None, margin: float) -> np.ndarray | None:
    return None if margins is None else np.asarray(np.asarray(margins) <= margin, dtype=float)
