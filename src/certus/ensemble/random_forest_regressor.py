"""Random forests for numbers (Breiman 2001)."""

from __future__ import annotations

from collections.abc import Callable

import sklearn.ensemble

from certus.base import ColumnsLike, RandomStateLike, present_criterion, register
from certus.ensemble.bagged.bags import SHUFFLED_WEIGHTS
from certus.ensemble.forests.forest import BINS_RULE
from certus.ensemble.forests.forest_regressor import ForestRegressor
from certus.trees import DecisionTreeRegressor


@register(
    guarantees=(),
    cost="fit O(trees max_features n log n depth), predict O(trees n depth)",
    known_failures=SHUFFLED_WEIGHTS,
    draws_rows=True,
)
class RandomForestRegressor(ForestRegressor):
    """Random forest: the average of trees grown on bags of rows.

    y(x) = (1/T) sum_t f_t(x): the predictions of T trees, averaged. Tree t is grown on a bag of rows drawn with
    replacement, and at each node only ``max_features`` randomly drawn columns are searched for the split that lowers
    the loss most.

    Use it as a first strong model on tables: it needs no scaling and hardly any tuning, takes missing values in dense
    tables, sparse tables, several outputs and weights. It cannot extrapolate, and large forests take memory.

    Parameters
    ----------
    max_bins : int, "auto" or None, default="auto"
        Splits are searched between so many bins of each column, at its quantiles, instead of between all of its
        values; at most 255. "auto" means 255 for dense tables of at least 20 000 rows (it costs a few thousandths of
        the accuracy at most where it was measured; nothing for whole numbers in a range below 255), and None (all
        values) for others. Sparse tables and categorical columns are never binned.

    Attributes
    ----------
    estimators_ : list of DecisionTreeRegressor
        The trees, built on first access.

    Notes
    -----
    Values are compared as float32, as in scikit-learn. Missing values that did not occur in training follow the
    larger side of a split.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from certus.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomForestRegressor(20, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.25)
    True
    """

    _constraints = {**ForestRegressor._constraints, "max_bins": BINS_RULE}

    _tree_class = DecisionTreeRegressor

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
        bootstrap: bool = True,
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: ColumnsLike = None,
        max_bins: int | str | None = "auto",
        categorical_features: ColumnsLike = "from_dtype",
    ) -> None:
        criterion = present_criterion(criterion)
        self._set_parameters(locals())


# partial_dependence asks for scikit-learn's own class
sklearn.ensemble.RandomForestRegressor.register(RandomForestRegressor)
