"""Fitted gradient boosting with exact trees: packed trees, raw predictions, importances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from certus.base import Learner, Table, TableLike, TargetLike, predict_method, resolve_threads, warn_user
from certus.ensemble._native_calls import forest_kernels as kernels
from certus.ensemble.boosting.stage_losses import StageLoss
from certus.ensemble.constant_start import ConstantStart
from certus.ensemble.packed_forest import PackedForest
from certus.guarantees import Report
from certus.trees import DecisionTreeRegressor, Tree
from certus.trees.growing import as_float32

Numbers = NDArray[np.float64]


class StagedTrees(Learner):
    """What a gradient boosting learner can say once it has trees: rounds x outputs of them."""

    _takes_sparse = True
    _state: ClassVar[tuple[str, ...]] = (
        "forests_",
        "init_",
        "n_estimators_",
        "n_trees_per_iteration_",
        "max_features_",
    )

    learning_rate: float
    init: Any

    _loss: StageLoss
    _trees: NDArray[Any] | None  # the trees as learners, not saved
    forests_: list[PackedForest]
    init_: Any
    n_estimators_: int
    n_trees_per_iteration_: int
    n_features_in_: int
    max_features_: int

    # -- what the learners define -------------------------------------------------------------------------------
    def _make_loss(self) -> StageLoss:
        raise NotImplementedError

    def _tree_learner(self) -> DecisionTreeRegressor:
        raise NotImplementedError

    # -- raw predictions ----------------------------------------------------------------------------------------
    def _raw_start(self, X: Table) -> Numbers:
        """Raw predictions of the model that boosting started from, outputs x rows."""
        if isinstance(self.init_, str):
            return np.zeros((self.n_trees_per_iteration_, X.shape[0]))
        answers = self.init_.predict_proba(X) if is_classifier(self) else self.init_.predict(X)
        return np.ascontiguousarray(self._loss.link(answers))

    def _raw_so_far(self, X: Table, trees: list[list[tuple[Tree, int]]]) -> Numbers:
        """Raw predictions, added up in the order of the rounds."""
        raw = self._raw_start(X)
        for each in zip(*trees, strict=True):
            self._add(X, raw, list(each))
        return raw

    def _add(self, X: TableLike, raw: Numbers, stage: list[tuple[Tree, int]]) -> None:
        for own, (tree, _) in zip(raw, stage, strict=True):
            own += self.learning_rate * tree.value[tree.apply(X), 0, 0]

    def _raw_predict(self, X: TableLike) -> Numbers:
        table = self._check_rows(X)
        raw = self._raw_start(table)
        for own, forest in zip(raw, self.forests_, strict=True):
            own += self.learning_rate * kernels.sum_values(forest.compact, table, forest.value, resolve_threads())[:, 0]
        return raw

    def _staged_raw_predict(self, X: TableLike) -> Iterator[Numbers]:
        check_is_fitted(self)
        table = self._check_rows(X)
        raw = self._raw_start(table)
        for number in range(self.n_estimators_):
            self._add(table, raw, [(forest.tree(number), 0) for forest in self.forests_])
            yield raw.copy()

    def _check_rows(self, X: TableLike) -> Any:
        return as_float32(self, X, accept_sparse="csr")

    @predict_method
    def apply(self, X: TableLike) -> Numbers:
        """The number of the leaf that each row reaches in each tree.

        Returns
        -------
        ndarray of shape (n_samples, n_estimators, n_trees_per_iteration)
        """
        table = self._check_rows(X)
        leaves = [kernels.apply(own.compact, table, len(own), resolve_threads()) for own in self.forests_]
        return np.stack(leaves, axis=2).astype(np.float64)

    # -- the trees ----------------------------------------------------------------------------------------------
    @property
    def estimators_(self) -> NDArray[Any]:
        """The trees as learners, rounds x outputs, built on first access from the packed arrays."""
        if "forests_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'estimators_'")
        if vars(self).get("_trees") is None:
            self._trees = self._build_trees(0)
        return self._trees  # type: ignore[return-value]

    def _build_trees(self, first: int) -> NDArray[Any]:
        built = np.empty((self.n_estimators_ - first, len(self.forests_)), dtype=object)
        for output, forest in enumerate(self.forests_):
            for number in range(first, self.n_estimators_):
                learner: Any = self._tree_learner().set_params(random_state=int(forest.seeds[number]))
                learner.tree_ = forest.tree(number)
                learner.n_features_in_ = self.n_features_in_
                learner.n_outputs_ = 1
                learner.max_features_ = self.max_features_
                learner.report_ = Report()
                built[number - first, output] = learner
        return built

    def __len__(self) -> int:
        return self.n_estimators_

    def __getitem__(self, number: int) -> Any:
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    @property
    def feature_importances_(self) -> Numbers:
        """Share of each column in the decrease of the squared error of the residuals, over all trees.

        It favors columns with many different values; compare with permutation importances.
        """
        return self._importances()

    @predict_method
    def _importances(self) -> Numbers:
        trees = [own.tree(number) for own in self.forests_ for number in range(len(own))]
        falls = [tree.compute_feature_importances(normalize=False) for tree in trees if tree.node_count > 1]
        if not falls:
            return np.zeros(self.n_features_in_)
        mean = np.mean(falls, axis=0)
        return np.asarray(mean / mean.sum())

    def _compute_partial_dependence_recursion(self, grid: TargetLike, target_features: TargetLike) -> Numbers:
        """For `sklearn.inspection.partial_dependence` with ``method="recursion"``."""
        if self.init is not None:
            warn_user(
                "Using recursion method with a non-constant init predictor will lead to incorrect partial dependence "
                f"values. Got init={self.init}.",
                UserWarning,
            )
        grid = np.asarray(grid, dtype=np.float32, order="C")
        averages = np.zeros((len(self.forests_), grid.shape[0]))
        for own, forest in zip(averages, self.forests_, strict=True):
            for number in range(len(forest)):
                forest.tree(number).compute_partial_dependence(grid, np.asarray(target_features, dtype=np.intp), own)
        return averages * self.learning_rate

    def __sklearn_is_fitted__(self) -> bool:
        return "forests_" in vars(self)

    def __getstate__(self) -> Any:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_trees"}

    def _restored(self) -> None:
        if "forests_" not in vars(self):
            return
        self._loss = self._make_loss()
        if len(self.forests_) != self._loss.outputs or self._loss.outputs != self.n_trees_per_iteration_:
            raise ValueError("forests_ does not have one forest per output.")
        for forest in self.forests_:
            if not isinstance(forest, PackedForest) or len(forest) != self.n_estimators_:
                raise ValueError("forests_ does not have one tree per round.")
            if (forest.n_features, forest.n_outputs, forest.value.shape[1:]) != (self.n_features_in_, 1, (1, 1)):
                raise ValueError("forests_ is for another table.")
        constant = getattr(self.init_, "constant", None)
        if isinstance(self.init_, ConstantStart) and len(constant) != self._constant_size():  # type: ignore[arg-type]
            raise ValueError("init_ is for another target.")

    def _constant_size(self) -> int:
        return 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # in dense tables
        return tags
