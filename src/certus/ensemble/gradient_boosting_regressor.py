"""Gradient boosting for numbers with exact trees (Friedman 2001, 2002)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.ensemble
from numpy.typing import NDArray

from certus.base import Exactly, HasMethods, Interval, OneOf, Regressor, fit_method, predict_method, register
from certus.ensemble.boosting.gradient_boosting import GradientBoosting
from certus.ensemble.boosting.stage_losses import AbsoluteLoss, HuberLoss, QuantileLoss, StageLoss


@register(
    family="ensemble",
    tasks=("regression",),
    guarantees=(),
    cost="fit O(p n log n + rounds p n depth), predict O(rounds n depth)",
)
class GradientBoostingRegressor(GradientBoosting, Regressor):
    r"""Gradient boosting of exact regression trees.

    The prediction is :math:`f_M(x) = f_0(x) + \eta \sum_{m=1}^M t_m(x)`. Tree :math:`t_m` is grown on the negative
    gradients :math:`r_i = -\partial L(y_i, f) / \partial f` at :math:`f = f_{m-1}(x_i)` with the squared error, trying
    every border between two values of every column; its leaves then get the values
    :math:`\operatorname{argmin}_v \sum_{i \in \text{leaf}} L(y_i, f_{m-1}(x_i) + v)`.

    Use it for up to some ten thousand rows; `HistGradientBoostingRegressor` is faster on larger tables. The columns
    are sorted once for all trees. It cannot extrapolate.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"}, default="squared_error"
        What is minimized. "huber" is squared for the ``alpha`` smallest residuals and absolute for the others.
    learning_rate : float, default=0.1
        The factor :math:`\eta` of every tree.
    n_estimators : int, default=100
        Most rounds.
    subsample : float, default=1.0
        Share of the rows, drawn without replacement, that each tree is grown on.
    criterion : {"squared_error", "friedman_mse"}, default="deprecated"
        Without effect, as in scikit-learn, where it is deprecated.
    min_samples_split : int or float, default=2
        A node with fewer rows stays a leaf; a float is a fraction of the rows.
    min_samples_leaf : int or float, default=1
        Every leaf keeps at least so many rows; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Every leaf keeps at least this fraction of the total weight.
    max_depth : int or None, default=3
        Most splits between the root and a leaf.
    min_impurity_decrease : float, default=0.0
        Split only if the weighted impurity falls by at least this.
    init : learner, "zero" or None, default=None
        What boosting starts from: a learner that is fitted first, 0, or the best constant.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the drawn rows and columns and of the held-out rows.
    max_features : int, float or {"sqrt", "log2"}, default=None
        Columns drawn at random and searched at each node; a float is a fraction of the columns, None means all.
    alpha : float, default=0.9
        The quantile of the Huber and the quantile loss.
    verbose : int, default=0
        1 prints a table of the rounds, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    max_leaf_nodes : int, default=None
        Grow at most so many leaves, the largest improvement first.
    warm_start : bool, default=False
        Go on from the last fit with a larger ``n_estimators``.
    validation_fraction : float, default=0.1
        Share of the rows that is held out, if ``n_iter_no_change`` is set.
    n_iter_no_change : int, default=None
        Stop when the loss of the held-out rows has not fallen by ``tol`` for so many rounds; None: never.
    tol : float, default=1e-4
        What counts as falling.
    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree.

    Attributes
    ----------
    n_estimators_, n_trees_per_iteration_ : int
        Rounds, and trees in each of them (1).
    estimators_ : ndarray of shape (n_estimators_, 1)
        The trees as learners, built on first access.
    forests_ : list of PackedForest
        The trees as arrays.
    init_ : learner or "zero"
        What boosting started from.
    train_score_ : ndarray of shape (n_estimators_,)
        Loss after each round of the rows that its tree was grown on.
    oob_improvement_, oob_scores_ : ndarray of shape (n_estimators_,)
        Fall of the loss, and the loss, on the rows outside each round's sample; only if ``subsample`` < 1.
    oob_score_ : float
        The last of ``oob_scores_``.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the squared error of the residuals.
    max_features_ : int
        Columns searched at each node.
    random_draws_ : ndarray of shape (625,)
        State of the random numbers after the last round, for a warm start.
    n_features_in_ : int
        Columns of the table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names, if the table had any.
    report_ : Report
        Empty: how well the training rows are fitted promises nothing about others. Use `certify`.

    Notes
    -----
    Missing values in dense tables are allowed: they go to the side where they help most. The quantile that boosting
    starts from is the same with and without weights: the smallest value with at least its share of the weight at or
    below it, and the middle between two values where a share is met exactly.

    Examples
    --------
    >>> from certus.ensemble import GradientBoostingRegressor
    >>> model = GradientBoostingRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 1.0, 1.0])
    >>> print(model.predict([[1.4], [3.4]]).round(2))
    [0. 1.]
    """

    _constraints = {
        **GradientBoosting._constraints,
        "loss": [OneOf("squared_error", "absolute_error", "huber", "quantile")],
        "init": [OneOf("zero"), Exactly(None), HasMethods("fit", "predict")],
        "alpha": [Interval(0, 1, closed="neither")],
    }

    def __init__(
        self,
        *,
        loss: str = "squared_error",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        random_state: Any = None,
        max_features: int | float | str | None = None,
        alpha: float = 0.9,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha

    @fit_method
    def fit(self, X: Any, y: Any, sample_weight: Any = None, monitor: Any = None) -> GradientBoostingRegressor:
        """Grow the trees, one round after the other.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 0 removes it. The ``min_samples`` rules count rows, not weights.
        monitor : callable, default=None
            Called after every round with its number, the learner, and a dict of what the round knows (``X``, ``y``,
            ``raw_predictions``, ``sample_mask`` …); True stops.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight, monitor)
        return self

    def _encode_target(self, y: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        return np.ascontiguousarray(y, dtype=np.float64)

    def _make_loss(self) -> StageLoss:
        if self.loss == "squared_error":
            return StageLoss()
        if self.loss == "absolute_error":
            return AbsoluteLoss()
        return HuberLoss(self.alpha) if self.loss == "huber" else QuantileLoss(self.alpha)

    @predict_method
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predicted numbers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._raw_predict(X)[0]

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`predict` after each round.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for raw in self._staged_raw_predict(X):
            yield raw[0]

    @predict_method
    def apply(self, X: Any) -> NDArray[np.float64]:
        """The number of the leaf that each row reaches in each tree.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        return super().apply(X)[:, :, 0]


# partial_dependence asks for scikit-learn's own class
sklearn.ensemble.GradientBoostingRegressor.register(GradientBoostingRegressor)
