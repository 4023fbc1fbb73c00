"""Clusters that divide top-down. Macnaughton-Smith et al. (1964), Kaufman and Rousseeuw (1990)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from certus.base import Clusterer, fit_method, predict_method, register
from certus.base.inputs import TableLike, TargetLike, check_X
from certus.base.params import Function, InstanceOf, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.cluster.solvers.given_distances import check_distances
from certus.geometry import pairwise_distances
from certus.guarantees import Report

Floats = NDArray[np.float64]


@register(
    guarantees=(),
    cost="fit O(k n^2) time, up to O(n^3) where splits are even; n^2 distances",
)
class DivisiveClustering(Clusterer):
    """Divisive clustering: the cluster with the largest diameter is split, again and again.

    DIANA splits off the row with the largest mean distance to the others; then rows follow, first the one that is
    nearest to the split-off rows compared with the rest, as long as one is nearer to them on average.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters.
    metric : str or callable, default="euclidean"
        The distance, one of those of `certus.geometry.pairwise_distances`; "precomputed" if X holds distances.
    split : "diana" or callable, default="diana"
        How a cluster is split; a function gets its rows and returns which of them part from the others, as booleans.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every row: rows that part get the next number, the others keep theirs.
    diameters_ : ndarray of shape (n_clusters - 1,)
        The diameter of each cluster that was split, in this order.
    rows_ : ndarray or None
        The training rows; None if X holds distances.
    report_ : Report
        Empty: splitting follows no objective that a certificate could be about.

    Examples
    --------
    >>> from certus.cluster import DivisiveClustering
    >>> model = DivisiveClustering(3).fit([[0.0], [1], [10], [11], [30]])
    >>> print(model.labels_, model.predict([[25.0], [2.0]]))
    [2 2 0 0 1] [1 2]
    """

    _keeps_training_rows = True
    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "metric": [InstanceOf(str), Function()],
        "split": [OneOf("diana"), Function()],
    }
    _state: ClassVar[tuple[str, ...]] = ("labels_", "diameters_", "rows_")

    labels_: NDArray[np.intp]
    diameters_: Floats
    rows_: NDArray[Any] | None

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        metric: Any = "euclidean",
        split: str | Callable[[Any], Any] = "diana",
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        return tags

    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _restored(self) -> None:
        if hasattr(self, "labels_"):
            check_shapes(self, labels_=(None,), diameters_=(None,))
            if self.rows_ is not None:
                check_shapes(self, rows_=(len(self.labels_), self.n_features_in_))

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> DivisiveClustering:
        """Split until there are enough clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances, shape (n_samples, n_samples).
        """
        table = check_X(self, X, reset=True, order="C", largest=1e100)
        if len(table) < self.n_clusters:
            raise ValueError(
                f"n_samples={len(table)} should be >= n_clusters={self.n_clusters}.\n"
                "Hint: DivisiveClustering needs at least one row per cluster."
            )
        distances = self._distances(table)
        clusters = [np.arange(len(table))]
        diameters = [float(distances.max())]
        split_at = []
        while len(clusters) < self.n_clusters:
            # of equal diameters, as where all rows are equal, the largest cluster
            widest = max(range(len(clusters)), key=lambda i: (diameters[i], len(clusters[i])))
            split_at.append(diameters[widest])
            members = clusters[widest]
            apart = self._split(table, distances, members)
            clusters[widest] = members[~apart]
            clusters.append(members[apart])
            diameters[widest] = float(distances[np.ix_(clusters[widest], clusters[widest])].max())
            diameters.append(float(distances[np.ix_(clusters[-1], clusters[-1])].max()))
        self.labels_ = np.empty(len(table), dtype=np.intp)
        for label, members in enumerate(clusters):
            self.labels_[members] = label
        self.diameters_ = np.array(split_at)
        self.rows_ = None if self._precomputed() else table
        self.report_ = Report()
        return self

    def _distances(self, table: NDArray[Any]) -> Floats:
        if not self._precomputed():
            return pairwise_distances(table, metric=self.metric)
        if table.shape[0] != table.shape[1]:
            raise ValueError(f"X must be a square matrix of distances for metric='precomputed', got {table.shape}.")
        matrix = np.asarray(table, dtype=np.float64)
        check_distances(matrix)
        if callable(self.split):
            raise ValueError("A function as split needs rows, got metric='precomputed'.")
        return matrix

    def _split(self, table: NDArray[Any], distances: Floats, members: NDArray[np.intp]) -> NDArray[np.bool_]:
        if isinstance(self.split, str):
            return diana_split(distances[np.ix_(members, members)])
        apart = np.asarray(self.split(table[members]))
        if apart.shape != members.shape or apart.dtype != bool or apart.all() or not apart.any():
            raise ValueError(
                f"split must return {len(members)} booleans, some true and some false, got {apart.dtype} of shape "
                f"{apart.shape}."
            )
        return apart

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.intp]:
        """The cluster of the nearest training row."""
        table = check_X(self, X, order="C", largest=1e100)
        if self.rows_ is not None:
            table = pairwise_distances(table, self.rows_, metric=self.metric)
        return np.asarray(self.labels_[table.argmin(axis=1)])


def diana_split(distances: Floats) -> NDArray[np.bool_]:
    """Which of at least two rows part from the others, by their distances."""
    rows = len(distances)
    apart = np.zeros(rows, dtype=bool)
    to_rest = distances.sum(axis=1) - np.diagonal(distances)
    to_apart = np.zeros(rows)
    row = int(np.argmax(to_rest))
    for gone in range(1, rows):
        apart[row] = True
        to_rest -= distances[row]
        to_apart += distances[row]
        if gone == rows - 1:
            break
        # mean distance to the other rows of the rest, less that to the rows apart
        gain = np.where(apart, -np.inf, to_rest / (rows - gone - 1) - to_apart / gone)
        row = int(np.argmax(gain))
        if gain[row] <= 1e-12 * to_rest[row]:
            break
    return apart
