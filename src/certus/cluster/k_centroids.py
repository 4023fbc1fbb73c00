"""Lloyd's rounds for other distances than the Euclidean, each with the center that belongs to it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from certus.base import Clusterer, Iterations, fit_method, predict_method, register, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.params import Interval, OneOf, RandomState
from certus.base.persistence import check_shapes
from certus.cluster.fitting.least_spread import refuse_vanishing_squares
from certus.cluster.solvers.best_center import best_center
from certus.cluster.solvers.row_draws import draw_rows
from certus.cluster.solvers.row_order import direction, order_along
from certus.geometry import pairwise_distances
from certus.guarantees import Report

Floats = NDArray[np.float64]


@register(
    tasks=("clustering", "transformation"),
    guarantees=(),
    cost="fit O(k n p) per round, predict O(k n p)",
)
class KCentroids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """k centers for Manhattan, cosine or Minkowski distances: Lloyd's rounds with the center that fits the distance.

    Minimizes sum_i w_i d(x_i, nearest center) over the centers, where d is

    * the Manhattan distance, best at the median of every column,
    * the cosine distance 1 - cos, best in the direction of the sum of the rows' directions,
    * the p-th power of the Minkowski distance, best at the point where sum_i w_i |x_ij - c_j|^p is least in every
      column: the mean for p = 2.

    Both half steps of a round lower the cost or keep it.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of centers.
    metric : {"manhattan", "cosine", "minkowski"}, default="manhattan"
        The distance.
    p : float, default=2
        Exponent of the Minkowski distance, at least 1.
    n_init : int, default=4
        How many starts are tried, the best is kept.
    max_iter : int, default=300
        Most rounds of one start; rounds end when no row changes its center.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts: rows drawn in proportion to their distance from the centers so far.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers.
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training row.
    inertia_ : float
        The objective.
    n_iter_ : int
        Rounds of the best start.
    history_ : ndarray
        Its cost after every half step: assignment, then centers.
    converged_ : bool
        Whether it ended before ``max_iter`` rounds.

    Examples
    --------
    >>> from certus.cluster import KCentroids
    >>> model = KCentroids(2, metric="manhattan", random_state=0).fit([[0.0], [1], [2], [50], [51], [90]])
    >>> print(sorted(model.cluster_centers_.ravel().tolist()), model.inertia_)
    [1.0, 51.0] 42.0
    """

    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "metric": [OneOf("manhattan", "cosine", "minkowski")],
        "p": [Interval(1, None)],
        "n_init": [Interval(1, None, integer=True)],
        "max_iter": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "cluster_centers_",
        "labels_",
        "inertia_",
        "n_iter_",
        "history_",
        "converged_",
    )

    n_features_in_: int
    cluster_centers_: Floats
    labels_: NDArray[np.int32]
    inertia_: float
    n_iter_: int
    history_: Floats
    converged_: bool

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "manhattan",
        p: float = 2,
        n_init: int = 4,
        max_iter: int = 300,
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    def _restored(self) -> None:
        if hasattr(self, "cluster_centers_"):
            check_shapes(self, cluster_centers_=(None, self.n_features_in_), labels_=(None,))
            if not len(self.cluster_centers_):
                raise ValueError("there is no center.")

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> KCentroids:
        """Find the centers."""
        table = self._check_rows(X, reset=True)
        if self.metric == "minkowski":
            refuse_vanishing_squares(type(self).__name__, table)
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else np.asarray(given, dtype=np.float64)
        kept, positive = table[weights > 0.0], weights[weights > 0.0]
        if len(kept) < self.n_clusters:
            raise ValueError(
                f"n_samples={len(kept)} should be >= n_clusters={self.n_clusters}.\n"
                f"Hint: {type(self).__name__} needs at least one row (of positive weight) per cluster."
            )
        seed, best = resolve_seed(self.random_state), np.inf
        with Iterations(self, self.max_iter, table) as iterations:
            for run in range(self.n_init):
                centers = self._first_centers(kept, positive, np.random.default_rng([seed, run]))
                centers, costs, converged = self._rounds(kept, positive, centers, iterations)
                if costs[-1] < best:
                    best, self.cluster_centers_, self.converged_ = costs[-1], centers, converged
                    self.history_, self.n_iter_ = np.array(costs), len(costs) // 2
        self.labels_, distances = self._nearest(table, self.cluster_centers_)
        self.inertia_ = float(weights @ distances)
        self.report_ = Report()
        return self

    def _first_centers(self, X: Floats, weights: Floats, rng: np.random.Generator) -> Floats:
        order = order_along(X @ direction(X.shape[1]))
        chosen = draw_rows(weights, order, rng.random(1))
        closest = self._costs(X, X[chosen])[:, 0]
        for _ in range(self.n_clusters - 1):
            chances = weights * closest
            row = draw_rows(chances if chances.any() else weights, order, rng.random(1))
            chosen = np.concatenate([chosen, row])
            closest = np.minimum(closest, self._costs(X, X[row])[:, 0])
        return X[chosen].copy()

    def _rounds(
        self, X: Floats, weights: Floats, centers: Floats, iterations: Iterations
    ) -> tuple[Floats, list[float], bool]:
        labels, costs = np.full(len(X), -1, dtype=np.int32), []
        for _ in range(self.max_iter):
            before = labels
            labels, distances = self._nearest(X, centers)
            costs.append(float(weights @ distances))
            for cluster in range(self.n_clusters):
                inside = labels == cluster
                if inside.any():  # a center without rows stays where it is
                    centers[cluster] = best_center(X[inside], weights[inside], self.metric, self.p, centers[cluster])
            costs.append(float(weights @ self._costs_of(X, centers, labels)))
            if iterations.step(objective=costs[-1]):
                return centers, costs, False
            if np.array_equal(before, labels):
                return centers, costs, True
        return centers, costs, False

    def _costs(self, X: Floats, centers: Floats) -> Floats:
        """What every row costs at every center."""
        if self.metric != "minkowski":
            return pairwise_distances(X, centers, metric=self.metric)
        return np.asarray(pairwise_distances(X, centers, metric="minkowski", metric_params={"p": self.p}) ** self.p)

    def _costs_of(self, X: Floats, centers: Floats, labels: NDArray[np.int32]) -> Floats:
        return np.take_along_axis(self._costs(X, centers), labels[:, None].astype(np.intp), axis=1)[:, 0]

    def _nearest(self, X: Floats, centers: Floats) -> tuple[NDArray[np.int32], Floats]:
        costs = self._costs(X, centers)
        labels = np.argmin(costs, axis=1)
        return labels.astype(np.int32), np.take_along_axis(costs, labels[:, None], axis=1)[:, 0]

    def _check_rows(self, X: TableLike, *, reset: bool = False) -> Floats:
        table = np.asarray(check_X(self, X, reset=reset, order="C", largest=1e100), dtype=np.float64)
        if self.metric == "cosine" and not np.any(table, axis=1).all():
            row = int(np.flatnonzero(~np.any(table, axis=1))[0])
            raise ValueError(
                f"X must have no row of zeros for metric='cosine', got row {row}.\n"
                "Hint: a row of zeros has no direction; remove it."
            )
        return table

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.int32]:
        """The cluster of every row: that of the nearest center."""
        return self._nearest(self._check_rows(X), self.cluster_centers_)[0]

    @predict_method
    def transform(self, X: TableLike) -> Floats:
        """What every row costs at every center.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        return self._costs(self._check_rows(X), self.cluster_centers_)

    @property
    def _n_features_out(self) -> int:
        return int(self.cluster_centers_.shape[0])
