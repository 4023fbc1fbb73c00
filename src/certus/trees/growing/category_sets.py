"""The sets of categories by which some nodes of a tree or a forest split."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import register_part
from certus.base.persistence import check_shapes, check_starts


@register_part("trees")
class CategorySets:
    """For some nodes, the codes of the categories that go to the other side than missing values.

    Lists instead of masks, because a column may have millions of categories of which a node sees few. Categories
    that are not listed, and those that training did not contain, go where missing values go.

    Attributes
    ----------
    nodes : ndarray of int64
        The nodes that split by categories, ascending.
    starts : ndarray of int64
        ``codes[starts[i]:starts[i + 1]]`` is the set of ``nodes[i]``.
    codes : ndarray of uint32
        Codes, ascending within each set.
    """

    _state: ClassVar[tuple[str, ...]] = ("nodes", "starts", "codes")

    nodes: NDArray[np.int64]
    starts: NDArray[np.int64]
    codes: NDArray[np.uint32]

    def __init__(self, nodes: NDArray[np.int64], counts: NDArray[np.int64], codes: NDArray[np.uint32]) -> None:
        self.nodes = nodes
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.codes = codes

    def of(self, node: int) -> NDArray[np.uint32]:
        """The set of a node; empty if it does not split by categories."""
        place = int(np.searchsorted(self.nodes, node))
        if place == len(self.nodes) or self.nodes[place] != node:
            return self.codes[:0]
        return self.codes[self.starts[place] : self.starts[place + 1]]

    def between(self, first: int, last: int) -> CategorySets | None:
        """The sets of the nodes ``first .. last - 1``, numbered from 0; None if there are none."""
        low, high = np.searchsorted(self.nodes, [first, last])
        if low == high:
            return None
        codes = self.codes[self.starts[low] : self.starts[high]]
        return CategorySets(self.nodes[low:high] - first, np.diff(self.starts[low : high + 1]), codes)

    def renumbered(self, numbers: NDArray[np.int64]) -> CategorySets | None:
        """The sets of the nodes that keep a number (not -1), in its order; None if there are none."""
        new = numbers[self.nodes]
        kept = np.flatnonzero(new >= 0)
        kept = kept[np.argsort(new[kept])]
        if len(kept) == 0:
            return None
        codes = [self.codes[self.starts[each] : self.starts[each + 1]] for each in kept]
        return CategorySets(new[kept].astype(np.int64), np.diff(self.starts)[kept], np.concatenate(codes))

    @classmethod
    def joined(cls, parts: list[CategorySets | None], offsets: NDArray[np.int64]) -> CategorySets | None:
        """The sets of several trees, whose nodes are numbered from their offsets; None if there are none."""
        there = [(part, offset) for part, offset in zip(parts, offsets, strict=True) if part is not None]
        if not there:
            return None
        return cls(
            np.concatenate([part.nodes + offset for part, offset in there]),
            np.concatenate([np.diff(part.starts) for part, _ in there]),
            np.concatenate([part.codes for part, _ in there]),
        )

    def _restored(self) -> None:
        """Called after loading from a file: compiled code trusts the arrays, a file could say anything."""
        check_shapes(self, nodes=(None,), codes=(None,))
        check_shapes(self, starts=(len(self.nodes) + 1,))
        if any(getattr(self, name).dtype.kind not in "iu" for name in self._state):
            raise ValueError("the sets of categories are not whole numbers.")
        if (self.codes.astype(np.int64) < 0).any() or (self.codes.astype(np.int64) >= 2**32).any():
            raise ValueError("a category has no code between 0 and 2**32.")
        self.nodes = np.ascontiguousarray(self.nodes, dtype=np.int64)
        self.starts = np.ascontiguousarray(self.starts, dtype=np.int64)
        self.codes = np.ascontiguousarray(self.codes, dtype=np.uint32)
        check_starts(self.starts, len(self.codes), "codes of categories")
        if (np.diff(self.starts) < 1).any():
            raise ValueError("the sets of categories do not fit their codes.")
        falls = np.diff(self.codes.astype(np.int64)) <= 0
        falls[self.starts[1:-1] - 1] = False  # from one set to the next
        if (self.nodes[1:] <= self.nodes[:-1]).any() or falls.any():
            raise ValueError("the sets of categories are not in order.")

    def check_nodes(self, feature: NDArray[np.integer[Any]], threshold: NDArray[np.float64]) -> None:
        """Refuse sets for other nodes than those that split by categories: a column, and no threshold."""
        if not np.array_equal(self.nodes, np.flatnonzero((feature >= 0) & np.isnan(threshold))):
            raise ValueError("the sets of categories do not belong to the nodes that split by categories.")


def compact_arrays(sets: CategorySets | None) -> tuple[NDArray[Any], ...]:
    """Nodes, starts and codes for compiled code."""
    if sets is None:
        return np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.uint32)
    return sets.nodes, sets.starts, sets.codes
