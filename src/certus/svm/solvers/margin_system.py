"""The linear system of the variables on the margin, kept inverted while variables join and leave.

With an intercept the matrix is [[0, 1'], [1, K]] over the kernel values K of the members, else K alone. Joining and
leaving change the inverse by a term of rank one; each solution is corrected once by its residual.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.svm._native_calls import Floats

INDEPENDENT = 1e-11  # smallest squared distance to the members' span, relative to the largest k(x, x)
REBUILD = 64  # changes after which the inverse is computed anew


class MarginSystem:
    """Members (variables on the margin) and the inverse of their system."""

    def __init__(self, gram: Floats, rows: NDArray[np.intp], border: bool) -> None:
        self._gram = gram
        self._rows = rows  # of every variable
        self._border = int(border)
        self._scale = float(np.diagonal(gram).max(initial=0.0))
        self._members: list[int] = []
        self._matrix: Floats = np.zeros((self._border, self._border))
        self._inverse: Floats = np.zeros((self._border, self._border))
        self._changes = 0

    @property
    def members(self) -> NDArray[np.intp]:
        """The variables in the system, in the order of its solutions."""
        return np.array(self._members, dtype=np.intp)

    def __len__(self) -> int:
        return len(self._members)

    def join(self, variable: int) -> Floats | None:
        """Take a variable in; if its features depend on the members', return the dependence instead."""
        row = self._rows[variable]
        column = np.concatenate([np.ones(self._border), self._gram[self._rows[self._members], row]])
        own = float(self._gram[row, row])
        if not self._members:
            if own <= INDEPENDENT * self._scale and not self._border:
                return np.zeros(0)
            self._grow(variable, column, own)
            self._inverse = np.array([[-own, 1.0], [1.0, 0.0]]) if self._border else np.array([[1.0 / own]])
            return None
        weights = self._corrected(column[:, None])[:, 0]
        left = own - float(column @ weights)
        if left <= INDEPENDENT * self._scale:
            return weights[self._border :]
        size = len(column)
        grown = np.empty((size + 1, size + 1))
        grown[:size, :size] = self._inverse + np.outer(weights, weights / left)
        grown[size, :size] = grown[:size, size] = -weights / left
        grown[size, size] = 1.0 / left
        self._inverse = grown
        self._grow(variable, column, own)
        self._changed()
        return None

    def leave(self, variable: int) -> None:
        """Take a member out."""
        index = self._members.index(variable) + self._border
        keep = np.delete(np.arange(len(self._matrix)), index)
        pivot = self._inverse[index, index]
        side = self._inverse[keep, index]
        self._members.remove(variable)
        self._matrix = self._matrix[np.ix_(keep, keep)]
        self._inverse = self._inverse[np.ix_(keep, keep)]
        if len(self._members) and pivot != 0.0:
            self._inverse = self._inverse - np.outer(side, side / pivot)
        self._changed(at_once=pivot == 0.0)

    def solve(self, right: Floats) -> Floats:
        """Solve for one column of ``right`` each; its first line is the border's, if there is one."""
        return self._corrected(right)

    def _corrected(self, right: Floats) -> Floats:
        found = self._inverse @ right
        return found + self._inverse @ (right - self._matrix @ found)

    def _grow(self, variable: int, column: Floats, own: float) -> None:
        size = len(column)
        matrix = np.empty((size + 1, size + 1))
        matrix[:size, :size] = self._matrix
        matrix[size, :size] = matrix[:size, size] = column
        matrix[size, size] = own
        self._matrix = matrix
        self._members.append(variable)

    def _changed(self, at_once: bool = False) -> None:
        self._changes += 1
        if self._members and (at_once or self._changes >= REBUILD):
            self._inverse = np.asarray(np.linalg.inv(self._matrix), dtype=np.float64)
            self._changes = 0
