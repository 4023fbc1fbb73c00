"""What the forests that average numbers share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from certus.base import OneOf, Regressor, TableLike, TargetLike, WeightsLike, fit_method, predict_method
from certus.ensemble.forests.forest import Forest
from certus.trees.decision_tree_regressor import check_counts


class ForestRegressor(Forest, Regressor):
    """Base of the regression forests; use `RandomForestRegressor` or `ExtraTreesRegressor`.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        The loss. ("friedman_mse", deprecated in scikit-learn, means "squared_error".)

    Attributes
    ----------
    oob_score_ : float
        Coefficient of determination over the rows, each judged by the trees without it, if ``oob_score`` is set.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Average of the trees that have not seen the row, if ``oob_score`` is set.
    """

    _constraints = {
        **Forest._constraints,
        "criterion": [OneOf("squared_error", "absolute_error", "poisson")],
    }
    _state = (*Forest._state, "oob_prediction_")

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Any:
        """Grow the trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows; dense ones may have missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their values; not negative for the Poisson criterion.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 0 removes it. With ``bootstrap=True`` a row is drawn with probability
            proportional to its weight.
        """
        self._fit(X, y, sample_weight)
        return self

    def _encode_target(
        self, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> tuple[NDArray[Any], NDArray[np.intp] | None, NDArray[np.float64] | None]:
        values = np.ascontiguousarray(y, dtype=np.float64)
        if self.criterion == "poisson":
            check_counts(values, strictly="strictly ")
        return values, None, None

    def _keep_out_of_bag(self, y: NDArray[Any], judged: NDArray[np.float64], counted: NDArray[np.bool_]) -> None:
        predicted = judged[:, :, 0]
        self.oob_prediction_ = predicted[:, 0] if self.n_outputs_ == 1 else predicted
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = score(y[counted], self.oob_prediction_[counted])

    @predict_method
    def predict(self, X: TableLike) -> NDArray[np.float64]:
        """The average over the trees of the values of the leaves that each row reaches.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        values = self._mean_values(X)
        return values[:, 0, 0] if self.n_outputs_ == 1 else values[:, :, 0]

    def _compute_partial_dependence_recursion(
        self, grid: TargetLike, target_features: TargetLike
    ) -> NDArray[np.float64]:
        """For `sklearn.inspection.partial_dependence` with ``method="recursion"``."""
        grid = np.asarray(grid, dtype=np.float32, order="C")
        averages = np.zeros(grid.shape[0])
        for number in range(len(self.forest_)):
            tree = self.forest_.tree(number)
            tree.compute_partial_dependence(grid, np.asarray(target_features, dtype=np.intp), averages)
        return averages / len(self.forest_)
