"""Random forests for labels (Breiman 2001)."""

from __future__ import annotations

from collections.abc import Callable

from certus.base import ClassWeightLike, ColumnsLike, RandomStateLike, register
from certus.ensemble.bagged.bags import SHUFFLED_WEIGHTS
from certus.ensemble.forests.forest import BINS_RULE
from certus.ensemble.forests.forest_classifier import ForestClassifier
from certus.trees import DecisionTreeClassifier


@register(
    guarantees=("out-of-bag bounds on the vote", "held-out error bound"),
    cost="fit O(trees max_features n log n depth), predict O(trees n depth)",
    known_failures=SHUFFLED_WEIGHTS,
    draws_rows=True,
)
class RandomForestClassifier(ForestClassifier):
    """Random forest: a vote of trees grown on bags of rows and random columns.

    p(x) = (1/T) sum_t p_t(x): the class shares of T trees, averaged. Tree t is grown on a bag of rows drawn with
    replacement, and at each node only ``max_features`` randomly drawn columns are searched for the split that lowers
    the impurity most.

    Use it as a first strong model on tables: it needs no scaling and hardly any tuning, takes missing values in dense
    tables, sparse tables, several outputs and weights. It cannot extrapolate, and large forests take memory.

    Parameters
    ----------
    max_bins : int, "auto" or None, default="auto"
        Splits are searched between so many bins of each column, at its quantiles, instead of between all of its
        values; at most 255. "auto" means 255 for dense tables of at least 20 000 rows (it costs a few thousandths of
        the accuracy at most where it was measured) and for those whose columns all hold whole numbers in a range
        below 255 (the trees are the same), and None (all values) for others. Sparse tables and categorical columns
        are never binned.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
        The trees, built on first access.
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
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: ClassWeightLike = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: ColumnsLike = None,
        max_bins: int | str | None = "auto",
        categorical_features: ColumnsLike = "from_dtype",
    ) -> None:
        self._set_parameters(locals())
