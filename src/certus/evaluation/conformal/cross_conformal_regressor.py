"""CV+, jackknife+ and minmax intervals: no rows are set aside, and the proven level is the one reported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from certus.base import TableLike, TargetLike
from certus.evaluation.conformal.any_rows import numeric_target
from certus.evaluation.conformal.conformal_wrapper import CrossWrapper
from certus.guarantees.conformal import cross_interval


class CrossConformalRegressor(RegressorMixin, CrossWrapper):
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

    Attributes
    ----------
    residuals_ : array, absolute out-of-fold residuals.

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

    _subject = "interval"

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
        self._set_parameters(locals())

    def _read_target(self, y: TargetLike) -> NDArray[Any]:
        return numeric_target(y)

    def _scores_of(self, model: Any, X: TableLike, target: NDArray[Any]) -> NDArray[np.float64]:
        return np.abs(target - np.asarray(model.predict(X), dtype=float))

    def _keep(self, scores: NDArray[np.float64]) -> None:
        self.residuals_ = scores

    def predict_interval(self, X: TableLike) -> NDArray[np.float64]:
        """Interval of every row, as an array of shape (rows, 2); its ends belong to it."""
        check_is_fitted(self, "report_")
        predictions = np.column_stack([np.asarray(m.predict(X), dtype=np.float64) for m in self.estimators_])
        return cross_interval(predictions, self.residuals_, self.fold_of_row_, self.rank_, self.method)
