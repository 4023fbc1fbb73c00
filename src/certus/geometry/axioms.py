"""Axioms that distances, similarities and clusterings promise, tried on samples: a failure names the rows.

A check that finds nothing proves nothing: it says only that these rows do not contradict the axioms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.geometry.row_distances import checked_table, pairwise_distances

Floats = NDArray[np.float64]

_ROUNDING = 1e-9  # what a distance may be wrong by, relative to the numbers that are compared
_MOST_ROWS = 200  # rows whose distances are computed


@dataclass(frozen=True)
class AxiomCheck:
    """What a check found: the first axiom that fails and the rows that show it.

    Attributes
    ----------
    holds : bool
        Whether no contradiction was found.
    axiom : str or None
        The axiom that fails.
    witness : tuple of int
        Numbers of the rows that contradict it.
    reason : str
        The contradiction in numbers.
    """

    holds: bool
    axiom: str | None = None
    witness: tuple[int, ...] = ()
    reason: str = ""

    def __bool__(self) -> bool:
        return self.holds


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
    return _first(
        _signs(table, chosen),
        _identity(table, rows, chosen),
        _symmetry(table, chosen),
        _triangle(table, chosen, triples, rng),
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
    wrong = ~(np.abs(itself - 1.0) <= _ROUNDING)
    if wrong.any():
        first = int(np.argmax(wrong))
        return AxiomCheck(False, "identity", (int(chosen[first]),), f"s(x, x) = {itself[first]:.10g}, not 1")
    return _first(_symmetry(table, chosen))


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


def _first(*found: AxiomCheck | None) -> AxiomCheck:
    """The first contradiction, if there is one."""
    return next((check for check in found if check is not None), AxiomCheck(True))


def _sampled(measure: Any, X: Any, rng: np.random.Generator) -> tuple[Any, NDArray[np.intp], Floats]:
    """Some rows, their numbers, and the measure of all pairs of them; a function is called for both orders."""
    rows = checked_table(X, measure)
    count = rows.shape[0]
    chosen = np.arange(count) if count <= _MOST_ROWS else np.sort(rng.choice(count, _MOST_ROWS, replace=False))
    some = rows[chosen]
    if callable(measure):
        return some, chosen, np.array([[float(measure(x, y)) for y in some] for x in some])
    return some, chosen, pairwise_distances(some, metric=measure)


def _signs(table: Floats, chosen: NDArray[np.intp]) -> AxiomCheck | None:
    wrong = ~(table >= 0)
    if not wrong.any():
        return None
    x, y = np.unravel_index(int(np.argmax(wrong)), table.shape)
    return AxiomCheck(False, "nonnegativity", (int(chosen[x]), int(chosen[y])), f"d(x, y) = {table[x, y]:.10g}")


def _identity(table: Floats, rows: Any, chosen: NDArray[np.intp]) -> AxiomCheck | None:
    scale = float(table.max(initial=0.0))
    itself = np.diag(table)
    wrong = ~(itself <= _ROUNDING * scale)
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


def _symmetry(table: Floats, chosen: NDArray[np.intp]) -> AxiomCheck | None:
    wrong = ~(np.abs(table - table.T) <= _ROUNDING * np.maximum(np.abs(table), np.abs(table.T)))
    if not wrong.any():
        return None
    x, y = np.unravel_index(int(np.argmax(wrong)), table.shape)
    reason = f"{table[x, y]:.10g} one way, {table[y, x]:.10g} the other"
    return AxiomCheck(False, "symmetry", (int(chosen[x]), int(chosen[y])), reason)


def _triangle(table: Floats, chosen: NDArray[np.intp], triples: int, rng: np.random.Generator) -> AxiomCheck | None:
    count = len(table)
    if count**3 <= max(triples, 30**3):
        x, y, z = (place.ravel() for place in np.indices((count, count, count)))
    else:
        x, y, z = rng.integers(0, count, size=(3, triples))
    straight, first, second = table[x, z], table[x, y], table[y, z]
    wrong = straight > (first + second) * (1 + _ROUNDING)
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    reason = f"{straight[at]:.10g} > {first[at]:.10g} + {second[at]:.10g}"
    return AxiomCheck(False, "triangle", (int(chosen[x[at]]), int(chosen[y[at]]), int(chosen[z[at]])), reason)
