"""Clusters that merge bottom-up. Ward (1963), Lance and Williams (1967)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from certus.base import Clusterer, fit_method, predict_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.persistence import check_shapes
from certus.cluster.fitting.merged_clusters import MergedClusters, is_table_function
from certus.geometry.search import build_index, effective_metric
from certus.guarantees import Report


@register(
    guarantees=(),
    cost="fit O(n^2 p) time; memory O(n p) for ward, centroid, median and single, else n^2 / 2 distances",
)
class AgglomerativeClustering(MergedClusters, Clusterer):
    """Agglomerative clustering: the two nearest clusters merge, again and again; the tree of merges is then cut.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every row.
    rows_ : ndarray or None
        The rows that were merged, those of positive weight; None if X holds distances.
    report_ : Report
        Empty: merging follows no objective that a certificate could be about.

    Examples
    --------
    >>> from certus.cluster import AgglomerativeClustering
    >>> model = AgglomerativeClustering().fit([[1.0, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]])
    >>> print(model.labels_, model.predict([[0, 1], [5, 5]]))
    [1 1 1 0 0 0] [1 0]
    """

    _keeps_training_rows = True
    _constraints: ClassVar[Any] = MergedClusters._tree_constraints
    _state: ClassVar[tuple[str, ...]] = (*MergedClusters._tree_state, "rows_", "row_numbers_")

    rows_: NDArray[Any] | None
    row_numbers_: NDArray[np.intp]

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Any = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: Any = "auto",
        linkage: str | Callable[[Any, Any], float] = "ward",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        return tags

    def _restored(self) -> None:
        super()._restored()
        if not hasattr(self, "labels_"):
            return
        check_shapes(self, row_numbers_=(None,))
        rows = len(self.row_numbers_)
        if self._precomputed() != (self.rows_ is None) or (
            self._precomputed() and self.n_features_in_ != len(self.labels_)
        ):
            raise ValueError("rows_ are kept unless X holds distances.")
        if self.rows_ is not None:
            check_shapes(self, rows_=(rows, self.n_features_in_))
        if (
            not rows
            or self.row_numbers_.dtype.kind != "i"
            or not ((self.row_numbers_ >= 0) & (self.row_numbers_ < len(self.labels_))).all()
        ):
            raise ValueError("row_numbers_ must be numbers of training rows.")

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> AgglomerativeClustering:
        """Build the tree and cut it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances, shape (n_samples, n_samples).
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: a row of weight 2 counts as two equal rows. A row of weight 0 is no leaf of the tree
            and belongs to the cluster of the nearest row that is.
        """
        table = check_X(self, X, reset=True, order="C", largest=1e100)
        weights = check_weights(self, sample_weight, table)
        if weights is not None and callable(self.linkage):
            raise ValueError("sample_weight has no meaning for a function as linkage, which sees rows alone.")
        if self._precomputed() and table.shape[0] != table.shape[1]:
            raise ValueError(f"Distance matrix should be square, got matrix of shape {table.shape}.")
        sizes = np.ones(len(table)) if weights is None else np.asarray(weights, dtype=np.float64)
        kept = np.flatnonzero(sizes > 0.0).astype(np.intp)
        if len(kept) < len(table) and self.connectivity is not None:
            raise ValueError("sample_weight must be positive where there is a connectivity, got 0.")
        merged = table[np.ix_(kept, kept)] if self._precomputed() else table[kept]
        labels = self._merge(merged, np.ascontiguousarray(sizes[kept]))
        self.row_numbers_, self.rows_ = kept, None if self._precomputed() else merged
        self.labels_ = labels
        if len(kept) < len(table):
            self.labels_ = self._nearest_labels(table, labels)
            self.labels_[kept] = labels
        self.report_ = Report()
        return self

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.intp]:
        """The cluster of the nearest training row."""
        return self._nearest_labels(check_X(self, X, order="C", largest=1e100), self.labels_[self.row_numbers_])

    def _nearest_labels(self, table: NDArray[Any], labels: NDArray[np.intp]) -> NDArray[np.intp]:
        """The label of the nearest merged row, of equally near ones the first."""
        if self.rows_ is None:
            return np.asarray(labels[table[:, self.row_numbers_].argmin(axis=1)])
        if is_table_function(self.metric):
            return np.asarray(labels[np.asarray(self.metric(table, self.rows_)).argmin(axis=1)])
        metric, params = effective_metric(self.metric, None, None)
        index = build_index(self.rows_, metric, params, algorithm="auto", leaf_size=30, n_jobs=None)
        return np.asarray(labels[index.query(table, 1, None)[1][:, 0]])
