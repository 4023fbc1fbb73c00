"""Axioms that distances, similarities and clusterings promise, tried on samples: a failure names the rows.

A check that finds nothing proves nothing: it says only that these rows do not contradict the axioms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.geometry.metrics.axiom_checks import ROUNDING, AxiomCheck, first_contradiction, signs, symmetry, triangle
from certus.geometry.row_distances import checked_table, pairwise_distances

Floats = NDArray[np.float64]

_MOST_ROWS = 200  # rows whose distances are computed


def check_metric(
    distance: Callable[[Any, Any], float] | str, X: Any, *, triples: int = 10_000, seed: int = 0
) -> AxiomCheck:
    """Try to contradict the axioms of a metric on rows of a table.

    They are d(x, y) >= 0, d(x, y) = 0 exactly if x = y, d(x, y) = d(y, x), and the triangle inequality
    d(x, z) <= d(x, y) + d(y, z). At most 200 rows are drawn.

    Parameters
    ----------
    distance : callable or str
        A function of two rows, or the name of a metric.
    X : array-like of shape (n_samples, n_features)
        The rows.
    triples : int, default=10_000
        How many triples are tried; all, if there are no more.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``holds``, ``axiom`` (``'nonnegativity'``, ``'identity'``, ``'symmetry'``, ``'triangle'`` or None) and
        ``witness``, the numbers of two rows, of one (d(x, x) is not 0) or of three (x, y, z).

    Examples
    --------
    >>> from certus.geometry import check_metric
    >>> check_metric(lambda x, y: float(((x - y) ** 2).sum()), [[0.0], [1.0], [2.0]])
    AxiomCheck(holds=False, axiom='triangle', witness=(0, 1, 2), reason='4 > 1 + 1')
    """
    rng = np.random.default_rng(seed)
    rows, chosen, table = _sampled(distance, X, rng)
    return first_contradiction(
        signs(table, chosen),
        _identity(table, rows, chosen),
        symmetry(table, chosen),
        triangle(table, chosen, triples, rng),
    )


def check_similarity(similarity: Callable[[Any, Any], float], X: Any, *, seed: int = 0) -> AxiomCheck:
    """Try to contradict the axioms of a similarity: s(x, x) = 1 and s(x, y) = s(y, x).

    Parameters
    ----------
    similarity : callable
        A function of two rows.
    X : array-like of shape (n_samples, n_features)
        The rows, of which at most 200 are drawn.
    seed : int, default=0
        Seed of the draws.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'identity'``, ``'symmetry'`` or None.

    Examples
    --------
    >>> from certus.geometry import check_similarity
    >>> check_similarity(lambda x, y: float(x @ y), [[2.0], [1.0]]).axiom
    'identity'
    """
    _, chosen, table = _sampled(similarity, X, np.random.default_rng(seed))
    itself = np.diag(table)
    wrong = ~(np.abs(itself - 1.0) <= ROUNDING)
    if wrong.any():
        first = int(np.argmax(wrong))
        return AxiomCheck(False, "identity", (int(chosen[first]),), f"s(x, x) = {itself[first]:.10g}, not 1")
    return first_contradiction(symmetry(table, chosen))


def check_partition(clusters: Iterable[Iterable[int]], n_rows: int) -> AxiomCheck:
    """Whether sets of row numbers are disjoint and cover all rows.

    Parameters
    ----------
    clusters : iterable of iterables of int
        The row numbers of each cluster.
    n_rows : int
        Number of rows that should be covered.

    Returns
    -------
    AxiomCheck
        ``axiom`` is ``'rows'`` (a number that is no row), ``'disjoint'``, ``'covering'`` or None; ``witness`` the row.

    Examples
    --------
    >>> from certus.geometry import check_partition
    >>> check_partition([[0, 1], [1, 2]], 3)
    AxiomCheck(holds=False, axiom='disjoint', witness=(1,), reason='row 1 is in clusters 0 and 1')
    """
    home: dict[int, int] = {}
    for number, cluster in enumerate(clusters):
        for row in map(int, cluster):
            if not 0 <= row < n_rows:
                return AxiomCheck(False, "rows", (row,), f"there is no row {row} among {n_rows}")
            if row in home:
                return AxiomCheck(False, "disjoint", (row,), f"row {row} is in clusters {home[row]} and {number}")
            home[row] = number
    missing = next((row for row in range(n_rows) if row not in home), None)
    if missing is None:
        return AxiomCheck(True)
    return AxiomCheck(False, "covering", (missing,), f"row {missing} is in no cluster")


def _sampled(measure: Any, X: Any, rng: np.random.Generator) -> tuple[Any, NDArray[np.intp], Floats]:
    """Some rows, their numbers, and the measure of all pairs of them; a function is called for both orders."""
    rows = checked_table(X, measure)
    count = rows.shape[0]
    chosen = np.arange(count) if count <= _MOST_ROWS else np.sort(rng.choice(count, _MOST_ROWS, replace=False))
    some = rows[chosen]
    if callable(measure):
        return some, chosen, np.array([[float(measure(x, y)) for y in some] for x in some])
    return some, chosen, pairwise_distances(some, metric=measure)


def _identity(table: Floats, rows: Any, chosen: NDArray[np.intp]) -> AxiomCheck | None:
    scale = float(table.max(initial=0.0))
    itself = np.diag(table)
    wrong = ~(itself <= ROUNDING * scale)
    if wrong.any():
        first = int(np.argmax(wrong))
        return AxiomCheck(False, "identity", (int(chosen[first]),), f"d(x, x) = {itself[first]:.10g}, not 0")
    for x, y in zip(*np.nonzero(table == 0), strict=True):
        if x < y and not np.array_equal(_dense_row(rows, x), _dense_row(rows, y)):
            return AxiomCheck(False, "identity", (int(chosen[x]), int(chosen[y])), "d(x, y) = 0 for different rows")
    return None


def _dense_row(rows: Any, row: Any) -> Any:
    some = rows[[row]]
    return some.toarray() if hasattr(some, "toarray") else some
