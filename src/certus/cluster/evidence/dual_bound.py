"""A lower bound on the cost of any clustering, tightened by ascent on the dual of the semidefinite relaxation.

With the weighted, centered rows as columns of a Gram matrix G, v = sqrt(w)/|sqrt(w)| and P = I - v v', the matrix Y of
a clustering with k centers (Peng and Wei 2007) has entries >= 0, Y v = v, eigenvalues between 0 and 1 and trace k, and
costs trace(G) - <G, Y>. So for every symmetric Z with entries >= 0::

    cost >= trace(G) - <G + Z, Y> >= trace(G) - v'Z v - (sum of the k - 1 largest eigenvalues of P (G + Z) P).

Z = 0 is the spectral bound. The right side is concave in Z with the subgradient -(v v' + U U'), U the leading
eigenvectors, and the cost that was found is a target for Polyak's steps. Whatever Z is reached, the bound holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]
STALLED = 8  # rounds without progress after which steps shrink
SHRINK = 0.6
PROGRESS = 1e-4  # of the gap that is left
DIGITS = 4  # of the entries of Z that is kept: few enough to write down, and any Z will do


@dataclass(frozen=True)
class DualBound:
    """A bound, what rounding may have added to it, and the matrix Z behind it."""

    value: float
    error: float
    Z: Floats


class Relaxation:
    """The dual of the relaxation for one table.

    Parameters
    ----------
    X : array
        Rows.
    weights : array
        Their positive weights.
    clusters : int
        Number of centers.
    """

    def __init__(self, X: Floats, weights: Floats, clusters: int) -> None:
        roots = np.sqrt(weights)
        centered = (X - np.average(X, axis=0, weights=weights)) * roots[:, None]
        self._gram = centered @ centered.T
        self._trace = float(np.trace(self._gram))
        self._v = roots / np.linalg.norm(roots)
        self._leading = clusters - 1
        self._terms = X.shape[0] + X.shape[1]

    def evaluate(self, Z: Floats) -> tuple[float, Floats]:
        """The bound of a matrix Z, and Y = v v' + U U'."""
        rows, v = len(Z), self._v
        product = Z @ v
        inner = float(v @ product)
        matrix = self._gram + Z - np.outer(v, product) - np.outer(product, v) + inner * np.outer(v, v)
        if self._leading == 0:
            return self._trace - inner, np.outer(v, v)
        values, vectors = eigh(matrix, subset_by_index=[rows - self._leading, rows - 1])
        # One zero eigenvalue belongs to v itself; no sum over the others can be below that of these.
        return self._trace - inner - float(np.maximum(values, 0.0).sum()), np.outer(v, v) + vectors @ vectors.T

    def error(self, Z: Floats) -> float:
        """What rounding may have added to the bound of Z."""
        size = self._trace + float(np.linalg.norm(Z))
        return 16.0 * (self._leading + 2) * self._terms * np.finfo(np.float64).eps * size

    def ascend(self, cost: float, rounds: int) -> DualBound:
        """Improve Z from 0 for so many rounds; the best one, with rounded entries."""
        Z, step, stalled = np.zeros_like(self._gram), 1.0, 0
        best, best_Z = -np.inf, Z
        for _ in range(rounds):
            value, Y = self.evaluate(Z)
            if value > best:
                enough = value > best + PROGRESS * (cost - max(best, 0.0))
                best, best_Z, stalled = value, Z, 0 if enough else stalled + 1
            else:
                stalled += 1
            if best >= cost * (1.0 - 1e-9):
                break
            if stalled >= STALLED:
                step, stalled = SHRINK * step, 0
            slope = np.where((Z > 0.0) | (Y < 0.0), Y, 0.0)
            size = float(np.sum(slope * slope))
            if size == 0.0:
                break
            Z = np.maximum(0.0, Z - step * (cost - value) / size * slope)
        kept = _rounded((best_Z + best_Z.T) / 2.0)
        return DualBound(self.evaluate(kept)[0], self.error(kept), kept)


def _rounded(Z: Floats) -> Floats:
    """Entries to a few digits of the largest one; small ones become 0."""
    largest = float(Z.max(initial=0.0))
    if largest == 0.0:
        return Z
    unit = 10.0 ** (np.floor(np.log10(largest)) - DIGITS + 1)
    return np.asarray(np.round(Z / unit) * unit)
