"""Extremely randomized trees, single (Geurts, Ernst, Wehenkel 2006)."""

from __future__ import annotations

import sklearn.tree

from certus.base import ColumnsLike, FoldsLike, RandomStateLike, register
from certus.trees.decision_tree_regressor import DecisionTreeRegressor


@register(
    guarantees=(),
    cost="fit O(p n depth), predict O(n depth)",
)
class ExtraTreeRegressor(DecisionTreeRegressor):
    """Regression tree with random thresholds.

    Like `DecisionTreeRegressor`, but at every node one threshold t_j is drawn for each of ``max_features`` randomly
    chosen columns j, uniform between the smallest and the largest value in the node, and the best of these splits is
    taken: argmax_j w_t Q(t) - w_L Q(L_j) - w_R Q(R_j).

    Use it inside an ensemble, where `certus.ensemble.ExtraTreesRegressor` grows many at once; alone it is a poor
    predictor.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        The loss Q.
    splitter : {"random", "best"}, default="random"
        "best" searches every threshold of the chosen columns.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the impurity.

    Examples
    --------
    >>> from certus.trees import ExtraTreeRegressor
    >>> model = ExtraTreeRegressor(random_state=0).fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 4.0])
    >>> print(model.predict([[1.0], [4.0]]))
    [1. 4.]
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        random_state: RandomStateLike = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: ColumnsLike = None,
        prune_criterion: str | None = None,
        prune_cv: FoldsLike = 5,
        categorical_features: ColumnsLike = "from_dtype",
    ) -> None:
        self._set_parameters(locals())


# plot_tree and export_graphviz ask for scikit-learn's own class
sklearn.tree.ExtraTreeRegressor.register(ExtraTreeRegressor)
