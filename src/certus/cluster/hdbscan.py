"""Clusters of any density. Campello, Moulavi, Sander (2013); McInnes, Healy (2017)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags

from certus.base import fit_method, predict_method, register, warn_user
from certus.base.inputs import FLOATS, TableLike, TargetLike, check_X, refuse_large
from certus.base.params import Boolean, Exactly, Interval, OneOf
from certus.cluster.fitting.searched_rows import SearchedRows
from certus.cluster.solvers.cluster_tree import ClusterTree, Selection
from certus.cluster.solvers.dense_regions import components
from certus.cluster.solvers.reachability import (
    ReachabilityTree,
    nearest_by_reach,
    tree_of_distances,
    tree_of_graph,
    tree_of_rows,
    without_gaps,
)
from certus.geometry import distance_blocks
from certus.geometry.search import (
    BALL_TREE_METRICS,
    KD_TREE_METRICS,
    PrecomputedIndex,
    build_index,
    check_method,
    effective_metric,
    has_kernel,
)
from certus.guarantees import Report

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
INFINITE, MISSING = -2, -3  # labels of rows without a place


@register(
    guarantees=(),
    cost="fit O(n log n) with a kd-tree, else O(n^2), memory O(n); predict O(log n) per row or O(n)",
)
class HDBSCAN(SearchedRows):
    """HDBSCAN: DBSCAN for all radii at once, of which the most stable clusters are kept.

    Two rows are as far apart as max(c_i, c_j, d_ij), where the core distance c of a row is the distance to its
    ``min_samples``-th nearest row, itself counted. Cutting the minimum spanning tree of these lengths, the longest
    edges first, makes clusters come apart; groups of fewer than ``min_cluster_size`` rows are rows that leave. All
    edges of one length are cut together, so that the clusters do not depend on the order of the rows. They are
    numbered by their first rows.

    Parameters
    ----------
    min_cluster_size : int, default=5
        Fewest rows of a cluster.
    min_samples : int, default=None
        Which neighbor, the row itself counted, gives the core distance; None stands for ``min_cluster_size``.
    cluster_selection_epsilon : float, default=0.0
        Clusters that came apart below this height are merged again.
    max_cluster_size : int, default=None
        Most rows of a cluster; only for "eom".
    metric : str or callable, default="euclidean"
        The distance; "precomputed" if X holds distances: a symmetric matrix, in which infinite ones are missing, or a
        sparse graph, where ``metric_params={"max_distance": ...}`` may say how far rows without enough distances are.
    alpha : float, default=1.0
        Distances are divided by it, core distances are not (robust single linkage).
    cluster_selection_method : {"eom", "leaf"}, default="eom"
        Which clusters are kept: those with the largest sum of stabilities (excess of mass), or those that come apart
        no further.
    allow_single_cluster : bool, default=False
        Whether all rows may be one cluster.
    store_centers : {"centroid", "medoid", "both"}, default=None
        Which centers to compute.
    copy : bool, default=True
        Has no effect: X is never changed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every row; -1 for noise, -2 for rows with an infinite and -3 for rows with a missing cell.
    probabilities_ : ndarray of shape (n_samples,)
        How firmly rows belong to their cluster: the density at which they leave it, as a share of its largest.
    centroids_ : ndarray of shape (n_clusters, n_features)
        Means of the clusters, weighted by ``probabilities_``.
    medoids_ : ndarray of shape (n_clusters, n_features)
        Rows with the least sum of distances to the rows of their cluster, weighted in the same way.
    tree_edges_ : ndarray of shape (n_rows - 1, 2)
        The spanning tree of the finite rows.
    tree_lengths_ : ndarray of shape (n_rows - 1,)
        Its lengths, ascending.
    core_distances_ : ndarray of shape (n_rows,)
        The core distances of the finite rows.
    row_numbers_ : ndarray of shape (n_rows,)
        Which rows are finite.
    rows_ : ndarray, sparse matrix or None
        The finite rows; None if X holds distances.
    report_ : Report
        Empty: there is no objective that a certificate could be about.

    Examples
    --------
    >>> from certus.cluster import HDBSCAN
    >>> X = [[1.0], [1.1], [1.2], [5.0], [5.1], [5.2], [5.3], [20.0]]
    >>> model = HDBSCAN(min_cluster_size=3, min_samples=2).fit(X)
    >>> print(model.labels_, model.predict([[5.15], [9.0]]), model.labels_for(4))
    [ 0  0  0  1  1  1  1 -1] [ 1 -1] [-1 -1 -1 -1 -1 -1 -1 -1]
    """

    _constraints: ClassVar[Any] = {
        **SearchedRows._search_constraints,
        "min_cluster_size": [Interval(2, None, integer=True)],
        "min_samples": [Exactly(None), Interval(1, None, integer=True)],
        "cluster_selection_epsilon": [Interval(0, None)],
        "max_cluster_size": [Exactly(None), Interval(1, None, integer=True)],
        "alpha": [Interval(0, None, closed="neither")],
        "cluster_selection_method": [OneOf("eom", "leaf")],
        "allow_single_cluster": [Boolean()],
        "store_centers": [Exactly(None), OneOf("centroid", "medoid", "both")],
        "copy": [Boolean(), OneOf("warn")],
    }
    _state: ClassVar[tuple[str, ...]] = (
        *("labels_", "probabilities_", "centroids_", "medoids_", "tree_edges_", "tree_lengths_", "core_distances_"),
        *("row_numbers_", "rows_"),
    )

    labels_: Rows
    probabilities_: Floats
    centroids_: Floats
    medoids_: Floats
    tree_edges_: Rows
    tree_lengths_: Floats
    core_distances_: Floats
    row_numbers_: Rows
    rows_: Any

    def __init__(
        self,
        min_cluster_size: int = 5,
        min_samples: int | None = None,
        cluster_selection_epsilon: float = 0.0,
        max_cluster_size: int | None = None,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        algorithm: str = "auto",
        leaf_size: int = 40,
        n_jobs: int | None = None,
        cluster_selection_method: str = "eom",
        allow_single_cluster: bool = False,
        store_centers: str | None = None,
        copy: bool | str = True,
    ) -> None:
        self._set_parameters(locals())

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not self._precomputed()
        return tags

    def _restored(self) -> None:
        if hasattr(self, "labels_"):
            count = len(self.row_numbers_)
            inside = (self.row_numbers_ >= 0) & (self.row_numbers_ < len(self.labels_))
            ends = (self.tree_edges_ >= 0) & (self.tree_edges_ < count)
            sizes = self.tree_edges_.shape == (count - 1, 2) and len(self.core_distances_) == count
            if not (sizes and inside.all() and ends.all() and len(self.tree_lengths_) == count - 1):
                raise ValueError("tree_edges_ must be a tree of the rows in row_numbers_.")
            self._check_kept(self.rows_, self.core_distances_, count)
            if self._neighbors() > count:
                raise ValueError("min_samples must be at most the number of rows.")

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> HDBSCAN:
        """Find the clusters.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, some of which may have missing or infinite cells; with ``metric="precomputed"`` their distances,
            shape (n_samples, n_samples).
        """
        self._check_choices()
        table, problems = self._check_table(X, reset=True)
        finite = np.flatnonzero(problems == 0).astype(np.intp)
        if len(finite) == 1:
            raise ValueError("n_samples=1 while HDBSCAN requires more than one sample")
        if self._neighbors() > len(finite):
            raise ValueError(
                f"min_samples ({self._neighbors()}) must be at most the number of samples in X ({len(finite)})"
            )
        rows = table if len(finite) == table.shape[0] else table[finite]
        tree = self._given_tree(rows) if self._precomputed() else self._tree(rows)
        if np.isinf(tree.lengths).any():
            warn_user(
                "The minimum spanning tree contains edge weights with value infinity. Potentially, you are missing too "
                "many distances in the initial distance matrix for the given neighborhood size.",
                UserWarning,
            )
        self.core_distances_, self.tree_edges_, self.tree_lengths_ = tree
        self.row_numbers_, self.rows_ = finite, None if self._precomputed() else rows
        clusters = self._clusters(self.min_cluster_size)
        self.labels_ = self._among_all(clusters.labels, problems)
        self.probabilities_ = np.where(problems == MISSING, np.nan, 0.0)
        self.probabilities_[finite] = clusters.strengths()
        self._set_centers()
        self.report_ = Report()
        return self

    def _neighbors(self) -> int:
        return self.min_cluster_size if self.min_samples is None else self.min_samples

    def _check_choices(self) -> None:
        if self._precomputed() and self.store_centers is not None:
            raise ValueError("Cannot store centers when using a precomputed distance matrix.")
        for algorithm, tree, known in (
            ("kd_tree", "KDTree", KD_TREE_METRICS),
            ("ball_tree", "BallTree", BALL_TREE_METRICS),
        ):
            if self.algorithm == algorithm and self.metric not in known:
                raise ValueError(
                    f"{self.metric} is not a valid metric for a {tree}-based algorithm. Please select a different "
                    "metric.\nHint: algorithm='auto' chooses one that allows it."
                )
        check_method(self.metric, "auto", self.metric_params, None)

    def _check_table(self, X: TableLike, *, reset: bool = False) -> tuple[Any, Rows]:
        """The table, and for every row 0, INFINITE or MISSING."""
        table = check_X(self, X, reset=reset, accept_sparse="csr", order="C", dtype=FLOATS, check_finite=False)
        if self._precomputed():
            return self._checked_distances(table, reset=reset), np.zeros(table.shape[0], dtype=np.intp)
        if sparse.issparse(table) and self.algorithm not in ("auto", "brute"):
            raise ValueError("Sparse data matrices only support algorithm `brute`.")
        problems = np.zeros(table.shape[0], dtype=np.intp)
        problems[_rows_with(table, np.isinf)] = INFINITE
        problems[_rows_with(table, np.isnan)] = MISSING
        if has_kernel(self.metric) and table.dtype == np.float64:
            refuse_large(self, table[problems == 0], 1e150)
        return table, problems

    def _checked_distances(self, table: Any, *, reset: bool) -> Any:
        stored = table.data if sparse.issparse(table) else table
        if np.isnan(stored).any():
            raise ValueError("np.nan values found in precomputed-dense")
        if reset and table.shape[0] != table.shape[1]:
            raise ValueError(
                f"The precomputed distance matrix is expected to be symmetric, however it has shape {table.shape}. "
                "Please verify that the distance matrix was constructed correctly."
            )
        if reset and not _is_symmetric(table):
            raise ValueError(
                "The precomputed distance matrix is expected to be symmetric, however its values appear to be "
                "asymmetric. Please verify that the distance matrix was constructed correctly."
            )
        if (stored < 0).any():
            raise ValueError("X must hold no negative distance for metric='precomputed'.")
        return sparse.csr_array(table).astype(np.float64) if sparse.issparse(table) else table.astype(np.float64)

    def _given_tree(self, distances: Any) -> ReachabilityTree:
        if sparse.issparse(distances):
            largest = float((self.metric_params or {}).get("max_distance", 0.0))
            return tree_of_graph(distances, self._neighbors(), self.alpha, largest)
        return tree_of_distances(distances, self._neighbors(), self.alpha)

    def _tree(self, rows: Any) -> ReachabilityTree:
        metric, params = effective_metric(self.metric, self.metric_params, None)
        index = self._index(rows, self._neighbors())
        return tree_of_rows(rows, index, self._neighbors(), self.alpha, metric, params, self.n_jobs)

    def _index(self, rows: Any, k: int) -> Any:
        metric, params = effective_metric(self.metric, self.metric_params, None)
        table = sparse.csr_array(rows) if sparse.issparse(rows) else rows
        return build_index(
            table,
            metric,
            params,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            n_neighbors=k,
            n_jobs=self.n_jobs,
        )

    def _clusters(self, least: int) -> ClusterTree:
        selection = Selection(
            self.cluster_selection_method,
            self.allow_single_cluster,
            self.cluster_selection_epsilon,
            self.max_cluster_size,
        )
        return ClusterTree(self.tree_edges_, self.tree_lengths_, least, selection)

    def _among_all(self, labels: Rows, problems: Rows) -> Rows:
        """Labels of the finite rows among all."""
        found = problems.copy()
        found[self.row_numbers_] = labels
        return found

    def _set_centers(self) -> None:
        labels, strengths = self.labels_[self.row_numbers_], self.probabilities_[self.row_numbers_]
        members = [np.flatnonzero(labels == cluster) for cluster in range(int(labels.max()) + 1)]
        columns = self.n_features_in_
        if self.store_centers in ("centroid", "both"):
            means = [np.average(_dense(self.rows_[some]), axis=0, weights=strengths[some]) for some in members]
            self.centroids_ = np.reshape(means, (len(members), columns))
        if self.store_centers in ("medoid", "both"):
            chosen = [some[self._medoid(self.rows_[some], strengths[some])] for some in members]
            self.medoids_ = np.reshape([_dense(self.rows_[[row]])[0] for row in chosen], (len(members), columns))

    def _medoid(self, rows: Any, strengths: Floats) -> int:
        blocks = distance_blocks(rows, metric=self.metric, metric_params=self.metric_params, n_jobs=self.n_jobs)
        return int(np.argmin(np.concatenate([distances @ strengths for _, distances in blocks])))

    @predict_method
    def labels_for(self, min_cluster_size: int) -> Rows:
        """The labels for another least size of clusters, from the tree that is there.

        They are those of a new fit with the same ``min_samples``.

        Parameters
        ----------
        min_cluster_size : int
            Fewest rows of a cluster, at least 2.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        least = _checked_size(min_cluster_size, 2)
        return self._among_all(self._clusters(least).labels, np.minimum(self.labels_, 0))

    @predict_method
    def dbscan_clustering(self, cut_distance: float, min_cluster_size: int = 5) -> Rows:
        """The clusters of DBSCAN with the radius ``cut_distance``, without rows at their border.

        Parameters
        ----------
        cut_distance : float
            Edges of the tree below this length connect rows.
        min_cluster_size : int, default=5
            Fewest rows of a cluster; smaller ones are noise.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        least = _checked_size(min_cluster_size, 1)
        short = self.tree_edges_[self.tree_lengths_ < cut_distance]
        found = components(len(self.row_numbers_), short[:, 0], short[:, 1])
        large = np.bincount(found) >= least
        numbers = np.where(large, np.cumsum(large) - 1, -1)
        return self._among_all(numbers[found], np.minimum(self.labels_, 0))

    @predict_method
    def predict(self, X: TableLike) -> Rows:
        """The cluster that each row would join in the tree: that of the row which it reaches first, at that height.

        A training row has its own label.
        """
        table, problems = self._check_table(X)
        finite = np.flatnonzero(problems == 0)
        if not len(finite):
            return problems
        if self._precomputed():
            index, queries = PrecomputedIndex(), without_gaps(table)[:, self.row_numbers_]
        else:
            index, queries = self._index(self.rows_, self._neighbors()), table[finite]
        rows, heights = nearest_by_reach(
            index, queries, self.core_distances_, self._neighbors(), self.alpha, self.n_jobs
        )
        problems[finite] = self._clusters(self.min_cluster_size).labels_of(rows, heights)
        return problems


def _rows_with(table: Any, test: Any) -> NDArray[np.bool_]:
    """Which rows have a cell with this property."""
    if not sparse.issparse(table):
        return np.asarray(test(table).any(axis=1))
    owner = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    return np.bincount(owner[test(table.data)], minlength=table.shape[0]) > 0


def _is_symmetric(table: Any) -> bool:
    if sparse.issparse(table):
        difference = abs(sparse.csr_array(table - table.T))
        return bool((difference.data <= 1e-7 * abs(table).max()).all())
    return bool(np.allclose(table, table.T, rtol=1e-7, atol=1e-9))


def _dense(rows: Any) -> NDArray[Any]:
    return rows.toarray() if sparse.issparse(rows) else rows


def _checked_size(size: Any, least: int) -> int:
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < least:
        raise ValueError(f"min_cluster_size must be an integer >= {least}, got {size!r}.")
    return int(size)
