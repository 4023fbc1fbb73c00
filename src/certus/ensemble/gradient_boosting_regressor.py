"""Gradient boosting for numbers with exact trees (Friedman 2001, 2002)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from certus.base import Regressor, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, HasMethods, Interval, OneOf
from certus.ensemble.boosting.gradient_boosting import GradientBoosting
from certus.ensemble.boosting.stage_losses import AbsoluteLoss, HuberLoss, QuantileLoss, StageLoss


@register(
    guarantees=("training loss never rises",),
    cost="fit O(p n log n + rounds p n depth), predict O(rounds n depth)",
)
class GradientBoostingRegressor(GradientBoosting, Regressor):
    """Gradient boosting of exact regression trees.

    The prediction is f_M(x) = f_0(x) + eta sum_m t_m(x). Tree t_m is grown on the negative gradients r_i = -dL(y_i, f)
    / df at f = f_(m-1)(x_i) with the squared error, trying every border between two values of every column; its leaves
    then get the values argmin_v sum_(i in leaf) L(y_i, f_(m-1)(x_i) + v).

    Use it for up to some ten thousand rows; `HistGradientBoostingRegressor` is faster on larger tables. The columns are
    sorted once for all trees. It cannot extrapolate.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"}, default="squared_error"
        What is minimized. "huber" is squared for the ``alpha`` smallest residuals and absolute for the others.
    alpha : float, default=0.9
        The quantile of the Huber and the quantile loss.

    Attributes
    ----------
    n_estimators_, n_trees_per_iteration_ : int
        Rounds, and trees in each of them (1).
    estimators_ : ndarray of shape (n_estimators_, 1)
        The trees as learners, built on first access.

    Notes
    -----
    Missing values in dense tables are allowed: they go to the side where they help most. The quantile that boosting
    starts from is the same with and without weights: the smallest value with at least its share of the weight at or
    below it, and the middle between two values where a share is met exactly.

    Examples
    --------
    >>> from certus.ensemble import GradientBoostingRegressor
    >>> model = GradientBoostingRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 1.0, 1.0])
    >>> print(model.predict([[1.4], [3.4]]).round(2))
    [0. 1.]
    """

    _constraints = {
        **GradientBoosting._constraints,
        "loss": [OneOf("squared_error", "absolute_error", "huber", "quantile")],
        "init": [OneOf("zero"), Exactly(None), HasMethods("fit", "predict")],
        "alpha": [Interval(0, 1, closed="neither")],
    }

    def __init__(
        self,
        *,
        loss: str = "squared_error",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: BaseEstimator | str | None = None,
        random_state: RandomStateLike = None,
        max_features: int | float | str | None = None,
        alpha: float = 0.9,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, monitor: Callable[..., bool] | None = None
    ) -> GradientBoostingRegressor:
        """Grow the trees, one round after the other.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 0 removes it. The ``min_samples`` rules count rows, not weights.
        monitor : callable, default=None
            Called after every round with its number, the learner, and a dict of what the round knows (``X``, ``y``,
            ``raw_predictions``, ``sample_mask`` …); True stops.
        """
        self._fit(X, y, sample_weight, monitor)
        return self

    def _encode_target(self, y: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        return np.ascontiguousarray(y, dtype=np.float64)

    def _make_loss(self) -> StageLoss:
        if self.loss == "squared_error":
            return StageLoss()
        if self.loss == "absolute_error":
            return AbsoluteLoss()
        return HuberLoss(self.alpha) if self.loss == "huber" else QuantileLoss(self.alpha)

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.float64]:
        """Predicted numbers."""
        return self._raw_predict(X)[0]

    def staged_predict(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """`predict` after each round.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for raw in self._staged_raw_predict(X):
            yield raw[0]

    @predict_method
    def apply(self, X: TableLike) -> NDArray[np.float64]:
        """The number of the leaf that each row reaches in each tree.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        return super().apply(X)[:, :, 0]


# partial_dependence asks for scikit-learn's own class
sklearn.ensemble.GradientBoostingRegressor.register(GradientBoostingRegressor)
