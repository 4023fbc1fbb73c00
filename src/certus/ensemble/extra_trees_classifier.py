"""Extremely randomized trees for labels (Geurts, Ernst, Wehenkel 2006)."""

from __future__ import annotations

from collections.abc import Callable

from certus.base import ClassWeightLike, ColumnsLike, RandomStateLike, register
from certus.ensemble.forests.forest_classifier import ForestClassifier
from certus.trees import ExtraTreeClassifier


@register(
    guarantees=("held-out error bound",),
    cost="fit O(trees max_features n log n depth), predict O(trees n depth)",
)
class ExtraTreesClassifier(ForestClassifier):
    """Extremely randomized trees: a vote of trees with random thresholds.

    p(x) = (1/T) sum_t p_t(x): the class shares of T trees, averaged. At each node one threshold, uniform between the
    smallest and the largest value, is drawn for each of ``max_features`` random columns, and the best of these splits
    is taken.

    Cheaper to grow than a random forest and often as accurate; with many useless columns a random forest is better.

    Attributes
    ----------
    estimators_ : list of ExtraTreeClassifier
        The trees, built on first access.
    report_ : Report
        With ``bootstrap=True`` the vote bounds of `RandomForestClassifier`; else empty.

    Notes
    -----
    Values are compared as float32, as in scikit-learn. Missing values that did not occur in training follow the
    larger side of a split.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from certus.ensemble import ExtraTreesClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ExtraTreesClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    _tree_class = ExtraTreeClassifier
    _splitter = "random"

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
        bootstrap: bool = False,
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: ClassWeightLike = None,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: ColumnsLike = None,
        categorical_features: ColumnsLike = "from_dtype",
    ) -> None:
        self._set_parameters(locals())
