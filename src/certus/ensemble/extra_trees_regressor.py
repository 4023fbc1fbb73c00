"""Extremely randomized trees for numbers (Geurts, Ernst, Wehenkel 2006)."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.ensemble.forests.forest_regressor import ForestRegressor, current_criterion
from certus.trees import ExtraTreeRegressor


@register(
    family="ensemble",
    tasks=("regression",),
    guarantees=(),
    cost="fit O(trees max_features n log n depth), predict O(trees n depth)",
)
class ExtraTreesRegressor(ForestRegressor):
    r"""Extremely randomized trees: the average of trees with random thresholds.

    :math:`\hat y(x) = \frac1T \sum_t f_t(x)`: the predictions of :math:`T` trees, averaged. At each node one threshold,
    uniform between the smallest and the largest value, is drawn for each of ``max_features`` random columns, and the
    best of these splits is taken.

    Cheaper to grow than a random forest and often as accurate; with many useless columns a random forest is better.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        The loss. ("friedman_mse", deprecated in scikit-learn, means "squared_error".)
    max_depth : int, default=None
        Most splits between the root and a leaf of a tree.
    min_samples_split : int or float, default=2
        A node with fewer rows stays a leaf; a float is a fraction of the rows.
    min_samples_leaf : int or float, default=1
        Every leaf keeps at least so many rows; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Every leaf keeps at least this fraction of its tree's total weight.
    max_features : {"sqrt", "log2", None}, int or float, default=1.0
        Columns drawn at random at each node; a float is a fraction of the columns, None means all.
    max_leaf_nodes : int, default=None
        Grow at most so many leaves per tree, the largest improvement first.
    min_impurity_decrease : float, default=0.0
        Split only if the weighted impurity falls at least by this share of the tree's total weight.
    bootstrap : bool, default=False
        Whether each tree is grown on a bag of rows drawn with replacement, or on all rows.
    oob_score : bool or callable, default=False
        Whether to judge each row by the trees that have not seen it; a callable gets the true and the predicted
        values and returns the score.
    n_jobs : int, default=None
        Number of threads; None means all cores that this process may use. The trees do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bags and of the draws at the nodes.
    verbose : int, default=0
        1 prints how many trees are grown, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    warm_start : bool, default=False
        Whether to keep the trees of the last fit and only grow the ones that are still missing.
    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree.
    max_samples : int or float, default=None
        Rows drawn for each bag; a float is a fraction of the rows (of their total weight). None means as many as
        there are, where whole weights count as repeated rows.
    monotonic_cst : array-like of shape (n_features,), default=None
        1, 0 or -1 per column: the prediction must not fall (must not rise) with it. For one output.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Categorical columns as a mask, as numbers or as names; "from_dtype" takes those of a data frame that have a
        categorical type, None takes none. A random set of categories goes left, the others right; missing ones go to a
        random side, and those that training did not contain with them, else to the larger side.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
        The trees, built on first access.
    forest_ : PackedForest
        The arrays of all trees.
    estimators_samples_ : list of ndarray
        The rows of each tree's bag, drawn again on access.
    n_outputs_, n_features_in_ : int
        Columns of the target and of the table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names, if the table had any.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the impurity.
    oob_score_ : float
        Coefficient of determination over the rows, each judged by the trees without it, if ``oob_score`` is set.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Average of the trees that have not seen the row, if ``oob_score`` is set.
    bag_rows_, bag_size_ : int
        Rows of the training table and of each bag (None without bags).
    bag_weights_ : ndarray of shape (n_samples,) or None
        Weights by which the rows were drawn.
    is_categorical_ : ndarray of shape (n_features_in_,) or None
        Which columns are categorical.
    categories_ : list of ndarray or None
        Categories of the categorical columns, None for the others; their places are the codes.
    report_ : Report
        Empty: training alone bounds nothing here. Use `certify`.

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
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = current_criterion(criterion)
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
