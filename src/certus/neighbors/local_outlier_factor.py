"""Outliers by their local density. Breunig, Kriegel, Ng, Sander (2000)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.metaestimators import available_if

from certus.base import Learner, TableLike, TargetLike, fit_method, predict_method, register, warn_user
from certus.base.params import Boolean, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.neighbors.search.nearest_rows import NearestRows
from certus.neighbors.search.row_memory import COUNT, SEARCH_CONSTRAINTS, STATE

_LEAST_REACH = 1e-10  # keeps the density of many equal rows finite, as in scikit-learn


def _only_for_novelty(method: str, instead: str) -> Any:
    """The condition of `available_if` for methods about new rows."""

    def check(learner: LocalOutlierFactor) -> bool:
        if not learner.novelty:
            raise AttributeError(f"{method} is not available when novelty=False{instead}")
        return True

    return check


def _only_without_novelty(learner: LocalOutlierFactor) -> bool:
    if learner.novelty:
        raise AttributeError(
            "fit_predict is not available when novelty=True. Use novelty=False if you want to predict on the "
            "training set."
        )
    return True


@register(
    family="neighbors",
    tasks=("density",),
    guarantees=(),
    cost="fit O(n p log n) plus the search for k neighbors of every row",
)
class LocalOutlierFactor(NearestRows, OutlierMixin, Learner):
    """Outlier detector that compares the density around a row with that around its neighbors.

    With k(o) the distance from o to its k-th neighbor and reach(x, o) = max(k(o), d(x, o)),

        density(x) = 1 / mean_o reach(x, o),      factor(x) = mean_o density(o) / density(x),      o in N_k(x)

    A factor near 1 is usual, a much larger one an outlier.

    Parameters
    ----------
    n_neighbors : int, default=20
        How many neighbors make the neighborhood of a row.
    contamination : 'auto' or float, default='auto'
        Share of outliers among the training rows, which sets the threshold; ``'auto'``: factors above 1.5.
    novelty : bool, default=False
        Whether new rows will be judged (`predict`); if not, the training rows are (`fit_predict`).

    Attributes
    ----------
    negative_outlier_factor_ : ndarray of shape (n_samples,)
        Minus the factors of the training rows.
    n_neighbors_ : int
        Number of neighbors that is used.
    offset_ : float
        Threshold for minus the factor: rows below are outliers.

    Examples
    --------
    >>> from certus.neighbors import LocalOutlierFactor
    >>> print(LocalOutlierFactor(n_neighbors=2).fit_predict([[-1.1], [0.2], [101.1], [0.3]]))
    [ 1  1 -1  1]
    """

    _constraints = {
        **COUNT,
        **SEARCH_CONSTRAINTS,
        "contamination": [OneOf("auto"), Interval(0, 0.5, "right")],
        "novelty": [Boolean()],
    }
    _state = (*STATE, "negative_outlier_factor_", "n_neighbors_", "offset_", "_lrd", "_reach")

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Any = "minkowski",
        p: float | None = 2,
        metric_params: dict[str, Any] | None = None,
        contamination: float | str = "auto",
        novelty: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike | None = None) -> LocalOutlierFactor:
        """Find the densities and factors of the training rows."""
        self._take_rows(self._check_rows(X))
        rows = self.n_samples_fit_
        wanted = self._check_count(None)
        if wanted > rows:
            warn_user(
                f"n_neighbors ({wanted}) is greater than the total number of samples ({rows}). n_neighbors will be "
                "set to (n_samples - 1) for estimation.",
                UserWarning,
            )
        self.n_neighbors_ = max(1, min(wanted, rows - 1))
        distances, neighbors = self.kneighbors(n_neighbors=self.n_neighbors_)
        if self._fit_X.dtype == np.float32:
            distances = distances.astype(np.float32)
        self._reach = distances[:, -1].copy()
        self._lrd = self._densities(distances, neighbors)
        self.negative_outlier_factor_ = -np.mean(self._lrd[neighbors] / self._lrd[:, None], axis=1)
        if isinstance(self.contamination, str):
            self.offset_ = -1.5
        else:
            self.offset_ = float(np.percentile(self.negative_outlier_factor_, 100.0 * self.contamination))
        self._warn_of_duplicates()
        self.report_ = Report()
        return self

    def _densities(self, distances: NDArray[Any], neighbors: NDArray[np.intp]) -> NDArray[Any]:
        reach = np.maximum(distances, self._reach[neighbors])
        found: NDArray[Any] = 1.0 / (np.mean(reach, axis=1) + _LEAST_REACH)
        return found

    def _warn_of_duplicates(self) -> None:
        if self.negative_outlier_factor_.min() < -1e7 and not self.novelty:
            warn_user(
                "Duplicate values are leading to incorrect results. Increase the number of neighbors for more "
                "accurate results.",
                UserWarning,
            )

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "_lrd"):
            rows = (self.n_samples_fit_,)
            check_shapes(self, _lrd=rows, _reach=rows, negative_outlier_factor_=rows)
            if not 1 <= self.n_neighbors_ <= self.n_samples_fit_:
                raise ValueError("n_neighbors_ must be a number of neighbors that there can be.")

    @available_if(_only_without_novelty)  # type: ignore[untyped-decorator]
    def fit_predict(self, X: TableLike, y: TargetLike | None = None) -> NDArray[np.int64]:
        """Fit and say which training rows are outliers.

        Returns
        -------
        ndarray of shape (n_samples,)
            -1 for outliers, 1 for the others.
        """
        self.fit(X)
        return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)

    @available_if(
        _only_for_novelty(
            "predict",
            ", use fit_predict if you want to predict on training data. Use novelty=True if you want to use LOF for "
            "novelty detection and predict on new unseen data.",
        )
    )  # type: ignore[untyped-decorator]
    def predict(self, X: TableLike) -> NDArray[np.int64]:
        """Say which new rows are outliers: -1, the others 1."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    @available_if(
        _only_for_novelty(
            "decision_function",
            ". Use novelty=True if you want to use LOF for novelty detection and compute decision_function for new "
            "unseen data. Note that the opposite LOF of the training samples is always available by considering the "
            "negative_outlier_factor_ attribute.",
        )
    )  # type: ignore[untyped-decorator]
    def decision_function(self, X: TableLike) -> NDArray[Any]:
        """Minus the factor of new rows, minus the threshold: below 0 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_queries,)
            The scores.
        """
        scores: NDArray[Any] = self.score_samples(X) - self.offset_
        return scores

    @available_if(
        _only_for_novelty(
            "score_samples",
            ". The scores of the training samples are always available through the negative_outlier_factor_ "
            "attribute. Use novelty=True if you want to use LOF for novelty detection and compute score_samples for "
            "new unseen data.",
        )
    )  # type: ignore[untyped-decorator]
    @predict_method
    def score_samples(self, X: TableLike) -> NDArray[Any]:
        """Minus the factor of new rows; their neighbors are training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_queries,)
            The scores.
        """
        queries = self._check_queries(X)
        distances, neighbors = self.kneighbors(X, n_neighbors=self.n_neighbors_)
        if queries.dtype == np.float32:
            distances = distances.astype(np.float32)
        own = self._densities(distances, neighbors)
        return -np.mean(self._lrd[neighbors] / own[:, None], axis=1)
