"""Linear machines with a ridge penalty, in the one dual form that their solvers share.

    P(w) = |w|^2 / 2 + sum_i max_{lower_i <= b <= upper_i} [ b (t_i - x_i'w) - epsilon |b| - ridge_i b^2 / 2 ]
    D(b) = sum_i [ t_i b_i - epsilon |b_i| - ridge_i b_i^2 / 2 ] - |X'b|^2 / 2

P >= D everywhere, with equality at the optimum, where w = X'b. The rows x end with a constant (the intercept's
column, whose coefficient is penalized like the others) unless it is 0.

    hinge                        C max(0, 1 - y f)            b between 0 and y C
    squared hinge                C max(0, 1 - y f)^2          y b >= 0, ridge = 1 / (2 C)
    epsilon-insensitive          C max(0, |y - f| - eps)      |b| <= C
    squared epsilon-insensitive  C max(0, |y - f| - eps)^2    any b, ridge = 1 / (2 C)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.linear._native_calls import machine_kernels as kernels
from certus.linear.design.design_matrix import DenseDesign

Array = NDArray[np.float64]
SQUARES_FIT = 1e150  # magnitudes of table and targets up to which sums of squares do not overflow
SMALL = 100_000  # cells of a table up to which one thread is faster


@dataclass(frozen=True)
class MachineTable:
    """A table with the constant column's value (0: no intercept) and the threads to use on it."""

    X: Any
    constant: float
    threads: int

    @cached_property
    def rows(self) -> Any:
        """The table as the kernels take it."""
        return kernels.table_rows(self.X)

    @property
    def width(self) -> int:
        """Columns without the constant."""
        return int(self.X.shape[1])

    @cached_property
    def cells(self) -> int:
        """Stored entries."""
        return int(self.X.nnz if sparse.issparse(self.X) else self.X.size)

    @cached_property
    def used_threads(self) -> int:
        """Small tables are not worth waking a second thread."""
        return self.threads if self.cells > SMALL else 1

    @cached_property
    def _dense(self) -> DenseDesign:
        return DenseDesign(self.X, self.used_threads)

    def scores(self, w: Array) -> Array:
        """Scores of all rows for coefficients that end with the constant's."""
        if sparse.issparse(self.X):
            return np.asarray(self.X @ w[:-1]) + self.constant * w[-1]
        coef, intercept = np.ascontiguousarray(w[None, :-1]), np.array([self.constant * w[-1]])
        if "lengths" in vars(self):
            return self._dense.scores(coef, intercept)[:, 0]
        zero, one = np.zeros(self.width), np.ones(self.width)  # the lengths come with the first reading
        scores, lengths = self._dense.scores_and_lengths(coef, intercept, zero, one)
        vars(self)["lengths"] = np.sqrt(lengths**2 + self.constant**2)
        return scores[:, 0]

    def image(self, b: Array) -> Array:
        """X'b, with the constant's entry last."""
        found = np.asarray(self.X.T @ b) if sparse.issparse(self.X) else self._dense.image(b)
        return np.append(found, self.constant * b.sum())

    @property
    def chain(self) -> int:
        """Longest chain of additions behind an entry of `image` or a sum over rows."""
        rows = self.X.shape[0]
        if sparse.issparse(self.X):
            return rows
        return max(self._dense.chain(1), 64 + rows // 8)  # NumPy adds in pairs of blocks; this is above it

    @cached_property
    def lengths(self) -> Array:
        """|x| of all rows, with the constant."""
        if sparse.issparse(self.X):
            squares = np.asarray(self.X.multiply(self.X).sum(axis=1), dtype=np.float64).ravel()
        else:
            squares = self._dense.squares()
        return np.sqrt(squares + self.constant**2)


@dataclass(frozen=True)
class BoxProblem:
    """One machine: the table and the five things that make its dual."""

    table: MachineTable
    target: Array
    lower: Array
    upper: Array
    ridge: Array
    epsilon: float

    @property
    def box(self) -> tuple[Array, Array, Array, Array, float]:
        """The dual's data in the kernels' order."""
        return self.target, self.lower, self.upper, self.ridge, self.epsilon

    @property
    def smooth(self) -> bool:
        """Whether the loss is differentiable (the squared ones)."""
        return bool((self.ridge > 0.0).all())

    @cached_property
    def at_zero(self) -> float:
        """P(0)."""
        return float(self.losses(np.zeros(len(self.target))).sum())

    def losses(self, scores: Array) -> Array:
        """The losses of all rows at given scores."""
        r = self.target - scores
        excess = np.sign(r) * np.maximum(np.abs(r) - self.epsilon, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            free = np.where(self.ridge > 0.0, excess / self.ridge, np.where(excess == 0.0, 0.0, excess * np.inf))
        b = np.clip(free, self.lower, self.upper)
        return b * r - self.epsilon * np.abs(b) - 0.5 * self.ridge * b * b


def classification(table: MachineTable, signs: Array, costs: Array, *, squared: bool) -> BoxProblem:
    """Hinge or squared hinge with labels -1 and 1 and a cost C_i per row."""
    top = np.where(costs > 0.0, np.inf, 0.0) if squared else costs
    lower, upper = np.where(signs < 0.0, -top, 0.0), np.where(signs > 0.0, top, 0.0)
    return BoxProblem(table, signs, lower, upper, _ridge(costs, squared), 0.0)


def regression(table: MachineTable, target: Array, costs: Array, *, epsilon: float, squared: bool) -> BoxProblem:
    """Epsilon-insensitive loss or its square with a cost C_i per row."""
    top = np.where(costs > 0.0, np.inf, 0.0) if squared else costs
    return BoxProblem(table, target, -top, top, _ridge(costs, squared), epsilon)


def _ridge(costs: Array, squared: bool) -> Array:
    if not squared:
        return np.zeros_like(costs)
    return 0.5 / np.where(costs > 0.0, costs, 0.5)  # a row without cost has an empty box anyway
