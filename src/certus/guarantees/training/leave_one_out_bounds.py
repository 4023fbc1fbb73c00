"""Leave-one-out statements: what training on all rows but one would have got wrong, without training again.

All of them are about the leave-one-out error: an unbiased estimate of the error after training on one row fewer,
and no bound on the error of the model at hand. They are therefore recorded as estimates.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from certus.guarantees.records import rules
from certus.guarantees.records.bound_arguments import check_count
from certus.guarantees.records.certificate import Certificate
from certus.guarantees.records.certificate_error import CertificateError
from certus.guarantees.records.rules import Derivation
from certus.guarantees.records.wording import count, percent, plural

THEOREMS = {
    "support": "Statistical Learning Theory: leave-one-out and support vectors (Vapnik 1998)",
    "jaakkola-haussler": "Probabilistic Kernel Regression Models (Jaakkola, Haussler 1999)",
    "xi-alpha": "Estimating the Generalization Performance of an SVM Efficiently (Joachims 2000)",
}
QUANTITY = "leave-one-out error"


def support_leave_one_out(support: int, rows: int) -> Certificate:
    """Leaving out a row that is no support vector changes nothing: leave-one-out error <= support / rows.

    On average over samples the error after training on one row fewer is at most E[support] / rows.

    Examples
    --------
    >>> support_leave_one_out(50, 1000).value
    0.05
    """
    total, kept = check_count(rows, "rows", minimum=1), check_count(support, "support")
    if kept > total:
        raise ValueError(f"support must be at most rows ({total}), got {kept}.")
    return _record("support", kept, total)


def jaakkola_haussler(alphas: ArrayLike, diagonal: ArrayLike, margins: ArrayLike) -> Certificate:
    """Bound the leave-one-out error of a kernel machine without offset by counting rows.

    A row can only be wrong when left out if alpha_i K(x_i, x_i) >= y_i f(x_i)::

        leave-one-out error <= #{i: alpha_i K_ii >= y_i f(x_i)} / rows.

    Parameters
    ----------
    alphas : array-like of shape (rows,)
        Dual coefficients, at least 0, of the machine f(x) = sum_i alpha_i y_i K(x_i, x).
    diagonal : array-like of shape (rows,)
        K(x_i, x_i).
    margins : array-like of shape (rows,)
        y_i f(x_i).

    Examples
    --------
    >>> jaakkola_haussler([0.0, 0.5, 1.0], [1.0, 1.0, 1.0], [2.0, 1.0, 0.5]).value
    0.3333333333333333
    """
    a, k, m = _check_columns(alphas=alphas, diagonal=diagonal, margins=margins)
    # Rows that rounding could have moved across are counted: the larger count is the safe one.
    at_risk = a * k * (1.0 + 1e-12) >= m - 1e-12 * np.abs(m)
    return _record("jaakkola-haussler", int(np.count_nonzero(at_risk)), len(a))


def xi_alpha(alphas: ArrayLike, slacks: ArrayLike, radius_squared: float) -> Certificate:
    """Bound the leave-one-out error of a support vector machine with an offset.

    With R^2 the length of an interval that holds all values K(x_i, x_j)::

        leave-one-out error <= #{i: 2 alpha_i R^2 + xi_i >= 1} / rows.

    Parameters
    ----------
    alphas : array-like of shape (rows,)
        Dual coefficients, at least 0.
    slacks : array-like of shape (rows,)
        max(0, 1 - y_i f(x_i)).
    radius_squared : float
        R^2; the largest K(x, x) for kernels that are never negative.

    Examples
    --------
    >>> xi_alpha([0.0, 0.2, 1.0], [0.0, 0.0, 0.4], 1.0).value
    0.3333333333333333
    """
    a, s = _check_columns(alphas=alphas, slacks=slacks)
    if not 0.0 <= radius_squared < float("inf"):
        raise ValueError(f"radius_squared must be a finite number of at least 0, got {radius_squared!r}.")
    at_risk = 2.0 * a * radius_squared + s >= 1.0 - 1e-12
    return _record("xi-alpha", int(np.count_nonzero(at_risk)), len(a))


def ridge_leave_one_out(residuals: ArrayLike, leverages: ArrayLike) -> np.ndarray:
    """Leave-one-out residuals of a linear smoother, exactly: residual_i / (1 - H_ii).

    Parameters
    ----------
    residuals : array-like of shape (rows,)
        y - H y of ridge, kernel ridge or Gaussian process regression with a fixed penalty.
    leverages : array-like of shape (rows,)
        Diagonal of H, below 1.

    Examples
    --------
    >>> ridge_leave_one_out([1.0, -0.5], [0.5, 0.0]).tolist()
    [2.0, -0.5]
    """
    r, h = (np.asarray(values, dtype=np.float64) for values in (residuals, leverages))
    if r.ndim != 1 or r.shape != h.shape or not (np.isfinite(r).all() and np.isfinite(h).all()):
        raise ValueError(f"residuals and leverages must be equally long finite columns, got {r.shape} and {h.shape}.")
    bad = np.flatnonzero(~(h < 1.0))
    if bad.size:
        raise ValueError(
            f"leverages must be below 1; row {int(bad[0])} is {h[bad[0]]!r}.\n"
            "Hint: a row with leverage 1 determines its own prediction; left out, it has none."
        )
    return r / (1.0 - h)


def _check_columns(**columns: ArrayLike) -> tuple[np.ndarray, ...]:
    found = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    rows = next(iter(found.values())).shape
    for name, values in found.items():
        if values.ndim != 1 or values.size == 0 or values.shape != rows or not np.isfinite(values).all():
            raise ValueError(f"{name} must be a non-empty finite column of the same length as the others.")
        if name != "margins" and (values < 0).any():
            row = int(np.flatnonzero(values < 0)[0])
            raise ValueError(f"{name} must be at least 0; row {row} is {values[row]!r}.")
    return tuple(found.values())


def _record(name: str, counted: int, rows: int) -> Certificate:
    return Certificate(
        claim=f"The leave-one-out error is at most {percent(counted / rows, 'upper')} ({count(counted)} of "
        f"{plural(rows, 'row')} can be wrong when left out); it estimates the error and does not bound it.",
        quantity=QUANTITY,
        direction="upper",
        value=counted / rows,
        trivial=1.0,
        confidence=0.0,
        kind="estimate",
        theorem=THEOREMS[name],
        rule=f"leave-one-out-{name}",
        assumptions=("iid", "symmetric-learner"),
        witness={"counted": counted, "rows": rows},
    )


def _checker(name: str) -> Callable[[Certificate, Any], Derivation]:
    def check(certificate: Certificate, data: ArrayLike | None) -> Derivation:
        """`data`, if given, are the flags of the rows that were counted."""
        rows = check_count(certificate.witness["rows"], "rows", minimum=1)
        counted = check_count(certificate.witness["counted"], "counted")
        if counted > rows:
            raise CertificateError(f"{QUANTITY}: {counted} rows of {rows} were counted.")
        flags = None if data is None else np.asarray(data, dtype=bool)
        if flags is not None and (len(flags), int(flags.sum())) != (rows, counted):
            raise CertificateError(f"{QUANTITY}: the data do not have {counted} counted rows of {rows}.")
        return Derivation(counted / rows, error=0.0, slack=0.0, record=_record(name, counted, rows))

    return check


for _name in THEOREMS:
    rules.checker(f"leave-one-out-{_name}")(_checker(_name))
