"""Regression by the mean of the nearest training rows. Fix, Hodges (1951)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Regressor, TableLike, TargetLike, WeightsLike, fit_method, predict_method, register
from certus.guarantees import Report
from certus.neighbors.learning.k_neighbors import K_CONSTRAINTS, KNeighbors
from certus.neighbors.learning.target_memory import TARGET_STATE


@register(
    family="neighbors",
    tasks=("regression",),
    guarantees=(),
    cost="fit O(n p log n), predict O(n p) per row or less, by kd-tree or matrix products",
)
class KNeighborsRegressor(KNeighbors, Regressor):
    """Regressor that averages the targets of the nearest training rows.

    With N_k(x) the ``n_neighbors`` training rows nearest to x and w_i(x) their weights,

        y(x) = sum_i w_i(x) y_i / sum_i w_i(x),       i in N_k(x)

    The neighbors are exact whatever ``algorithm`` is, and rows equally far away are taken in the order of the training
    table. All columns count alike in the distance, so scale them first. The prediction cannot leave the range of the
    training targets. The model keeps all training rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors are averaged.
    weights : {'uniform', 'distance'}, callable or None, default='uniform'
        ``'uniform'`` (or None): all alike. ``'distance'``: 1 / distance; if a neighbor is at distance 0, only
        such neighbors count. A function gets the array of distances and returns the weights in the same shape.

    Attributes
    ----------
    report_ : Report
        Empty: training supports no promise about a mean of neighbors.

    See Also
    --------
    KNeighborsClassifier : The same for labels.

    Examples
    --------
    >>> from certus.neighbors import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.5]]))
    [0.5]
    """

    _constraints = K_CONSTRAINTS
    _state: ClassVar[tuple[str, ...]] = TARGET_STATE

    def __init__(
        self,
        n_neighbors: int | None = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> KNeighborsRegressor:
        """Keep the rows and prepare the search.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            How many of the ``n_neighbors`` places a row fills: 2 as if it were there twice, 0 none.
        """
        self._fit_rows(X, y, sample_weight)
        return self

    def _fit_rows(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike) -> None:
        self._remember(*self._check_training(X, y), sample_weight)
        self.report_ = Report()

    @fit_method
    def partial_fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> KNeighborsRegressor:
        """Remember further rows; the first call is `fit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The rows.
        sample_weight : array-like of shape (n_samples,), default=None
            How many places each of them fills.
        """
        self._add_rows(X, y, sample_weight)
        return self

    def _add_rows(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike) -> None:
        if not hasattr(self, "_fit_X"):
            return self._fit_rows(X, y, sample_weight)
        rows, more = self._check_training(X, y, reset=False)
        if more.shape[1:] != self._y.shape[1:]:
            raise ValueError(f"y must have {self._y.shape[1:] or 'no'} outputs as before, got the shape {more.shape}.")
        return self._remember_more(rows, np.concatenate([self._y, more]), sample_weight)

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "_y") and (self._y.shape[:1] != (self.n_samples_fit_,) or self._y.ndim > 2):
            raise ValueError("_y does not have one target per training row")
        if hasattr(self, "_y") and self._y.dtype.kind not in "biuf":
            raise ValueError("_y does not hold numbers")

    @predict_method
    def predict(self, X: TableLike | None) -> NDArray[Any]:
        """The (weighted) mean of the neighbors' targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            The queries; None stands for the training rows, each predicted from the others (leave-one-out).

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            The predictions.
        """
        neighbors, weights = self._counted_neighbors(X)
        targets = self._y[neighbors]
        if weights is None:
            return np.mean(targets, axis=1)
        shared = weights if targets.ndim == 2 else weights[:, :, None]
        return np.sum(targets * shared, axis=1) / np.sum(shared, axis=1)
