"""The trees of a boosted ensemble as arrays, and their sum."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part
from certus.base.persistence import check_shapes, check_starts
from certus.ensemble._native_calls import boosting_kernels as kernels


@register_part("ensemble")
class BoostedTrees:
    """Trees one after the other in arrays with one element per node.

    Tree ``t`` has the nodes ``starts[t] .. starts[t + 1]``; children are numbered within their tree, the right
    one follows the left one. A row goes left if its number in ``column`` is at most ``threshold``, if its
    category is in the set number ``categories`` of the tree, or if it is missing and ``missing_left``.

    Attributes
    ----------
    outputs : int
        Raw predictions per row; tree ``t`` belongs to output ``t % outputs``.
    starts, set_starts : ndarray of shape (n_trees + 1,)
        Where the nodes and the sets of categories of each tree begin.
    value, threshold, gain : ndarray of shape (n_nodes,)
        What a leaf adds, where numbers are divided, how much that lowers the loss.
    rows, column, left, categories, depth, bin, missing_left : ndarray of shape (n_nodes,)
        Training rows, column (-1 for leaves), left child (-1 for leaves), set of categories (-1 for numbers),
        depth (0 for the root), last bin that goes left, whether missing values go left.
    sets : ndarray of shape (n_sets, 4)
        Sets of category codes as bits.
    """

    _FIELDS: ClassVar[tuple[str, ...]] = tuple(name for name in kernels.NODE.names or () if name != "padding")
    _state: ClassVar[tuple[str, ...]] = ("outputs", "starts", "set_starts", "sets", *_FIELDS)

    outputs: int
    starts: NDArray[np.int64]
    set_starts: NDArray[np.int64]
    sets: NDArray[np.uint64]
    column: NDArray[np.int32]
    left: NDArray[np.int32]
    categories: NDArray[np.int32]

    def __init__(self, outputs: int, trees: list[tuple[NDArray[Any], NDArray[np.uint64]]]) -> None:
        self.outputs = outputs
        self.starts = _starts([len(nodes) for nodes, _ in trees])
        self.set_starts = _starts([len(sets) for _, sets in trees])
        self.sets = np.concatenate([np.empty((0, kernels.SETS), dtype=np.uint64), *(sets for _, sets in trees)])
        nodes = np.concatenate([np.empty(0, dtype=kernels.NODE), *(nodes for nodes, _ in trees)])
        for name in self._FIELDS:
            setattr(self, name, np.ascontiguousarray(nodes[name]))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._state}

    def __len__(self) -> int:
        return len(self.starts) - 1

    def trees(self) -> list[tuple[NDArray[Any], NDArray[np.uint64]]]:
        """All trees, as the kernels give them."""
        nodes = self._nodes()
        places = zip(self.starts[:-1], self.starts[1:], self.set_starts[:-1], self.set_starts[1:], strict=True)
        return [(nodes[first:last], self.sets[low:high]) for first, last, low, high in places]

    def _nodes(self) -> NDArray[Any]:
        nodes = np.zeros(len(self.left), dtype=kernels.NODE)
        for name in self._FIELDS:
            nodes[name] = getattr(self, name)
        return nodes

    @property
    def _packed(self) -> Any:
        """The trees packed for prediction; made on first use, never saved."""
        packed = self.__dict__.get("_pack")
        if packed is None:
            packed = kernels.pack(self._nodes(), self.starts, self.sets, self.set_starts)
            self.__dict__["_pack"] = packed
        return packed

    def add(self, X: NDArray[Any], raw: NDArray[np.float64], first: int = 0, last: int | None = None) -> None:
        """Add trees first .. last-1 for the rows of a float array to raw, which is outputs x rows."""
        kernels.add_trees(self._packed, X, first, len(self) if last is None else last, raw)

    def _restored(self) -> None:
        """Called after loading from a file: compiled code trusts the arrays, a file could say anything."""
        nodes = len(self.left)
        check_shapes(self, **dict.fromkeys(self._FIELDS, (nodes,)))
        check_shapes(self, starts=(None,), set_starts=(len(self.starts),), sets=(None, kernels.SETS))
        self.starts = np.ascontiguousarray(self.starts, dtype=np.int64)
        self.set_starts = np.ascontiguousarray(self.set_starts, dtype=np.int64)
        self.sets = np.ascontiguousarray(self.sets, dtype=np.uint64)
        for name in self._FIELDS:
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=kernels.NODE[name]))
        check_starts(self.starts, nodes, "nodes of the trees")
        check_starts(self.set_starts, len(self.sets), "sets of the trees")
        sizes = np.diff(self.starts)
        if self.outputs < 1 or len(self) % self.outputs or (sizes < 1).any():
            raise ValueError("the number of trees does not fit the number of outputs.")
        place = np.arange(nodes) - np.repeat(self.starts[:-1], sizes)
        size, sets = np.repeat(sizes, sizes), np.repeat(np.diff(self.set_starts), sizes)
        inner = self.left >= 0
        if ((self.left <= place) | (self.left >= size - 1))[inner].any():  # left + 1 could overflow
            raise ValueError("the nodes are not trees in which parents come before their children.")
        if (self.column[inner] < 0).any() or (self.categories[inner] >= sets[inner]).any():
            raise ValueError("a node divides by a column or a set of categories that does not exist.")

    def check_columns(self, columns: int) -> None:
        """Raise a ValueError if a node divides by a column outside the table."""
        if (self.column >= columns).any():
            raise ValueError(f"a node divides by a column outside 0 .. {columns - 1}.")


def _starts(lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
