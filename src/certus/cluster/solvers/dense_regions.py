"""Core rows, what connects them, and the rows at their border, without stored neighborhoods.

Two core rows are in one region if a chain of core rows leads from one to the other in steps of at most eps: that is, if
no edge between them on the minimum spanning tree of the core rows is longer. Regions are numbered by their first rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from certus.cluster.solvers.row_order import numbered_by_first_row
from certus.geometry import minimum_spanning_tree
from certus.geometry.search import build_index, dense, effective_metric

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
PAIRS_AT_ONCE = 2**22  # neighbors that are held at a time


class DenseRegions:
    """Regions of one table.

    Parameters
    ----------
    rows : array or sparse matrix
        The rows.
    options : dict
        metric, metric_params, p, algorithm and leaf_size.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, rows: Any, options: dict[str, Any], n_jobs: int | None) -> None:
        self._rows = sparse.csr_array(rows) if sparse.issparse(rows) else rows
        self._metric, self._params = effective_metric(options["metric"], options["metric_params"], options["p"])
        self._options = {"algorithm": options["algorithm"], "leaf_size": options["leaf_size"], "n_jobs": n_jobs}
        self._n_jobs = n_jobs

    def find(self, eps: float, least: float, weights: Floats | None, border: str) -> tuple[Rows, Rows]:
        """The core rows, and the region of every row."""
        index = self._index(self._rows)
        if weights is None:
            core = index.have_within(self._rows, eps, math.ceil(least), self._n_jobs)
        else:
            core = self._mass(index, eps, weights) >= least
        cores = np.flatnonzero(core).astype(np.intp)
        labels = np.full(self._rows.shape[0], -1, dtype=np.intp)
        if len(cores):
            labels[cores] = self._connected(cores, eps)
            others = np.flatnonzero(labels < 0)
            if len(others):
                labels[others] = self._at_the_border(cores, others, labels[cores], eps, border)
        return cores, labels

    def nearest(self, queries: Any) -> tuple[Floats, Rows]:
        """Distance and number of the nearest row of each query."""
        distances, found = self._index(self._rows).query(queries, 1, self._n_jobs)
        return distances[:, 0], found[:, 0]

    def _index(self, rows: Any) -> Any:
        return build_index(rows, self._metric, self._params, **self._options)

    def _mass(self, index: Any, eps: float, weights: Floats) -> Floats:
        """The weight of the rows near every row."""
        counts = index.count_within(self._rows, eps, self._n_jobs)
        mass = np.empty(len(counts))
        for part, starts, rows in self._lists(index, np.arange(len(counts)), counts, eps):
            mass[part] = np.add.reduceat(weights[rows], starts)  # a row is near itself: no list is empty
        return mass

    def _lists(self, index: Any, queries: Rows, counts: Rows, eps: float) -> Iterator[tuple[Rows, Rows, Rows]]:
        """Queries with at least one neighbor, where their lists begin, and the lists, a bounded number at a time."""
        queries, counts = queries[counts > 0], counts[counts > 0]
        parts = np.cumsum(counts) // PAIRS_AT_ONCE
        for part in np.split(queries, np.flatnonzero(np.diff(parts)) + 1):
            if len(part):
                found = index.within(self._rows[part], eps, self._n_jobs)
                yield part, found.starts[:-1], found.rows

    def _connected(self, cores: Rows, eps: float) -> Rows:
        if len(cores) == 1:
            return np.zeros(1, dtype=np.intp)
        tree = minimum_spanning_tree(
            dense(self._rows[cores]), metric=self._metric, metric_params=self._params or None, n_jobs=self._n_jobs
        )
        short = tree.edges[tree.lengths <= eps]
        return components(len(cores), short[:, 0], short[:, 1])

    def _at_the_border(self, cores: Rows, others: Rows, known: Rows, eps: float, border: str) -> Rows:
        index = self._index(self._rows[cores])
        found = np.full(len(others), -1, dtype=np.intp)
        if border == "nearest":
            distances, nearest = index.query(self._rows[others], 1, self._n_jobs)
            near = distances[:, 0] <= eps
            found[near] = known[nearest[near, 0]]
            return found
        counts = index.count_within(self._rows[others], eps, self._n_jobs)
        place = np.full(self._rows.shape[0], -1, dtype=np.intp)
        place[others] = np.arange(len(others))
        for part, starts, rows in self._lists(index, others, counts, eps):
            found[place[part]] = np.minimum.reduceat(known[rows], starts)
        return found


def graph_regions(distances: Any, eps: float, least: float, weights: Floats | None, border: str) -> tuple[Rows, Rows]:
    """The same for given distances; of a sparse graph only the stored ones count, and every row is near itself."""
    rows = distances.shape[0]
    if sparse.issparse(distances):
        graph = sparse.coo_array(distances)
        near = (graph.data <= eps) & (graph.row != graph.col)
        one, other, lengths = graph.row[near], graph.col[near], graph.data[near]
    else:
        one, other = np.nonzero(np.asarray(distances) <= eps)
        one, other = one[one != other], other[one != other]
        lengths = np.asarray(distances)[one, other]
    mass = np.ones(rows) if weights is None else weights.copy()
    mass += np.bincount(one, None if weights is None else weights[other], minlength=rows)
    core = mass >= least
    cores = np.flatnonzero(core).astype(np.intp)
    labels = np.full(rows, -1, dtype=np.intp)
    if not len(cores):
        return cores, labels
    place = np.cumsum(core) - 1
    inner = core[one] & core[other]
    labels[cores] = components(len(cores), place[one[inner]], place[other[inner]])
    touching = core[one] & ~core[other]  # from a core row to the border
    start, end, far = one[touching], other[touching], lengths[touching]
    order = np.lexsort((labels[start], end)) if border == "first" else np.lexsort((labels[start], far, end))
    ends, first = np.unique(end[order], return_index=True)
    labels[ends] = labels[start[order][first]]
    return cores, labels


def components(count: int, one: NDArray[Any], other: NDArray[Any]) -> Rows:
    """Connected components of a graph, numbered by their first members."""
    graph = sparse.coo_array((np.ones(len(one), dtype=bool), (one, other)), shape=(count, count))
    return numbered_by_first_row(connected_components(graph, directed=False)[1])
