"""Histogram gradient boosting for classes (Friedman 2001; Ke et al. 2017)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import compute_sample_weight

from certus.base import Classifier, fit_method, predict_method, register
from certus.base.inputs import ClassWeightLike, ColumnsLike, RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, InstanceOf, OneOf
from certus.ensemble._native_calls import boosting_kernels as kernels
from certus.ensemble.boosting.boosting_losses import BoostingLoss, MultinomialLoss, ScalarLoss
from certus.ensemble.boosting.hist_gradient_boosting import HistGradientBoosting
from certus.losses import Logistic


@register(
    guarantees=("training loss never rises", "held-out error bound"),
    cost="fit O(n p) for bins + O(rounds n p depth classes), predict O(n rounds depth classes)",
)
class HistGradientBoostingClassifier(HistGradientBoosting, Classifier):
    """Boosted classification trees on binned columns: fast on large tables.

    Two classes: P(y = 1 | x) = 1 / (1 + exp(-f_M(x))); more: the softmax of one f_M per class, with f_M = f_0 + eta
    sum_m t_m(x). Tree t_m is grown on the derivatives g_i, h_i of the log-loss at f_(m-1)(x_i): a node is divided where
    G_L^2 / (H_L + lambda) + G_R^2 / (H_R + lambda) - G^2 / (H + lambda) is largest, with G = sum g_i, H = sum h_i, and
    a leaf has the value x = -G / (H + lambda), of which eta x is added, but never more than log(1 + 2 |x|): longer
    steps could raise the loss where a rare class leaves no curvature. Columns are divided at quantiles into at most 255
    bins; missing values have a bin of their own and go to the side where they help most; categories are put into order
    by G / H at every node.

    Use it for tables with more than some thousand rows, mixed columns and missing values.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
        What is minimized.
    monotonic_cst : array-like of int or dict of str to int, default=None
        1, 0 or -1 per column: the probability of the second class must not fall (must not rise) with it. For two
        classes.
    class_weight : dict or "balanced", default=None
        Weights of the classes, multiplied with ``sample_weight``; "balanced" gives all the same total weight.

    Attributes
    ----------
    n_iter_, n_trees_per_iteration_ : int
        Rounds, and trees in each of them (1 for two classes, else one per class).
    baseline_ : ndarray of shape (n_trees_per_iteration_,)
        The constant f_0.

    Notes
    -----
    Derivatives are rounded to a grid on which all sums are exact, so the trees do not depend on the number of
    threads. Infinite values are allowed: they are the largest or smallest of their column.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.ensemble import HistGradientBoostingClassifier
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> model = HistGradientBoostingClassifier().fit(X, np.where(X[:, 0] > 0.5, "high", "low"))
    >>> print(model.predict([[0.2], [0.8]]))
    ['low' 'high']
    """

    _constraints = {
        **HistGradientBoosting._constraints,
        "loss": [OneOf("log_loss")],
        "class_weight": [InstanceOf(dict), OneOf("balanced"), Exactly(None)],
    }
    _state = ("classes_", *HistGradientBoosting._state)

    def __init__(
        self,
        loss: str = "log_loss",
        *,
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
        class_weight: ClassWeightLike = None,
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
    ) -> HistGradientBoostingClassifier:
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
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable label of each row; of equally probable ones the first."""
        return self._labels(self._raw_predict(X))

    def staged_predict(self, X: TableLike) -> Iterator[NDArray[Any]]:
        """Labels after 1, 2, … rounds.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for raw in self._staged_raw_predict(X):
            yield self._labels(raw)

    @predict_method
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, in the order of ``classes_``."""
        return self._probabilities(self._raw_predict(X))

    def staged_predict_proba(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """Probabilities after 1, 2, … rounds.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        for raw in self._staged_raw_predict(X):
            yield self._probabilities(raw)

    @predict_method
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Raw predictions: the log-odds of the second class, or one number per class."""
        return _decisions(self._raw_predict(X))

    def staged_decision_function(self, X: TableLike) -> Iterator[NDArray[np.float64]]:
        """Raw predictions after 1, 2, … rounds.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        for raw in self._staged_raw_predict(X):
            yield _decisions(raw)

    def _labels(self, raw: NDArray[np.float64]) -> NDArray[Any]:
        best = (raw[0] > 0).astype(np.intp) if len(raw) == 1 else raw.argmax(axis=0)
        return self.classes_[best]

    def _probabilities(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(self.classes_) == 1:
            return np.ones((raw.shape[1], 1))
        if len(raw) > 1:
            return np.ascontiguousarray(kernels.class_shares(raw).T)
        second = expit(raw[0])
        return np.stack([1.0 - second, second], axis=1)

    def _make_loss(self) -> BoostingLoss:
        return ScalarLoss(Logistic()) if len(self.classes_) <= 2 else MultinomialLoss(len(self.classes_))

    def _encode_target(self, y: NDArray[Any], *, reset: bool) -> NDArray[np.float64]:
        if reset:
            return self._encode_labels(y).astype(np.float64)
        codes = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        if (self.classes_[codes] != y).any():
            unseen = np.setdiff1d(y, self.classes_).tolist()
            raise ValueError(f"y contains previously unseen labels: {unseen}.")
        return codes.astype(np.float64)

    def _decode_target(self, y: NDArray[np.float64]) -> NDArray[Any]:
        return self.classes_[y.astype(np.intp)]

    def _class_weights(self, y: NDArray[np.float64]) -> NDArray[np.float64] | None:
        if self.class_weight is None:
            return None
        weights: NDArray[np.float64] = compute_sample_weight(self.class_weight, self._decode_target(y))
        return weights

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "trees_") and max(2, len(self.classes_)) != max(2, self.trees_.outputs):
            raise ValueError("classes_ and trees_ have different numbers of classes.")


def _decisions(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    return raw[0] if len(raw) == 1 else np.ascontiguousarray(raw.T)
