"""Are two tables related at all? A test that is valid for every number of rows and every distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from certus.base import Interval, TableLike, blas_on_one_thread, check_parameters
from certus.components.evidence.permuted_relation import permuted_traces, relation_certificate
from certus.components.learning.component_learner import LARGEST
from certus.guarantees import Report

_RULES: Any = {"permutations": [Interval(1, None, integer=True)], "seed": [Interval(0, None, integer=True)]}


@dataclass(frozen=True)
class CanonicalTest:
    """Evidence against two tables having nothing to do with each other.

    Parameters
    ----------
    pvalue : float
        Rejecting "no relation" where it is at most 5 % is wrong at most 5 % of the time.
    trace : float
        The sum of the squared canonical correlations.
    report : Report
        The same as a certificate; ``check((X, Y))`` shuffles again.
    """

    pvalue: float
    trace: float
    report: Report


def canonical_test(X: TableLike, Y: TableLike, *, permutations: int = 999, seed: int = 0) -> CanonicalTest:
    """Test whether two tables with common rows are unrelated, by the canonical correlations of shuffled rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The first table.
    Y : array-like of shape (n_samples,) or (n_samples, n_targets)
        The second table.
    permutations : int, default=999
        How often the rows of the second table are shuffled; the p-value is at least 1 / (permutations + 1).
    seed : int, default=0
        Of the orders. Choosing it by the result invalidates the test.

    Returns
    -------
    CanonicalTest
        ``pvalue``, ``trace`` and ``report``.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.components import canonical_test
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3))
    >>> canonical_test(X, X[:, :2] + rng.normal(size=(50, 2))).pvalue
    0.001
    """
    check_parameters("canonical_test", _RULES, {"permutations": permutations, "seed": seed})
    first = check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X")
    second = check_array(Y, dtype=np.float64, ensure_2d=False, ensure_min_samples=2, input_name="Y")
    second = second.reshape(len(second), -1)
    check_consistent_length(first, second)
    for name, table in (("X", first), ("Y", second)):
        if not (np.abs(table) <= LARGEST).all():
            raise ValueError(f"{name} must hold numbers of at most {LARGEST:g}, got {np.abs(table).max():g}.")
    with blas_on_one_thread():
        trace, shuffled = permuted_traces(first, second, permutations, seed)
    certificate = relation_certificate(trace, shuffled, len(first), seed)
    return CanonicalTest(certificate.single_value, trace, Report([certificate]))
