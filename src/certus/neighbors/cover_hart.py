"""An interval for the least possible error from the error of one neighbor. Cover, Hart (1967)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.base.inputs import TableLike, TargetLike
from certus.guarantees import Certificate, CertificateError
from certus.guarantees.records import Basis, Derivation, rules
from certus.neighbors.k_neighbors_classifier import KNeighborsClassifier
from certus.neighbors.learning.checked_rows import checked_rows

RULE = "neighbors/cover-hart"
THEOREM = "Nearest neighbor pattern classification (Cover, Hart 1967)"


def bayes_error_interval(X: TableLike, y: TargetLike) -> Certificate:
    """Estimate between which errors the best possible rule lies.

    For very many rows the error e of the nearest neighbor and the least error b of any rule obey, with C classes,

        (1 - 1/C) (1 - sqrt(1 - e C / (C - 1))) <= b <= e

    Here e is the share of rows whose nearest other row has another label (leave-one-out). That many rows are enough is
    not known, so this is an estimate, not a guarantee.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels.

    Returns
    -------
    Certificate
        Of the kind "estimate"; ``value`` is the interval.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.neighbors import bayes_error_interval
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((2000, 1))
    >>> found = bayes_error_interval(X, rng.random(2000) < 0.2 + 0.6 * X[:, 0])  # the best error is 0.35
    >>> low, high = found.value
    >>> print(low < 0.35 < high)
    True
    """
    table, labels = checked_rows(X, y)
    if len(table) < 2:
        raise ValueError(f"X must have at least 2 rows, got {len(table)}.")
    errors = int(np.sum(KNeighborsClassifier(1).fit(table, labels).predict(None) != labels))
    return _record(errors, len(table), max(2, len(np.unique(labels))))


def _interval(errors: int, rows: int, classes: int) -> tuple[float, float]:
    share = 1.0 - 1.0 / classes
    rate = errors / rows
    return share * (1.0 - math.sqrt(max(0.0, 1.0 - min(rate, share) / share))), rate


def _record(errors: int, rows: int, classes: int) -> Certificate:
    low, high = _interval(errors, rows, classes)
    claim = (
        f"An estimate, not a guarantee (it holds in the limit of many rows): the error of the best possible rule "
        f"lies between {low:.2%} and {high:.2%} (the nearest neighbor errs in {errors} of {rows} rows)."
    )
    return Basis(RULE, THEOREM, ()).exact(
        claim,
        "error of the best possible rule",
        "interval",
        (low, high),
        (0.0, 1.0),
        {"classes": classes},
        {"errors": errors, "rows": rows},
        confidence=0.0,
        kind="estimate",
    )


@rules.checker(RULE)
def _check_interval(certificate: Certificate, data: Any) -> Derivation:
    """The lower end solves b (2 - b C / (C - 1)) = e; with data, neighbors are counted again by plain distances."""
    errors, rows = int(certificate.witness["errors"]), int(certificate.witness["rows"])
    classes = int(certificate.inputs["classes"])
    if data is not None:
        X, y = checked_rows(*data)
        wrong = sum(_errs(X, y, row) for row in range(len(X)))
        if (wrong, len(X)) != (errors, rows):
            raise CertificateError(f"the nearest neighbor errs in {wrong} of {len(X)} rows, not {errors} of {rows}")
    low, high = 0.0, 1.0 - 1.0 / classes
    target = min(errors / rows, high)
    for _ in range(200):
        middle = (low + high) / 2
        below = middle * (2.0 - middle * classes / (classes - 1.0)) < target
        low, high = (middle, high) if below else (low, middle)
    value = (low, errors / rows)
    return Derivation(value, error=1e-6, scale=1.0, record=_record(errors, rows, classes))


def _errs(X: Any, y: Any, row: int) -> bool:
    squared = ((X - X[row]) ** 2).sum(axis=1)
    squared[row] = np.inf
    return bool(y[int(np.argmin(squared))] != y[row])
