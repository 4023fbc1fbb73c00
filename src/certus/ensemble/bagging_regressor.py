"""Bagging for numbers (Breiman 1996)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.utils import column_or_1d

from certus.base import Regressor, fit_method, predict_method, register
from certus.ensemble.bagged.bagging import Bagging
from certus.ensemble.bagged.bags import SHUFFLED_WEIGHTS
from certus.guarantees import Report
from certus.trees import DecisionTreeRegressor


@register(
    family="ensemble",
    tasks=("regression",),
    guarantees=(),
    cost="fit O(members x member), predict O(members x member)",
    known_failures=SHUFFLED_WEIGHTS,
    draws_rows=True,
)
class BaggingRegressor(Bagging, Regressor):
    r"""Bagging: the average of regressors, each fitted to rows drawn with replacement.

    :math:`\hat y(x) = \frac1T \sum_t f_t(x)` over :math:`T` members. Member :math:`t` is fitted to ``max_samples``
    rows drawn with replacement and ``max_features`` columns.

    Use it to steady a learner that changes much with its training rows, such as a full tree; for trees a
    `RandomForestRegressor` is faster.

    Parameters
    ----------
    estimator : learner, default=None
        What is bagged; None means a `DecisionTreeRegressor`.
    n_estimators : int, default=10
        Number of members.
    max_samples : int or float, default=None
        Rows drawn for each member; a float is a fraction of the rows (of their total weight). None means as many as
        there are, where whole weights count as repeated rows.
    max_features : int or float, default=1.0
        Columns drawn for each member; a float is a fraction of the columns.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default=False
        Whether columns are drawn with replacement.
    oob_score : bool, default=False
        Whether to judge each row by the members that have not seen it.
    warm_start : bool, default=False
        Whether to keep the members of the last fit and only fit the ones that are still missing.
    n_jobs : int, default=None
        Processes (or threads, as `joblib.parallel_config` says) that fit members at the same time; None means one,
        where our own learners use all cores by themselves.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws and of members with a ``random_state``.
    verbose : int, default=0
        Accepted for compatibility.

    Attributes
    ----------
    estimator_ : learner
        What is bagged, not fitted.
    estimators_ : list of learners
        The fitted members.
    estimators_features_ : list of ndarray
        The columns of each member.
    estimators_samples_ : list of ndarray
        The rows of each member, drawn again on access.
    n_features_in_ : int
        Columns of the table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names, if the table had any.
    seeds_ : ndarray of shape (n_estimators,)
        What each member's draws come from.
    bag_rows_, bag_size_ : int
        Rows of the training table and of each bag.
    bag_weights_ : ndarray of shape (n_samples,) or None
        Weights by which the rows were drawn.
    oob_score_ : float
        Coefficient of determination over the rows, each judged by the members without it, if ``oob_score`` is set.
    oob_prediction_ : ndarray of shape (n_samples,)
        Average of the members that have not seen the row, if ``oob_score`` is set.
    report_ : Report
        Empty: training alone bounds nothing here. Use `certify`.

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
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: int | float | None = None,
        max_features: int | float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_method
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> BaggingRegressor:
        """Fit the members to their draws.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their values.
        sample_weight : array-like of shape (n_samples,), default=None
            Rows are drawn with probability proportional to their weights: 0 removes a row.
        **fit_params
            Further parameters for the members' ``fit``, if metadata routing is enabled.

        Returns
        -------
        self
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
            warnings.warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                "reliable oob estimates.",
                stacklevel=6,
            )
        self.oob_prediction_ = sums / np.maximum(counts, 1)
        self.oob_score_ = float(r2_score(y, self.oob_prediction_))

    @predict_method
    def predict(self, X: Any, **params: Any) -> NDArray[np.float64]:
        """The average of the members' predictions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        **params
            Further parameters for the members, if metadata routing is enabled.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        X = self._check_table(X)
        routed = self._routed("predict", params).get("predict", {})
        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        return np.asarray(sum(member.predict(X[:, columns], **routed) for member, columns in pairs) / len(self))
