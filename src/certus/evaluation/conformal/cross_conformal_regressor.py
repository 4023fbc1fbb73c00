"""CV+, jackknife+ and minmax intervals: no rows are set aside, and the proven level is the one reported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from certus.base import InstanceOf, Interval, OneOf, TableLike, TargetLike
from certus.evaluation.conformal.any_rows import check_lengths, numeric_target
from certus.evaluation.conformal.conformal_wrapper import ConformalWrapper
from certus.evaluation.conformal.cross_folds import LEAVE_ONE_OUT, draw_folds, fit_without_folds, rows_of_fold
from certus.guarantees import cross_certificate, split_rank
from certus.guarantees.conformal import METHODS, cross_interval
from certus.guarantees.records import Report


class CrossConformalRegressor(RegressorMixin, ConformalWrapper):
    """Intervals from models that were each trained without one fold.

    With R_i the absolute residual of row i under the model that did not see it, and k = ceil((n + 1) *
    confidence), the "plus" interval of x goes from the (n + 1 - k)-th smallest of prediction_i(x) - R_i to the
    k-th smallest of prediction_i(x) + R_i; "minmax" takes the extreme predictions with the k-th smallest R_i.

    The nominal level is `confidence`. What is proven is less for "plus": 1 - 2 (1 - confidence) for one row per
    fold, and a little less again for larger folds. `report_` states the proven level; in practice coverage is
    close to nominal for stable learners. "minmax" with one row per fold is proven at the nominal level.

    Parameters
    ----------
    estimator : regressor
        Trained once per fold, and once on all rows for `predict`.
    confidence : float, default=0.9
        The nominal coverage.
    method : {"plus", "minmax"}, default="plus"
        How the folds are combined.
    cv : int or "leave-one-out", default=10
        Number of folds; "leave-one-out" gives jackknife+ and jackknife-minmax.
    n_jobs : int or None, default=None
        Folds trained at a time (joblib).
    random_state : int, RandomState or None, default=None
        Draws the folds.

    Attributes
    ----------
    estimator_ : the model trained on all rows.
    estimators_ : list, one model per fold.
    residuals_ : array, absolute out-of-fold residuals.
    rank_ : int, the rank k.
    report_ : Report with the proven level.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from certus.evaluation import CrossConformalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = X[:, 0] + rng.normal(size=100)
    >>> model = CrossConformalRegressor(LinearRegression(), cv="leave-one-out").fit(X, y)
    >>> round(model.report_["coverage"].value, 3), model.predict_interval(X[:3]).shape
    (0.812, (3, 2))
    """

    _constraints = {
        "method": [OneOf(*METHODS)],
        "cv": [Interval(2, None, closed="left", integer=True), OneOf(LEAVE_ONE_OUT)],
        "estimator": [InstanceOf(object)],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        confidence: float = 0.9,
        method: str = "plus",
        cv: int | str = 10,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.confidence = confidence
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: TableLike, y: TargetLike) -> CrossConformalRegressor:
        """Train one model without each fold, and one on all rows."""
        self._check_parameters()
        check_lengths(X, y)
        target = numeric_target(y)
        self.rank_ = split_rank(len(target), self.confidence)
        self.fold_of_row_ = draw_folds(len(target), self.cv, self.random_state)
        self.estimators_ = fit_without_folds(self.estimator, X, target, self.fold_of_row_, self.n_jobs)
        self.residuals_ = np.empty(len(target))
        for fold, model in enumerate(self.estimators_):
            positions, rows = rows_of_fold(X, self.fold_of_row_, fold)
            self.residuals_[positions] = np.abs(target[positions] - np.asarray(model.predict(rows), dtype=float))
        self.estimator_ = clone(self.estimator).fit(X, target)
        sizes = np.bincount(self.fold_of_row_).tolist()
        self.report_ = Report(
            [cross_certificate(sizes, confidence=self.confidence, method=self.method, subject="interval")]
        )
        return self

    def predict(self, X: TableLike) -> NDArray[Any]:
        """Prediction of the model that was trained on all rows."""
        check_is_fitted(self, "report_")
        return np.asarray(self.estimator_.predict(X))

    def predict_interval(self, X: TableLike) -> NDArray[np.float64]:
        """Interval of every row, as an array of shape (rows, 2); its ends belong to it."""
        check_is_fitted(self, "report_")
        predictions = np.column_stack([np.asarray(m.predict(X), dtype=np.float64) for m in self.estimators_])
        return cross_interval(predictions, self.residuals_, self.fold_of_row_, self.rank_, self.method)
