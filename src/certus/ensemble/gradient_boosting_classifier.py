"""Gradient boosting for labels with exact trees (Friedman 2001, 2002)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from certus.base import Classifier, fit_method, predict_method, register
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, HasMethods, OneOf
from certus.ensemble.boosting.gradient_boosting import GradientBoosting
from certus.ensemble.boosting.stage_losses import BinaryLoss, ClassesLoss, ExponentialLoss


@register(
    guarantees=("training loss never rises",),
    cost="fit O(p n log n + rounds p n depth), predict O(rounds n depth)",
)
class GradientBoostingClassifier(GradientBoosting, Classifier):
    """Gradient boosting of exact regression trees, for labels.

    For two classes P(y = 1 | x) = 1 / (1 + exp(-f_M(x))) with f_M(x) = f_0(x) + eta sum_m t_m(x); for K > 2 classes
    there is one such sum per class and the probabilities are their softmax. Tree t_m is grown with the squared error on
    the negative gradients r_i = y_i - P(y = 1 | x_i) of the log-loss, trying every border between two values of every
    column; its leaves then get one Newton step sum r_i / sum (p_i (1 - p_i)) (times (K - 1) / K for several classes).

    Use it for up to some ten thousand rows; `HistGradientBoostingClassifier` is faster on larger tables. The columns
    are sorted once for all trees.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default="log_loss"
        What is minimized; "exponential" is the loss of AdaBoost, for two classes.

    Attributes
    ----------
    n_estimators_, n_trees_per_iteration_ : int
        Rounds, and trees in each of them: 1 for two classes, else one per class.
    estimators_ : ndarray of shape (n_estimators_, n_trees_per_iteration_)
        The trees as learners, built on first access.
    n_classes_ : int
        Their number.

    Notes
    -----
    Missing values in dense tables are allowed: they go to the side where they help most.

    Examples
    --------
    >>> from certus.ensemble import GradientBoostingClassifier
    >>> model = GradientBoostingClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(model.predict([[1.4], [3.4]]))
    ['no' 'yes']
    """

    _constraints = {
        **GradientBoosting._constraints,
        "loss": [OneOf("log_loss", "exponential")],
        "init": [OneOf("zero"), Exactly(None), HasMethods("fit", "predict_proba")],
    }
    _state = (*GradientBoosting._state, "classes_", "n_classes_")

    n_classes_: int
    _loss: BinaryLoss | ClassesLoss

    def __init__(
        self,
        *,
        loss: str = "log_loss",
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
    ) -> GradientBoostingClassifier:
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
        codes = self._encode_labels(y)
        self.n_classes_ = len(self.classes_)
        present = np.flatnonzero(np.bincount(codes, weights=weights))
        if len(present) < 2:
            raise ValueError(
                "y contains 1 class after sample_weight trimmed classes with zero weights, while a minimum of 2 "
                f"classes are required: the data contains only one class, {str(self.classes_[present[0]])!r}.\n"
                "Hint: check the target column, or that a split did not leave a class out."
            )
        return codes.astype(np.float64)

    def _make_loss(self) -> BinaryLoss | ClassesLoss:
        if self.loss == "exponential":
            if self.n_classes_ > 2:
                raise ValueError(
                    f"loss='exponential' is only suitable for a binary classification problem, you have "
                    f"n_classes={self.n_classes_}.\nHint: use loss='log_loss'."
                )
            return ExponentialLoss()
        return BinaryLoss() if self.n_classes_ == 2 else ClassesLoss(self.n_classes_)

    def _constant_size(self) -> int:
        return self.n_classes_

    @predict_method
    def decision_function(self, X: TableLike) -> NDArray[np.float64]:
        """Raw predictions: log-odds of the second class (half of them for the exponential loss), or one per class."""
        raw = self._raw_predict(X)
        return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)

    def staged_decision_function(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """Raw predictions after each round.

        Yields
        ------
        ndarray of shape (n_samples, 1) for two classes, else (n_samples, n_classes)
        """
        for raw in self._staged_raw_predict(X):
            yield raw.T

    def _labels(self, raw: NDArray[np.float64]) -> NDArray[Any]:
        codes = (raw[0] >= 0).astype(np.intp) if len(raw) == 1 else np.argmax(raw, axis=0)
        return np.asarray(self.classes_.take(codes, axis=0))

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """The most probable class."""
        return self._labels(self._raw_predict(X))

    def staged_predict(self, X: TableLike) -> Iterator[NDArray[Any]]:
        """`predict` after each round.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for raw in self._staged_raw_predict(X):
            yield self._labels(raw)

    @predict_method
    def predict_proba(self, X: TableLike) -> NDArray[np.float64]:
        """Probabilities of the classes."""
        return self._loss.probabilities(self._raw_predict(X))

    def staged_predict_proba(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """`predict_proba` after each round.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        for raw in self._staged_raw_predict(X):
            yield self._loss.probabilities(raw)


# partial_dependence asks for scikit-learn's own class
sklearn.ensemble.GradientBoostingClassifier.register(GradientBoostingClassifier)
