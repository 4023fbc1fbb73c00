"""A lower bound on the cost of any clustering, from the dual of the semidefinite relaxation.

With the weighted, centered rows as columns of a Gram matrix G, v = sqrt(w)/|sqrt(w)| and P = I - v v', the matrix Y of
a clustering with k centers (Peng and Wei 2007) has entries >= 0, Y v = v, eigenvalues between 0 and 1 and trace k, and
costs trace(G) - <G, Y>. So for every symmetric Z with entries >= 0::

    cost >= trace(G) - <G + Z, Y> >= trace(G) - v'Z v - (sum of the k - 1 largest eigenvalues of P (G + Z) P).

Z = 0 is the spectral bound, the best Z gives the value of the relaxation. Whatever Z is reached, the bound holds. Good
ones come from the alternating direction method of multipliers (Boyd and others 2011) on min -<G, Y>: Y = v v' + W with
W in the set F of matrices on the complement of v with eigenvalues in [0, 1] and trace k - 1, S >= 0 entry by entry,
Y = S, with the scaled multiplier U::

    W <- projection of S - v v' - U + G / rho onto F      (eigenvalues become clip(l - theta, 0, 1))
    S <- max(0, Y + U),   U <- U + Y - S,   Z = rho max(0, -U).

Where these rounds no longer gain, triangle inequalities between the entries of Y go on (`triangle_cuts`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from certus.cluster.evidence.triangle_cuts import CutMethod, Cuts

Floats = NDArray[np.float64]
OVERSTEP = 1.6  # over-relaxation of Y towards where it came from
BALANCE, GROWTH, EVERY = 5.0, 1.5, 10  # rho follows the residuals: when, how far, how often it is looked at
LOOKS = 25  # rounds after which the bound of Z is evaluated
SPARE = 5  # eigenvectors beyond those that were needed last
SETTLED = 1e-7  # residuals at which further rounds change nothing
STALLED = 1e-3  # share of the bound that the rounds between two looks have to gain for the method to go on as it is
DIGITS = 6  # of the entries of Z that is kept: few enough to write down, and any Z will do


@dataclass(frozen=True)
class DualBound:
    """A bound, what rounding may have added to it, what is behind it (Z, cuts and their sum), the rounds it took."""

    value: float
    error: float
    Z: Floats
    cuts: Cuts
    total: Floats
    rounds: int


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
        self._roots = roots_over_mean(weights)
        self._leading = min(clusters, len(X)) - 1
        self._terms = X.shape[0] + X.shape[1]

    def evaluate(self, Z: Floats) -> float:
        """The bound of a matrix Z, cuts included."""
        inner = float(self._v @ Z @ self._v)
        if self._leading == 0:
            return self._trace - inner
        rows = len(Z)
        values = eigh(
            self._projected(self._gram + Z),
            subset_by_index=[rows - self._leading, rows - 1],
            eigvals_only=True,
            overwrite_a=True,
            check_finite=False,
        )
        # One zero eigenvalue belongs to v itself; no sum over the others can be below that of these.
        return self._trace - inner - float(np.maximum(values, 0.0).sum())

    def _projected(self, matrix: Floats) -> Floats:
        """P M P, for the symmetric M."""
        v = self._v
        product = matrix @ v
        return np.asarray(matrix - np.outer(v, product) - np.outer(product, v) + float(v @ product) * np.outer(v, v))

    def error(self, Z: Floats) -> float:
        """What rounding may have added to the bound of Z."""
        size = self._trace + float(np.linalg.norm(Z))
        return 16.0 * (self._leading + 2) * self._terms * np.finfo(np.float64).eps * size

    def ascend(self, rounds: int, cost: float = np.inf) -> DualBound:
        """Improve Z from 0 for so many rounds, or until the bound meets the cost; the best one, its entries rounded."""
        best_Z, best_cuts, total = np.zeros_like(self._gram), Cuts.none(), np.zeros_like(self._gram)
        best, done = self.evaluate(best_Z), 0
        if self._leading and self._trace > 0.0:
            method = _Multipliers(self._gram / self._trace, self._v, self._leading, self._projected)
            cutting: CutMethod | None = None
            while done < rounds and best < cost * (1.0 - 1e-9):
                step, before = min(LOOKS, rounds - done), best
                done += step
                Z, cuts = self._advanced(method, cutting, step)
                now = Z + cuts.matrix(self._roots)
                value = self.evaluate(now)
                if value > best:
                    best, best_Z, best_cuts, total = value, Z, cuts, now
                if cutting is not None and cutting.idle and method.settled:
                    break
                if cutting is None and (method.settled or best - before < STALLED * best):
                    cutting = CutMethod(method, method.S, self._roots)
        return DualBound(best, self.error(total), best_Z, best_cuts, total, done)

    def _advanced(self, method: _Multipliers, cutting: CutMethod | None, rounds: int) -> tuple[Floats, Cuts]:
        """Z and cuts after so many more rounds."""
        if cutting is None:
            return _rounded(self._trace * method.run(rounds)), Cuts.none()
        cuts = cutting.run(rounds)
        return _rounded(self._trace * method.multipliers()), Cuts(cuts.corners, _rounded(self._trace * cuts.prices))


class _Multipliers:
    """Rounds of the method of multipliers on one Gram matrix of trace 1."""

    def __init__(self, gram: Floats, v: Floats, leading: int, projected: Callable[[Floats], Floats]) -> None:
        self._gram, self._leading, self._projected = gram, leading, projected
        self._base = np.outer(v, v)
        self.S, self._U = self._base.copy(), np.zeros_like(gram)
        self.rho, self._rounds = 1.0, 0
        self._wanted = min(len(gram), leading + 2 * SPARE)
        self.settled = False

    def run(self, rounds: int) -> Floats:
        """So many more rounds; the multipliers Z of the signs."""
        for _ in range(rounds):
            before, Y = self.S, self.step()
            self._rounds += 1
            if self._rounds % EVERY == 0:
                self._balance(float(np.linalg.norm(Y - self.S)), self.rho * float(np.linalg.norm(self.S - before)))
        return self.multipliers()

    def step(self, bonus: Floats | float = 0.0) -> Floats:
        """One round, with a matrix added to the Gram matrix; returns Y."""
        wanted = self.S - self._base - self._U + (self._gram + bonus) / self.rho
        Y = np.asarray(self._base + self._clipped(self._projected(wanted)))
        self._U += OVERSTEP * Y + (1.0 - OVERSTEP) * self.S
        self.S = np.maximum(self._U, 0.0)
        self._U -= self.S
        return Y

    def multipliers(self) -> Floats:
        """The multipliers Z of the signs."""
        Z = self.rho * np.maximum(-self._U, 0.0)
        return np.asarray((Z + Z.T) / 2.0)

    def _balance(self, primal: float, dual: float) -> None:
        """Weigh the constraint Y = S so that both residuals shrink together."""
        self.settled = max(primal, dual) < SETTLED
        if primal > BALANCE * dual:
            self.rho *= GROWTH
            self._U /= GROWTH
        elif dual > BALANCE * primal:
            self.rho /= GROWTH
            self._U *= GROWTH

    def _clipped(self, matrix: Floats) -> Floats:
        """The nearest matrix with eigenvalues in [0, 1] that sum to k - 1, from the leading eigenvectors."""
        rows = len(matrix)
        while True:
            values, vectors = eigh(matrix, subset_by_index=[rows - self._wanted, rows - 1], check_finite=False)
            threshold = _threshold(values, self._leading)
            if self._wanted == rows or values[0] <= threshold:
                break
            self._wanted = min(rows, 2 * self._wanted)
        shares = np.clip(values - threshold, 0.0, 1.0)
        used = shares > 0.0
        self._wanted = min(rows, int(used.sum()) + SPARE)
        return np.asarray((vectors[:, used] * shares[used]) @ vectors[:, used].T)


def roots_over_mean(weights: Floats) -> Floats:
    """Roots of the weights in units of their mean."""
    return np.asarray(np.sqrt(weights / weights.mean()))


def _threshold(values: Floats, total: float) -> float:
    """Theta with sum clip(values - theta, 0, 1) = total: piecewise linear between the values and the values - 1."""
    bends = np.sort(np.concatenate([values - 1.0, values]))
    sums = np.clip(values[None, :] - bends[:, None], 0.0, 1.0).sum(axis=1)
    after = min(int(np.searchsorted(-sums, -total)), len(bends) - 1)
    if after == 0 or sums[after - 1] == sums[after]:
        return float(bends[after])
    share = (sums[after - 1] - total) / (sums[after - 1] - sums[after])
    return float(bends[after - 1] + share * (bends[after] - bends[after - 1]))


def _rounded(Z: Floats) -> Floats:
    """Entries to a few digits of the largest one; small ones become 0."""
    largest = float(Z.max(initial=0.0))
    if largest == 0.0:
        return Z
    unit = 10.0 ** (np.floor(np.log10(largest)) - DIGITS + 1)
    return np.asarray(np.round(Z / unit) * unit)
