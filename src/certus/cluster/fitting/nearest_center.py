"""What learners with centers share: a row belongs to its nearest center."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from certus.base import Clusterer, predict_method, resolve_threads, warn_user
from certus.base.inputs import Table, TableLike, TargetLike, WeightsLike, check_weights, check_X
from certus.base.persistence import check_shapes
from certus.cluster import _native_calls
from certus.cluster.fitting.least_spread import refuse_vanishing_squares
from certus.cluster.solvers.dense_rows import DenseRows
from certus.cluster.solvers.first_centers import Rows, checked_centers
from certus.cluster.solvers.sparse_rows import SparseRows, nearest_sparse, squared_distances
from certus.guarantees import Certificate, Report, mean_bound

LEAST_PARALLEL_WORK = 200_000


class NearestCenter(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Centers and the rows around them.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of centers.
    verbose : int, default=0
        Accepted for compatibility.
    random_state : int, RandomState, Generator or None, default=None
        Seed of all draws.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers.
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training row.
    inertia_ : float
        The sum of squared distances of the training rows to their centers, times their weights.
    """

    _takes_sparse = True

    n_clusters: int
    cluster_centers_: NDArray[Any]
    labels_: NDArray[np.int32]
    inertia_: float
    n_features_in_: int

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _restored(self) -> None:
        if hasattr(self, "cluster_centers_"):
            check_shapes(self, cluster_centers_=(None, self.n_features_in_), labels_=(None,))

    def _centers_wanted(self) -> int:
        """How many centers there must be rows for."""
        return self.n_clusters

    def _of_positive_weight(self, X: Table, weights: NDArray[Any] | None) -> tuple[Any, NDArray[np.float64]]:
        """The rows that count, and their weights."""
        if weights is None:
            weights = np.ones(X.shape[0])
        elif not weights.all():
            X, weights = X[weights > 0.0], weights[weights > 0.0]
        if X.shape[0] < self._centers_wanted():
            raise ValueError(
                f"n_samples={X.shape[0]} should be >= n_clusters={self._centers_wanted()}.\n"
                f"Hint: {type(self).__name__} needs at least one row (of positive weight) per cluster."
            )
        return X, weights

    def _warn_about_few(self, found: int) -> None:
        if found < self.n_clusters:
            warn_user(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). Possibly "
                "due to duplicate points in X.",
                ConvergenceWarning,
            )

    def _check_table(self, X: TableLike, *, reset: bool = False) -> Any:
        table = check_X(self, X, reset=reset, accept_sparse="csr", accept_large_sparse=False, order="C", largest=1e150)
        if reset:
            refuse_vanishing_squares(type(self).__name__, table)
        return table

    def _threads(self, X: Table) -> int:
        return resolve_threads() if X.shape[0] * X.shape[1] * self._centers_wanted() > LEAST_PARALLEL_WORK else 1

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
        """Fit, and give the cluster of every training row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(
        self, X: TableLike, y: TargetLike | None = None, sample_weight: WeightsLike = None
    ) -> NDArray[Any]:
        """Fit, and give the distances of the training rows to the centers.

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
        """The negative objective on these rows."""
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
            ``cap``: largest distance that counts, chosen without looking at these rows. ``allow_training_rows=True``
            asks for an estimate on rows of training, which are refused otherwise.

        Returns
        -------
        Report
            The lower bound of training together with the bound of these rows.
        """
        cap, allow = options.pop("cap", None), options.pop("allow_training_rows", False)
        if loss not in ("auto", "distance") or options or not (isinstance(cap, int | float) and 0 < cap < np.inf):
            raise ValueError(
                f"{type(self).__name__}.certify needs loss='distance' and cap, a positive number: the mean of a "
                "distance without a known end cannot be bounded from a sample. "
                f"Got loss={loss!r}, cap={cap!r} and options {sorted(options)} instead.\n"
                "Hint: a cap of, say, the largest distance among other rows."
            )
        quantity = f"mean distance to the nearest center, capped at {cap:g}"

        def judged() -> list[Certificate]:
            distances = np.minimum(np.sqrt(self._nearest(self._check_table(X))[1]), cap)
            return [mean_bound(distances, low=0.0, high=float(cap), confidence=confidence, quantity=quantity)]

        return self._with_new_rows(judged, allow_training_rows=allow)


def starts_to_try(learner: Any, X: Table, otherwise: int) -> int:
    """How many starts a learner with the parameters init and n_init tries; `otherwise` if any rows may be drawn."""
    init, given = learner.init, not isinstance(learner.init, str) and not callable(learner.init)
    if learner.n_init == "auto":
        return otherwise if callable(init) or (not given and init == "random") else 1
    runs = int(learner.n_init)
    if given:
        checked_centers(init, X, learner.n_clusters)
        if runs != 1:
            warn_user(
                f"Explicit initial center position passed: performing only one init in {type(learner).__name__} "
                f"instead of n_init={runs}.",
                RuntimeWarning,
            )
        return 1
    return runs
