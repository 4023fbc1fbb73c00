"""Graphs of arcs and of edges without a direction, and the directions that follow (Meek 1995)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from certus.graphical.knowledge import ArcRules


class PartlyDirected:
    """A graph whose edges get directions one after the other.

    Parameters
    ----------
    adjacent : ndarray of bool
        Which nodes are linked. ``may[a, b]`` then says whether the edge may still lead from a to b.
    """

    def __init__(self, adjacent: NDArray[np.bool_]) -> None:
        self.adjacent = adjacent
        self.may = adjacent.copy()

    def is_arc(self, a: int, b: int) -> bool:
        """Whether the edge leads from a to b."""
        return bool(self.may[a, b] and not self.may[b, a])

    def is_open(self, a: int, b: int) -> bool:
        """Whether the edge has no direction yet."""
        return bool(self.may[a, b] and self.may[b, a])

    def direct(self, a: int, b: int) -> bool:
        """Direct an open edge from a to b unless that closes a circle; whether it was done."""
        if not self.is_open(a, b) or self._leads(b, a):
            return False
        self.may[b, a] = False
        return True

    def direct_known(self, rules: ArcRules) -> None:
        """Directions that knowledge demands."""
        for a, b in zip(*np.nonzero(self.adjacent), strict=True):
            if rules.required[a, b] or not rules.allowed[b, a]:
                self.direct(int(a), int(b))

    def direct_colliders(self, separators: Mapping[tuple[int, int], tuple[int, ...]]) -> None:
        """``a -> c <- b`` for a and b that are not linked and were separated without their neighbor c.

        A pair of claims that contradict each other leaves the edge open, whatever the order of columns.
        """
        claims: set[tuple[int, int]] = set()
        for (a, b), separator in separators.items():
            between = np.flatnonzero(self.adjacent[a] & self.adjacent[b]).tolist()
            claims |= {(side, c) for c in between if c not in separator for side in (a, b)}
        for a, c in sorted(claims):
            if (c, a) not in claims:
                self.direct(a, c)

    def complete(self) -> None:
        """Directions that follow from others without new colliders or circles: Meek's four rules."""
        nodes = range(len(self.adjacent))
        moved = True
        while moved:
            moved = False
            for a in nodes:
                for b in nodes:
                    if self.is_open(a, b) and self._follows(a, b):
                        moved |= self.direct(a, b)

    def _follows(self, a: int, b: int) -> bool:
        """Whether the edge must lead from a to b."""
        into_a = [c for c in range(len(self.adjacent)) if self.is_arc(c, a)]
        into_b = [c for c in range(len(self.adjacent)) if self.is_arc(c, b)]
        if any(not self.adjacent[c, b] for c in into_a if c != b):
            return True  # else a collider c -> a <- b
        if any(self.is_arc(a, c) for c in into_b):
            return True  # else a circle a -> c -> b -> a
        sides = [c for c in into_b if self.is_open(a, c)]
        if any(not self.adjacent[c, d] for c, d in combinations(sides, 2)):
            return True
        return any(
            self.adjacent[a, c] and self.is_open(a, d) and not self.adjacent[d, b]
            for c in into_b
            for d in range(len(self.adjacent))
            if self.is_arc(d, c)
        )

    def extension(self) -> list[list[int]]:
        """The parents of every node in a network with these arcs: open edges directed without circles.

        The rules that complete the graph after each keep colliders from arising where that is possible at all; tests
        that contradict each other may leave graphs where it is not.
        """
        while True:
            found = np.argwhere(self.may & self.may.T)
            if not len(found):
                return [[int(a) for a in np.flatnonzero(self.may[:, b])] for b in range(len(self.may))]
            a, b = map(int, found[0])
            if not self.direct(a, b) and not self.direct(b, a):
                raise ArithmeticError("an open edge fits in neither direction")
            self.complete()

    def _leads(self, a: int, b: int) -> bool:
        """Whether arcs lead from a to b."""
        arcs = self.may & ~self.may.T
        seen, waiting = {a}, [a]
        while waiting:
            for node in np.flatnonzero(arcs[waiting.pop()]):
                if int(node) not in seen:
                    seen.add(int(node))
                    waiting.append(int(node))
        return b in seen
