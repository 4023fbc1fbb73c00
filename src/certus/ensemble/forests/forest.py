"""What all forests share: parameters, growing, out-of-bag judgments, importances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MultiOutputMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_consistent_length, check_random_state

from certus.base import Iterations, Learner, predict_method, resolve_threads, warn_user
from certus.base.inputs import Table, TableLike, TargetLike, WeightsLike, check_target, check_weights, require_target
from certus.base.params import (
    Boolean,
    Constraints,
    Exactly,
    Fraction,
    Function,
    InstanceOf,
    Interval,
    OneOf,
    Rule,
    Verbosity,
)
from certus.ensemble._native_calls import forest_kernels as kernels
from certus.ensemble.bagged.bags import Bags, bag_size
from certus.ensemble.forests.binning import forest_bins
from certus.ensemble.packed_forest import PackedForest
from certus.guarantees import Report
from certus.trees.growing import Categories, DecisionTree, GrowthParameters, coded_table, growth_of
from certus.trees.pruning import prune

# max_bins="auto": tables with at least so many rows are searched between bins.
ROWS_FOR_BINS = 20_000

TREE_PARAMETERS = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
    "categorical_features",
)


BINS_RULE: list[Rule] = [Exactly(None), OneOf("auto"), Interval(2, 255, integer=True)]


class Forest(GrowthParameters, MultiOutputMixin, Learner):
    """Base of the forests; use `RandomForestClassifier` and its siblings.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"gini", "entropy", "log_loss"}
        Impurity; "log_loss" is another name for "entropy".
    bootstrap : bool
        Whether each tree is grown on a bag of rows drawn with replacement, or on all rows.
    oob_score : bool or callable
        Whether to judge each row by the trees that have not seen it; a callable gets the true and the predicted
        values and returns the score.
    n_jobs : int
        Number of threads; None means all cores that this process may use. The trees do not depend on it.
    random_state : int, RandomState, Generator or None
        Seed of the bags and of the draws at the nodes.
    verbose : int
        1 prints how many trees are grown, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    warm_start : bool
        Whether to keep the trees of the last fit and only grow the ones that are still missing.
    class_weight : dict, list of dict, "balanced" or "balanced_subsample"
        Weights of the classes, multiplied with ``sample_weight``. "balanced" gives all classes the same total weight;
        "balanced_subsample" does so in each bag.
    max_samples : int or float
        Rows drawn for each bag; a float is a fraction of the rows (of their total weight, up to 16 per row). None means
        as many as there are, where whole weights count as repeated rows.

    Attributes
    ----------
    forest_ : PackedForest
        The arrays of all trees.
    estimators_samples_ : list of ndarray
        The rows of each tree's bag, drawn again on access.
    n_outputs_ : int
        Columns of the target.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the impurity.
    oob_score_ : float
        Share of rows that the trees without them get right, if ``oob_score`` is set. An estimate, not a bound.
    bag_rows_, bag_size_ : int
        Rows of the training table and of each bag (None without bags).
    bag_weights_ : ndarray of shape (n_samples,) or None
        Weights by which the rows were drawn.
    is_categorical_ : ndarray of shape (n_features_in_,) or None
        Which columns are categorical.
    categories_ : list of ndarray or None
        Categories of the categorical columns, None for the others; their places are the codes.
    """

    _constraints: ClassVar[Constraints] = {
        **{name: rules for name, rules in DecisionTree._constraints.items() if name != "splitter"},
        "n_estimators": [Interval(1, None, integer=True)],
        "bootstrap": [Boolean()],
        "oob_score": [Boolean(), Function()],
        "n_jobs": [InstanceOf(int, np.integer), Exactly(None)],
        "verbose": [Verbosity()],
        "warm_start": [Boolean()],
        "max_samples": [
            Exactly(None),
            Fraction(0, None, closed="neither"),
            Interval(1, None, integer=True),
        ],
    }
    _takes_sparse = True
    _predicts_without_blas = True
    _state: ClassVar[tuple[str, ...]] = (
        "forest_",
        "n_outputs_",
        "bag_size_",
        "bag_rows_",
        "bag_weights_",
        "oob_score_",
        "is_categorical_",
        "categories_",
    )
    _tree_class: ClassVar[type[DecisionTree]]
    _splitter: ClassVar[str] = "best"

    n_estimators: int
    bootstrap: bool
    oob_score: Any
    n_jobs: int | None
    warm_start: bool
    max_samples: int | float | None
    ccp_alpha: float

    _trees: list[Any] | None
    forest_: PackedForest
    n_outputs_: int
    n_features_in_: int
    is_categorical_: NDArray[np.bool_] | None = None
    categories_: Categories | None = None

    # -- what the kinds of forest differ in -----------------------------------------------------------------
    def _encode_target(
        self, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> tuple[NDArray[Any], NDArray[np.intp] | None, NDArray[np.float64] | None]:
        """The target for the compiled code, numbers of classes (None for regression), weights of the classes."""
        raise NotImplementedError

    def _dress_tree(self, learner: BaseEstimator) -> None:
        """Set what only trees of this kind have."""

    def _keep_out_of_bag(self, y: NDArray[Any], judged: NDArray[np.float64], counted: NDArray[np.bool_]) -> None:
        """Store the out-of-bag predictions and their score."""
        raise NotImplementedError

    def _training_report(self, X: TableLike, codes: NDArray[Any], weighted: bool) -> Report:
        """What training alone supports."""
        return Report()

    # -- fitting ----------------------------------------------------------------------------------------------
    def _fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike) -> None:
        table, y = self._check_training(X, y)
        weights = check_weights(self, sample_weight, table)
        codes, n_classes, class_weight = self._encode_target(y, weights)
        if class_weight is not None:
            weights = check_weights(self, class_weight if weights is None else weights * class_weight, table)
        self._check_bootstrap()
        bags = None
        if self.bootstrap:
            bags = Bags(table.shape[0], bag_size(table.shape[0], self.max_samples, weights), weights)
        previous: PackedForest | None = vars(self).get("forest_") if self.warm_start else None
        self._trees = None
        more = self.n_estimators - (0 if previous is None else len(previous))
        if previous is not None and more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least len(estimators_)={len(previous)} with "
                "warm_start=True."
            )
        forest = previous
        if more == 0:
            warn_user("Warm-start fitting without increasing n_estimators does not fit new trees.")
        else:
            grown = self._grow(table, codes, n_classes, weights, self._draw_seeds()[-more:], bags)
            forest = grown if previous is None else PackedForest.joined([previous, grown])
        self.forest_ = forest  # type: ignore[assignment]
        self.bag_rows_, self.bag_size_ = table.shape[0], None if bags is None else bags.draws
        self.bag_weights_ = None if bags is None else weights
        if self.oob_score and (more > 0 or "oob_score_" not in vars(self)):
            self._judge_out_of_bag(table, codes, weights)
        self.report_ = self._training_report(table, codes, weights is not None)

    def _check_training(self, X: TableLike, y: TargetLike) -> tuple[Any, NDArray[Any]]:
        if sparse.issparse(y):
            raise ValueError("sparse multilabel-indicator for y is not supported.\nHint: pass y.toarray().")
        goes_on = self.warm_start and "forest_" in vars(self)
        X = coded_table(self, X, reset=True, keep=goes_on, accept_sparse="csc")
        require_target(self, y)
        y = np.atleast_1d(check_target(self, y, multi_output=True))
        if y.ndim == 2 and y.shape[1] == 1:
            warn_user(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                "(n_samples,), for example using ravel().",
                DataConversionWarning,
            )
        y = y.reshape(-1, 1) if y.ndim == 1 else y
        check_consistent_length(X, y)
        self.n_outputs_ = y.shape[1]
        return X, y

    def _check_bootstrap(self) -> None:
        if self.bootstrap:
            return
        if self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
                "`max_sample=None`."
            )
        if self.oob_score:
            raise ValueError(
                "Out of bag estimation only available if bootstrap=True.\nHint: set bootstrap=True, or oob_score=False."
            )

    def _draw_seeds(self) -> NDArray[np.uint64]:
        """One seed per tree; the first ones do not depend on how many there are, so that forests can be extended."""
        if isinstance(self.random_state, np.random.Generator):
            return self.random_state.integers(0, 2**31 - 1, size=self.n_estimators).astype(np.uint64)
        draws = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        return np.asarray(draws, dtype=np.uint64)

    def _tree_learner(self) -> Any:
        parameters = {name: getattr(self, name) for name in TREE_PARAMETERS}
        return self._tree_class(splitter=self._splitter, **parameters)

    def _grow(
        self,
        X: Table,
        codes: NDArray[Any],
        n_classes: NDArray[np.intp] | None,
        weights: NDArray[np.float64] | None,
        seeds: NDArray[np.uint64],
        bags: Bags | None,
    ) -> PackedForest:
        growth = growth_of(
            self._tree_learner(),
            rows=X.shape[0] if weights is None else int(np.count_nonzero(weights)),
            total_weight=1.0,  # set for each tree
            n_features=self.n_features_in_,
            n_outputs=self.n_outputs_,
            n_classes=n_classes,
            seed=0,
            categorical=self.is_categorical_,
        )
        threads = resolve_threads(self.n_jobs)
        counts = np.ones(self.n_outputs_, dtype=np.intp) if n_classes is None else n_classes
        counted = n_classes is not None and weights is None and getattr(self, "class_weight", None) is None
        bins = forest_bins(X, weights, getattr(self, "max_bins", None), ROWS_FOR_BINS, counts_only=counted)
        batches: list[PackedForest] = []
        with Iterations(self, len(seeds), X, codes, runs_to_limit=True) as iterations:
            size = max(threads, 1) if iterations.watched else len(seeds)
            for first in range(0, len(seeds), size):
                batch = seeds[first : first + size]
                arrays = kernels.grow(
                    X,
                    codes,
                    n_classes,
                    weights,
                    growth,
                    seeds=batch,
                    bag=None if bags is None else bags.rule(),
                    min_weight_fraction=self.min_weight_fraction_leaf,
                    balance_classes=self._balances_bags(),
                    threads=threads,
                    bins=bins,
                )
                batches.append(PackedForest(n_features=self.n_features_in_, n_classes=counts, seeds=batch, **arrays))
                stops = [iterations.step(trees=float(first + each + 1)) for each in range(len(batch))]
                if any(stops):
                    break
        grown = batches[0] if len(batches) == 1 else PackedForest.joined(batches)
        return grown if self.ccp_alpha <= 0.0 else self._pruned(grown)

    def _balances_bags(self) -> bool:
        return False

    def _pruned(self, grown: PackedForest) -> PackedForest:
        trees = [prune(grown.tree(number), self.ccp_alpha) for number in range(len(grown))]
        return PackedForest.of_trees(trees, grown.seeds)

    # -- out of bag -------------------------------------------------------------------------------------------
    def _bags(self) -> Bags:
        return Bags(self.bag_rows_, int(self.bag_size_), self.bag_weights_)  # type: ignore[arg-type]

    def _out_of_bag(
        self, X: Any, labels: NDArray[Any] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Sums of values, numbers of trees, error bits, bag bits; only of trees that have not seen the row."""
        forest, threads = self.forest_, resolve_threads(self.n_jobs)
        X = X.tocsr() if sparse.issparse(X) else X
        in_bag = kernels.mark_bags(self._bags().rule(), self.bag_rows_, forest.seeds, threads)
        sums, trees, errors = kernels.judge_out_of_bag(forest.compact, X, forest.value, in_bag, labels, threads)
        return sums, trees, errors, in_bag

    def _judge_out_of_bag(self, X: Table, codes: NDArray[Any], weights: NDArray[np.float64] | None) -> None:
        sums, trees, _, _ = self._out_of_bag(X, None)
        counted = np.ones(len(trees), dtype=bool) if weights is None else weights > 0
        if (trees[counted] == 0).any():
            warn_user(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any "
                "reliable OOB estimates.",
                UserWarning,
            )
        judged = sums / np.maximum(trees, 1)[:, None]
        self._keep_out_of_bag(codes, judged.reshape(len(trees), self.n_outputs_, -1), counted)

    # -- the fitted forest --------------------------------------------------------------------------------------
    @property
    def estimators_(self) -> list[Any]:
        """The trees as learners, built on first access from the packed arrays."""
        if "forest_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'estimators_'")
        if vars(self).get("_trees") is None:
            self._trees = [self._build_tree(number) for number in range(len(self.forest_))]
        return self._trees  # type: ignore[return-value]

    def _build_tree(self, number: int) -> Any:
        learner = self._tree_learner().set_params(random_state=int(self.forest_.seeds[number]))
        learner.tree_ = self.forest_.tree(number)
        learner.n_features_in_ = self.n_features_in_
        learner.n_outputs_ = self.n_outputs_
        learner.is_categorical_, learner.categories_ = self.is_categorical_, self.categories_
        learner.max_features_ = self._max_features()
        learner.report_ = Report()
        self._dress_tree(learner)
        return learner

    def _max_features(self) -> int:
        growth = growth_of(
            self._tree_learner().set_params(monotonic_cst=None),
            rows=1,
            total_weight=1.0,
            n_features=self.n_features_in_,
            n_outputs=self.n_outputs_,
            n_classes=None,
            seed=0,
        )
        return growth.max_features

    @property
    def estimator(self) -> Any:
        """A tree learner of the kind that the forest grows, with default parameters."""
        return self._tree_class(splitter=self._splitter)

    @property
    def estimator_(self) -> Any:
        """A tree learner with the parameters of the trees, not fitted."""
        if "forest_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'estimator_'")
        return self._tree_learner()

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows that each tree was grown on, drawn again from its seed."""
        if "forest_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'estimators_samples_'")
        if self.bag_size_ is None:
            return [np.arange(self.bag_rows_, dtype=np.int32) for _ in range(len(self.forest_))]
        return self._bags().drawn(self.forest_.seeds)

    def __len__(self) -> int:
        return len(self.forest_)

    def __getitem__(self, number: int) -> Any:
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __getstate__(self) -> Any:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_trees"}

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the decrease of the impurity, averaged over the trees.

        It favors columns with many different values; compare with permutation importances.
        """
        return self._importances()

    @predict_method
    def _importances(self) -> NDArray[np.float64]:
        trees = [self.forest_.tree(number) for number in range(len(self.forest_))]
        shares = [tree.compute_feature_importances() for tree in trees if tree.node_count > 1]
        if not shares:
            return np.zeros(self.n_features_in_)
        mean = np.mean(shares, axis=0)
        return np.asarray(mean / mean.sum())

    @predict_method
    def apply(self, X: TableLike) -> NDArray[np.int64]:
        """The number of the leaf that each row reaches in each tree.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators)
        """
        table = coded_table(self, X, accept_sparse="csr")
        return kernels.apply(self.forest_.compact, table, len(self.forest_), resolve_threads(self.n_jobs))

    @predict_method
    def decision_path(self, X: TableLike) -> tuple[Any, NDArray[np.int64]]:
        """The nodes that each row passes in each tree.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
            1 where the row passes the node.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            Columns ``n_nodes_ptr[i]:n_nodes_ptr[i + 1]`` belong to tree ``i``.
        """
        X = coded_table(self, X, accept_sparse="csr")
        paths = [self.forest_.tree(number).decision_path(X) for number in range(len(self.forest_))]
        return sparse.hstack(paths).tocsr(), self.forest_.offsets.copy()

    def _mean_values(self, X: TableLike) -> NDArray[np.float64]:
        X = coded_table(self, X, accept_sparse="csr")
        return self.forest_.mean(X, resolve_threads(self.n_jobs))

    def _restored(self) -> None:
        forest = vars(self).get("forest_")
        if forest is None:
            return
        if not isinstance(forest, PackedForest):
            raise ValueError("forest_ is not a forest.")
        if (forest.n_features, forest.n_outputs) != (self.n_features_in_, self.n_outputs_):
            raise ValueError("forest_ is for another table.")
        if self.categories_ is not None and len(self.categories_) != self.n_features_in_:
            raise ValueError("categories_ does not have one element per column.")
        weights = self.bag_weights_
        if weights is not None and (not isinstance(weights, np.ndarray) or weights.shape != (self.bag_rows_,)):
            raise ValueError("bag_weights_ does not fit the number of rows.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # in dense tables
        return tags
