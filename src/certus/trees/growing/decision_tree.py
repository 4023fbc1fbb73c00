"""What the classification and the regression tree share: parameters, growing, pruning, finding leaves."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import MultiOutputMixin, clone
from sklearn.utils import Bunch, check_consistent_length
from sklearn.utils.metadata_routing import UNUSED

from certus.base import Learner, predict_method, resolve_seed
from certus.base.inputs import Table, TableLike, TargetLike, WeightsLike, check_target, check_weights, require_target
from certus.base.params import ArrayLike, Constraints, Exactly, Fraction, Interval, OneOf, RandomState
from certus.guarantees import Report
from certus.trees import _native_calls
from certus.trees.growing.category_codes import Categories
from certus.trees.growing.coded_table import CATEGORICAL_RULE, coded_table
from certus.trees.growing.growth_options import growth_of
from certus.trees.growing.growth_parameters import GrowthParameters
from certus.trees.growing.weight_units import in_units
from certus.trees.pruning.cost_complexity import prune, pruning_path
from certus.trees.pruning.cross_validated_pruning import between, folds_of, held_out_losses, least
from certus.trees.pruning.node_costs import summed_over_paths
from certus.trees.tree import Tree


class DecisionTree(GrowthParameters, MultiOutputMixin, Learner):
    """Base of the decision trees; use `DecisionTreeClassifier` or `DecisionTreeRegressor`.

    Parameters
    ----------
    splitter : {"best", "random"}
        "random" draws one threshold per column, uniform between the smallest and the largest value, and takes
        the best of these.
    random_state : int, RandomState, Generator or None
        Seed of the draws; without effect unless ``splitter="random"`` or ``max_features`` is below the number
        of columns. Ties between columns are never broken at random, but in members of bagging.
    ccp_alpha : float or "cv"
        Price of a leaf in cost-complexity pruning; "cv" chooses it by cross-validation.

    Attributes
    ----------
    n_outputs_ : int
        Columns of the target.
    max_features_ : int
        Columns searched at each node.
    tree_ : Tree
        The tree as arrays.
    ccp_alpha_ : float
        The price of a leaf that was used.
    ccp_alphas_, ccp_losses_ : ndarray
        With ``ccp_alpha="cv"``: one price for each tree of the nested sequence, and its mean loss on held-out rows.
        The least of them is an optimistic estimate, because it was chosen; certify the tree on other rows.
    is_categorical_ : ndarray of shape (n_features_in_,) or None
        Which columns are categorical.
    categories_ : list of ndarray or None
        Categories of the categorical columns, None for the others; their places are the codes.
    """

    # check_input is for callers that have validated their data already; it is not routed through pipelines
    __metadata_request__fit = {"check_input": UNUSED}
    __metadata_request__predict = {"check_input": UNUSED}

    _constraints: ClassVar[Constraints] = {
        "splitter": [OneOf("best", "random")],
        "max_depth": [Interval(1, None, integer=True), Exactly(None)],
        "min_samples_split": [Interval(2, None, integer=True), Fraction(0, 1, closed="right")],
        "min_samples_leaf": [Interval(1, None, integer=True), Fraction(0, 1, closed="neither")],
        "min_weight_fraction_leaf": [Interval(0, 0.5)],
        "max_features": [
            Interval(1, None, integer=True),
            Fraction(0, 1, closed="right"),
            OneOf("sqrt", "log2"),
            Exactly(None),
        ],
        "random_state": [RandomState()],
        "max_leaf_nodes": [Interval(2, None, integer=True), Exactly(None)],
        "min_impurity_decrease": [Interval(0, None)],
        "ccp_alpha": [Interval(0, None)],
        "monotonic_cst": [ArrayLike(), Exactly(None)],
        "categorical_features": CATEGORICAL_RULE,
    }

    _takes_sparse = True
    _predicts_without_blas = True
    _state: ClassVar[tuple[str, ...]] = (
        "tree_",
        "n_outputs_",
        "max_features_",
        "ccp_alpha_",
        "ccp_alphas_",
        "ccp_losses_",
        "is_categorical_",
        "categories_",
    )

    ccp_alpha: float | str
    prune_criterion: str | None = None  # parameters of some of the learners
    prune_cv: Any = 5

    ccp_alpha_: float
    ccp_alphas_: NDArray[np.float64]
    ccp_losses_: NDArray[np.float64]
    tree_: Tree
    n_outputs_: int
    n_features_in_: int
    max_features_: int
    is_categorical_: NDArray[np.bool_] | None = None
    _random_ties = False  # whether chance decides between equally good columns; set by ensembles
    categories_: Categories | None = None

    def get_depth(self) -> int:
        """Depth of the tree: the most splits between the root and a leaf.

        Returns
        -------
        int
        """
        return self._fitted_tree().max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves.

        Returns
        -------
        int
        """
        return self._fitted_tree().n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total decrease of the impurity.

        It favors columns with many different values; compare with permutation importances.
        """
        return self._fitted_tree().compute_feature_importances()

    @predict_method
    def _fitted_tree(self) -> Tree:
        return self.tree_

    @predict_method
    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.int64]:
        """The number of the leaf that each row reaches.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.tree_.apply(self._check_rows(X, check_input))

    @predict_method
    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """The nodes that each row passes.

        Returns
        -------
        sparse matrix of shape (n_samples, n_nodes)
            1 where the row passes the node.
        """
        return self.tree_.decision_path(self._check_rows(X, check_input))

    def cost_complexity_pruning_path(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Bunch:
        """Grow a full tree and prune it step by step to the root.

        Parameters
        ----------
        X, y, sample_weight
            Training data as for ``fit``.

        Returns
        -------
        Bunch
            ``ccp_alphas``: from this ``ccp_alpha`` on the next smaller tree is chosen; ``impurities``: total
            impurity of the leaves of that tree.
        """
        grown = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        costs = None
        if self.prune_criterion is not None:
            table, target = grown._check_training(X, y, check_input=True)
            costs = grown._prune_costs(grown.tree_, table, target, check_weights(self, sample_weight, table))
        alphas, impurities = pruning_path(grown.tree_, costs)
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # in dense tables
        return tags

    def _restored(self) -> None:
        if not hasattr(self, "tree_"):
            return
        if not isinstance(self.tree_, Tree):
            raise ValueError("tree_ is not a tree.")
        if (self.tree_.n_features, self.tree_.n_outputs) != (self.n_features_in_, self.n_outputs_):
            raise ValueError("tree_ is for another table.")
        if self.categories_ is not None and len(self.categories_) != self.n_features_in_:
            raise ValueError("categories_ does not have one element per column.")

    def _check_training(self, X: TableLike, y: TargetLike, check_input: bool) -> tuple[Any, NDArray[Any]]:
        """The table as float32 (sparse: by columns), the target with one column per output."""
        if check_input:
            table = coded_table(self, X, reset=True, accept_sparse="csc")
            require_target(self, y)
            y = check_target(self, y, multi_output=True)
            if sparse.issparse(y):
                raise TypeError(f"{type(self).__name__} does not accept a sparse target y.\nHint: pass y.toarray().")
        else:
            self.is_categorical_ = self.categories_ = None
            table = sparse.csc_array(X) if sparse.issparse(X) else np.asarray(X)
            table = table.astype(np.float32, copy=False)
        self.n_features_in_ = table.shape[1]
        y = np.atleast_1d(np.asarray(y))
        return table, y.reshape(-1, 1) if y.ndim == 1 else y

    def _check_rows(self, X: TableLike, check_input: bool) -> Any:
        if check_input:
            return coded_table(self, X, accept_sparse="csr")
        if np.shape(X)[1] != self.n_features_in_:
            raise ValueError(
                f"X has {np.shape(X)[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )
        return X

    def _grow(
        self,
        X: Table,
        y: NDArray[Any],
        n_classes: NDArray[np.intp] | None,
        sample_weight: WeightsLike,
        class_weight: NDArray[np.float64] | None = None,
    ) -> None:
        """Set ``tree_``, ``n_outputs_``, ``max_features_``, ``ccp_alpha_`` and ``report_``."""
        check_consistent_length(X, y)
        weights = check_weights(self, sample_weight, X)
        if class_weight is not None:
            weights = check_weights(self, class_weight if weights is None else weights * class_weight, X)
        self.n_outputs_ = y.shape[1]
        seed = resolve_seed(self.random_state)
        rows = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights)

        def grow(kept: NDArray[np.intp] | None) -> tuple[Tree, NDArray[np.float64] | None]:
            table, target, mass = (X, y, weights) if kept is None else _some_rows(X, y, weights, rows[kept])
            tree = self._grown_tree(table, target, mass, n_classes, seed)
            return tree, self._prune_costs(tree, table, target, mass)

        def judge(tree: Tree, held_out: NDArray[np.intp]) -> NDArray[np.float64]:
            table, target, mass = _some_rows(X, y, weights, rows[held_out])
            by_rows = table.tocsr() if sparse.issparse(table) else table
            return summed_over_paths(tree, tree.apply(by_rows), lambda at: self._losses(tree, at, target), mass)

        tree, costs = grow(None)
        if isinstance(self.ccp_alpha, str):
            folds = folds_of(self.prune_cv, y[rows, 0], seed, n_classes is not None)
            self.ccp_alphas_ = between(pruning_path(tree, costs)[0])
            total = len(rows) if weights is None else weights.sum()
            self.ccp_losses_ = held_out_losses(self.ccp_alphas_, folds, grow, judge, total)
            self.ccp_alpha_ = least(self.ccp_alphas_, self.ccp_losses_)
        else:
            self.ccp_alpha_ = float(self.ccp_alpha)
        self.tree_ = prune(tree, self.ccp_alpha_, costs) if self.ccp_alpha_ > 0.0 else tree
        self.report_ = Report()

    def _prune_costs(
        self, tree: Tree, X: TableLike, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """What the nodes cost when the tree is pruned; None if that is their impurity."""
        raise NotImplementedError

    def _losses(self, tree: Tree, nodes: NDArray[np.int64], y: NDArray[Any]) -> NDArray[np.float64]:
        """Loss of each row on which pruning is judged, if the given node were its leaf."""
        raise NotImplementedError

    def _grown_tree(
        self,
        X: Table,
        y: NDArray[Any],
        weights: NDArray[np.float64] | None,
        n_classes: NDArray[np.intp] | None,
        seed: int,
    ) -> Tree:
        rows = X.shape[0] if weights is None else int(np.count_nonzero(weights))
        weights, unit = in_units(weights)
        growth = growth_of(
            self,
            rows=rows,
            total_weight=rows if weights is None else float(weights.sum()),
            n_features=self.n_features_in_,
            n_outputs=self.n_outputs_,
            n_classes=n_classes,
            seed=seed,
            categorical=self.is_categorical_,
            random_ties=self._random_ties,
        )
        self.max_features_ = growth.max_features
        arrays, depth = _native_calls.grow(X, y, n_classes, weights, growth)
        if unit != 1.0:
            arrays["weighted_n_node_samples"] *= unit
        return Tree(
            n_features=self.n_features_in_,
            n_outputs=self.n_outputs_,
            n_classes=np.ones(self.n_outputs_, dtype=np.intp) if n_classes is None else n_classes,
            max_depth=depth,
            **arrays,
        )


def _some_rows(X: Any, y: NDArray[Any], weights: NDArray[np.float64] | None, rows: NDArray[np.intp]) -> Any:
    table = X.tocsr()[rows].tocsc() if sparse.issparse(X) else X[rows]
    return table, np.ascontiguousarray(y[rows]), None if weights is None else weights[rows]
