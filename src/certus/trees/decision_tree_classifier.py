"""Classification trees (Breiman, Friedman, Olshen, Stone 1984)."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.tree
from numpy.typing import NDArray
from sklearn.utils import compute_sample_weight
from sklearn.utils.metadata_routing import UNUSED

from certus.base import Classifier, distinct_labels, fit_method, predict_method, register
from certus.base.inputs import (
    ClassWeightLike,
    ColumnsLike,
    FoldsLike,
    RandomStateLike,
    TableLike,
    TargetLike,
    WeightsLike,
)
from certus.base.params import Exactly, Folds, InstanceOf, Interval, OneOf
from certus.trees.growing.decision_tree import DecisionTree
from certus.trees.pruning.node_costs import class_impurities, label_losses
from certus.trees.tree import Tree


@register(
    guarantees=("held-out error bound",),
    cost="fit O(p n log n + p n depth), predict O(n depth)",
)
class DecisionTreeClassifier(DecisionTree, Classifier):
    """Classification tree: yes/no questions about single columns, one after the other.

    Every node t with weight w_t and class shares p_k is split into L and R at the column and threshold that maximize
    w_t Q(t) - w_L Q(L) - w_R Q(R), where Q = 1 - sum_k p_k^2 (Gini), Q = -sum_k p_k log2 p_k (entropy) or Q = 1 - max_k
    p_k (misclassification). Every border between two different values of every column is tried. A leaf predicts its
    class shares. With ``ccp_alpha`` = alpha the tree is then pruned to the smallest sub-tree that minimizes sum_leaves
    w_t Q(t) / w + alpha * (number of leaves), where Q may be another impurity (``prune_criterion``) and alpha may be
    chosen by cross-validation.

    Use it where a rule that can be read is worth more than the last percent; limit or prune it, a full tree repeats the
    noise of the training rows. It needs no scaling, takes missing values in dense tables (they go to the side where
    they help most), sparse tables, several outputs and weights.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        Impurity; "log_loss" is another name for "entropy". "misclassification" often sees no difference between
        splits that the others tell apart; it is meant for pruning.
    min_impurity_decrease : float, default=0.0
        Split only if ``w_t / w * (Q(t) - w_L / w_t Q(L) - w_R / w_t Q(R))`` is at least this, with ``w`` the
        total weight.
    class_weight : dict, list of dict or "balanced", default=None
        Weights of the classes, multiplied with ``sample_weight``; a list has one dict per output. "balanced"
        gives all classes the same total weight.
    prune_criterion : {"gini", "entropy", "log_loss", "misclassification"}, default=None
        What a leaf costs when the tree is pruned; None: ``criterion``.
    prune_cv : int, splitter or iterable of (train, test) rows, default=5
        Folds for ``ccp_alpha="cv"``; an int is shuffled with ``random_state``
        and stratified; the loss is the error rate.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or a list of them
        The labels (of each output).
    n_classes_ : int, or ndarray of int
        Their number (for each output).
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the impurity.

    Notes
    -----
    Values are compared as float32, and no threshold is put between values closer than 1e-7, as in scikit-learn.
    Missing values that did not occur in training follow the larger side of a split.

    Examples
    --------
    >>> from certus.trees import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "no"])
    >>> print(model.predict([[2.9], [3.9]]), model.get_n_leaves())
    ['yes' 'no'] 3
    """

    __metadata_request__predict_proba = {"check_input": UNUSED}

    _constraints = {
        **DecisionTree._constraints,
        "ccp_alpha": [Interval(0, None), OneOf("cv")],
        "prune_criterion": [OneOf("gini", "entropy", "log_loss", "misclassification"), Exactly(None)],
        "prune_cv": [Folds()],
        "criterion": [OneOf("gini", "entropy", "log_loss", "misclassification")],
        "class_weight": [InstanceOf(dict, list), OneOf("balanced"), Exactly(None)],
    }
    _state = (*DecisionTree._state, "classes_", "n_classes_")

    n_classes_: Any

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
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

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, check_input: bool = True
    ) -> DecisionTreeClassifier:
        """Grow the tree, and prune it if ``ccp_alpha`` is above 0.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 0 removes it. The ``min_samples`` rules count rows, not weights.
        """
        table, y = self._check_training(X, y, check_input)
        columns = [distinct_labels(column) for column in y.T]
        codes = np.stack([inverse for _, inverse in columns], axis=1)
        n_classes = np.array([len(labels) for labels, _ in columns], dtype=np.intp)
        class_weight = None if self.class_weight is None else compute_sample_weight(self.class_weight, y)
        self._grow(table, codes, n_classes, sample_weight, class_weight)
        single = self.n_outputs_ == 1
        self.classes_ = columns[0][0] if single else [labels for labels, _ in columns]  # type: ignore[assignment]
        self.n_classes_ = n_classes[0] if single else n_classes
        return self

    def _prune_costs(
        self, tree: Tree, X: TableLike, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        return None if self.prune_criterion is None else class_impurities(tree, self.prune_criterion)

    def _losses(self, tree: Tree, nodes: NDArray[np.int64], y: NDArray[Any]) -> NDArray[np.float64]:
        return label_losses(y, tree.value[nodes])

    @predict_method
    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """The most frequent label of the leaf that each row reaches; of equally frequent ones the first.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        leaves = self.tree_.apply(self._check_rows(X, check_input))
        if len(leaves) < self.tree_.node_count:
            best = self.tree_.value.take(leaves, axis=0).argmax(axis=2)
        else:  # once per node instead of once per row
            best = self.tree_.value.argmax(axis=2)[leaves]
        if self.n_outputs_ == 1:
            return self.classes_.take(best[:, 0], axis=0)
        labels = [classes.take(best[:, output]) for output, classes in enumerate(self.classes_)]
        return np.stack(labels, axis=1).astype(self.classes_[0].dtype)

    @predict_method
    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Class shares of the leaf that each row reaches, in the order of ``classes_``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or a list of them, one per output
        """
        shares = self.tree_.predict(self._check_rows(X, check_input))
        if self.n_outputs_ == 1:
            return shares
        return [shares[:, output, :count] for output, count in enumerate(self.n_classes_)]

    def _restored(self) -> None:
        super()._restored()
        if hasattr(self, "tree_"):
            labels = [self.classes_] if self.n_outputs_ == 1 else self.classes_
            if [len(each) for each in labels] != self.tree_.n_classes.tolist():
                raise ValueError("classes_ and tree_ have different numbers of classes.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


# plot_tree and export_graphviz ask for scikit-learn's own class
sklearn.tree.DecisionTreeClassifier.register(DecisionTreeClassifier)
