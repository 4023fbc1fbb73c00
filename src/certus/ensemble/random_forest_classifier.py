"""Random forests for labels (Breiman 2001)."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.ensemble.bagged.bags import SHUFFLED_WEIGHTS
from certus.ensemble.forests.forest import BINS_RULE
from certus.ensemble.forests.forest_classifier import ForestClassifier
from certus.trees import DecisionTreeClassifier


@register(
    family="ensemble",
    tasks=("classification",),
    guarantees=("out-of-bag bounds on the vote", "held-out error bound"),
    cost="fit O(trees max_features n log n depth), predict O(trees n depth)",
    known_failures=SHUFFLED_WEIGHTS,
    draws_rows=True,
)
class RandomForestClassifier(ForestClassifier):
    r"""Random forest: a vote of trees grown on bags of rows and random columns.

    :math:`\hat p(x) = \frac1T \sum_t p_t(x)`: the class shares of :math:`T` trees, averaged. Tree :math:`t` is
    grown on a bag of rows drawn with replacement, and at each node only ``max_features`` randomly drawn columns are
    searched for the split that lowers the impurity most.

    Use it as a first strong model on tables: it needs no scaling and hardly any tuning, takes missing values in dense
    tables, sparse tables, several outputs and weights. It cannot extrapolate, and large forests take memory.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity; "log_loss" is another name for "entropy".
    max_depth : int, default=None
        Most splits between the root and a leaf of a tree.
    min_samples_split : int or float, default=2
        A node with fewer rows stays a leaf; a float is a fraction of the rows.
    min_samples_leaf : int or float, default=1
        Every leaf keeps at least so many rows; a float is a fraction of the rows.
    min_weight_fraction_leaf : float, default=0.0
        Every leaf keeps at least this fraction of its tree's total weight.
    max_features : {"sqrt", "log2", None}, int or float, default="sqrt"
        Columns drawn at random at each node; a float is a fraction of the columns, None means all.
    max_leaf_nodes : int, default=None
        Grow at most so many leaves per tree, the largest improvement first.
    min_impurity_decrease : float, default=0.0
        Split only if the weighted impurity falls at least by this share of the tree's total weight.
    bootstrap : bool, default=True
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
    class_weight : dict, list of dict, "balanced" or "balanced_subsample", default=None
        Weights of the classes, multiplied with ``sample_weight``. "balanced" gives all classes the same total weight;
        "balanced_subsample" does so in each bag.
    ccp_alpha : float, default=0.0
        Price of a leaf in cost-complexity pruning of each tree.
    max_samples : int or float, default=None
        Rows drawn for each bag; a float is a fraction of the rows (of their total weight). None means as many as
        there are, where whole weights count as repeated rows.
    monotonic_cst : array-like of shape (n_features,), default=None
        1, 0 or -1 per column: the probability of the second class must not fall (must not rise) with it. For two
        classes and one output.
    max_bins : int, "auto" or None, default="auto"
        Splits are searched between so many bins of each column, at its quantiles, instead of between all of its
        values; at most 255. "auto" means 255 for dense tables of at least 20 000 rows (it costs a few thousandths of
        the accuracy at most where it was measured) and for those whose columns all hold whole numbers in a range
        below 255 (the trees are the same), and None (all values) for others. Sparse tables and categorical columns
        are never binned.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Categorical columns as a mask, as numbers or as names; "from_dtype" takes those of a data frame that have a
        categorical type, None takes none. A set of categories goes left, the others right; missing ones, and
        those that training did not contain, go to the side where missing values helped most, else the larger one.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The trees, built on first access.
    forest_ : PackedForest
        The arrays of all trees.
    estimators_samples_ : list of ndarray
        The rows of each tree's bag, drawn again on access.
    classes_ : ndarray of shape (n_classes,), or a list of them
        The labels (of each output).
    n_classes_ : int, or list of int
        Their number (for each output).
    n_outputs_, n_features_in_ : int
        Columns of the target and of the table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names, if the table had any.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the impurity.
    oob_score_ : float
        Share of rows that the trees without them get right, if ``oob_score`` is set. An estimate, not a bound.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs)
        Average class shares of the trees that have not seen the row, if ``oob_score`` is set.
    bag_rows_, bag_size_ : int
        Rows of the training table and of each bag (None without bags).
    bag_weights_ : ndarray of shape (n_samples,) or None
        Weights by which the rows were drawn.
    is_categorical_ : ndarray of shape (n_features_in_,) or None
        Which columns are categorical.
    categories_ : list of ndarray or None
        Categories of the categorical columns, None for the others; their places are the codes.
    report_ : Report
        Bounds on the error of the majority vote of the trees from out-of-bag rows (first order, tandem, C-bound),
        for one output and rows without weights; often far above the true error. `certify` on held-out rows is tighter.

    Notes
    -----
    Values are compared as float32, as in scikit-learn. Missing values that did not occur in training follow the
    larger side of a split.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from certus.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    _constraints = {**ForestClassifier._constraints, "max_bins": BINS_RULE}

    _tree_class = DecisionTreeClassifier

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: Any = None,
        max_bins: int | str | None = "auto",
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.max_bins = max_bins
