"""Split conformal intervals for regression: absolute, normalized and quantile scores, also per group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.model_selection import cross_val_predict

from certus.base import OneOf, TableLike, TargetLike
from certus.evaluation.conformal.any_rows import numeric_target
from certus.evaluation.conformal.conformal_wrapper import SplitWrapper
from certus.evaluation.conformal.interval_scores import INTERVAL_SCORES, IntervalScore

# A predicted scale below this part of the mean absolute residual is raised to it.
_SCALE_FLOOR = 0.01


class SplitConformalRegressor(RegressorMixin, SplitWrapper):
    """Intervals that contain the true value with the stated probability, whatever the model.

    The score s(x, y) of held-out rows is sorted; with n of them the threshold q is the score of rank
    ceil((n + 1) * confidence), and the interval of a new row is {y : s(x, y) <= q}. With fewer than
    confidence / (1 - confidence) rows the interval is the whole line, and the report says so.

    Parameters
    ----------
    estimator : regressor, pair of regressors, or None, default=None
        The model. `fit` trains a clone, `calibrate` takes it as fitted. A pair (lower, upper) belongs to
        ``score="quantile"``. With None the rows are themselves predictions: one column, or two for
        "normalized" (prediction, scale) and "quantile" (lower, upper).
    score : {"absolute", "normalized", "quantile"}, default="absolute"
        Constant width; width proportional to a predicted scale; width from two predicted quantiles.
    scale : regressor or callable, default=None
        For "normalized": predicts the size of the error. `fit` trains a clone of a regressor on
        cross-validated absolute residuals of the training part.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from certus.evaluation import SplitConformalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = X[:, 0] + rng.normal(size=400)
    >>> model = SplitConformalRegressor(LinearRegression(), random_state=0).fit(X, y)
    >>> model.calibration_.rank.rank, model.calibration_.rank.rows
    (91, 100)
    >>> model.predict_interval(X[:2]).shape
    (2, 2)
    """

    _constraints = {**SplitWrapper._constraints, "score": [OneOf(*INTERVAL_SCORES)]}
    _subject, _bare = "interval", "predictions"

    def __init__(
        self,
        estimator: Any = None,
        *,
        confidence: float = 0.9,
        score: str = "absolute",
        scale: Any = None,
        assurance: float | None = None,
        calibration_size: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _train(self, X: TableLike, y: TargetLike) -> None:
        self.estimator_ = clone(self.estimator)
        for model in self.estimator_ if isinstance(self.estimator_, Sequence) else (self.estimator_,):
            model.fit(X, y)
        self._fit_scale(X, y)

    def _take_as_fitted(self) -> None:
        super()._take_as_fitted()
        self.scale_, self.scale_floor_ = self.scale, 0.0

    def predict(self, X: TableLike) -> NDArray[Any]:
        """Point prediction: that of the model, or the middle between its two quantiles."""
        response = self._response(X)
        return response.mean(axis=1) if self.score == "quantile" else response[:, 0]

    def predict_interval(self, X: TableLike, groups: TargetLike | None = None) -> NDArray[np.float64]:
        """Interval of every row, as an array of shape (rows, 2); its ends belong to it.

        Parameters
        ----------
        X : array-like
            Rows (predictions when `estimator` is None).
        groups : array-like, default=None
            Group of every row, if groups were used in calibration.
        """
        response = self._response(X)
        return self._score.interval(response, self._thresholds(len(response), groups))

    @property
    def _score(self) -> IntervalScore:
        return INTERVAL_SCORES[self.score]

    def _calibrate(self, X: TableLike, y: TargetLike, groups: TargetLike | None) -> Self:
        scores = self._score.score(self._response(X), numeric_target(y))
        return self._store_calibration(scores, groups)

    def _fit_scale(self, X: TableLike, y: TargetLike) -> None:
        self.scale_, self.scale_floor_ = self.scale, 0.0
        if self.score != "normalized" or not hasattr(self.scale, "fit"):
            return
        # Residuals of rows that the model was trained on are too small to learn a scale from.
        predicted = cross_val_predict(clone(self.estimator), X, y)
        residuals = np.abs(numeric_target(y) - predicted)
        self.scale_ = clone(self.scale).fit(X, residuals)
        self.scale_floor_ = _SCALE_FLOOR * float(residuals.mean())

    def _response(self, X: TableLike) -> NDArray[np.float64]:
        """The table that the score needs, from the model or from bare predictions."""
        if self.estimator is None:
            return self._score.check(X)
        model: Any = getattr(self, "estimator_", self.estimator)
        if self.score == "quantile" and isinstance(model, Sequence):
            if len(model) != 2:
                raise ValueError(
                    f"estimator must be a pair (lower, upper) for score='quantile', got {len(model)} models.\n"
                    "Hint: train one model for each of the two quantiles."
                )
            response = np.column_stack([np.asarray(part.predict(X), dtype=np.float64) for part in model])
        else:
            response = np.asarray(model.predict(X), dtype=np.float64)
        if self.score == "normalized":
            response = np.column_stack([response, self._predicted_scale(X)])
        return self._score.check(response)

    def _predicted_scale(self, X: TableLike) -> NDArray[np.float64]:
        if self.scale_ is None:
            raise ValueError(
                "scale must be a regressor or a function of X for score='normalized', got None.\n"
                "Hint: for example scale=KNeighborsRegressor(20)."
            )
        predict = self.scale_.predict if hasattr(self.scale_, "predict") else self.scale_
        scale = np.asarray(predict(X), dtype=np.float64)
        return np.maximum(scale, self.scale_floor_) if self.scale_floor_ > 0 else scale
