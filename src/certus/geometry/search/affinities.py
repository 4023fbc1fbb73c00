"""How alike rows are: affinities among training rows, and those of new rows to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, pairwise_kernels

from certus.geometry.search.build_index import build_index

Floats = NDArray[np.float64]
GRAPHS = ("nearest_neighbors", "precomputed_nearest_neighbors")
GIVEN = ("precomputed", "precomputed_nearest_neighbors")


class Affinities:
    """One way to compare rows.

    Parameters
    ----------
    kind : str or callable
        "rbf", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors", another kernel's name, or a function
        of two rows.
    neighbors : int
        How many neighbors a row has in a graph.
    params : mapping
        gamma, degree and coef0, and for a function its keyword arguments.
    n_jobs : int, optional
        Threads of the search for neighbors.
    """

    def __init__(self, kind: Any, neighbors: int, params: Mapping[str, Any], n_jobs: int | None = None) -> None:
        self.kind, self.neighbors, self.params, self._n_jobs = kind, neighbors, dict(params), n_jobs
        self.graph = isinstance(kind, str) and kind in GRAPHS
        self.given = isinstance(kind, str) and kind in GIVEN

    def among(self, rows: Any) -> Any:
        """The affinities of the rows to each other, dense or sparse; as they were given they may be asymmetric."""
        if self.kind == "precomputed":
            return rows
        if self.graph:
            near = self._nearest(rows, rows)
            return sparse.csr_array(0.5 * (near + near.T))
        if self.kind == "rbf":
            squared = _squared_distances(rows, rows)
            squared *= -float(self.params["gamma"])
            return np.exp(squared, out=squared)
        return self._kernel(rows, rows)

    def to(self, rows: Any, queries: Any) -> Any:
        """The affinities of new rows (first axis) to the training rows, up to a positive factor per new row."""
        if self.kind == "precomputed":
            return queries
        if self.graph:
            return self._nearest(rows, queries)
        if self.kind == "rbf":
            squared = _squared_distances(queries, rows)
            squared -= squared.min(axis=1, keepdims=True)  # the factor that keeps far rows from having no affinity
            squared *= -float(self.params["gamma"])
            return np.exp(squared, out=squared)
        return self._kernel(queries, rows)

    def _nearest(self, rows: Any, queries: Any) -> sparse.csr_array:
        metric = "precomputed" if self.given else "minkowski"
        params = {} if self.given else {"p": 2}
        count = queries.shape[1] if self.given else rows.shape[0]
        if self.neighbors > count:
            raise ValueError(
                f"n_neighbors must be at most the number of rows, {count}, got {self.neighbors}.\n"
                "Hint: n_neighbors counts the row itself."
            )
        index = build_index(rows, metric, params, n_neighbors=self.neighbors, n_jobs=self._n_jobs)
        _, found = index.query(queries, self.neighbors, self._n_jobs)
        starts = np.arange(len(found) + 1) * self.neighbors
        return sparse.csr_array((np.ones(found.size), found.ravel(), starts), shape=(len(found), count))

    def _kernel(self, rows: Any, others: Any) -> Floats:
        found = np.asarray(pairwise_kernels(rows, others, metric=self.kind, filter_params=True, **self.params))
        if not np.isfinite(found).all():
            value = found[~np.isfinite(found)][0]
            raise ValueError(f"affinity must give a finite number for every two rows, got {value} with {self.kind!r}.")
        return found


def _squared_distances(rows: Any, others: Any) -> Floats:
    """By products of rows around the mean of the second table, so that a far origin costs no digits."""
    if not sparse.issparse(rows) and not sparse.issparse(others):
        middle = others.mean(axis=0)
        same = rows is others
        others = others - middle
        rows = others if same else rows - middle
    return np.asarray(euclidean_distances(rows, others, squared=True))
