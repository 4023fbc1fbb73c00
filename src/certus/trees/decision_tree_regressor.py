"""Regression trees (Breiman, Friedman, Olshen, Stone 1984)."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.tree
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Regressor, fit_method, predict_method, present_criterion, register
from certus.base.inputs import ColumnsLike, FoldsLike, RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, Folds, Interval, OneOf
from certus.trees.growing.decision_tree import DecisionTree
from certus.trees.pruning.node_costs import number_losses, summed_over_paths
from certus.trees.tree import Tree


@register(
    guarantees=(),
    cost="fit O(p n log n + p n depth), predict O(n depth)",
)
class DecisionTreeRegressor(DecisionTree, Regressor):
    """Regression tree: a piecewise constant function on boxes, found greedily.

    Every node t is split into L and R at the column and threshold that minimize sum_(i in L) w_i l(y_i, c_L) + sum_(i
    in R) w_i l(y_i, c_R) with the best constants c, where l is (y - c)^2 (squared error; c is the mean), |y - c|
    (absolute error; the median) or y log(y / c) + c - y (Poisson; the mean). Every border between two different values
    of every column is tried. With ``ccp_alpha`` = alpha the tree is then pruned to the smallest sub-tree that minimizes
    the loss per weight + alpha * (number of leaves).

    Use it where a rule that can be read is worth more than the last percent; limit or prune it, a full tree repeats the
    noise of the training rows. It cannot extrapolate. It needs no scaling, takes missing values in dense tables (they
    go to the side where they help most), sparse tables, several outputs and weights.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        The loss. ("friedman_mse", deprecated in scikit-learn, means "squared_error".)
    min_impurity_decrease : float, default=0.0
        Split only if ``w_t / w * (Q(t) - w_L / w_t Q(L) - w_R / w_t Q(R))`` is at least this, with ``Q`` the
        loss per weight and ``w`` the total weight.
    prune_criterion : {"squared_error", "absolute_error", "poisson"}, default=None
        What a leaf costs when the tree is pruned; None: ``criterion``, else this loss of the
        node's prediction.
    prune_cv : int, splitter or iterable of (train, test) rows, default=5
        Folds for ``ccp_alpha="cv"``; an int is shuffled with ``random_state``. The loss is the
        absolute error if one of the criteria for pruning and growing says so, else the squared error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the loss.

    Notes
    -----
    Values are compared as float32, and no threshold is put between values closer than 1e-7, as in scikit-learn.
    Missing values that did not occur in training follow the larger side of a split.

    Examples
    --------
    >>> from certus.trees import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 6.0])
    >>> print(model.predict([[2.4], [2.6]]))
    [1.  5.5]
    """

    _constraints = {
        **DecisionTree._constraints,
        "ccp_alpha": [Interval(0, None), OneOf("cv")],
        "prune_criterion": [OneOf("squared_error", "absolute_error", "poisson"), Exactly(None)],
        "prune_cv": [Folds()],
        "criterion": [OneOf("squared_error", "absolute_error", "poisson")],
    }
    _state = DecisionTree._state

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: RandomStateLike = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: ColumnsLike = None,
        prune_criterion: str | None = None,
        prune_cv: FoldsLike = 5,
        categorical_features: ColumnsLike = "from_dtype",
    ) -> None:
        criterion = present_criterion(criterion)
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, check_input: bool = True
    ) -> DecisionTreeRegressor:
        """Grow the tree, and prune it if ``ccp_alpha`` is above 0.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their values; not negative for the Poisson criterion.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 0 removes it. The ``min_samples`` rules count rows, not weights.
        """
        table, y = self._check_training(X, y, check_input)
        y = np.ascontiguousarray(y, dtype=np.float64)
        if self.criterion == "poisson" and check_input:
            check_counts(y)
        self._grow(table, y, None, sample_weight)
        return self

    def _prune_costs(
        self, tree: Tree, X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        if self.prune_criterion is None:
            return None
        by_rows = X.tocsr() if sparse.issparse(X) else X
        target = np.asarray(y, dtype=np.float64)

        def loss(nodes: NDArray[np.int64]) -> NDArray[np.float64]:
            return number_losses(str(self.prune_criterion), target, tree.value[nodes, :, 0])

        return summed_over_paths(tree, tree.apply(by_rows), loss, weights) / tree.weighted_n_node_samples

    def _losses(self, tree: Tree, nodes: NDArray[np.int64], y: NDArray[Any]) -> NDArray[np.float64]:
        absolute = (self.prune_criterion or self.criterion) == "absolute_error"
        return number_losses("absolute_error" if absolute else "squared_error", y, tree.value[nodes, :, 0])

    @predict_method
    def predict(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """The mean (or median) of the leaf that each row reaches.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        values: NDArray[np.float64] = self.tree_.predict(self._check_rows(X, check_input))
        return values[:, 0] if self.n_outputs_ == 1 else values[:, :, 0]

    def _compute_partial_dependence_recursion(
        self, grid: TargetLike, target_features: TargetLike
    ) -> NDArray[np.float64]:
        """For `sklearn.inspection.partial_dependence` with ``method="recursion"``."""
        grid = np.asarray(grid, dtype=np.float32, order="C")
        averages = np.zeros(grid.shape[0])
        self.tree_.compute_partial_dependence(grid, np.asarray(target_features, dtype=np.intp), averages)
        return averages


def check_counts(y: NDArray[np.float64], strictly: str = "") -> None:
    """Refuse targets that the Poisson criterion cannot have."""
    if (y < 0).any():
        row = int(np.flatnonzero((y < 0).any(axis=1))[0])
        raise ValueError(
            "Some value(s) of y are negative which is not allowed for Poisson regression: first at row "
            f"{row}.\nHint: use criterion='squared_error'."
        )
    if y.sum() <= 0:
        raise ValueError(
            f"Sum of y is not {strictly}positive which is necessary for Poisson regression.\n"
            "Hint: all values of y are 0."
        )


# plot_tree, export_graphviz and partial_dependence ask for scikit-learn's own class
sklearn.tree.DecisionTreeRegressor.register(DecisionTreeRegressor)
