"""k-means with a price per cluster (Kulis and Jordan 2012)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations, fit_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import Interval
from certus.cluster.fitting.nearest_center import NearestCenter
from certus.cluster.solvers.first_centers import Rows
from certus.cluster.solvers.row_order import direction, order_along
from certus.geometry import pairwise_distances
from certus.guarantees import Report

Floats = NDArray[np.float64]
MOST_JOINED = 2_000  # clusters up to which all pairs are compared


@register(
    tasks=("clustering", "transformation"),
    guarantees=("held-out bound on the capped distance",),
    cost="fit O(k n p) per round, predict O(k n p)",
)
class DPMeans(NearestCenter):
    """k-means that chooses the number of clusters: every cluster costs a penalty.

    Minimizes sum_i w_i min_j |x_i - c_j|^2 + penalty * K over the centers and their number K. From one cluster on, a
    cluster is divided in two where that saves more than the penalty, two are joined where that costs less, and centers
    move to the means of their rows. Every step lowers the objective, so that the steps end. Nothing is drawn: neither a
    seed nor the order of the rows matters, except among equals.

    Parameters
    ----------
    penalty : float, default=1.0
        What a cluster costs; the squared distance at which a row of weight 1 deserves its own cluster.
    max_iter : int, default=300
        Most rounds.

    Attributes
    ----------
    n_clusters_ : int
        The number of clusters.
    objective_ : float
        ``inertia_`` + penalty * ``n_clusters_``.
    history_ : ndarray
        The objective after every round.
    n_iter_ : int
        Rounds.
    converged_ : bool
        Whether it ended before ``max_iter`` rounds.

    Examples
    --------
    >>> from certus.cluster import DPMeans
    >>> model = DPMeans(penalty=10.0).fit([[0.0], [1.0], [20.0], [21.0]])
    >>> model.n_clusters_, model.objective_
    (2, 21.0)
    """

    _constraints: ClassVar[Any] = {
        "penalty": [Interval(0, None, closed="neither")],
        "max_iter": [Interval(1, None, integer=True)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "cluster_centers_",
        "labels_",
        "inertia_",
        "n_clusters_",
        "objective_",
        "history_",
        "n_iter_",
        "converged_",
    )

    n_clusters_: int
    objective_: float
    history_: Floats
    n_iter_: int
    converged_: bool

    def __init__(self, penalty: float = 1.0, *, max_iter: int = 300) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> DPMeans:
        """Find the centers."""
        table = self._check_table(X, reset=True)
        given = check_weights(self, sample_weight, table)
        kept, weights = self._of_positive_weight(table, given)
        rows = self._rows(kept, weights)
        centers, history = rows.mean[None, :].copy(), [rows.cost(rows.mean[None, :]) + self.penalty]
        self.converged_ = False
        with Iterations(self, self.max_iter, kept) as iterations:
            for _ in range(self.max_iter):
                centers = self._joined(weights, rows, self._divided(kept, weights, rows, centers))
                history.append(rows.cost(centers) + self.penalty * len(centers))
                if iterations.step(objective=history[-1]):
                    break
                if history[-1] >= history[-2] * (1.0 - 1e-12):
                    self.converged_ = True
                    break
        centers = centers[order_along(centers @ direction(centers.shape[1]))]
        self.cluster_centers_, self.history_, self.n_iter_ = centers.astype(kept.dtype), np.array(history), len(history)
        self.n_clusters_ = len(centers)
        self.labels_, squared = self._nearest(table)
        self.inertia_ = float(squared.sum() if given is None else given @ squared)
        self.objective_ = self.inertia_ + self.penalty * self.n_clusters_
        self.report_ = Report()
        return self

    def _centers_wanted(self) -> int:
        return 1

    def _divided(self, X: Any, weights: Floats, rows: Rows, centers: Floats) -> Floats:
        """Centers after dividing every cluster where that saves more than the penalty."""
        labels, squared = rows.nearest(centers)
        found = []
        for cluster in range(len(centers)):
            inside = np.flatnonzero(labels == cluster)
            if len(inside):
                found.append(self._in_two(X[inside], weights[inside], squared[inside]))
        centers = np.concatenate(found)
        rows.improve(centers, self.max_iter, 0.0)
        return centers

    def _in_two(self, X: Any, weights: Floats, squared: Floats) -> Floats:
        """The mean of some rows, or two centers: from the farthest row and the mean, or the row farthest from it."""
        rows = self._rows(X, weights)
        mean = rows.mean[None, :]
        alone = rows.cost(mean)
        if alone <= self.penalty:  # no more than that can be saved
            return mean
        far = rows.take(np.array([int(np.argmax(squared))]))
        farther = rows.take(np.array([int(np.argmax(rows.nearest(far)[1]))]))
        best, saved = mean, self.penalty
        for first in (mean, farther):
            pair = np.concatenate([first, far])
            rows.improve(pair, self.max_iter, 0.0)
            if alone - rows.cost(pair) > saved:
                best, saved = pair, alone - rows.cost(pair)
        return best

    def _joined(self, weights: Floats, rows: Rows, centers: Floats) -> Floats:
        """Centers after joining pairs of clusters while that costs less than the penalty."""
        labels, _ = rows.nearest(centers)
        sizes = np.bincount(labels, weights, minlength=len(centers))
        centers, sizes = centers[sizes > 0.0], sizes[sizes > 0.0]
        if not 1 < len(centers) <= MOST_JOINED:
            return centers
        costs = pairwise_distances(centers) ** 2 / (1.0 / sizes[:, None] + 1.0 / sizes)
        np.fill_diagonal(costs, np.inf)
        while len(centers) > 1 and costs.min() < self.penalty:
            one, other = sorted(int(at) for at in np.unravel_index(int(np.argmin(costs)), costs.shape))
            centers[one] += sizes[other] / (sizes[one] + sizes[other]) * (centers[other] - centers[one])
            sizes[one] += sizes[other]
            centers, sizes = np.delete(centers, other, axis=0), np.delete(sizes, other)
            costs = np.delete(np.delete(costs, other, axis=0), other, axis=1)
            row = ((centers - centers[one]) ** 2).sum(axis=1) / (1.0 / sizes + 1.0 / sizes[one])
            row[one] = np.inf
            costs[one], costs[:, one] = row, row
        rows.improve(centers, self.max_iter, 0.0)
        return centers
