"""Triangle inequalities that tighten the semidefinite relaxation of k-means.

The matrix Y of a clustering has Y_ij = sqrt(w_i w_j) / (weight of the cluster) for rows of one cluster and 0 else. With
y_ij = Y_ij / sqrt(w_i w_j) any three rows satisfy ``y_ij + y_ik <= y_ii + y_jk``, since i alone, i with one of the
others, and i with both give 0 <= c + ..., c <= c + 0, and 2c <= 2c. So a sum of multiples m_t >= 0 of the matrices M_t
of these inequalities, <M_t, Y> = y_ii + y_jk - y_ij - y_ik, may join Z in the dual bound.

The multiples come from primal-dual steps beside the method of multipliers (Condat 2013): after every round
``m <- max(0, m - s <M, Y>)``, and the next round sees G + 2 m - (m before); s is rho over the norm of M'M.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
NEAREST = 20  # rows with the largest y_ij, among which the third corners are looked for
VIOLATED = 1e-6  # from where an inequality is worth a cut, in units of y
CUTS_PER_ROW = 10  # of the most violated ones
POWERS = 15  # rounds of the power method for the norm
STEP = 0.9


@dataclass(frozen=True)
class Cuts:
    """Inequalities (i, j, k) and their multiples."""

    corners: Rows
    prices: Floats

    @classmethod
    def none(cls) -> Cuts:
        """No inequality."""
        return cls(np.empty((0, 3), dtype=np.intp), np.empty(0))

    def matrix(self, roots: Floats) -> Floats:
        """The sum of the multiples of M_t; ``roots`` are those of the weights over their mean."""
        return _Triangles(self.corners, roots).adjoint(self.prices)


class Multipliers(Protocol):
    """The method of multipliers, one round at a time."""

    rho: float  # weight of the constraint Y = S

    def step(self, bonus: Floats | float) -> Floats:
        """One more round with a matrix added to G; returns Y."""
        ...


class _Triangles:
    """The map Y -> <M_t, Y> for some inequalities, and its adjoint."""

    def __init__(self, corners: Rows, roots: Floats) -> None:
        i, j, k = corners.T
        self._rows = len(roots)
        self._places = np.stack([i * self._rows + i, j * self._rows + k, i * self._rows + j, i * self._rows + k])
        inverse = 1.0 / roots
        self._values = np.stack(
            [inverse[i] ** 2, inverse[j] * inverse[k], -inverse[i] * inverse[j], -inverse[i] * inverse[k]]
        )

    def of(self, Y: Floats) -> Floats:
        return np.asarray((self._values * Y.ravel()[self._places]).sum(axis=0))

    def adjoint(self, prices: Floats) -> Floats:
        flat = np.bincount(self._places.ravel(), (self._values * prices).ravel(), self._rows**2)
        matrix = flat.reshape(self._rows, self._rows)
        return np.asarray((matrix + matrix.T) / 2.0)

    def norm(self) -> float:
        """An estimate of the norm of the map followed by its adjoint."""
        prices, size = np.ones(self._places.shape[1]), 1.0
        for _ in range(POWERS):
            prices = self.of(self.adjoint(prices / np.linalg.norm(prices)))
            size = float(np.linalg.norm(prices))
        return size


class CutMethod:
    """Goes on where the method of multipliers stands, with the inequalities that its matrix violates.

    Parameters
    ----------
    method : Multipliers
        The method.
    Y : array
        Where it stands.
    roots : array
        Roots of the weights over their mean.
    """

    def __init__(self, method: Multipliers, Y: Floats, roots: Floats) -> None:
        self._method, self._Y, self._roots = method, Y, roots
        self._cuts = Cuts.none()
        self.idle = False

    def run(self, rounds: int) -> Cuts:
        """So many more rounds; the inequalities with their multiples."""
        corners, prices = self._refreshed()
        self.idle = not len(corners)
        if self.idle:
            for _ in range(rounds):
                self._Y = self._method.step(0.0)
            return self._cuts
        triangles = _Triangles(corners, self._roots)
        size, before = STEP * self._method.rho / triangles.norm(), prices
        for _ in range(rounds):
            self._Y = self._method.step(triangles.adjoint(2.0 * prices - before))
            before, prices = prices, np.maximum(0.0, prices - size * triangles.of(self._Y))
        self._cuts = Cuts(corners, prices)
        return self._cuts

    def _refreshed(self) -> tuple[Rows, Floats]:
        """The inequalities that have a price, and those that are violated most."""
        priced = self._cuts.prices > 0.0
        old = self._cuts.corners[priced]
        new = violated(self._Y / np.outer(self._roots, self._roots), CUTS_PER_ROW * len(self._Y))
        names = [_number(corners, len(self._Y)) for corners in (old, new)]
        new = new[~np.isin(names[1], names[0])]
        return np.concatenate([old, new]), np.concatenate([self._cuts.prices[priced], np.zeros(len(new))])


def _number(corners: Rows, rows: int) -> Rows:
    return np.asarray((corners[:, 0] * rows + corners[:, 1]) * rows + corners[:, 2])


def violated(y: Floats, most: int) -> Rows:
    """The inequalities (i, j, k), j < k, that are violated most, the worst first."""
    rows = len(y)
    count = min(NEAREST, rows - 1)
    if count < 2:
        return np.empty((0, 3), dtype=np.intp)
    first, second = np.triu_indices(count, 1)
    found, sizes = [], []
    for i in range(rows):
        others = np.argpartition(-np.where(np.arange(rows) == i, -np.inf, y[i]), count - 1)[:count]
        others.sort()
        excess = y[i, others][first] + y[i, others][second] - y[i, i] - y[others[first], others[second]]
        bad = np.flatnonzero(excess > VIOLATED)
        found.append(np.stack([np.full(len(bad), i), others[first[bad]], others[second[bad]]], axis=1))
        sizes.append(excess[bad])
    worst = np.argsort(-np.concatenate(sizes), kind="stable")[:most]
    return np.concatenate(found)[worst].astype(np.intp)
