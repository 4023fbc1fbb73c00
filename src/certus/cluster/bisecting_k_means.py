"""k-means by repeated division in two (Steinbach, Karypis and Kumar 2000)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, predict_method, register, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import Boolean, Function, Interval, OneOf, RandomState, Verbosity
from certus.base.persistence import check_shapes
from certus.cluster.evidence.cost_certificate import spectral_certificate
from certus.cluster.fitting.nearest_center import NearestCenter
from certus.cluster.k_means import WIDEST_CERTIFIED
from certus.cluster.solvers.first_centers import METHODS, Starts
from certus.guarantees import Report

REPEATED = "its default first centers are rows drawn by weight: equal in distribution, not draw by draw"


@register(
    tasks=("clustering", "transformation"),
    guarantees=("lower bound on the cost of any clustering", "held-out bound on the capped distance"),
    cost="fit O(n p log k) per round, predict O(n p log k)",
    known_failures={
        "check_sample_weight_equivalence_on_dense_data": REPEATED,
        "check_sample_weight_equivalence_on_sparse_data": REPEATED,
    },
)
class BisectingKMeans(NearestCenter):
    """k-means by repeated division in two: the cluster of highest cost, or of most rows, is divided next.

    The divisions form a tree, along which `predict` finds the cluster of a row.

    Parameters
    ----------
    init : {"k-means++", "plain-k-means++", "k-means||", "random"} or callable, default="random"
        First centers of every division, as in `KMeans`.
    n_init : int, default=1
        Starts of every division, the best is kept.
    max_iter : int, default=300
        Most rounds of one start.
    tol : float, default=1e-4
        Rounds end when the squared moves of the centers sum to less than this.
    copy_x : bool, default=True
        Accepted for compatibility; the table is never changed.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Accepted for compatibility.
    bisecting_strategy : {"biggest_inertia", "largest_cluster"}, default="biggest_inertia"
        Which cluster is divided next: that of highest cost, or that of most rows.

    Attributes
    ----------
    node_centers_ : ndarray of shape (2 n_clusters - 1, n_features)
        The mean of every cluster that was made on the way; the first is that of all rows.
    node_children_ : ndarray of shape (2 n_clusters - 1, 2)
        The two clusters that each was divided into, or -1.
    node_labels_ : ndarray of shape (2 n_clusters - 1,)
        The label of a cluster that was not divided, else -1.
    report_ : Report
        The spectral lower bound on the cost of any clustering with as many centers.

    Examples
    --------
    >>> from certus.cluster import BisectingKMeans
    >>> model = BisectingKMeans(3, random_state=0).fit([[1.0, 1], [10, 1], [3, 1], [10, 0], [2, 1], [10, 2], [10, 8]])
    >>> len(set(model.predict([[0.0, 0], [12, 3], [10, 9]])))
    3
    """

    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "init": [OneOf(*METHODS), Function()],
        "n_init": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
        "max_iter": [Interval(1, None, integer=True)],
        "verbose": [Verbosity()],
        "tol": [Interval(0, None)],
        "copy_x": [Boolean()],
        "algorithm": [OneOf("lloyd", "elkan")],
        "bisecting_strategy": [OneOf("biggest_inertia", "largest_cluster")],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "cluster_centers_",
        "labels_",
        "inertia_",
        "node_centers_",
        "node_children_",
        "node_labels_",
    )

    node_centers_: NDArray[Any]
    node_children_: NDArray[np.int32]
    node_labels_: NDArray[np.int32]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str | Callable[..., TableLike] = "random",
        n_init: int = 1,
        random_state: RandomStateLike = None,
        max_iter: int = 300,
        verbose: int = 0,
        tol: float = 1e-4,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        bisecting_strategy: str = "biggest_inertia",
    ) -> None:
        self._set_parameters(locals())

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "node_centers_"):
            nodes = len(self.node_labels_)
            check_shapes(
                self, node_centers_=(nodes, self.n_features_in_), node_children_=(nodes, 2), node_labels_=(nodes,)
            )
            children = self.node_children_
            later = (children == -1) | ((children > np.arange(nodes)[:, None]) & (children < nodes))
            if not later.all():
                raise ValueError("node_children_ must name later clusters, or -1.")
            ends, labels = (children == -1).all(axis=1), self.node_labels_
            named = (labels >= 0) & (labels < len(self.cluster_centers_))
            # A way down the tree ends only where a label is.
            if not (np.where(ends, named, labels == -1) & (ends | (children >= 0).all(axis=1))).all():
                raise ValueError("node_labels_ must name a cluster where node_children_ are -1, and be -1 elsewhere.")

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> BisectingKMeans:
        """Divide the rows."""
        table = self._check_table(X, reset=True)
        given = check_weights(self, sample_weight, table)
        kept, weights = self._of_positive_weight(table, given)
        self._divide(kept, weights, resolve_seed(self.random_state))
        self.labels_ = self._along_the_tree(table)
        squared = _squared_to(table, self.cluster_centers_.astype(np.float64)[self.labels_])
        self.inertia_ = float(squared.sum() if given is None else given @ squared)
        self.report_ = Report()
        if min(kept.shape) <= WIDEST_CERTIFIED:
            centers = self.cluster_centers_.astype(np.float64)
            rows = self._rows(kept, weights)
            cost = rows.cost(centers)  # of the nearest centers; the tree may cost a little more
            self.report_ = Report([spectral_certificate(cost, centers, *rows.scatter())])
        return self

    def _divide(self, X: Any, weights: NDArray[np.float64], seed: int) -> None:
        """Set the tree and the centers."""
        centers, children = [self._rows(X, weights).mean], [(-1, -1)]
        members, scores = {0: np.arange(X.shape[0])}, {0: np.inf}
        while len(members) < self.n_clusters:
            node = max(members, key=lambda each: (scores[each], -each))
            inside = members.pop(node)
            labels, found, costs = self._in_two(X[inside], weights[inside], seed + len(centers))
            children[node] = (len(centers), len(centers) + 1)
            for side in (0, 1):
                place, mine = len(centers), inside[labels == side]
                members[place] = mine
                scores[place] = costs[side] if self.bisecting_strategy == "biggest_inertia" else float(len(mine))
                centers.append(found[side])
                children.append((-1, -1))
        self.node_centers_ = np.array(centers).astype(X.dtype)
        self.node_children_ = np.array(children, dtype=np.int32)
        self.node_labels_ = np.full(len(centers), -1, dtype=np.int32)
        leaves = _leaves(self.node_children_)
        self.node_labels_[leaves] = np.arange(len(leaves), dtype=np.int32)
        self.cluster_centers_ = self.node_centers_[leaves]

    def _in_two(
        self, X: Any, weights: NDArray[np.float64], seed: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
        """Labels, centers and costs of the best division of some rows."""
        if X.shape[0] < 2:
            both = np.repeat(self._rows(X, weights).mean[None, :], 2, axis=0)
            return np.zeros(X.shape[0], dtype=np.int32), both, np.zeros(2)
        rows = self._rows(X, weights)
        starts = Starts(self.init, 2, X, rows, weights, seed)
        best: tuple[float, NDArray[np.float64]] | None = None
        for run in range(self.n_init):
            centers = starts.centers(run)
            rows.improve(centers, self.max_iter, self.tol)
            cost = rows.cost(centers)
            if best is None or cost < best[0]:
                best = cost, centers
        assert best is not None
        labels, squared = rows.nearest(best[1])
        return labels, best[1], np.asarray(np.bincount(labels, weights * squared, minlength=2), dtype=np.float64)

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.int32]:
        """The cluster of every row, found by going down the tree to the nearer of two centers each time."""
        return self._along_the_tree(self._check_table(X))

    def _along_the_tree(self, X: Any) -> NDArray[np.int32]:
        labels = np.empty(X.shape[0], dtype=np.int32)
        centers = self.node_centers_.astype(np.float64)
        waiting = [(0, np.arange(X.shape[0]))]
        while waiting:
            node, inside = waiting.pop()
            if self.node_labels_[node] >= 0:
                labels[inside] = self.node_labels_[node]
            elif len(inside):
                sides = self._rows(X[inside], np.ones(len(inside))).nearest(centers[self.node_children_[node]])[0]
                waiting += [(int(self.node_children_[node, side]), inside[sides == side]) for side in (0, 1)]
        return labels


def _leaves(children: NDArray[np.int32]) -> list[int]:
    """The clusters that were not divided, from left to right."""
    found, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if children[node, 0] < 0:
            found.append(node)
        else:
            waiting += [int(children[node, 1]), int(children[node, 0])]
    return found


def _squared_to(X: Any, centers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The squared distance of every row to its own center."""
    if hasattr(X, "toarray"):
        step = 4096
        parts = [
            X[first : first + step].toarray() - centers[first : first + step] for first in range(0, len(centers), step)
        ]
        return np.concatenate([(part**2).sum(axis=1) for part in parts])
    difference = X.astype(np.float64) - centers
    return np.asarray(np.einsum("ij,ij->i", difference, difference))
