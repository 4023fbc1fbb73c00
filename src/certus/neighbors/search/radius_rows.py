"""The rows within a radius of each query."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from certus.base import predict_method
from certus.base.inputs import TableLike
from certus.geometry.search import Within
from certus.neighbors.search.row_memory import RowMemory, check_mode

# As for KNeighborsBase: radius_neighbors_graph asks for the base that has `radius_neighbors`.
RadiusNeighborsBase: Any = next(kind for kind in NearestNeighbors.__mro__ if "radius_neighbors" in vars(kind))


class RadiusRows(RowMemory, RadiusNeighborsBase):
    """Mixin with `radius_neighbors` and `radius_neighbors_graph`."""

    radius: float | None

    @predict_method
    def radius_neighbors(
        self, X: Any = None, radius: Any = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """Find the training rows at most a radius away from each query.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The queries; distances to the training rows if ``metric='precomputed'``. None stands for the
            training rows, none of which is then counted as its own neighbor.
        radius : float or array-like of shape (n_queries,), default=None
            The radius, which is itself within; by default the parameter of the same name.
        return_distance : bool, default=True
            Whether to return the distances too.
        sort_results : bool, default=False
            Whether neighbors are ordered by distance; if not, by their position.

        Returns
        -------
        neigh_dist : ndarray of shape (n_queries,) of arrays
            Distances of each query's neighbors; only if ``return_distance=True``.
        neigh_ind : ndarray of shape (n_queries,) of arrays
            Their positions in the training table.
        """
        if sort_results and not return_distance:
            raise ValueError("return_distance must be True if sort_results is True.")
        found = self._within(X, radius, sort_results=sort_results)
        places = found.starts[1:-1]
        rows = _as_objects(np.split(found.rows, places))
        return (_as_objects(np.split(found.distances, places)), rows) if return_distance else rows

    def radius_neighbors_graph(
        self, X: TableLike | None = None, radius: Any = None, mode: str = "connectivity", sort_results: bool = False
    ) -> Any:
        """The neighbors within a radius as a sparse matrix.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features), default=None
            The queries, as for `radius_neighbors`.
        radius : float, default=None
            The radius; by default the parameter of the same name.
        mode : {'connectivity', 'distance'}, default='connectivity'
            Whether the entries are ones or distances.
        sort_results : bool, default=False
            Whether the entries of a row are ordered by distance; only with ``mode='distance'``.

        Returns
        -------
        sparse matrix of shape (n_queries, n_samples_fit)
            In CSR format; row i has an entry for each neighbor of query i.
        """
        check_mode(mode)
        distance = mode == "distance"
        found = self._within(X, radius, sort_results=sort_results and distance)
        return self._graph(found.starts, found.rows, found.distances if distance else np.ones(len(found.rows)))

    @predict_method
    def _within(self, X: Any, radius: Any, *, sort_results: bool = False) -> Within:
        """The neighbors of all queries in one list; without X, no row is its own neighbor."""
        queries = self._fit_X if X is None else self._check_queries(X)
        self._refuse_sparse_for_trees(queries)
        asked = self.radius if radius is None else radius
        found = self._search_index().within(queries, asked, self.n_jobs)
        if X is None:
            found = _without_itself(found)
        return _by_distance(found) if sort_results else found


def owners(found: Within) -> NDArray[np.intp]:
    """Which query each entry of the lists belongs to."""
    return np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))


def _without_itself(found: Within) -> Within:
    others = found.rows != owners(found)
    starts = np.concatenate([[0], np.cumsum(others)])[found.starts]
    return Within(starts.astype(np.intp), found.rows[others], found.distances[others])


def _by_distance(found: Within) -> Within:
    order = np.lexsort((found.rows, found.distances, owners(found)))
    return Within(found.starts, found.rows[order], found.distances[order])


def _as_objects(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Arrays of different lengths as an array of arrays."""
    found = np.empty(len(parts), dtype=object)
    found[:] = parts
    return found
