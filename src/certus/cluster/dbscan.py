"""Clusters as dense regions. Ester, Kriegel, Sander, Xu (1996)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from certus.base import fit_method, predict_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_X
from certus.base.params import Exactly, Interval, OneOf
from certus.cluster.fitting.searched_rows import SearchedRows
from certus.cluster.solvers.dense_regions import DenseRegions, graph_regions
from certus.geometry.search import check_method, has_kernel
from certus.guarantees import Report


@register(
    guarantees=(),
    cost="fit O(n log n) with a kd-tree, else O(n^2), memory O(n); predict O(log n) per row or O(n)",
)
class DBSCAN(SearchedRows):
    """DBSCAN: clusters are regions with many rows; what lies in no region is noise.

    A row is a core row if the rows at most ``eps`` away, itself included, weigh at least ``min_samples``. Core rows at
    most ``eps`` apart belong together, and so does every other row that is at most ``eps`` away from a core row.
    Neighborhoods are counted, never stored: core rows are connected along their minimum spanning tree.

    Parameters
    ----------
    eps : float, default=0.5
        Largest distance of neighbors.
    min_samples : int, default=5
        Rows, or weight, that a neighborhood needs.
    p : float, default=None
        Power of the Minkowski metric.
    border : {"first", "nearest"}, default="first"
        Which cluster a row joins that lies at the border of several: the first, as in scikit-learn, or that of its
        nearest core row, which does not depend on the order of the rows.

    Attributes
    ----------
    core_sample_indices_ : ndarray of shape (n_core_samples,)
        The core rows.
    components_ : ndarray of shape (n_core_samples, n_features)
        The same as rows.
    labels_ : ndarray of shape (n_samples,)
        The cluster of every row, -1 for noise.
    report_ : Report
        Empty: there is no objective that a certificate could be about.

    Examples
    --------
    >>> from certus.cluster import DBSCAN
    >>> model = DBSCAN(eps=3, min_samples=2).fit([[1.0, 2], [2, 2], [2, 3], [8, 7], [8, 8], [25, 80]])
    >>> print(model.labels_, model.predict([[1, 1], [50, 50]]))
    [ 0  0  0  1  1 -1] [ 0 -1]
    """

    _constraints: ClassVar[Any] = {
        **SearchedRows._search_constraints,
        "eps": [Interval(0, None, closed="neither")],
        "min_samples": [Interval(1, None, integer=True)],
        "p": [Exactly(None), Interval(0, None)],
        "border": [OneOf("first", "nearest")],
    }
    _state: ClassVar[tuple[str, ...]] = ("core_sample_indices_", "components_", "labels_")

    core_sample_indices_: NDArray[np.intp]
    components_: Any
    labels_: NDArray[np.intp]

    def __init__(
        self,
        eps: float = 0.5,
        *,
        min_samples: int = 5,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = None,
        n_jobs: int | None = None,
        border: str = "first",
    ) -> None:
        self._set_parameters(locals())

    def _restored(self) -> None:
        if hasattr(self, "labels_"):
            cores = self.core_sample_indices_
            inside = (cores >= 0) & (cores < len(self.labels_))
            if cores.ndim != 1 or not inside.all() or self.components_.shape[0] != len(cores):
                raise ValueError("core_sample_indices_ must be numbers of training rows, as many as components_.")

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> DBSCAN:
        """Find the regions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances, shape (n_samples, n_samples).
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: a row that weighs ``min_samples`` is a core row by itself; a negative weight keeps its
            neighbors from being one.
        """
        table = self._check_table(X, reset=True)
        check_method(self.metric, self.algorithm, self.metric_params, self.p)
        weights = None if sample_weight is None else _checked_weights(sample_weight, table.shape[0])
        if self._precomputed():
            cores, labels = graph_regions(table, self.eps, self.min_samples, weights, self.border)
        else:
            regions = DenseRegions(table, self._search_options(), self.n_jobs)
            cores, labels = regions.find(self.eps, self.min_samples, weights, self.border)
        self.core_sample_indices_, self.labels_ = cores, labels
        self.components_ = table[cores].copy() if len(cores) else np.empty((0, table.shape[1]))
        self.report_ = Report()
        return self

    def _search_options(self) -> dict[str, Any]:
        names = ("metric", "metric_params", "algorithm", "leaf_size", "p")
        return {name: getattr(self, name) for name in names}

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        compiled = has_kernel(self.metric) or self._precomputed()
        table = check_X(self, X, reset=reset, accept_sparse="csr", order="C", largest=1e150 if compiled else None)
        if self._precomputed() and reset and table.shape[0] != table.shape[1]:
            raise ValueError(f"X must be a square matrix of distances for metric='precomputed', got {table.shape}.")
        return table

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.intp]:
        """The cluster of the nearest core row, if it is at most ``eps`` away; else -1 for noise."""
        table = self._check_table(X)
        found = np.full(table.shape[0], -1, dtype=np.intp)
        if not len(self.core_sample_indices_):
            return found
        known = self.labels_[self.core_sample_indices_]
        if self._precomputed():
            matrix = np.asarray(table.toarray() if sparse.issparse(table) else table)[:, self.core_sample_indices_]
            distances, nearest = matrix.min(axis=1), matrix.argmin(axis=1)
        else:
            distances, nearest = DenseRegions(self.components_, self._search_options(), self.n_jobs).nearest(table)
        near = distances <= self.eps
        found[near] = known[nearest[near]]
        return found


def _checked_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """Weights as a vector; here they may be negative."""
    if np.isscalar(sample_weight):
        return np.full(rows, float(sample_weight))  # type: ignore[arg-type]
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
    if len(weights) != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return np.asarray(weights)


def dbscan(
    X: TableLike,
    eps: float = 0.5,
    *,
    min_samples: int = 5,
    metric: Any = "minkowski",
    metric_params: dict[str, Any] | None = None,
    algorithm: str = "auto",
    leaf_size: int = 30,
    p: float | None = 2,
    sample_weight: WeightsLike = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """`DBSCAN` as a function.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows, or distances.
    eps, min_samples, metric, metric_params, algorithm, leaf_size, p, n_jobs
        As the parameters of `DBSCAN`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.

    Returns
    -------
    core_samples : ndarray of shape (n_core_samples,)
    labels : ndarray of shape (n_samples,)
    """
    model = DBSCAN(
        eps=eps,
        min_samples=min_samples,
        metric=metric,
        metric_params=metric_params,
        algorithm=algorithm,
        leaf_size=leaf_size,
        p=p,
        n_jobs=n_jobs,
    ).fit(X, sample_weight=sample_weight)
    return model.core_sample_indices_, model.labels_
