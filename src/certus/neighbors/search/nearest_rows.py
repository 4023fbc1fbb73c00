"""The k nearest rows of each query."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from certus.base import predict_method
from certus.base.inputs import TableLike
from certus.neighbors.search.row_memory import RowMemory, check_mode

# scikit-learn's kneighbors_graph asks for the base of its learners that has `kneighbors`; ours replaces its methods.
KNeighborsBase: Any = next(kind for kind in NearestNeighbors.__mro__ if "kneighbors" in vars(kind))


class NearestRows(RowMemory, KNeighborsBase):
    """Mixin with `kneighbors` and `kneighbors_graph`."""

    n_neighbors: int | None

    @predict_method
    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training rows of each query; equally near ones by their position.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The queries; distances to the training rows if ``metric='precomputed'``. None stands for the
            training rows, none of which is then counted as its own neighbor.
        n_neighbors : int, default=None
            How many neighbors; by default the parameter of the same name.
        return_distance : bool, default=True
            Whether to return the distances too.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries, n_neighbors)
            Distances in increasing order; only if ``return_distance=True``.
        neigh_ind : ndarray of shape (n_queries, n_neighbors)
            Positions of the rows in the training table.
        """
        k = self._check_count(n_neighbors)
        queries = self._fit_X if X is None else self._check_queries(X)
        self._refuse_sparse_for_trees(queries)
        self._refuse_too_many(k, queries.shape[0], itself=X is None)
        asked = k + (X is None)
        distances, rows = self._search_index().query(queries, asked, self.n_jobs)
        if X is None:
            distances, rows = _without_itself(distances, rows)
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(
        self, X: TableLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """The neighbors of each query as a sparse matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The queries, as for `kneighbors`.
        n_neighbors : int, default=None
            How many neighbors; by default the parameter of the same name.
        mode : {'connectivity', 'distance'}, default='connectivity'
            Whether the entries are ones or distances.

        Returns
        -------
        sparse matrix of shape (n_queries, n_samples_fit)
            In CSR format; row i has an entry for each neighbor of query i, the nearest first.
        """
        check_mode(mode)
        distances, rows = self.kneighbors(X, n_neighbors)
        values = distances if mode == "distance" else np.ones(rows.shape)
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        return self._graph(starts, rows.ravel(), values.ravel())

    def _check_count(self, n_neighbors: Any) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral):
            raise TypeError(f"n_neighbors must be an integer, got {k!r} of {type(k)}.")
        if k <= 0:
            raise ValueError(f"n_neighbors must be at least 1, got {k}.")
        return int(k)

    def _refuse_too_many(self, k: int, queries: int, *, itself: bool) -> None:
        rows = self.n_samples_fit_
        if k + itself > rows:
            sign = "<" if itself else "<="
            raise ValueError(
                f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {rows}, "
                f"n_samples = {queries}.\nHint: ask for at most {max(rows - itself, 0)} neighbors."
            )


def _without_itself(
    distances: NDArray[np.float64], rows: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Remove from each training row's neighbors the row itself; where so many duplicates come first that it is
    not among them, the last.
    """
    keep = rows != np.arange(len(rows))[:, None]
    keep[keep.all(axis=1), -1] = False
    shape = (len(rows), rows.shape[1] - 1)
    return distances[keep].reshape(shape), rows[keep].reshape(shape)
