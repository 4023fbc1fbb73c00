"""k medoids: centers that are rows, for any distance. Kaufman, Rousseeuw (1990); Schubert, Rousseeuw (2021)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, register, resolve_seed
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import ArrayLike, Interval, OneOf, RandomState
from certus.cluster import _native_calls
from certus.cluster.evidence.assignment_bound import AssignmentBound
from certus.cluster.evidence.medoid_certificate import medoid_certificate
from certus.cluster.fitting.chosen_rows import METRIC, ChosenRows
from certus.cluster.fitting.least_spread import refuse_vanishing_squares
from certus.cluster.solvers.given_distances import check_both_directions, check_computed
from certus.geometry import pairwise_distances
from certus.guarantees import Report

Floats = NDArray[np.float64]
MOST_STARTS = 30
LARGEST_MATRIX = 20_000  # rows; above, medoids are found in random subsets
SUBSETS = 5


@register(
    tasks=("clustering", "transformation"),
    guarantees=("lower bound on the cost of any choice of medoids",),
    cost="fit O(n^2) per round and memory O(n^2), above 20 000 rows by subsets; predict O(k n p)",
)
class KMedoids(ChosenRows):
    """k medoids: rows with the least sum of distances between all rows and their nearest medoid, for any distance.

    Minimizes sum_i w_i min_m d(x_i, x_m)^power over k rows m: the k-median problem for power=1, with squared distances
    for power=2. From a greedy start, swaps of a medoid with another row are made as long as one lowers the cost
    (FasterPAM). A Lagrangian lower bound tells how far from the best that can be; new starts follow until both meet.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of medoids.
    init : {"build", "random"} or array of row numbers, default="build"
        First medoids: greedily the row that saves most, any rows, or these. Later starts are random.
    n_init : int or "auto", default="auto"
        How many starts are tried; "auto" goes on until cost and bound meet within ``gap_tol``, at most 30 times.
    power : {1, 2}, default=1
        Power of the distance in the cost.
    gap_tol : float, default=1e-3
        Share of the cost that may be left between cost and bound.
    max_iter : int, default=300
        Most passes over all candidates of one start.
    random_state : int, RandomState, Generator or None, default=None
        Seed of random starts and subsets.
    bound_effort : int, default=100
        Rounds of the ascent behind the lower bound, each O(n^2), and up to ten times as many below 1000 rows, where
        they cost little; 0 for none.

    Attributes
    ----------
    inertia_ : float
        The objective.
    n_iter_ : int
        Starts that were tried.
    report_ : Report
        The excess cost over that of the best medoids; empty above 20 000 rows.

    Examples
    --------
    >>> from certus.cluster import KMedoids
    >>> model = KMedoids(2).fit([[0.0], [1], [2], [50], [51], [90]])
    >>> print(sorted(model.cluster_centers_.ravel().tolist()), model.inertia_)
    [1.0, 51.0] 42.0
    >>> model.report_["excess cost of the clustering"].value < 0.001
    True
    """

    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "metric": METRIC,
        "init": [OneOf("build", "random"), ArrayLike()],
        "n_init": [OneOf("auto"), Interval(1, None, integer=True)],
        "power": [Interval(1, 2, integer=True)],
        "gap_tol": [Interval(0, None)],
        "max_iter": [Interval(1, None, integer=True)],
        "random_state": [RandomState()],
        "bound_effort": [Interval(0, None, integer=True)],
    }
    _state: ClassVar[tuple[str, ...]] = ("medoid_indices_", "cluster_centers_", "labels_", "inertia_", "n_iter_")

    n_iter_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        init: Any = "build",
        n_init: int | str = "auto",
        power: int = 1,
        gap_tol: float = 1e-3,
        max_iter: int = 300,
        random_state: RandomStateLike = None,
        bound_effort: int = 100,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> KMedoids:
        """Find the medoids.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; with ``metric="precomputed"`` their distances, shape (n_samples, n_samples).
        """
        table = self._check_rows(X, reset=True)
        if self.power == 2:
            refuse_vanishing_squares(type(self).__name__, table)
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else np.asarray(given, dtype=np.float64)
        kept = self._in_order_of_values(table, self._enough_rows(weights))
        rng = np.random.default_rng(resolve_seed(self.random_state))
        if len(kept) <= LARGEST_MATRIX:
            distances = self._distances_among(table, kept)
            medoids, bound = self._best_of_starts(distances, weights[kept], kept, rng)
            self._choose(table, kept[np.sort(medoids)], weights, self.power)
            self.report_ = Report()
            if bound is not None:
                self.report_ = Report([medoid_certificate(self, weights, bound, kept)])
        else:
            self._choose(table, self._from_subsets(table, weights, kept, rng), weights, self.power)
            self.n_iter_ = SUBSETS
            self.report_ = Report()
        return self

    def _distances_among(self, table: Any, kept: NDArray[np.intp]) -> Floats:
        rows = table[np.ix_(kept, kept)] if self.metric == "precomputed" else table[kept]
        distances = pairwise_distances(rows, metric=self.metric)
        check_computed(distances, self.metric)
        if callable(self.metric):
            check_both_directions(distances, "metric", "a function")
        distances **= self.power
        return np.ascontiguousarray(distances)

    def _best_of_starts(
        self, distances: Floats, weights: Floats, kept: NDArray[np.intp], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], AssignmentBound | None]:
        """The best medoids of several starts, and a bound on what any could cost."""
        runs = MOST_STARTS if self.n_init == "auto" else int(self.n_init)
        if not isinstance(self.init, str):
            runs = 1
        best, bound = (np.inf, np.zeros(0, dtype=np.int64)), None
        for run in range(runs):
            medoids = self._first_medoids(run, distances, weights, kept, rng)
            cost = _native_calls.swap_medoids(distances, weights, medoids, self.max_iter)[0]
            self.n_iter_ = run + 1
            if cost < best[0]:
                best = cost, medoids.copy()
            if bound is None and self.bound_effort:
                bound = AssignmentBound(distances, weights, self.n_clusters)
                bound.ascend(best[0], self.bound_effort, best[1])
            if self.n_init == "auto" and (bound is None or bound.value >= best[0] * (1.0 - self.gap_tol)):
                break
        return best[1], bound

    def _first_medoids(
        self, run: int, distances: Floats, weights: Floats, kept: NDArray[np.intp], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        if not isinstance(self.init, str):
            return self._given_medoids(kept)
        if run == 0 and self.init == "build":
            return _native_calls.build_medoids(distances, weights, self.n_clusters)
        return rng.choice(len(weights), self.n_clusters, replace=False).astype(np.int64)

    def _given_medoids(self, kept: NDArray[np.intp]) -> NDArray[np.int64]:
        given = np.asarray(self.init)
        known = {int(row): place for place, row in enumerate(kept)}
        fits = given.shape == (self.n_clusters,) and given.dtype.kind in "iu" and len(set(given.tolist())) == len(given)
        if not fits or not all(int(row) in known for row in given):
            raise ValueError(
                f"init must be {self.n_clusters} different numbers of rows of positive weight, got {self.init!r}."
            )
        return np.array([known[int(row)] for row in given], dtype=np.int64)

    def _from_subsets(
        self, table: Any, weights: Floats, kept: NDArray[np.intp], rng: np.random.Generator
    ) -> NDArray[np.intp]:
        """Medoids of the best of a few random subsets, judged on all rows (FasterCLARA)."""
        size = min(len(kept), max(1_000, 80 + 4 * self.n_clusters))
        best, found = np.inf, kept[: self.n_clusters]
        for _ in range(SUBSETS):
            part = np.sort(rng.choice(kept, size, replace=False))
            distances = self._distances_among(table, part)
            medoids = _native_calls.build_medoids(distances, weights[part], self.n_clusters)
            _native_calls.swap_medoids(distances, weights[part], medoids, self.max_iter)
            cost = float(weights @ self._to_chosen(table, part[medoids]).min(axis=1) ** self.power)
            if cost < best:
                best, found = cost, part[medoids]
        return found
