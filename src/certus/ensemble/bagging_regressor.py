"""Bagging for numbers (Breiman 1996)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d

from certus.base import Regressor, fit_method, predict_method, register, warn_user
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.ensemble.bagged.bagging import Bagging
from certus.ensemble.bagged.bags import SHUFFLED_WEIGHTS
from certus.guarantees import Report
from certus.trees import DecisionTreeRegressor


@register(
    guarantees=(),
    cost="fit O(members x member), predict O(members x member)",
    known_failures=SHUFFLED_WEIGHTS,
    draws_rows=True,
)
class BaggingRegressor(Bagging, Regressor):
    """Bagging: the average of regressors, each fitted to rows drawn with replacement.

    y(x) = (1/T) sum_t f_t(x) over T members. Member t is fitted to ``max_samples`` rows drawn with replacement and
    ``max_features`` columns.

    Use it to steady a learner that changes much with its training rows, such as a full tree; for trees a
    `RandomForestRegressor` is faster.

    Parameters
    ----------
    estimator : learner, default=None
        What is bagged; None means a `DecisionTreeRegressor`.
    oob_score : bool, default=False
        Whether to judge each row by the members that have not seen it.

    Attributes
    ----------
    oob_score_ : float
        Coefficient of determination over the rows, each judged by the members without it, if ``oob_score`` is set.
    oob_prediction_ : ndarray of shape (n_samples,)
        Average of the members that have not seen the row, if ``oob_score`` is set.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from certus.ensemble import BaggingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> bool(BaggingRegressor(random_state=0, oob_score=True, n_estimators=50).fit(X, y).oob_score_ > 0.3)
    True
    """

    _state = (*Bagging._state, "oob_prediction_")

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        n_estimators: int = 10,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        verbose: int = 0,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, **fit_params: Any
    ) -> BaggingRegressor:
        """Fit the members to their draws.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their values.
        sample_weight : array-like of shape (n_samples,), default=None
            Rows are drawn with probability proportional to their weights: 0 removes a row.
        """
        self._fit(X, y, sample_weight, fit_params)
        return self

    def _member(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _encode(self, y: NDArray[Any]) -> NDArray[Any]:
        return column_or_1d(y, warn=True) if y.ndim == 1 or y.shape[1] == 1 else y

    def _finish(self, X: Any, y: NDArray[Any], weighted: bool) -> None:
        self.report_ = Report()
        if self.oob_score:
            self._judge_out_of_bag(X, y, weighted)

    def _judge_out_of_bag(self, X: Any, y: NDArray[Any], weighted: bool) -> None:
        sums, counts = np.zeros(X.shape[0]), np.zeros(X.shape[0])
        for member, columns, outside in self._outside():
            if outside.any():
                sums[outside] += member.predict(X[outside][:, columns])
                counts[outside] += 1
        if (counts == 0).any():
            warn_user(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                "reliable oob estimates."
            )
        self.oob_prediction_ = sums / np.maximum(counts, 1)
        self.oob_score_ = float(r2_score(y, self.oob_prediction_))

    @predict_method
    def predict(self, X: TableLike, **params: Any) -> NDArray[np.float64]:
        """The average of the members' predictions.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        table = self._check_table(X)
        routed = self._routed("predict", params).get("predict", {})
        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        return np.asarray(sum(member.predict(table[:, columns], **routed) for member, columns in pairs) / len(self))
