"""The one place of this family that calls compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus import _native
from certus.base import SparseTable, resolve_threads
from certus.trees.growing.category_sets import CategorySets

CompactTree = _native.CompactTree


@dataclass(frozen=True)
class Growth:
    """How a tree is grown; see the parameters of `certus.trees.DecisionTreeClassifier`."""

    criterion: str
    random_thresholds: bool
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_impurity_decrease: float
    max_features: int
    max_leaf_nodes: int
    seed: int
    monotone: NDArray[np.int8] | None
    categorical: NDArray[np.uint8] | None = None
    negligible_impurity: float = 0.0  # nodes with at most this count as pure
    random_ties: bool = False  # whether chance decides between equally good columns


def grow(
    X: Any,
    y: NDArray[Any],
    n_classes: NDArray[np.intp] | None,
    weights: NDArray[np.float64] | None,
    growth: Growth,
) -> tuple[dict[str, Any], int]:
    """Grow a tree; its arrays under scikit-learn's names, and its depth.

    ``X`` is a float32 array or a float32 matrix by columns, ``y`` has one column per output: codes from 0 with
    ``n_classes`` for classification, float64 numbers with ``n_classes=None`` for regression.
    """
    target, max_classes = native_target(y, n_classes)
    rows = np.arange(X.shape[0], dtype=np.uint32)
    if weights is not None:
        rows = rows[weights > 0]
        target.set_weights(weights)
    if sparse.issparse(X):
        nodes = _native.grow_tree_sparse(sparse_table(X), target, rows, native_options(growth), resolve_threads())
    else:
        nodes = _native.grow_tree(X, target, rows, native_options(growth), threads_for(X.size))
    return node_arrays(nodes, y.shape[1], max_classes), nodes.max_depth


def native_target(y: NDArray[Any], n_classes: NDArray[np.intp] | None) -> tuple[Any, int]:
    """What is to be predicted, for compiled code, and the largest number of classes."""
    if n_classes is None:
        return _native.number_target(np.ascontiguousarray(y, dtype=np.float64)), 1
    labels = np.ascontiguousarray(y, dtype=np.uint32)
    return _native.label_target(labels, [int(count) for count in n_classes]), int(n_classes.max())


def native_options(growth: Growth) -> Any:
    """How a tree is grown, for compiled code."""
    options = _native.GrowOptions()
    options.criterion = getattr(_native.TreeCriterion, growth.criterion)
    for name in (
        "random_thresholds",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_leaf",
        "min_impurity_decrease",
        "negligible_impurity",
        "max_features",
        "max_leaf_nodes",
        "seed",
        "random_ties",
    ):
        setattr(options, name, getattr(growth, name))
    if growth.monotone is not None:
        options.set_monotone(growth.monotone)
    if growth.categorical is not None:
        options.set_categorical(growth.categorical)
    return options


def node_arrays(nodes: Any, outputs: int, max_classes: int) -> dict[str, Any]:
    """The arrays of a grown tree under scikit-learn's names, and its sets of categories."""
    count = nodes.count
    names = ("children_left", "children_right", "feature", "n_node_samples")
    arrays: dict[str, Any] = {name: np.empty(count, dtype=np.int64) for name in names}
    for name in ("threshold", "impurity", "weighted_n_node_samples"):
        arrays[name] = np.empty(count)
    arrays["missing_go_to_left"] = np.empty(count, dtype=np.uint8)
    value = np.empty(count * outputs * max_classes)
    nodes.copy_structure(
        arrays["children_left"],
        arrays["children_right"],
        arrays["feature"],
        arrays["threshold"],
        arrays["missing_go_to_left"],
    )
    nodes.copy_facts(arrays["impurity"], arrays["n_node_samples"], arrays["weighted_n_node_samples"], value)
    arrays["value"] = value.reshape(count, outputs, max_classes)
    arrays["category_sets"] = category_sets(nodes)
    return arrays


def category_sets(grown: Any) -> CategorySets | None:
    """The sets of categories of a grown tree or forest."""
    if grown.category_nodes == 0:
        return None
    nodes, counts = np.empty(grown.category_nodes, np.int64), np.empty(grown.category_nodes, np.int64)
    codes = np.empty(grown.category_codes, np.uint32)
    grown.copy_categories(nodes, counts, codes)
    return CategorySets(nodes, counts, codes)


def apply(compact: Any, X: Any) -> NDArray[np.int64]:
    """The leaf of each row of a float32 array or float32 matrix by rows."""
    leaves = np.empty(X.shape[0], dtype=np.int64)
    if sparse.issparse(X):
        compact.apply_sparse(sparse_table(X), X.shape[1], leaves, threads_for(X.nnz))
    else:
        compact.apply(X, leaves, threads_for(4 * X.shape[0]))
    return leaves


def paths(
    parents: NDArray[np.int64], leaves: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The nodes from the root to each leaf, and where each path begins: indices and indptr of a CSR matrix."""
    indptr = np.zeros(len(leaves) + 1, dtype=np.int64)
    np.cumsum(lengths, out=indptr[1:])
    nodes = np.empty(indptr[-1], dtype=np.int64)
    _native.write_paths(parents, leaves, indptr, nodes, threads_for(len(nodes)))
    return nodes, indptr


def pruning_sequence(
    left: NDArray[np.int64], right: NDArray[np.int64], impurity: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Weakest-link pruning: which node is cut at each step, its strength, and the cost afterwards."""
    steps = len(left) // 2 + 1
    node, alpha, cost = np.empty(steps, dtype=np.int64), np.empty(steps), np.empty(steps)
    count = _native.pruning_sequence(left, right, impurity, weight, node, alpha, cost)
    return node[:count], alpha[:count], cost[:count]


def sparse_table(X: SparseTable) -> Any:
    """A sparse table; its index arrays are 32 bits wide, which the learners check."""
    return _native.SparseTable(
        np.ascontiguousarray(X.data, dtype=np.float32),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.indptr, dtype=np.int32),
    )


def threads_for(work: int) -> int:
    """One thread for little work: waking a second one would cost more."""
    return resolve_threads() if work > 50_000 else 1
