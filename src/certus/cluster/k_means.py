"""k-means clustering (Lloyd 1982) from k-means++ starts (Arthur and Vassilvitskii 2007)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Iterations, fit_method, register, resolve_seed, warn_user
from certus.base.blocks import ScaledFit
from certus.base.inputs import RandomStateLike, Table, TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import ArrayLike, Boolean, Exactly, Function, Interval, OneOf, RandomState, Verbosity
from certus.cluster.evidence.cost_certificate import dual_certificate, line_certificate, spectral_certificate
from certus.cluster.evidence.dual_bound import Relaxation
from certus.cluster.evidence.sampled_certificate import sampled_certificate
from certus.cluster.evidence.seeding_certificate import seeding_certificate
from certus.cluster.fitting.nearest_center import NearestCenter, starts_to_try
from certus.cluster.in_blocks.lloyd_in_blocks import fit_lloyd, whole_table_needed
from certus.cluster.solvers.first_centers import METHODS, Rows, Starts
from certus.cluster.solvers.sized_clusters import sized_clusters
from certus.guarantees import Report

RANDOM_STARTS = 10  # of "random" and callable starts, if n_init="auto"
WIDEST_CERTIFIED = 2_000  # rows or columns, whichever are fewer, up to which eigenvalues are computed


@register(
    family="cluster",
    tasks=("clustering", "transformation"),
    guarantees=("lower bound on the cost of any clustering", "held-out bound on the capped distance"),
    cost="fit O(k n p) per round, predict O(k n p)",
)
class KMeans(NearestCenter):
    """k-means: centers with the least sum of squared distances between rows and their nearest center.

    Minimizes, over the centers c_1, ..., c_k, with weights w of the rows,

        sum_i w_i min_j |x_i - c_j|^2

    Lloyd's rounds reach a local minimum; the report says how far it can be from the best clustering.

    Parameters
    ----------
    init : {"k-means++", "plain-k-means++", "k-means||", "random"}, array or callable, default="k-means++"
        First centers: rows far from each other, of a few draws per center the best (greedy k-means++), of one draw per
        center (for which a bound on the expected cost is proved), from few passes over many rows (Bahmani and others
        2012), any rows, these, or what ``init(X, n_clusters, random_state)`` gives.
    n_init : int or "auto", default="auto"
        How many starts are tried, the best is kept; "auto" means 10 for "random" and callables, else 1.
    max_iter : int, default=300
        Most rounds of one start.
    tol : float, default=1e-4
        When rounds end, see ``stop``.
    copy_x : bool, default=True
        Accepted for compatibility; the table is never changed.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Accepted for compatibility: both mean the same rounds, with bounds that spare most distances.
    bound_effort : int, default=0
        Rounds that tighten the lower bound on the cost; each takes eigenvectors of a matrix with as many rows as the
        table or, above 2000 rows, as a random subset. Where there are fewer columns than centers, the bound says
        nothing without them. One column needs none: there the least cost is found exactly.
    bound_samples : int, default=40
        How many random subsets of max(200, 40 n_clusters) rows bound the cost of more than 2000 rows.
    bound_confidence : float, default=0.95
        Probability with which the bound by random subsets holds.
    stop : {"shift", "max-shift", "cost"}, default="shift"
        Rounds end when the squared moves of the centers sum to at most ``tol`` times the columns' mean variance, when
        the largest of them is at most that, or when a round lowers the cost by at most ``tol`` times the cost.
    min_size : int, default=None
        Least number of rows of a cluster. Further rounds then give every cluster as many: each solves a transport
        problem of n k unknowns, so that the table must not be long. ``labels_`` and ``inertia_`` are about these
        clusters; ``predict`` gives the nearest center all the same.

    Attributes
    ----------
    n_iter_ : int
        Rounds of the best start.
    converged_ : bool
        Whether it ended before ``max_iter`` rounds.
    report_ : Report
        A lower bound on the cost of any clustering with as many centers: the least cost itself for one column, else the
        spectral bound, or with ``bound_effort`` that of the semidefinite relaxation. After ``init="plain-k-means++"``
        also how much the first centers cost on average.

    Examples
    --------
    >>> from certus.cluster import KMeans
    >>> model = KMeans(n_clusters=2, random_state=0).fit([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> bool(model.predict([[0.0, 0]]) == model.predict([[1.0, 4]]))
    True
    """

    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "init": [OneOf(*METHODS), Function(), ArrayLike()],
        "n_init": [OneOf("auto"), Interval(1, None, integer=True)],
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
        "verbose": [Verbosity()],
        "random_state": [RandomState()],
        "copy_x": [Boolean()],
        "algorithm": [OneOf("lloyd", "elkan")],
        "bound_effort": [Interval(0, None, integer=True)],
        "bound_samples": [Interval(1, None, integer=True)],
        "bound_confidence": [Interval(0, 1, closed="neither")],
        "stop": [OneOf("shift", "max-shift", "cost")],
        "min_size": [Interval(1, None, integer=True), Exactly(None)],
    }
    _scaled = ScaledFit("exact", fit_lloyd, {"order": "C", "largest": 1e150}, whole_table_needed, target=False)
    _state: ClassVar[tuple[str, ...]] = ("cluster_centers_", "labels_", "inertia_", "n_iter_", "converged_")

    n_iter_: int
    converged_: bool

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: TableLike | Callable[..., TableLike] = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: RandomStateLike = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        bound_effort: int = 0,
        bound_samples: int = 40,
        bound_confidence: float = 0.95,
        stop: str = "shift",
        min_size: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> KMeans:
        """Find the centers."""
        table = self._check_table(X, reset=True)
        given = check_weights(self, sample_weight, table)
        kept, weights = self._of_positive_weight(table, given)
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn_user(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.", RuntimeWarning
            )
        rows, seed = self._rows(kept, weights), resolve_seed(self.random_state)
        self._fit_rows(kept, rows, weights, seed)
        self.labels_, squared = self._nearest(table)
        self.inertia_ = float(squared.sum() if given is None else given @ squared)
        labels = None if self.min_size is None else self._enlarge(kept, weights, self.min_size)
        if labels is not None:
            self.labels_ = self._nearest(table)[0]
            self.labels_[np.ones(len(self.labels_), dtype=bool) if given is None else given > 0.0] = labels
        self._warn_about_few(int(np.count_nonzero(np.bincount(self.labels_))))
        self.report_ = self._certified(kept, weights, rows, seed, labels)
        return self

    def _fit_rows(self, X: Table, rows: Rows, weights: NDArray[np.float64], seed: int) -> None:
        """Set the centers and the rounds: those of the best start."""
        starts = Starts(self.init, self.n_clusters, X, rows, weights, seed)
        tolerance = self.tol * rows.variance() if self.tol > 0.0 else 0.0
        runs = starts_to_try(self, X, RANDOM_STARTS)
        best: tuple[float, NDArray[np.float64], int, bool] | None = None
        with Iterations(self, self.max_iter, X) as iterations:
            for run in range(runs):
                centers = starts.centers(run)
                rounds, converged = self._improve(rows, centers, tolerance, iterations)
                cost = rows.cost(centers) if runs > 1 else 0.0
                if best is None or cost < best[0]:
                    best = cost, centers, rounds, converged
        assert best is not None
        _, centers, self.n_iter_, self.converged_ = best
        self.cluster_centers_ = centers.astype(X.dtype)

    def _improve(
        self, rows: Rows, centers: NDArray[np.float64], tolerance: float, iterations: Iterations
    ) -> tuple[int, bool]:
        """Lloyd's rounds; one at a time if somebody watches, or asks for another end than the compiled loop's."""
        if not iterations.watched and self.stop == "shift":
            rounds, settled = rows.improve(centers, self.max_iter, tolerance)
            return rounds, settled or rounds < self.max_iter
        cost = rows.cost(centers) if iterations.watched or self.stop == "cost" else 0.0
        for rounds in range(1, self.max_iter + 1):
            before, paid = centers.copy(), cost
            rows.improve(centers, 1, tolerance)
            moves = np.sum((centers - before) ** 2, axis=1)
            if iterations.watched or self.stop == "cost":
                cost = rows.cost(centers)
            if iterations.step(objective=cost):
                return rounds, False
            ended = {
                "shift": float(moves.sum()) <= tolerance,
                "max-shift": float(moves.max()) <= tolerance,
                "cost": paid - cost <= self.tol * paid,
            }
            if ended[self.stop] or not moves.any():
                return rounds, True
        return self.max_iter, False

    def _enlarge(self, X: Any, weights: NDArray[np.float64], least: int) -> NDArray[np.intp]:
        """Move rows until every cluster has enough of them; sets centers and cost, returns the labels."""
        if least * self.n_clusters > X.shape[0]:
            most = X.shape[0] // self.n_clusters
            raise ValueError(
                f"min_size must be at most {most} for {self.n_clusters} clusters of {X.shape[0]} rows, got {least}.\n"
                "Hint: ask for smaller or fewer clusters."
            )
        table = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        found = sized_clusters(table, weights, self.cluster_centers_.astype(np.float64), least, self.max_iter)
        self.cluster_centers_, self.inertia_ = found.centers.astype(X.dtype), found.cost
        self.n_iter_, self.converged_ = self.n_iter_ + found.rounds, self.converged_ and found.converged
        return found.labels

    def _certified(
        self, X: Any, weights: NDArray[np.float64], rows: Rows, seed: int, labels: NDArray[np.intp] | None
    ) -> Report:
        """The bound that the effort asks for, where the table is not too large for it."""
        seeding = isinstance(self.init, str) and self.init == "plain-k-means++"
        found = [seeding_certificate(self.n_clusters)] if seeding else []
        centers, count = self.cluster_centers_.astype(np.float64), X.shape[0]
        if X.shape[1] == 1:
            return Report([*found, line_certificate(self.inertia_, centers, X, weights, labels=labels)])
        if self.bound_effort and count <= WIDEST_CERTIFIED:
            table = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
            bound = Relaxation(table, weights, self.n_clusters).ascend(self.bound_effort, self.inertia_)
            return Report([*found, dual_certificate(self.inertia_, centers, bound, labels=labels)])
        if min(X.shape) <= WIDEST_CERTIFIED:
            found.append(spectral_certificate(self.inertia_, centers, *rows.scatter(), labels=labels))
        if self.bound_effort:
            sampled = sampled_certificate(
                self.inertia_,
                centers,
                X,
                weights,
                rounds=self.bound_effort,
                samples=self.bound_samples,
                confidence=self.bound_confidence,
                seed=seed,
                labels=labels,
            )
            found.append(sampled)
        return Report(found)


def k_means(
    X: TableLike,
    n_clusters: int,
    *,
    sample_weight: WeightsLike = None,
    init: TableLike | Callable[..., TableLike] = "k-means++",
    n_init: int | str = "auto",
    max_iter: int = 300,
    verbose: bool = False,
    tol: float = 1e-4,
    random_state: RandomStateLike = None,
    copy_x: bool = True,
    algorithm: str = "lloyd",
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """k-means as a function: the centers, the labels and the cost of `KMeans` with these parameters.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    n_clusters : int
        Number of centers.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    init, n_init, max_iter, verbose, tol, random_state, copy_x, algorithm
        As the parameters of `KMeans`.
    return_n_iter : bool, default=False
        Whether to give the rounds too.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
    labels : ndarray of shape (n_samples,)
    inertia : float
    n_iter : int
        Only with ``return_n_iter``.
    """
    model = KMeans(
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        verbose=verbose,
        tol=tol,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    found = (model.cluster_centers_, model.labels_, model.inertia_)
    return (*found, model.n_iter_) if return_n_iter else found
