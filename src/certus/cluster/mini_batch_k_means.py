"""k-means from small batches of rows (Sculley 2010)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations, fit_method, register, resolve_seed, warn_user
from certus.base.inputs import RandomStateLike, Table, TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import ArrayLike, Boolean, Exactly, Function, Interval, OneOf, RandomState, Verbosity
from certus.cluster.fitting.nearest_center import NearestCenter, starts_to_try
from certus.cluster.solvers.batch_rounds import BatchRounds
from certus.cluster.solvers.first_centers import METHODS, Starts
from certus.cluster.solvers.row_draws import draw_rows
from certus.guarantees import Report

REPEATED = "weights decide how often a row is drawn: equal in distribution, not draw by draw"
OTHER_STARTS = 3  # of "random" and callable starts, if n_init="auto"


@register(
    tasks=("clustering", "transformation"),
    guarantees=("held-out bound on the capped distance",),
    cost="fit O(k p) per row of a batch, predict O(k n p)",
    draws_rows=True,
    known_failures={
        "check_sample_weight_equivalence_on_dense_data": REPEATED,
        "check_sample_weight_equivalence_on_sparse_data": REPEATED,
    },
)
class MiniBatchKMeans(NearestCenter):
    """k-means from small batches of rows: each batch moves its centers by the share of rows that it adds.

    Faster than `KMeans` on tables that do not fit into memory, and a little worse. Rows of a batch are drawn by weight.

    Parameters
    ----------
    init : {"k-means++", "plain-k-means++", "k-means||", "random"}, array or callable, default="k-means++"
        First centers, as in `KMeans`, from ``init_size`` rows.
    max_iter : int, default=100
        Most passes over as many rows as the table has.
    batch_size : int, default=1024
        Rows of a batch.
    compute_labels : bool, default=True
        Whether to find the labels and the cost of the training rows at the end.
    tol : float, default=0.0
        Steps end when the smoothed squared moves of the centers sum to less than this, relative to the columns' mean
        variance.
    max_no_improvement : int or None, default=10
        Steps end after so many batches without a lower smoothed cost.
    init_size : int, default=None
        Rows from which first centers are drawn: 3 batches if None, at least 3 per center.
    n_init : int or "auto", default="auto"
        How many starts are tried, the best on a sample is kept; "auto" means 3 for "random" and callables, else 1.
    reassignment_ratio : float, default=0.01
        Centers with a smaller share of rows than this, of the largest share, are moved to rows of the batch.

    Attributes
    ----------
    n_iter_ : int
        Passes over as many rows as the table has.
    n_steps_ : int
        Batches.
    counts_ : ndarray of shape (n_clusters,)
        How many rows have moved each center.

    Examples
    --------
    >>> from certus.cluster import MiniBatchKMeans
    >>> model = MiniBatchKMeans(2, random_state=0).fit([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> bool(model.predict([[0.0, 0]]) == model.predict([[1.0, 4]]))
    True
    """

    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "init": [OneOf(*METHODS), Function(), ArrayLike()],
        "max_iter": [Interval(1, None, integer=True)],
        "batch_size": [Interval(1, None, integer=True)],
        "verbose": [Verbosity()],
        "compute_labels": [Boolean()],
        "random_state": [RandomState()],
        "tol": [Interval(0, None)],
        "max_no_improvement": [Exactly(None), Interval(0, None, integer=True)],
        "init_size": [Exactly(None), Interval(1, None, integer=True)],
        "n_init": [OneOf("auto"), Interval(1, None, integer=True)],
        "reassignment_ratio": [Interval(0, None)],
    }
    _state: ClassVar[tuple[str, ...]] = (
        "cluster_centers_",
        "labels_",
        "inertia_",
        "n_iter_",
        "n_steps_",
        "counts_",
        "seed_",
    )

    n_iter_: int
    n_steps_: int
    counts_: NDArray[np.float64]
    seed_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: TableLike | Callable[..., TableLike] = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int = 0,
        compute_labels: bool = True,
        random_state: RandomStateLike = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: int | str = "auto",
        reassignment_ratio: float = 0.01,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> MiniBatchKMeans:
        """Find the centers.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: how often each is drawn.
        """
        table = self._check_table(X, reset=True)
        given = check_weights(self, sample_weight, table)
        kept, weights = self._of_positive_weight(table, given)
        self.seed_ = resolve_seed(self.random_state)
        self._fit_batches(kept, weights)
        if self.compute_labels:
            self.labels_, squared = self._nearest(table)
            self.inertia_ = float(squared.sum() if given is None else given @ squared)
        self.report_ = Report()
        return self

    def _fit_batches(self, X: Any, weights: NDArray[np.float64]) -> None:
        rows, size = X.shape[0], min(self.batch_size, X.shape[0])
        order = self._rows(X, weights).order()
        rng = np.random.default_rng([self.seed_, 1])
        centers = self._best_start(X, weights, order, rng)
        variance = self._rows(X, weights).variance() if self.tol > 0.0 else 0.0
        method = BatchRounds(
            centers, self.reassignment_ratio, self.tol * variance, self.max_no_improvement, smoothing=size / rows
        )
        steps = max(1, self.max_iter * rows // size)
        with Iterations(self, steps, X) as iterations:
            for step in range(steps):  # noqa: B007
                batch = X[draw_rows(weights, order, rng.random(size))]
                method.step(batch, np.ones(size), rng)
                if iterations.step(objective=method.mean_cost) or method.ended:
                    break
        self.n_steps_ = step + 1
        self.n_iter_ = int(np.ceil(self.n_steps_ * size / rows))
        self.counts_, self.cluster_centers_ = method.counts, method.centers.astype(X.dtype)

    def _best_start(
        self, X: Any, weights: NDArray[np.float64], order: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """First centers from a sample; of several the ones that cost the least on another sample."""
        size = self._rows_of_a_start(X)
        runs = starts_to_try(self, X, OTHER_STARTS)
        validation = self._rows(X[draw_rows(weights, order, rng.random(size))], np.ones(size))
        best: tuple[float, NDArray[np.float64]] | None = None
        for run in range(runs):
            drawn = X if size >= X.shape[0] else X[draw_rows(weights, order, rng.random(size))]
            shares = weights if size >= X.shape[0] else np.ones(size)
            starts = Starts(self.init, self.n_clusters, drawn, self._rows(drawn, shares), shares, self.seed_)
            centers = starts.centers(run)
            cost = validation.cost(centers) if runs > 1 else 0.0
            if best is None or cost < best[0]:
                best = cost, centers
        assert best is not None
        return best[1]

    def _rows_of_a_start(self, X: Table) -> int:
        size = self.init_size if self.init_size is not None else 3 * min(self.batch_size, X.shape[0])
        if size < self.n_clusters:
            if self.init_size is not None:
                warn_user(
                    f"init_size={size} should be larger than n_clusters={self.n_clusters}. Setting it to "
                    "min(3*n_clusters, n_samples)",
                    RuntimeWarning,
                )
            size = 3 * self.n_clusters
        return int(min(size, X.shape[0]))

    @fit_method
    def partial_fit(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> MiniBatchKMeans:
        """One step on a batch of rows; the first batch also gives the first centers.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        """
        fresh = not hasattr(self, "cluster_centers_")
        table = self._check_table(X, reset=fresh)
        given = check_weights(self, sample_weight, table)
        weights = np.ones(table.shape[0]) if given is None else np.asarray(given, dtype=np.float64)
        if fresh:
            kept, positive = self._of_positive_weight(table, given)
            self.seed_, self.n_steps_ = resolve_seed(self.random_state), 0
            order = self._rows(kept, positive).order()
            self.cluster_centers_ = self._best_start(kept, positive, order, np.random.default_rng(self.seed_))
            self.counts_ = np.zeros(self.n_clusters)
        method = BatchRounds(self.cluster_centers_.astype(np.float64), self.reassignment_ratio, 0.0, None, 1.0)
        method.counts[:] = self.counts_
        rng = np.random.default_rng([self.seed_, 2, self.n_steps_])
        labels = method.step(table, weights, rng)
        self.n_steps_ += 1
        self.n_iter_ = self.n_steps_
        self.counts_, self.cluster_centers_ = method.counts, method.centers.astype(table.dtype)
        if self.compute_labels:
            self.labels_, self.inertia_ = labels, method.mean_cost * float(weights.sum())
        self.report_ = Report()
        return self
