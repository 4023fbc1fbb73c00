"""Fewer rows for the rule of the nearest neighbor: those that decide (condense), those that are not noise (edit)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, QhullError

from certus.base.inputs import TableLike, TargetLike
from certus.guarantees import Report, compression_bound
from certus.neighbors.k_neighbors_classifier import KNeighborsClassifier
from certus.neighbors.learning.border_rows import border_rows
from certus.neighbors.learning.checked_rows import checked_rows

_MOST_TRIANGULATED = 8  # columns; above, a Delaunay triangulation is too large


@dataclass(frozen=True)
class Condensed:
    """Rows that decide as all rows do.

    Attributes
    ----------
    rows : ndarray of shape (n_kept,)
        Positions of the rows to keep, in increasing order.
    report : Report
        What the condensed rule promises about new rows: the bound of sample compression.
    """

    rows: NDArray[np.intp]
    report: Report


def condense(X: TableLike, y: TargetLike, *, confidence: float = 0.95) -> Condensed:
    """The rows that the rule of the nearest neighbor needs: without the others it is the same everywhere.

    A row decides nothing if all rows whose Voronoi cells touch its own have its label: whoever was nearest to it is
    then nearest to one of them. Cells touch where the Delaunay triangulation (by Qhull) has an edge; above 8 columns
    linear programs find the rows at a border (Eppstein 2022), about one for every pair of a row that is kept and one
    that is not: 2000 rows can take a minute. The others are left out at once. Why that is right: walk from a query
    straight to the nearest row that is kept; it stays the nearest kept one all the way, so a border between two labels,
    which has kept rows on both sides, is never crossed. The rule stays the same for all queries that are not exactly
    between two labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels; equal rows must have equal labels.
    confidence : float, default=0.95
        Confidence of the bound in the report.

    Returns
    -------
    Condensed
        ``rows`` and ``report``: the error of the rule, rebuilt from the kept rows alone, on new rows.

    Examples
    --------
    >>> from certus.neighbors import condense
    >>> condense([[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 0, 1, 1]).rows
    array([2, 3])
    """
    table, labels = checked_rows(X, y)
    distinct, first, home = np.unique(table, axis=0, return_index=True, return_inverse=True)
    home = home.ravel()
    codes = np.unique(labels, return_inverse=True)[1]
    wrong = codes != codes[first][home]
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"Equal rows must have equal labels, but rows {int(first[home[row]])} and {row} differ in theirs.\n"
            "Hint: use edit first, which removes rows that their neighbors contradict."
        )
    kept = np.sort(first[_on_the_border(distinct, codes[first])])
    return Condensed(kept, _report(table, labels, kept, confidence))


def _on_the_border(points: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which points have a Voronoi neighbor of another label; if all have one label, the first stands for them."""
    flat = _in_their_span(points)
    if flat.shape[1] > _MOST_TRIANGULATED:
        border = border_rows(flat, codes)
    else:
        border = np.zeros(len(points), dtype=bool)
        a, b = _voronoi_neighbors(flat)
        differ = codes[a] != codes[b]
        border[a[differ]] = border[b[differ]] = True
    if not border.any():
        border[0] = True
    return border


def _voronoi_neighbors(flat: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs that span the borders of cells: edges of the triangulation of points that span their space.

    A second triangulation, of slightly moved points, adds what rounding in the first one may have missed; points that
    Qhull leaves out of the first one are in the second.
    """
    if flat.shape[1] == 0:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    if flat.shape[1] == 1:
        order = np.argsort(flat[:, 0], kind="stable")
        return order[:-1], order[1:]
    if len(flat) <= flat.shape[1] + 2:
        return np.triu_indices(len(flat), 1)
    try:
        plain = Delaunay(flat).vertex_neighbor_vertices
        moved = Delaunay(flat, qhull_options="QJ Pp").vertex_neighbor_vertices
    except QhullError as error:
        raise ValueError(f"The rows cannot be triangulated: {error}") from error
    pairs = [(np.repeat(np.arange(len(flat)), np.diff(starts)), ends) for starts, ends in (plain, moved)]
    return np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])


def _in_their_span(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points, as large as 1, in coordinates of the smallest flat that holds them."""
    centered = points - points.mean(axis=0)
    centered /= np.max(np.abs(centered), initial=np.finfo(np.float64).tiny)
    _, sizes, axes = np.linalg.svd(centered, full_matrices=False)
    kept = sizes > 1e-12 * max(float(sizes[0]) if len(sizes) else 0.0, np.finfo(float).tiny)
    return np.asarray(centered if kept.all() and len(kept) == points.shape[1] else centered @ axes[kept].T)


def _report(X: NDArray[np.float64], labels: NDArray[Any], kept: NDArray[np.intp], confidence: float) -> Report:
    rule = KNeighborsClassifier(1).fit(X[kept], labels[kept])
    others = np.setdiff1d(np.arange(len(X)), kept)
    errors = int(np.sum(rule.predict(X[others]) != labels[others])) if len(others) else 0
    return Report([compression_bound(len(kept), errors, len(X), confidence)])


def edit(X: TableLike, y: TargetLike, n_neighbors: int = 3) -> NDArray[np.intp]:
    """The rows that the vote of their nearest other rows confirms. Wilson (1972).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels.
    n_neighbors : int, default=3
        How many other rows vote.

    Returns
    -------
    ndarray of shape (n_kept,)
        Positions of the rows to keep.

    Examples
    --------
    >>> from certus.neighbors import edit
    >>> edit([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]], [0, 1, 0, 0, 1, 1, 1, 1])
    array([0, 2, 3, 4, 5, 6, 7])
    """
    table, labels = checked_rows(X, y)
    votes = KNeighborsClassifier(n_neighbors).fit(table, labels).predict(None)
    return np.flatnonzero(votes == labels)
