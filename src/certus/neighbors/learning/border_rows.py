"""Rows whose Voronoi cell touches a cell of another label, in any number of columns. Eppstein (2022).

The cell of a row p among the rows s of other labels is the polytope of all centers p + c with ``2 c.(s - p) <=
|s - p|^2``. A row whose constraint is not implied by the others touches, in the table of all rows, a cell of p's label:
shrink the empty ball through p and it towards it. Both ends of the edges of the minimum spanning tree that join two
labels are such rows, and from them this step reaches all.

Which constraints are implied is found with one linear program per row and few constraints each (Clarkson 1994): q is
implied by those of some rows s if (q - p, |q - p|^2) is a sum of multiples >= 0 of (s - p, |s - p|^2) and (0, 1), which
non-negative least squares decide; if not, the residual is a direction in which q is met before these, and whichever
row is met first of all is not implied.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from certus.geometry import minimum_spanning_tree

Floats = NDArray[np.float64]
IMPLIED = 1e-12  # residual of a unit vector that is rounding; a larger one keeps the row, which is never wrong
SHOTS = 2**22  # products held at a time


def border_rows(points: Floats, codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of these distinct points, of magnitudes around 1, have a Voronoi neighbor of another label."""
    a, b = minimum_spanning_tree(points).edges.T
    joins = codes[a] != codes[b]
    border = np.zeros(len(points), dtype=bool)
    border[a[joins]] = border[b[joins]] = True
    waiting = list(np.flatnonzero(border))
    while waiting:
        row = waiting.pop()
        others = np.flatnonzero(codes != codes[row])
        new = _Cell(points[others] - points[row]).touched(border[others])
        waiting.extend(others[new])
        border[others[new]] = True
    return border


class _Cell:
    """The cell of a row at the origin among the rows of other labels."""

    def __init__(self, others: Floats) -> None:
        squares = np.einsum("ij,ij->i", others, others)
        self._inverted = others / squares[:, None]
        lifted = np.column_stack([others, squares])
        self._lifted = lifted / np.linalg.norm(lifted, axis=1, keepdims=True)
        self._known: list[int] = []

    def touched(self, border: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Which rows, of those that are not known to be at a border, touch the cell."""
        left = np.flatnonzero(~border)
        met = self._first_met(self._inverted[left])  # towards each of them
        self._known = [int(row) for row in np.unique(met)]
        new = {row for row in self._known if not border[row]}
        for row in left:
            while int(row) not in new:
                first = self._met_before(int(row))
                if first is None:
                    break
                self._known.append(first)
                if not border[first]:
                    new.add(first)
        return np.array(sorted(new), dtype=np.intp)

    def _first_met(self, directions: Floats) -> NDArray[np.intp]:
        """The row whose constraint is met first in each direction."""
        block = max(1, SHOTS // len(self._inverted))
        parts = [
            np.argmax(directions[first : first + block] @ self._inverted.T, axis=1)
            for first in range(0, len(directions), block)
        ]
        return np.concatenate([*parts, np.empty(0, dtype=np.intp)])

    def _met_before(self, row: int) -> int | None:
        """A row that is met before all known ones, where this one is too; None if this one nowhere is."""
        columns = np.zeros((self._lifted.shape[1], len(self._known) + 1))
        columns[:, :-1] = self._lifted[self._known].T
        columns[-1, -1] = 1.0
        target = self._lifted[row]
        residual = target - columns @ nnls(columns, target)[0]
        if np.linalg.norm(residual) <= IMPLIED:
            return None
        first = int(self._first_met(residual[None, :-1])[0])
        return row if first in self._known else first  # rounding hides who comes first: keep the row in question
