"""Histogram gradient boosting for numbers (Friedman 2001; Ke et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Regressor, fit_method, predict_method, register
from certus.base.inputs import ColumnsLike, RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, Interval, OneOf
from certus.ensemble.boosting.boosting_losses import BoostingLoss, ScalarLoss
from certus.ensemble.boosting.hist_gradient_boosting import HistGradientBoosting
from certus.losses import named_loss


@register(
    guarantees=("training loss never rises",),
    cost="fit O(n p) for bins + O(rounds n p depth), predict O(n rounds depth)",
)
class HistGradientBoostingRegressor(HistGradientBoosting, Regressor):
    """Boosted regression trees on binned columns: fast on large tables.

    The prediction is f_M(x), or exp(f_M(x)) for the gamma and the Poisson loss, with f_M = f_0 + eta sum_m t_m(x). Tree
    t_m is grown on the derivatives g_i, h_i of the loss at f_(m-1)(x_i): a node is divided where G_L^2 / (H_L + lambda)
    + G_R^2 / (H_R + lambda) - G^2 / (H + lambda) is largest, with G = sum g_i, H = sum h_i, and a leaf has the value -G
    / (H + lambda) (for the absolute and the quantile loss: the median or quantile of its residuals). Columns are
    divided at quantiles into at most 255 bins; missing values have a bin of their own and go to the side where they
    help most; categories are put into order by G / H at every node.

    Use it for tables with more than some thousand rows, mixed columns and missing values. It cannot extrapolate.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, default="squared_error"
        What is minimized; "gamma" and "poisson" predict through an exponential and need y > 0 and y >= 0.
    quantile : float, default=None
        Which quantile, for ``loss="quantile"``.
    monotonic_cst : array-like of int or dict of str to int, default=None
        1, 0 or -1 per column: the prediction must not fall (must not rise) with it.

    Attributes
    ----------
    n_iter_, n_trees_per_iteration_ : int
        Rounds, and trees in each of them (1).
    baseline_ : ndarray of shape (1,)
        The constant f_0.

    Notes
    -----
    Derivatives are rounded to a grid on which all sums are exact, so the trees do not depend on the number of
    threads. Infinite values are allowed: they are the largest or smallest of their column.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.ensemble import HistGradientBoostingRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> model = HistGradientBoostingRegressor().fit(X, X[:, 0] > 0.5)
    >>> print(model.predict([[0.2], [0.8]]).round(2))
    [0. 1.]
    """

    _constraints = {
        **HistGradientBoosting._constraints,
        "loss": [OneOf("squared_error", "absolute_error", "gamma", "poisson", "quantile")],
        "quantile": [Interval(0, 1), Exactly(None)],
    }

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: ColumnsLike = "from_dtype",
        monotonic_cst: ColumnsLike = None,
        interaction_cst: Sequence[Any] | str | None = None,
        warm_start: bool = False,
        early_stopping: bool | str = "auto",
        scoring: str | Callable[..., float] | None = "loss",
        validation_fraction: int | float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: RandomStateLike = None,
        growth: str = "best_first",
        rare_categories: str = "refuse",
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self,
        X: TableLike,
        y: TargetLike,
        sample_weight: WeightsLike = None,
        *,
        X_val: TableLike | None = None,
        y_val: TargetLike | None = None,
        sample_weight_val: WeightsLike = None,
    ) -> HistGradientBoostingRegressor:
        """Grow the trees.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 0 removes it. ``min_samples_leaf`` counts rows, not weights.
        X_val, y_val, sample_weight_val : array-like, default=None
            Held-out rows for early stopping, instead of ``validation_fraction``.
        """
        self._fit(X, y, sample_weight, (X_val, y_val, sample_weight_val))
        return self

    @predict_method
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted numbers."""
        return self._answer(self._raw_predict(X))

    def staged_predict(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """Predicted numbers after 1, 2, … rounds.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for raw in self._staged_raw_predict(X):
            yield self._answer(raw)

    def _answer(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(raw[0]) if self.loss in ("gamma", "poisson") else raw[0]

    def _make_loss(self) -> BoostingLoss:
        if self.loss == "quantile" and self.quantile is None:
            raise ValueError(
                "loss='quantile' needs the parameter 'quantile'.\nHint: quantile=0.9 predicts what 90 % of the targets "
                "stay below."
            )
        return ScalarLoss(named_loss(self.loss, self.quantile))

    def _encode_target(self, y: NDArray[Any], *, reset: bool) -> NDArray[np.float64]:
        target = y.astype(np.float64)
        if self.loss == "gamma" and not (target > 0).all():
            row = int(np.flatnonzero(target <= 0)[0])
            raise ValueError(f"loss='gamma' requires strictly positive y, got {target[row]:g} in row {row}.")
        if self.loss == "poisson" and not ((target >= 0).all() and target.sum() > 0):
            raise ValueError("loss='poisson' requires non-negative y and sum(y) > 0.")
        return np.ascontiguousarray(target)
