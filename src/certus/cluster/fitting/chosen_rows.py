"""What learners share whose centers are rows of the table: any distance, a row belongs to its nearest chosen row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags

from certus.base import Clusterer, predict_method
from certus.base.inputs import TableLike, check_X
from certus.base.params import Function, InstanceOf
from certus.base.persistence import check_shapes
from certus.cluster.solvers.given_distances import check_computed, check_distances
from certus.cluster.solvers.row_order import direction, order_along
from certus.geometry import pairwise_distances

Floats = NDArray[np.float64]
METRIC = [InstanceOf(str), Function()]


class ChosenRows(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Rows that stand for their clusters.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of chosen rows.
    metric : str or callable, default="euclidean"
        The distance, one of those of `certus.geometry.pairwise_distances`; "precomputed" if X holds distances.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters,)
        The rows that were chosen.
    cluster_centers_ : ndarray of shape (n_clusters, n_features) or None
        The same as rows; None if X holds distances.
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training row.
    """

    n_clusters: int
    metric: Any
    n_features_in_: int
    medoid_indices_: NDArray[np.intp]
    cluster_centers_: NDArray[Any] | None
    labels_: NDArray[np.int32]
    inertia_: float

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    def _restored(self) -> None:
        if hasattr(self, "medoid_indices_"):
            check_shapes(self, medoid_indices_=(None,), labels_=(None,))
            if self.cluster_centers_ is not None:
                check_shapes(self, cluster_centers_=(len(self.medoid_indices_), self.n_features_in_))
            elif not ((self.medoid_indices_ >= 0) & (self.medoid_indices_ < self.n_features_in_)).all():
                raise ValueError("medoid_indices_ must be numbers of training rows.")

    def _check_rows(self, X: TableLike, *, reset: bool = False) -> Any:
        table = check_X(self, X, reset=reset, order="C", largest=1e100)
        if self.metric == "precomputed" and reset:
            matrix = np.asarray(table, dtype=np.float64)
            if matrix.shape[0] != matrix.shape[1]:
                raise ValueError(
                    f"X must be a square matrix of distances for metric='precomputed', got {matrix.shape}."
                )
            check_distances(matrix)
            return matrix
        return table

    def _enough_rows(self, weights: Floats) -> NDArray[np.intp]:
        """The rows of positive weight."""
        kept = np.flatnonzero(weights > 0.0)
        if len(kept) < self.n_clusters:
            raise ValueError(
                f"n_samples={len(kept)} should be >= n_clusters={self.n_clusters}.\n"
                f"Hint: {type(self).__name__} needs at least one row (of positive weight) per cluster."
            )
        return kept

    def _in_order_of_values(self, table: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows in an order that depends on their values alone; as they came, if there are only distances."""
        if isinstance(self.metric, str) and self.metric == "precomputed":
            return rows
        values = np.asarray(table, dtype=np.float64)[rows]
        return rows[order_along(values @ direction(values.shape[1]))]

    def _choose(self, table: Any, rows: NDArray[np.intp], weights: Floats, power: int) -> None:
        """Set the chosen rows, the labels and the cost."""
        self.medoid_indices_ = np.asarray(rows, dtype=np.intp)
        precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        self.cluster_centers_ = None if precomputed else np.asarray(table[rows])
        distances = self._to_chosen(table, rows)
        self.labels_ = np.argmin(distances, axis=1).astype(np.int32)
        self.labels_[rows] = np.arange(len(rows), dtype=np.int32)  # of equal rows, each its own
        self.inertia_ = float(weights @ distances.min(axis=1) ** power)

    def _to_chosen(self, table: Any, rows: NDArray[np.intp]) -> Floats:
        if isinstance(self.metric, str) and self.metric == "precomputed":
            return np.asarray(table, dtype=np.float64)[:, rows]
        distances = pairwise_distances(table, table[rows], metric=self.metric)
        check_computed(distances, self.metric)
        return distances

    def _to_centers(self, X: TableLike) -> Floats:
        table = self._check_rows(X)
        if self.cluster_centers_ is None:
            return np.asarray(table, dtype=np.float64)[:, self.medoid_indices_]
        return pairwise_distances(table, self.cluster_centers_, metric=self.metric)

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.int32]:
        """The cluster of every row: that of the nearest chosen row."""
        return np.argmin(self._to_centers(X), axis=1).astype(np.int32)

    @predict_method
    def transform(self, X: TableLike) -> Floats:
        """The distance of every row to every chosen row.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        return self._to_centers(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)
