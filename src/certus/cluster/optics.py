"""An order of rows that shows clusters of every density. Ankerst, Breunig, Kriegel, Sander (1999)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS
from sklearn.utils.validation import check_memory

from certus.base import fit_method, predict_method, register, warn_user
from certus.base.inputs import TableLike, TargetLike, check_X
from certus.base.params import Boolean, Exactly, Fraction, HasMethods, InstanceOf, Interval, OneOf
from certus.cluster.fitting.searched_rows import SearchedRows
from certus.cluster.optics_graphs import cluster_optics_dbscan, cluster_optics_xi, compute_optics_graph
from certus.cluster.solvers.reachability import nearest_by_reach, without_gaps
from certus.geometry.search import PrecomputedIndex, build_index, effective_metric, has_kernel
from certus.guarantees import Report

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@register(
    guarantees=(),
    cost="fit O(n^2), memory O(n); predict O(log n) per row with a kd-tree, else O(n)",
)
class OPTICS(SearchedRows):
    """OPTICS: rows in an order in which clusters are the valleys of a plot of reachabilities.

    The next row is the one that is nearest, max(core distance, distance), to those before it. Neighborhoods are never
    stored, so memory grows with the rows alone, for any ``max_eps``.

    Parameters
    ----------
    min_samples : int or float, default=5
        Rows in the neighborhood of a core row, itself counted; below 1 a share of all, at least 2.
    max_eps : float, default=float("inf")
        Largest distance of neighbors.
    p : float, default=2
        Power of the Minkowski metric.
    cluster_method : {"xi", "dbscan"}, default="xi"
        How clusters are read from the order: by steep steps, or as those of DBSCAN for ``eps``.
    eps : float, default=None
        Radius of "dbscan"; None stands for ``max_eps``.
    xi : float, default=0.05
        Least steepness of "xi", as a share.
    predecessor_correction : bool, default=True
        Whether clusters of "xi" end before rows that were reached from outside.
    min_cluster_size : int or float, default=None
        Fewest rows of a cluster of "xi"; below 1 a share of all; None stands for ``min_samples``.
    memory : str or object with the joblib.Memory interface, default=None
        Where the order is cached.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every row, -1 for noise.
    reachability_ : ndarray of shape (n_samples,)
        At which distance each row was reached.
    ordering_ : ndarray of shape (n_samples,)
        The rows in the order of visits; ``reachability_[ordering_]`` is the plot.
    core_distances_ : ndarray of shape (n_samples,)
        The distance to the ``min_samples``-th row; infinite above ``max_eps``.
    predecessor_ : ndarray of shape (n_samples,)
        The row that each was reached from, -1 for none.
    cluster_hierarchy_ : ndarray of shape (n_clusters, 2)
        First and last place in the order of every cluster of "xi", smaller ones before those around them.
    rows_ : ndarray, sparse matrix or None
        The training rows; None if X holds distances.
    report_ : Report
        Empty: there is no objective that a certificate could be about.

    Examples
    --------
    >>> from certus.cluster import OPTICS
    >>> model = OPTICS(min_samples=2).fit([[1, 2], [2, 5], [3, 6], [8, 7], [8, 8], [7, 3]])
    >>> print(model.labels_, model.ordering_)
    [0 0 0 1 1 1] [0 1 2 5 3 4]
    """

    _constraints: ClassVar[Any] = {
        **SearchedRows._search_constraints,
        "min_samples": [Interval(2, None, integer=True), Fraction(0, 1)],
        "max_eps": [Interval(0, None)],
        "p": [Interval(1, None)],
        "cluster_method": [OneOf("dbscan", "xi")],
        "eps": [Exactly(None), Interval(0, None)],
        "xi": [Interval(0, 1)],
        "predecessor_correction": [Boolean()],
        "min_cluster_size": [Exactly(None), Interval(2, None, integer=True), Fraction(0, 1, closed="right")],
        "memory": [Exactly(None), InstanceOf(str), HasMethods("cache")],
    }
    _state: ClassVar[tuple[str, ...]] = (
        *("labels_", "reachability_", "ordering_", "core_distances_", "predecessor_", "cluster_hierarchy_", "rows_"),
    )

    labels_: Rows
    reachability_: Floats
    ordering_: Rows
    core_distances_: Floats
    predecessor_: Rows
    cluster_hierarchy_: NDArray[np.intp]
    rows_: Any

    def __init__(
        self,
        *,
        min_samples: float = 5,
        max_eps: float = np.inf,
        metric: Any = "minkowski",
        p: float = 2,
        metric_params: dict[str, Any] | None = None,
        cluster_method: str = "xi",
        eps: float | None = None,
        xi: float = 0.05,
        predecessor_correction: bool = True,
        min_cluster_size: float | None = None,
        algorithm: str = "auto",
        leaf_size: int = 30,
        memory: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _restored(self) -> None:
        if hasattr(self, "labels_"):
            count = len(self.labels_)
            sizes = {len(self.reachability_), len(self.core_distances_), len(self.predecessor_), len(self.ordering_)}
            if sizes != {count} or not np.array_equal(np.sort(self.ordering_), np.arange(count)):
                raise ValueError("ordering_ must be an order of the training rows.")
            self._check_kept(self.rows_, self.core_distances_, count)

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> OPTICS:
        """Find the order and its clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances, shape (n_samples, n_samples).
        """
        if self._is_of_booleans() and np.asarray(X).dtype != bool:
            warn_user(
                f"Data will be converted to boolean for metric {self.metric}, to avoid this warning, you may convert "
                "the data prior to calling fit.",
                DataConversionWarning,
            )
        table = self._check_table(X, reset=True)
        graph = check_memory(self.memory).cache(compute_optics_graph)(
            X=table,
            min_samples=self.min_samples,
            max_eps=self.max_eps,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            n_jobs=self.n_jobs,
        )
        self.ordering_, self.core_distances_, self.reachability_, self.predecessor_ = graph
        self.labels_ = self._by_steps() if self.cluster_method == "xi" else self._by_radius()
        self.rows_ = None if self._precomputed() else table
        self.report_ = Report()
        return self

    def _is_of_booleans(self) -> bool:
        return isinstance(self.metric, str) and self.metric in PAIRWISE_BOOLEAN_FUNCTIONS

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        compiled = has_kernel(self.metric) or self._precomputed()
        table = check_X(self, X, reset=reset, accept_sparse="csr", order="C", largest=1e150 if compiled else None)
        if self._is_of_booleans():
            table = (table != 0).astype(np.float64)
        return sparse.csr_array(table) if sparse.issparse(table) else table

    def _by_steps(self) -> Rows:
        labels, self.cluster_hierarchy_ = cluster_optics_xi(
            reachability=self.reachability_,
            predecessor=self.predecessor_,
            ordering=self.ordering_,
            min_samples=self.min_samples,
            min_cluster_size=self.min_cluster_size,
            xi=self.xi,
            predecessor_correction=self.predecessor_correction,
        )
        return labels

    def _by_radius(self) -> Rows:
        eps = self._radius()
        if eps > self.max_eps:
            raise ValueError(f"Specify an epsilon smaller than {self.max_eps}. Got {eps}.")
        return cluster_optics_dbscan(
            reachability=self.reachability_, core_distances=self.core_distances_, ordering=self.ordering_, eps=eps
        )

    def _radius(self) -> float:
        return self.max_eps if self.eps is None else self.eps

    @predict_method
    def predict(self, X: TableLike) -> Rows:
        """The cluster of the training row that reaches each row first.

        That is the one with the least max(core distance, distance). The row belongs to its cluster if that is no more
        than ``eps``, or than the largest reachability within a cluster of "xi"; else it is noise.
        """
        table = self._check_table(X)
        if self._precomputed():
            index: Any = PrecomputedIndex()
            table = without_gaps(table)
        else:
            metric, params = effective_metric(self.metric, self.metric_params, self.p)
            options: dict[str, Any] = {"algorithm": self.algorithm, "leaf_size": self.leaf_size, "n_jobs": self.n_jobs}
            index = build_index(self.rows_, metric, params, **options)
        rows, heights = nearest_by_reach(index, table, self.core_distances_, 0, 1.0, self.n_jobs, self.max_eps)
        near = (heights <= self.max_eps) & np.isfinite(heights)
        return np.where(near & (heights <= self._limits()[rows]), self.labels_[rows], -1)

    def _limits(self) -> Floats:
        """How far from each training row others belong to its cluster."""
        if self.cluster_method == "dbscan":
            return np.full(len(self.labels_), self._radius())
        labels = self.labels_[self.ordering_]
        later = np.flatnonzero((labels[1:] == labels[:-1]) & (labels[1:] >= 0)) + 1  # clusters are runs of the order
        largest = np.zeros(max(1, int(labels.max()) + 1))
        np.maximum.at(largest, labels[later], self.reachability_[self.ordering_[later]])
        return largest[self.labels_]
