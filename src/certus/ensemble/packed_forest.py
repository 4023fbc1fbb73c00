"""A fitted forest: the arrays of all its trees, one after the other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part
from certus.base.persistence import check_shapes, check_starts
from certus.ensemble._native_calls import forest_kernels as kernels
from certus.trees import Tree
from certus.trees.growing import CategorySets, compact_arrays

_NODES = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
    "value",
)
_COUNTS = ("children_left", "children_right", "feature", "n_node_samples")
_STRUCTURE = ("children_left", "children_right", "feature", "threshold", "missing_go_to_left")


@register_part("ensemble")
class PackedForest:
    """Trees in one set of arrays; `tree` gives a single one.

    Attributes
    ----------
    n_features, n_outputs : int
        Width of the table, number of outputs.
    n_classes : ndarray of shape (n_outputs,)
        Number of classes of each output (1 for regression).
    offsets : ndarray of shape (n_trees + 1,)
        Tree ``t`` has the nodes ``offsets[t] .. offsets[t + 1]``, numbered from 0 within the tree.
    max_depths : ndarray of shape (n_trees,)
        Depth of each tree.
    seeds : ndarray of shape (n_trees,)
        What each tree was grown from: its bag and its draws can be repeated.
    children_left, children_right, feature, threshold, impurity, n_node_samples, weighted_n_node_samples,
    missing_go_to_left, value : ndarray
        As in `certus.trees.Tree`, for all trees, whole numbers in 32 bits.
    category_sets : CategorySets or None
        The sets of the nodes that split by categories, numbered over all trees; None if there are none.
    """

    _state: ClassVar[tuple[str, ...]] = (
        "n_features",
        "n_outputs",
        "n_classes",
        "offsets",
        "max_depths",
        "seeds",
        *_NODES,
        "category_sets",
    )

    n_features: int
    n_outputs: int
    n_classes: NDArray[np.intp]
    offsets: NDArray[np.int64]
    max_depths: NDArray[np.int64]
    seeds: NDArray[np.uint64]
    children_left: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    value: NDArray[np.float64]
    category_sets: CategorySets | None = None

    def __init__(
        self,
        *,
        n_features: int,
        n_classes: NDArray[Any],
        category_sets: CategorySets | None = None,
        **arrays: NDArray[Any],
    ) -> None:
        self.n_features = int(n_features)
        self.n_outputs = len(n_classes)
        self.n_classes = np.asarray(n_classes, dtype=np.intp)
        self.category_sets = category_sets
        for name, array in arrays.items():
            setattr(self, name, np.asarray(array, dtype=kernels.NODE_TYPES.get(name)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._state}

    def __len__(self) -> int:
        return len(self.seeds)

    def __repr__(self) -> str:
        return f"PackedForest(trees={len(self)}, nodes={self.offsets[-1]})"

    def tree(self, number: int) -> Tree:
        """One tree; its thresholds, values and weights are views of the forest's."""
        first, last = self.offsets[number], self.offsets[number + 1]
        arrays = {name: getattr(self, name)[first:last] for name in _NODES}
        for name in _COUNTS:
            arrays[name] = arrays[name].astype(np.int64)
        return Tree(
            n_features=self.n_features,
            n_outputs=self.n_outputs,
            n_classes=self.n_classes,
            max_depth=int(self.max_depths[number]),
            category_sets=None if self.category_sets is None else self.category_sets.between(first, last),
            **arrays,
        )

    @classmethod
    def joined(cls, forests: list[PackedForest]) -> PackedForest:
        """The trees of several forests as one."""
        first = forests[0]
        ends = np.cumsum([0, *(forest.offsets[-1] for forest in forests)])
        offsets = [forest.offsets[:-1] + end for forest, end in zip(forests, ends[:-1], strict=True)]
        arrays = {
            name: np.concatenate([getattr(forest, name) for forest in forests])
            for name in ("max_depths", "seeds", *_NODES)
        }
        return cls(
            n_features=first.n_features,
            n_classes=first.n_classes,
            offsets=np.concatenate([*offsets, ends[-1:]]),
            category_sets=CategorySets.joined([forest.category_sets for forest in forests], ends[:-1]),
            **arrays,
        )

    @classmethod
    def of_trees(cls, trees: list[Tree], seeds: NDArray[np.uint64]) -> PackedForest:
        """Single trees, packed."""
        offsets = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])]).astype(np.int64)
        return cls(
            n_features=trees[0].n_features,
            n_classes=trees[0].n_classes,
            offsets=offsets,
            max_depths=np.array([tree.max_depth for tree in trees], dtype=np.int64),
            seeds=seeds,
            category_sets=CategorySets.joined([tree.category_sets for tree in trees], offsets[:-1]),
            **{name: np.concatenate([getattr(tree, name) for tree in trees]) for name in _NODES},
        )

    @property
    def compact(self) -> Any:
        """The structure packed for prediction; made on first use, never saved."""
        packed = self.__dict__.get("_packed")
        if packed is None:
            structure = (getattr(self, name) for name in _STRUCTURE)
            packed = kernels.CompactForest(self.offsets, *structure, *compact_arrays(self.category_sets))
            self.__dict__["_packed"] = packed
        return packed

    def mean(self, X: Any, threads: int) -> NDArray[np.float64]:
        """The average over the trees of the values of each row's leaves, per output."""
        sums = kernels.sum_values(self.compact, X, self.value, threads)
        sums /= len(self)
        return sums.reshape(X.shape[0], self.n_outputs, -1)

    def pure_leaves(self) -> bool:
        """Whether every leaf holds rows of one class only (first output)."""
        for first, last in pairwise(self.offsets):  # tree by tree: a copy of all leaves would be large
            leaves = self.value[first:last, 0][self.children_left[first:last] < 0]
            if not (leaves.max(axis=1) == 1.0).all():
                return False
        return True

    def _restored(self) -> None:
        """Called after loading from a file: compiled code trusts the arrays, a file could say anything."""
        trees = len(self.seeds)
        check_shapes(self, offsets=(trees + 1,), max_depths=(trees,), seeds=(trees,), n_classes=(self.n_outputs,))
        nodes = int(self.offsets[-1])
        check_shapes(self, **dict.fromkeys([name for name in _NODES if name != "value"], (nodes,)))
        check_shapes(self, value=(nodes, self.n_outputs, int(self.n_classes.max())))
        check_starts(self.offsets, nodes, "nodes of the trees")
        if trees == 0 or (np.diff(self.offsets) < 1).any() or nodes >= 2**31:
            raise ValueError("the offsets of the trees do not fit their nodes.")
        self.offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
        self.seeds = np.ascontiguousarray(self.seeds, dtype=np.uint64)
        if self.category_sets is not None:
            if not isinstance(self.category_sets, CategorySets):
                raise ValueError("category_sets does not hold sets of categories.")
            self.category_sets.check_nodes(self.feature, self.threshold)
        restored = []
        for number in range(trees):
            tree = self.tree(number)
            tree._restored()
            restored.append(tree)
        packed = PackedForest.of_trees(restored, self.seeds)
        for name in ("max_depths", *_NODES, "category_sets"):
            setattr(self, name, getattr(packed, name))
