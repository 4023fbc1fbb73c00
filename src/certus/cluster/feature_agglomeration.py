"""Columns that merge bottom-up into fewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from certus.base import Transformer, fit_method, predict_method, register
from certus.base.inputs import TableLike, TargetLike, check_X
from certus.base.params import Function, OneOf
from certus.cluster.fitting.merged_clusters import MergedClusters
from certus.guarantees import Report

POOLINGS: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median, "min": np.min, "max": np.max}


@register(
    family="cluster",
    guarantees=(),
    cost="fit O(p^2 n) time for p columns; transform O(n p)",
)
class FeatureAgglomeration(ClassNamePrefixFeaturesOutMixin, MergedClusters, Transformer):
    """Columns merge as rows do in `AgglomerativeClustering`; each cluster becomes one column.

    Parameters
    ----------
    pooling_func : {"mean", "median", "min", "max"} or callable, default="mean"
        Makes one column of several; a function is called with them and ``axis=1``, as numpy.mean can be.

    Attributes
    ----------
    labels_ : ndarray of shape (n_features,)
        The cluster of every column.
    report_ : Report
        Empty: merging follows no objective that a certificate could be about.

    Examples
    --------
    >>> from certus.cluster import FeatureAgglomeration
    >>> model = FeatureAgglomeration(2).fit([[0.0, 1, 8], [1, 2, 0], [3, 3, 5]])
    >>> print(model.labels_, model.transform([[2.0, 4, 7]]))
    [0 0 1] [[3. 7.]]
    """

    _constraints: ClassVar[Any] = {**MergedClusters._tree_constraints, "pooling_func": [OneOf(*POOLINGS), Function()]}
    _state: ClassVar[tuple[str, ...]] = MergedClusters._tree_state

    pooling_func: str | Callable[..., Any]

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: Any = "euclidean",
        memory: Any = None,
        connectivity: Any = None,
        compute_full_tree: Any = "auto",
        linkage: str | Callable[[Any, Any], float] = "ward",
        pooling_func: str | Callable[..., Any] = "mean",
        distance_threshold: float | None = None,
        compute_distances: bool = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> FeatureAgglomeration:
        """Build the tree of the columns and cut it."""
        table = check_X(self, X, reset=True, largest=1e100)
        if table.shape[1] < 2:
            raise ValueError(
                f"Found array with 1 feature(s) (shape={table.shape}) while a minimum of 2 is required by "
                f"{type(self).__name__}."
            )
        self.labels_ = self._merge(table.T, np.ones(table.shape[1]))
        self.report_ = Report()
        return self

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """One column per cluster.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        table = check_X(self, X, largest=1e100)
        groups = [table[:, self.labels_ == cluster] for cluster in range(self.n_clusters_)]
        pool = POOLINGS[self.pooling_func] if isinstance(self.pooling_func, str) else self.pooling_func
        return np.column_stack([pool(group, axis=1) for group in groups])

    def inverse_transform(self, X: TableLike) -> NDArray[Any]:
        """Give every column the value of its cluster.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return np.asarray(np.asarray(X)[..., self.labels_])

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_
