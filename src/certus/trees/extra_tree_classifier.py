"""Extremely randomized trees, single (Geurts, Ernst, Wehenkel 2006)."""

from __future__ import annotations

import sklearn.tree

from certus.base import ClassWeightLike, ColumnsLike, FoldsLike, RandomStateLike, register
from certus.trees.decision_tree_classifier import DecisionTreeClassifier


@register(
    guarantees=("held-out error bound",),
    cost="fit O(p n depth), predict O(n depth)",
)
class ExtraTreeClassifier(DecisionTreeClassifier):
    """Classification tree with random thresholds.

    Like `DecisionTreeClassifier`, but at every node one threshold t_j is drawn for each of ``max_features`` randomly
    chosen columns j, uniform between the smallest and the largest value in the node, and the best of these splits is
    taken: argmax_j w_t Q(t) - w_L Q(L_j) - w_R Q(R_j).

    Use it inside an ensemble, where `certus.ensemble.ExtraTreesClassifier` grows many at once; alone it is a poor
    predictor.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity Q; "log_loss" is another name for "entropy".
    splitter : {"random", "best"}, default="random"
        "best" searches every threshold of the chosen columns.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    class_weight : dict, list of dict or "balanced", default=None
        Weights of the classes, multiplied with ``sample_weight``.

    Examples
    --------
    >>> from certus.trees import ExtraTreeClassifier
    >>> model = ExtraTreeClassifier(random_state=0).fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(model.predict([[1.0], [4.0]]))
    ['no' 'yes']
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = "sqrt",
        random_state: RandomStateLike = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: ClassWeightLike = None,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: ColumnsLike = None,
        prune_criterion: str | None = None,
        prune_cv: FoldsLike = 5,
        categorical_features: ColumnsLike = "from_dtype",
    ) -> None:
        self._set_parameters(locals())


# plot_tree and export_graphviz ask for scikit-learn's own class
sklearn.tree.ExtraTreeClassifier.register(ExtraTreeClassifier)
