"""Numbers to predict, brought to mean 0 and variance 1 for learners whose settings are in the target's own units."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from certus.base import Regressor, register_part
from certus.guarantees import Report


@register_part("workflow")
class ScaledTarget(RegressorMixin, BaseEstimator):
    """A regressor that is trained on (y - mean) / spread and predicts in the units of y.

    The tube of a support vector machine (epsilon = 0.1) then has the same meaning for prices and for fractions.

    Parameters
    ----------
    regressor : regressor
        Trained in place.
    """

    _state = ("regressor", "mean_", "scale_", "n_features_in_")

    def __init__(self, regressor: Regressor) -> None:
        self.regressor = regressor

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ScaledTarget:
        """Train on the scaled target, with the weights of rows if the regressor takes them."""
        values = np.asarray(y, dtype=np.float64)
        self.mean_, spread = float(np.mean(values)), float(np.std(values))
        self.scale_ = spread if spread > 0.0 else 1.0
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.regressor.fit(X, (values - self.mean_) / self.scale_, **weights)
        self.n_features_in_ = self.regressor.n_features_in_
        self.report_: Report = self.regressor.report_  # about the scaled target
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predictions in the target's own units."""
        return np.asarray(self.mean_ + self.scale_ * self.regressor.predict(X))
