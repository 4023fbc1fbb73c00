"""What learners share that merge clusters bottom-up: their parameters, the tree and where it is cut."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_memory

from certus.base import Learner
from certus.base.params import ArrayLike, Boolean, Exactly, Function, HasMethods, InstanceOf, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.cluster.fitting.least_spread import refuse_vanishing_squares
from certus.cluster.solvers.connected_rows import connected_graph
from certus.cluster.solvers.given_distances import check_distances
from certus.cluster.solvers.merge_tree import CENTER_LINKAGES, LINKAGES, MergeTree, merge_tree

Floats = NDArray[np.float64]


class SparseTable:
    """A sparse matrix or array."""

    def allows(self, value: Any) -> bool:
        return hasattr(value, "tocoo")

    def __str__(self) -> str:
        return "a sparse matrix"


class MergedClusters(Learner):
    """Clusters from merging.

    Parameters
    ----------
    n_clusters : int or None, default=2
        Number of clusters at which the tree is cut; None if ``distance_threshold`` is given.
    metric : str or callable, default="euclidean"
        The distance, one of those of `certus.geometry.pairwise_distances`; "precomputed" if X holds distances; or a
        function of two rows, or of a whole table that returns all distances. Linkages "ward", "centroid" and "median"
        are Euclidean.
    memory : str or object with the joblib.Memory interface, default=None
        Where trees are cached.
    connectivity : array-like, sparse matrix or callable, default=None
        Which rows may merge: nonzero where two are connected; a function gets the rows. Of a linkage of distances, only
        those of connected rows count. Components are connected where they are nearest, with a warning.
    compute_full_tree : "auto" or bool, default="auto"
        Whether merging goes on after ``n_clusters`` are left. Matters only with a connectivity; "auto" stops early for
        at least 100 clusters and two percent of the rows.
    linkage : str or callable, default="ward"
        The distance of two clusters: "ward" (the rise of the sum of squares, as sqrt(2 rise)), "complete" (the largest
        distance of their rows), "average", "single" (the smallest), "centroid" (of their means), "median" (of their
        centers, each the middle of those of its parts), "weighted" (the mean of the distances of its parts); or a
        function f(rows_a, rows_b).
    distance_threshold : float, default=None
        Clusters this far apart or farther are not merged.
    compute_distances : bool, default=False
        Whether to set ``distances_``; they are set with a threshold, too, and always in ``linkage_matrix_``.

    Attributes
    ----------
    n_clusters_ : int
        Number of clusters.
    labels_ : ndarray
        The cluster of everything that was merged.
    n_leaves_ : int
        What was merged.
    n_connected_components_ : int
        Number of components of the connectivity, 1 without one.
    children_ : ndarray of shape (n_merges, 2)
        The two clusters that each merge joins: below ``n_leaves_`` single leaves, else ``n_leaves_`` + a merge.
    distances_ : ndarray of shape (n_merges,)
        Their distance.
    linkage_matrix_ : ndarray of shape (n_merges, 4)
        The tree in the form that scipy.cluster.hierarchy takes: children, distance, number of leaves.
    """

    _tree_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Exactly(None), Interval(1, None, integer=True)],
        "metric": [InstanceOf(str), Function()],
        "memory": [Exactly(None), InstanceOf(str), HasMethods("cache")],
        "connectivity": [Exactly(None), ArrayLike(), SparseTable(), Function()],
        "compute_full_tree": [OneOf("auto"), Boolean()],
        "linkage": [OneOf(*LINKAGES), Function()],
        "distance_threshold": [Exactly(None), Interval(0, None)],
        "compute_distances": [Boolean()],
    }
    _tree_state: ClassVar[tuple[str, ...]] = (
        *("n_clusters_", "labels_", "n_leaves_", "n_connected_components_", "children_", "linkage_matrix_"),
        "distances_",
    )

    n_clusters: int | None
    metric: Any
    memory: Any
    connectivity: Any
    compute_full_tree: Any
    linkage: str | Callable[[Any, Any], float]
    distance_threshold: float | None
    compute_distances: bool
    n_clusters_: int
    labels_: NDArray[np.intp]
    n_leaves_: int
    n_connected_components_: int
    children_: NDArray[np.intp]
    distances_: Floats
    linkage_matrix_: Floats

    def _restored(self) -> None:
        if hasattr(self, "labels_"):
            merges = len(self.children_)
            check_shapes(self, children_=(merges, 2), linkage_matrix_=(merges, 4), labels_=(None,))
            if not 1 <= self.n_clusters_ <= len(self.labels_):
                raise ValueError("n_clusters_ must be a number of clusters that there can be.")

    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _merge(self, table: NDArray[Any], weights: Floats) -> NDArray[np.intp]:
        """Merge rows, set the tree, and return the cluster of every row."""
        self._check_choices()
        rows = np.array(table, dtype=np.float64, order="C")
        if isinstance(self.linkage, str) and self.linkage in CENTER_LINKAGES:
            refuse_vanishing_squares(type(self).__name__, rows)
        if self.n_clusters is not None and self.n_clusters > len(rows):
            raise ValueError(
                f"n_samples={len(rows)} should be >= n_clusters={self.n_clusters}.\n"
                f"Hint: {type(self).__name__} cannot have more clusters than there are to merge."
            )
        tree = self._tree(rows, weights)
        self.children_, self.n_leaves_, self.linkage_matrix_ = tree.children, tree.rows, tree.matrix()
        if self.compute_distances or self.distance_threshold is not None:
            self.distances_ = tree.heights
        if self.distance_threshold is not None:
            # Where heights can fall, merging ends at the first that is too high: none at or above it is made.
            too_high = np.flatnonzero(tree.heights >= self.distance_threshold)
            self.n_clusters_ = tree.rows - int(too_high[0]) if len(too_high) else 1
        elif self.n_clusters is not None:
            self.n_clusters_ = self.n_clusters
        return tree.labels(self.n_clusters_)

    def _check_choices(self) -> None:
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError(
                "Exactly one of n_clusters and distance_threshold has to be set, and the other needs to be None."
            )
        if self.distance_threshold is not None and not self.compute_full_tree:
            raise ValueError("compute_full_tree must be True if distance_threshold is set.")
        name = self.linkage
        if isinstance(name, str) and name in CENTER_LINKAGES and self.metric not in ("euclidean", "l2"):
            raise ValueError(
                f"{self.metric} was provided as metric. {name.capitalize()} can only work with euclidean distances "
                "(i.e. 'euclidean' and 'l2')."
            )
        if callable(name) and self._precomputed():
            raise ValueError("A function as linkage needs rows, got metric='precomputed'.")

    def _tree(self, rows: Floats, weights: Floats) -> MergeTree:
        metric: Any = "precomputed" if is_table_function(self.metric) else self.metric
        table = np.array(self.metric(rows), dtype=np.float64) if is_table_function(self.metric) else rows
        table = checked_rows(table, metric)
        self.n_connected_components_, graph, left = 1, None, 1
        if self.connectivity is not None:
            given = self.connectivity(rows) if callable(self.connectivity) else self.connectivity
            given = check_array(given, accept_sparse=["csr", "coo", "lil"], input_name="connectivity")
            graph = connected_graph(table, given, metric)
            self.n_connected_components_ = graph.components
            left = self._clusters_left(len(rows))
        source = rows if callable(self.linkage) else table
        tree: MergeTree = check_memory(self.memory).cache(merge_tree)(
            source, self.linkage, metric, weights, graph, left
        )
        return tree

    def _clusters_left(self, rows: int) -> int:
        """At how many clusters merging stops."""
        if self.n_clusters is None or self.compute_full_tree is True:
            return 1
        full = self.compute_full_tree == "auto" and self.n_clusters < max(100, 0.02 * rows)
        return 1 if full else self.n_clusters


def is_table_function(metric: Any) -> bool:
    """Whether a metric is a function that is satisfied with one argument: the whole table."""
    if not callable(metric):
        return False
    try:
        inspect.signature(metric).bind(None)
    except (TypeError, ValueError):
        return False
    return True


def checked_rows(table: Floats, metric: Any) -> Floats:
    """Rows that have a distance, or a matrix that holds distances."""
    if isinstance(metric, str) and metric == "precomputed":
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise ValueError(f"Distance matrix should be square, got matrix of shape {table.shape}.")
        check_distances(table)
    if isinstance(metric, str) and metric == "cosine" and not table.any(axis=1).all():
        raise ValueError("Cosine affinity cannot be used when X contains zero vectors.")
    return table
