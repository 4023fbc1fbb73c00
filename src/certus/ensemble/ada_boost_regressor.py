"""AdaBoost.R2 for numbers (Drucker 1997)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from certus.base import Regressor, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights
from certus.base.params import OneOf
from certus.ensemble.bagged.bags import bag_size
from certus.ensemble.boosting.weight_boosting import WeightBoosting
from certus.guarantees import Report
from certus.trees import DecisionTreeRegressor


@register(
    guarantees=(),
    cost="fit O(rounds x weak learner), predict O(rounds n)",
    draws_rows=True,
)
class AdaBoostRegressor(WeightBoosting, Regressor):
    """AdaBoost for numbers: the weighted median of learners fitted to ever harder bags of rows.

    Round t fits a weak learner to rows drawn by their weights D_t. With the losses L_i = l(|y_i - h_t(x_i)| / max_j
    |y_j - h_t(x_j)|) and mean(L) = sum_i D_t(i) L_i, its weight is alpha_t = eta log((1 - mean(L)) / mean(L)) and the
    rows' weights are multiplied by (mean(L) / (1 - mean(L)))^(eta (1 - L_i)). Rounds end when mean(L) >= 1/2.

    Use it as a simple way to make a weak regressor stronger; gradient boosting is usually better.

    Parameters
    ----------
    estimator : learner, default=None
        The weak learner; None means ``DecisionTreeRegressor(max_depth=3)``.
    loss : {"linear", "square", "exponential"}, default="linear"
        l(u) = u, u^2 or 1 - exp(-u).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bags and of weak learners with a ``random_state``.

    Attributes
    ----------
    estimator_weights_, estimator_errors_ : ndarray of shape (n_estimators,)
        Weight and average loss of each round; 0 and 1 for rounds that were not needed.

    Examples
    --------
    >>> from certus.ensemble import AdaBoostRegressor
    >>> model = AdaBoostRegressor(n_estimators=20, random_state=0)
    >>> model = model.fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 4.0])
    >>> print(model.predict([[1.0], [4.0]]))
    [1. 4.]
    """

    _constraints = {**WeightBoosting._constraints, "loss": [OneOf("linear", "square", "exponential")]}

    loss: str

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        random_state: RandomStateLike = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> AdaBoostRegressor:
        """Fit the weak learners, one after the other."""
        table = self._check_X(X, reset=True)
        y = self._training_target(y, table, numeric=True)
        weights = self._start_weights(sample_weight, table)
        self.estimator_ = DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator
        whole = check_weights(self, sample_weight, table)
        self._round = (table, y, bag_size(table.shape[0], None, whole))
        try:
            self._boost(weights, table, y)
        finally:
            del self._round
        self.report_ = Report()
        return self

    def _boost_round(
        self, number: int, weights: NDArray[np.float64], random: np.random.RandomState
    ) -> tuple[NDArray[np.float64] | None, float, float]:
        X, y, draws = self._round
        learner = self._new_estimator(random)
        # By place in the running sum of the weights, so that a row of weight 2 is drawn like the row twice.
        ends = np.cumsum(weights)
        drawn = np.searchsorted(ends, random.random_sample(draws) * ends[-1], side="right")
        drawn = np.minimum(drawn, len(ends) - 1)
        learner.fit(X[drawn], y[drawn])
        misses = np.abs(learner.predict(X) - y)
        counted = weights > 0
        losses = self._losses(misses[counted])
        error = float(weights[counted] @ losses)
        if error <= 0:
            return weights, 1.0, 0.0
        if error >= 0.5:
            if len(self.estimators_) > 1:  # a single one is kept, however bad
                self.estimators_.pop()
            return None, 0.0, 0.0
        beta = error / (1.0 - error)
        if number < self.n_estimators - 1:
            weights[counted] *= beta ** ((1.0 - losses) * self.learning_rate)
        return weights, float(self.learning_rate * np.log(1.0 / beta)), error

    def _losses(self, misses: NDArray[np.float64]) -> NDArray[np.float64]:
        largest = misses.max()
        shares = misses / largest if largest > 0 else misses
        if self.loss == "square":
            return np.asarray(shares**2)
        return np.asarray(1.0 - np.exp(-shares)) if self.loss == "exponential" else shares

    def _median(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weighted median of the columns of each row: the first value with at least half of the weight."""
        order = np.argsort(predictions, axis=1)
        shares = np.cumsum(self.estimator_weights_[order], axis=1)
        place = (shares >= 0.5 * shares[:, -1:]).argmax(axis=1)
        rows = np.arange(len(predictions))
        return np.asarray(predictions[rows, order[rows, place]])

    @predict_method
    def predict(self, X: Any) -> NDArray[np.float64]:
        """The weighted median of the weak learners' predictions."""
        X = self._check_X(X)
        return self._median(np.stack([learner.predict(X) for learner in self.estimators_], axis=1))

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`predict` after each round.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._check_X(X)
        predictions = np.stack([learner.predict(X) for learner in self.estimators_], axis=1)
        for rounds in range(1, len(self.estimators_) + 1):
            yield self._median(predictions[:, :rounds])

    def staged_score(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Iterator[float]:
        """Coefficient of determination after each round.

        Yields
        ------
        float
        """
        for predicted in self.staged_predict(X):
            yield float(r2_score(y, predicted, sample_weight=sample_weight))

    def __getstate__(self) -> Any:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_round"}
