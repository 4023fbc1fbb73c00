"""The tree in which statistics of blocks are merged: neighbors first, as in a tournament.

Its shape depends on the number of blocks alone: ((0 1) (2 3)) ((4 5) 6) for seven. Sums of doubles therefore have equal
bits whoever computes them, in whatever order blocks are finished, and when one is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def merged(merge: Callable[[Any, Any], Any], one: Any, two: Any) -> Any:
    """Both together; None stands for the statistics of no rows."""
    if one is None or two is None:
        return two if one is None else one
    return merge(one, two)


class TreeReduction:
    """The tree for statistics that come in the order of the blocks; keeps log2(blocks) of them.

    Parameters
    ----------
    merge : callable
        Statistics of two runs of blocks, the earlier one first -> those of both.
    """

    def __init__(self, merge: Callable[[Any, Any], Any]) -> None:
        self._merge = merge
        self._finished: list[tuple[int, Any]] = []  # whole subtrees: how many blocks, and their statistics

    def add(self, statistics: Any) -> None:
        """Take the next block."""
        size = 1
        while self._finished and self._finished[-1][0] == size:
            _, before = self._finished.pop()
            statistics = merged(self._merge, before, statistics)
            size *= 2
        self._finished.append((size, statistics))

    def result(self) -> Any:
        """The statistics of all blocks; None if there were no rows."""
        statistics = None
        for _, before in reversed(self._finished):
            statistics = merged(self._merge, before, statistics)
        return statistics


def merge_level(items: Sequence[Any], merge: Callable[[Any, Any], Any]) -> list[Any]:
    """One level of the same tree: neighbors merged, an odd last one as it is."""
    pairs = [merge(items[k], items[k + 1]) for k in range(0, len(items) - 1, 2)]
    return [*pairs, items[-1]] if len(items) % 2 else pairs
