"""Extremely randomized trees for numbers (Geurts, Ernst, Wehenkel 2006)."""

from __future__ import annotations

from collections.abc import Callable

from certus.base import ColumnsLike, RandomStateLike, present_criterion, register
from certus.ensemble.forests.forest_regressor import ForestRegressor
from certus.trees import ExtraTreeRegressor


@register(
    guarantees=(),
    cost="fit O(trees max_features n log n depth), predict O(trees n depth)",
)
class ExtraTreesRegressor(ForestRegressor):
    """Extremely randomized trees: the average of trees with random thresholds.

    y(x) = (1/T) sum_t f_t(x): the predictions of T trees, averaged. At each node one threshold, uniform between the
    smallest and the largest value, is drawn for each of ``max_features`` random columns, and the best of these splits
    is taken.

    Cheaper to grow than a random forest and often as accurate; with many useless columns a random forest is better.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees, built on first access.

    Notes
    -----
    Values are compared as float32, as in scikit-learn. Missing values that did not occur in training follow the
    larger side of a split.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from certus.ensemble import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ExtraTreesRegressor(20, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.25)
    True
    """

    _tree_class = ExtraTreeRegressor
    _splitter = "random"

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: ColumnsLike = None,
        categorical_features: ColumnsLike = "from_dtype",
    ) -> None:
        criterion = present_criterion(criterion)
        self._set_parameters(locals())
