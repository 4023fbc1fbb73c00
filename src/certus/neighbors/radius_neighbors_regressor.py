"""Regression by the mean of the training rows within a radius."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Regressor, TableLike, TargetLike, WeightsLike, fit_method, predict_method, register, warn_user
from certus.guarantees import Report
from certus.neighbors.learning.radius_neighbors import RADIUS_CONSTRAINTS, RadiusNeighbors
from certus.neighbors.learning.target_memory import TARGET_STATE


@register(
    family="neighbors",
    guarantees=(),
    cost="fit O(n p log n), predict O(n p) per row or less, by kd-tree or comparison",
)
class RadiusNeighborsRegressor(RadiusNeighbors, Regressor):
    """Regressor that averages the targets of all training rows within a radius.

    With N_r(x) the training rows at most ``radius`` away from x and w_i(x) their weights,

        y(x) = sum_i w_i(x) y_i / sum_i w_i(x),       i in N_r(x)

    A query without neighbors gets NaN and a warning.

    Parameters
    ----------
    radius : float, default=1.0
        How far neighbors may be.
    weights : {'uniform', 'distance'}, callable or None, default='uniform'
        ``'uniform'`` (or None): all alike. ``'distance'``: 1 / distance; if a neighbor is at distance 0, only such
        neighbors count. A function gets an array of arrays of distances and returns weights in the same form.

    See Also
    --------
    KNeighborsRegressor : Equally many neighbors for every query.

    Examples
    --------
    >>> from certus.neighbors import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(radius=1.0).fit([[0], [1], [2], [3]], [0, 0, 1, 1])
    >>> print(model.predict([[1.5]]))
    [0.5]
    """

    _constraints = RADIUS_CONSTRAINTS
    _state = TARGET_STATE

    def __init__(
        self,
        radius: float = 1.0,
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
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> RadiusNeighborsRegressor:
        """Keep the rows and prepare the search."""
        self._remember(*self._check_training(X, y), sample_weight)
        self.report_ = Report()
        return self

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The (weighted) mean of the neighbors' targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_queries, n_features) or None
            The queries; None stands for the training rows, each predicted from the others.

        Returns
        -------
        ndarray of shape (n_queries,) or (n_queries, n_outputs)
            The predictions; NaN where there is no neighbor.
        """
        found, queries, weights = self._counted_neighbors(X)
        count = len(found.starts) - 1
        totals = np.bincount(queries, weights, minlength=count)
        targets = self._y.reshape(len(self._y), -1)[found.rows].astype(np.float64, copy=False)
        sums = np.stack([np.bincount(queries, weights * column, minlength=count) for column in targets.T], axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(totals[:, None] != 0, sums / totals[:, None], np.nan)
        if (totals == 0).any():
            warn_user(
                "One or more samples have no neighbors within specified radius; predicting NaN.",
                UserWarning,
            )
        return means if self._y.ndim == 2 else means.ravel()

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "_y") and (self._y.shape[:1] != (self.n_samples_fit_,) or self._y.ndim > 2):
            raise ValueError("_y does not have one target per training row")
        if hasattr(self, "_y") and self._y.dtype.kind not in "biuf":
            raise ValueError("_y does not hold numbers")
