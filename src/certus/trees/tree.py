"""A fitted tree: arrays with one element per node, and what can be asked of them."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config

from certus.base import TableLike, register_part
from certus.base.persistence import check_shapes
from certus.trees import _native_calls
from certus.trees.growing.category_sets import CategorySets, compact_arrays

NO_CHILD = -1


@register_part("trees")
class Tree:
    """A binary tree as parallel arrays, in the layout of scikit-learn's ``tree_``.

    Node 0 is the root; a parent comes before its children. A row goes to ``children_left[i]`` if its value in
    column ``feature[i]`` is at most ``threshold[i]``; a missing value goes there if ``missing_go_to_left[i]``. Where
    a split is by categories the threshold is NaN, and the codes in ``category_sets.of(i)`` go to the other side than
    missing values.
    The arrays that describe the structure are read-only, because a packed copy of them is used for prediction.

    Attributes
    ----------
    node_count, capacity, max_depth, n_leaves : int
        Size of the tree; capacity equals node_count.
    n_features, n_outputs, max_n_classes : int
        Width of the table, number of outputs, largest number of classes (1 for regression).
    n_classes : ndarray of shape (n_outputs,)
        Number of classes of each output (1 for regression).
    children_left, children_right, feature : ndarray of shape (node_count,)
        For leaves -1, -1 and -2.
    threshold, impurity, weighted_n_node_samples : ndarray of shape (node_count,)
        Of each node; the threshold of a leaf is -2.
    n_node_samples : ndarray of shape (node_count,)
        Training rows (with a weight above 0) that reach the node.
    missing_go_to_left : ndarray of shape (node_count,)
        1 where missing values go left.
    value : ndarray of shape (node_count, n_outputs, max_n_classes)
        Class shares, or the mean or median.
    category_sets : CategorySets or None
        The sets of the nodes that split by categories; None if there are none.
    """

    _state: ClassVar[tuple[str, ...]] = (
        "n_features",
        "n_outputs",
        "n_classes",
        "max_depth",
        "children_left",
        "children_right",
        "feature",
        "threshold",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
        "missing_go_to_left",
        "value",
        "category_sets",
    )
    _STRUCTURE: ClassVar[tuple[str, ...]] = (
        "children_left",
        "children_right",
        "feature",
        "threshold",
        "missing_go_to_left",
    )

    n_features: int
    n_outputs: int
    n_classes: NDArray[np.intp]
    max_depth: int
    children_left: NDArray[np.int64]
    children_right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    impurity: NDArray[np.float64]
    n_node_samples: NDArray[np.int64]
    weighted_n_node_samples: NDArray[np.float64]
    missing_go_to_left: NDArray[np.uint8]
    value: NDArray[np.float64]
    category_sets: CategorySets | None = None

    def __init__(
        self,
        *,
        n_features: int,
        n_outputs: int,
        n_classes: NDArray[Any],
        max_depth: int,
        category_sets: CategorySets | None = None,
        **arrays: NDArray[Any],
    ) -> None:
        self.n_features = int(n_features)
        self.n_outputs = int(n_outputs)
        self.n_classes = np.asarray(n_classes, dtype=np.intp)
        self.max_depth = int(max_depth)
        self.category_sets = category_sets
        for name, array in arrays.items():
            setattr(self, name, array)
        self._freeze()

    def _freeze(self) -> None:
        for name in self._STRUCTURE:
            getattr(self, name).setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._freeze()

    def _restored(self) -> None:
        """Called after loading from a file: compiled code trusts the arrays, a file could say anything."""
        nodes = len(self.children_left)
        vectors = [name for name in self._state[4:] if name not in ("value", "category_sets")]
        check_shapes(self, n_classes=(self.n_outputs,), **dict.fromkeys(vectors, (nodes,)))
        check_shapes(self, value=(nodes, self.n_outputs, int(self.n_classes.max())))
        for name in ("children_left", "children_right", "feature", "n_node_samples"):
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=np.int64))
        for name in ("threshold", "impurity", "weighted_n_node_samples", "value"):
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=np.float64))
        self.missing_go_to_left = np.ascontiguousarray(self.missing_go_to_left, dtype=np.uint8)
        inner = np.flatnonzero(self.children_left != NO_CHILD)
        children = np.concatenate([self.children_left[inner], self.children_right[inner]])
        if not np.array_equal(np.sort(children), np.arange(1, nodes)) or (children <= np.tile(inner, 2)).any():
            raise ValueError("the nodes are not a tree in which parents come before their children.")
        if (self.children_right[self.children_left == NO_CHILD] != NO_CHILD).any():
            raise ValueError("a node has a right child only.")
        if ((self.feature[inner] < 0) | (self.feature[inner] >= self.n_features)).any():
            raise ValueError(f"a split names a column outside 0 .. {self.n_features - 1}.")
        if self.category_sets is not None:
            if not isinstance(self.category_sets, CategorySets):
                raise ValueError("category_sets does not hold sets of categories.")
            self.category_sets.check_nodes(self.feature, self.threshold)
        for output in np.flatnonzero(self.n_classes > 1):
            shares = self.value[:, output, : int(self.n_classes[output])]
            if not ((shares >= 0).all() and np.allclose(shares.sum(axis=1), 1.0)):
                raise ValueError("the values of a node are not the shares of its classes.")
        self.max_depth = int(self.compute_node_depths().max()) - 1
        self._freeze()

    def __repr__(self) -> str:
        return f"Tree(node_count={self.node_count}, n_leaves={self.n_leaves}, max_depth={self.max_depth})"

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.children_left)

    capacity = node_count

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.children_left == NO_CHILD))

    @property
    def max_n_classes(self) -> int:
        """Largest number of classes of an output."""
        return int(self.value.shape[2])

    @property
    def _compact(self) -> Any:
        """The structure packed for prediction; made on first use, never saved."""
        packed = self.__dict__.get("_packed")
        if packed is None:
            structure = (getattr(self, name) for name in self._STRUCTURE)
            packed = _native_calls.CompactTree(*structure, *compact_arrays(self.category_sets))
            self.__dict__["_packed"] = packed
        return packed

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf that each row of a float32 array (or float32 matrix in CSR format) reaches."""
        if not isinstance(X, np.ndarray):
            if not sparse.issparse(X):
                raise ValueError(f"X should be in np.ndarray format, got {type(X)}.")
            if X.format != "csr":
                raise ValueError(f"X should be in CSR sparse format, got {type(X)}.")
        if X.dtype != np.float32:
            raise ValueError(f"X.dtype should be np.float32, got {X.dtype}.")
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(f"X should have {self.n_features} columns, got an array of shape {X.shape}.")
        return _native_calls.apply(self._compact, X)

    def predict(self, X: TableLike) -> NDArray[np.float64]:
        """The values of the leaves that the rows reach."""
        values = self.value.take(self.apply(X), axis=0)
        return values.reshape(len(values), self.max_n_classes) if self.n_outputs == 1 else values

    def decision_path(self, X: TableLike) -> Any:
        """Sparse indicator of the nodes that each row passes, its leaf included."""
        leaves = self.apply(X)
        indices, indptr = _native_calls.paths(self._parents(), leaves, self.compute_node_depths()[leaves])
        shape = (len(leaves), self.node_count)
        kind = sparse.csr_array if get_config().get("sparse_interface") == "sparray" else sparse.csr_matrix
        return kind((np.ones(len(indices), dtype=np.int64), indices, indptr), shape=shape)

    def _parents(self) -> NDArray[np.int64]:
        parents = np.full(self.node_count, -1, dtype=np.int64)
        inner = np.flatnonzero(self.children_left != NO_CHILD)
        parents[self.children_left[inner]] = inner
        parents[self.children_right[inner]] = inner
        return parents

    def compute_node_depths(self) -> NDArray[np.int64]:
        """Depth of each node, 1 for the root."""
        depths = np.ones(self.node_count, dtype=np.int64)
        level, depth = np.zeros(1, dtype=np.int64), 1
        while len(level):
            depths[level] = depth
            inner = level[self.children_left[level] != NO_CHILD]
            level = np.concatenate([self.children_left[inner], self.children_right[inner]])
            depth += 1
        return depths

    def compute_feature_importances(self, normalize: bool = True) -> NDArray[np.float64]:
        """Share of each column in the total decrease of the impurity.

        Summed without rounding, so that the order in which the tree was grown does not matter.
        """
        cost = self.weighted_n_node_samples * self.impurity
        inner = np.flatnonzero(self.children_left != NO_CHILD)
        fall = cost[inner] - cost[self.children_left[inner]] - cost[self.children_right[inner]]
        importances = np.zeros(self.n_features)
        order = np.argsort(self.feature[inner], kind="stable")
        columns, starts = np.unique(self.feature[inner][order], return_index=True)
        for column, first, last in zip(columns, starts, [*starts[1:], len(inner)], strict=False):
            importances[column] = math.fsum(fall[order[first:last]])
        importances /= self.weighted_n_node_samples[0]
        total = importances.sum()
        return importances / total if normalize and total > 0.0 else importances

    def _goes_left(self, node: int, values: NDArray[np.float32]) -> NDArray[np.bool_]:
        if not np.isnan(self.threshold[node]):
            return np.asarray(values <= self.threshold[node])
        listed = np.isin(values, self.category_sets.of(node))  # type: ignore[union-attr]
        return np.asarray(listed ^ bool(self.missing_go_to_left[node]))

    def compute_partial_dependence(
        self, X: NDArray[np.float32], target_features: NDArray[np.intp], out: NDArray[np.float64]
    ) -> None:
        """Add to ``out`` the partial dependence on some columns; the rows of ``X`` have only these.

        At splits on other columns both ways are followed, with the share of training weight that went there.
        """
        columns = {int(feature): place for place, feature in enumerate(target_features)}
        stack = [(0, np.ones(len(X)))]
        while stack:
            node, share = stack.pop()
            left, right = int(self.children_left[node]), int(self.children_right[node])
            if left == NO_CHILD:
                out += share * self.value[node, 0, 0]
                continue
            place = columns.get(int(self.feature[node]))
            if place is None:
                part = self.weighted_n_node_samples[left] / self.weighted_n_node_samples[node]
                goes_left = np.full(len(X), part)
            else:
                goes_left = self._goes_left(node, X[:, place]).astype(np.float64)
            for child, portion in ((right, share * (1.0 - goes_left)), (left, share * goes_left)):
                if portion.any():
                    stack.append((child, portion))
