"""k-means clustering (Lloyd 1982) from k-means++ starts (Arthur and Vassilvitskii 2007)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from certus.base import (
    Clusterer,
    Iterations,
    fit_method,
    predict_method,
    register,
    resolve_seed,
    resolve_threads,
    warn_user,
)
from certus.base.inputs import RandomStateLike, Table, TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.params import ArrayLike, Boolean, Function, Interval, OneOf, RandomState, Verbosity
from certus.base.persistence import check_shapes
from certus.cluster import _native_calls
from certus.cluster.evidence.cost_certificate import dual_certificate, spectral_certificate
from certus.cluster.evidence.dual_bound import Relaxation
from certus.cluster.solvers.dense_rows import DenseRows
from certus.cluster.solvers.first_centers import Rows, Starts, checked_centers
from certus.cluster.solvers.sparse_rows import SparseRows, nearest_sparse, squared_distances
from certus.guarantees import Report, mean_bound

RANDOM_STARTS = 10  # of "random" and callable starts, if n_init="auto"
WIDEST_CERTIFIED = 2_000  # rows or columns, whichever are fewer, up to which eigenvalues are computed
LEAST_PARALLEL_WORK = 200_000


@register(
    family="cluster",
    tasks=("clustering", "transformation"),
    guarantees=("lower bound on the cost of any clustering", "held-out bound on the capped distance"),
    cost="fit O(k n p) per round, predict O(k n p)",
)
class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """k-means: centers with the least sum of squared distances between rows and their nearest center.

    Minimizes, over the centers c_1, ..., c_k, with weights w of the rows,

        sum_i w_i min_j |x_i - c_j|^2

    Lloyd's rounds reach a local minimum; the report says how far it can be from the best clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of centers.
    init : {"k-means++", "random"}, array of shape (n_clusters, n_features) or callable, default="k-means++"
        First centers: rows far from each other, any rows, these, or what ``init(X, n_clusters, random_state)`` gives.
    n_init : int or "auto", default="auto"
        How many starts are tried, the best is kept; "auto" means 1 for "k-means++" and given centers, else 10.
    max_iter : int, default=300
        Most rounds of one start.
    tol : float, default=1e-4
        Rounds end when the squared moves of the centers sum to less than this, relative to the columns' mean variance.
    verbose : int, default=0
        Accepted for compatibility.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.
    copy_x : bool, default=True
        Accepted for compatibility; the table is never changed.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Accepted for compatibility: both mean the same rounds, with bounds that spare most distances.
    bound_effort : int, default=0
        Rounds that tighten the lower bound on the cost; each takes eigenvectors of a matrix with as many rows as the
        table, up to 2000. Where there are fewer columns than centers, the bound says nothing without them.

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
    converged_ : bool
        Whether it ended before ``max_iter`` rounds.
    report_ : Report
        A lower bound on the cost of any clustering with as many centers: the spectral one, or with ``bound_effort``
        that of the semidefinite relaxation.

    Examples
    --------
    >>> from certus.cluster import KMeans
    >>> model = KMeans(n_clusters=2, random_state=0).fit([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> bool(model.predict([[0.0, 0]]) == model.predict([[1.0, 4]]))
    True
    """

    _constraints: ClassVar[Any] = {
        "n_clusters": [Interval(1, None, integer=True)],
        "init": [OneOf("k-means++", "random"), Function(), ArrayLike()],
        "n_init": [OneOf("auto"), Interval(1, None, integer=True)],
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
        "verbose": [Verbosity()],
        "random_state": [RandomState()],
        "copy_x": [Boolean()],
        "algorithm": [OneOf("lloyd", "elkan")],
        "bound_effort": [Interval(0, None, integer=True)],
    }
    _state: ClassVar[tuple[str, ...]] = ("cluster_centers_", "labels_", "inertia_", "n_iter_", "converged_")

    cluster_centers_: NDArray[Any]
    labels_: NDArray[np.int32]
    inertia_: float
    n_iter_: int
    n_features_in_: int

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
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.bound_effort = bound_effort

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = True
        return tags

    def _restored(self) -> None:
        if hasattr(self, "cluster_centers_"):
            check_shapes(self, cluster_centers_=(None, self.n_features_in_), labels_=(None,))

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> KMeans:
        """Find the centers.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows: 0 removes a row, a whole number repeats it.
        """
        table = self._check_table(X, reset=True)
        given = check_weights(self, sample_weight, table)
        kept, weights = self._of_positive_weight(table, given)
        rows = self._rows(kept, weights)
        self._fit_rows(kept, rows, weights)
        self.labels_, squared = self._nearest(table)
        self.inertia_ = float(squared.sum() if given is None else given @ squared)
        self._warn_about_few(int(np.count_nonzero(np.bincount(self.labels_))))
        self.report_ = self._certified(kept, weights, rows)
        return self

    def _fit_rows(self, X: Table, rows: Rows, weights: NDArray[np.float64]) -> None:
        """Set the centers and the rounds: those of the best start."""
        starts = Starts(self.init, self.n_clusters, X, rows, weights, resolve_seed(self.random_state))
        tolerance = self.tol * rows.variance() if self.tol > 0.0 else 0.0
        runs = self._runs(X)
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
        """Lloyd's rounds; one at a time if somebody watches."""
        if not iterations.watched:
            rounds, settled = rows.improve(centers, self.max_iter, tolerance)
            return rounds, settled or rounds < self.max_iter
        for rounds in range(1, self.max_iter + 1):
            before = centers.copy()
            rows.improve(centers, 1, tolerance)
            stop = iterations.step(objective=rows.cost(centers))
            if stop or float(np.sum((centers - before) ** 2)) <= tolerance:
                return rounds, not stop
        return self.max_iter, False

    def _runs(self, X: Table) -> int:
        """How many starts to try."""
        given = not isinstance(self.init, str) and not callable(self.init)
        if self.n_init == "auto":
            return 1 if given or self.init == "k-means++" else RANDOM_STARTS
        runs = int(self.n_init)
        if given:
            checked_centers(self.init, X, self.n_clusters)
            if runs != 1:
                warn_user(
                    f"Explicit initial center position passed: performing only one init in {type(self).__name__} "
                    f"instead of n_init={runs}.",
                    RuntimeWarning,
                )
            return 1
        return runs

    def _of_positive_weight(self, X: Table, weights: NDArray[Any] | None) -> tuple[Any, NDArray[np.float64]]:
        """The rows that count, and their weights."""
        if weights is None:
            weights = np.ones(X.shape[0])
        elif not weights.all():
            X, weights = X[weights > 0.0], weights[weights > 0.0]
        if X.shape[0] < self.n_clusters:
            raise ValueError(
                f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}.\n"
                f"Hint: {type(self).__name__} needs at least one row (of positive weight) per cluster."
            )
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn_user(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.", RuntimeWarning
            )
        return X, weights

    def _warn_about_few(self, found: int) -> None:
        if found < self.n_clusters:
            warn_user(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). Possibly "
                "due to duplicate points in X.",
                ConvergenceWarning,
            )

    def _certified(self, X: Any, weights: NDArray[np.float64], rows: Rows) -> Report:
        """The bound that the effort asks for, where the table is not too large for it."""
        centers = self.cluster_centers_.astype(np.float64)
        if self.bound_effort and X.shape[0] <= WIDEST_CERTIFIED:
            table = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
            bound = Relaxation(table, weights, self.n_clusters).ascend(self.inertia_, self.bound_effort)
            return Report([dual_certificate(self.inertia_, centers, bound)])
        if min(X.shape) > WIDEST_CERTIFIED:
            return Report()
        return Report([spectral_certificate(self.inertia_, centers, *rows.scatter())])

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        return check_X(self, X, reset=reset, accept_sparse="csr", accept_large_sparse=False, order="C", largest=1e150)

    def _threads(self, X: Table) -> int:
        return resolve_threads() if X.shape[0] * X.shape[1] * self.n_clusters > LEAST_PARALLEL_WORK else 1

    def _rows(self, X: Any, weights: NDArray[np.float64]) -> Rows:
        return SparseRows(X, weights) if sparse.issparse(X) else DenseRows(X, weights, self._threads(X))

    def _nearest(self, X: Any) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        centers = self.cluster_centers_.astype(np.float64)
        if sparse.issparse(X):
            return nearest_sparse(X, centers)
        return _native_calls.nearest_centers(X, centers, self._threads(X))

    def fit_predict(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> NDArray[np.int32]:
        """Fit, and give the cluster of every training row.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> NDArray[Any]:
        """Fit, and give the distances of the training rows to the centers.

        Parameters
        ----------
        y : ignored
            There for compatibility.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        return np.asarray(self.fit(X, sample_weight=sample_weight).transform(X))

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.int32]:
        """The cluster of every row: that of the nearest center."""
        return self._nearest(self._check_table(X))[0]

    @predict_method
    def transform(self, X: TableLike) -> NDArray[Any]:
        """The distance of every row to every center.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
        """
        table = self._check_table(X)
        centers = self.cluster_centers_.astype(np.float64)
        if sparse.issparse(table):
            return np.sqrt(squared_distances(table, centers)).astype(table.dtype)
        return _native_calls.center_distances(table, centers, self._threads(table)).astype(table.dtype, copy=False)

    @property
    def _n_features_out(self) -> int:
        return int(self.cluster_centers_.shape[0])

    @predict_method
    def score(self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> float:
        """The negative objective on these rows.

        Parameters
        ----------
        y : ignored
            There for compatibility.
        """
        table = self._check_table(X)
        weights = check_weights(self, sample_weight, table)
        squared = self._nearest(table)[1]
        return -float(squared.sum() if weights is None else weights @ squared)

    @predict_method
    def certify(
        self, X: TableLike, y: TargetLike | None = None, *, loss: Any = "auto", confidence: float = 0.95, **options: Any
    ) -> Report:
        """Bound the mean distance of new rows to their nearest center, from rows that the centers have not seen.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Held-out rows.
        y : ignored
            There for compatibility.
        loss : {"auto", "distance"}, default="auto"
            The distance to the nearest center, capped at ``cap``.
        confidence : float, default=0.95
            Probability with which the bound holds.
        **options
            ``cap``: largest distance that counts, chosen without looking at these rows.

        Returns
        -------
        Report
            The lower bound of training together with the bound of these rows.
        """
        cap = options.pop("cap", None)
        if loss not in ("auto", "distance") or options or not (isinstance(cap, int | float) and 0 < cap < np.inf):
            raise ValueError(
                f"{type(self).__name__}.certify needs loss='distance' and cap, a positive number: the mean of a "
                "distance without a known end cannot be bounded from a sample. "
                f"Got loss={loss!r}, cap={cap!r} and options {sorted(options)} instead.\n"
                "Hint: a cap of, say, the largest distance among other rows."
            )
        distances = np.minimum(np.sqrt(self._nearest(self._check_table(X))[1]), cap)
        quantity = f"mean distance to the nearest center, capped at {cap:g}"
        bound = mean_bound(distances, low=0.0, high=float(cap), confidence=confidence, quantity=quantity)
        return self.report_.with_(Report([bound]))
