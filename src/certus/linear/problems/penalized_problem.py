"""Least squares with an elastic-net penalty: the problem, and the table in the form that its solvers want.

    F(W) = |Y - X W|^2 / 2 + l1 sum_j |w_j| + (l2 / 2) |W|^2,      rows scaled by the roots of their weights

The intercept is not penalized, so columns and targets count as centered. With total weight S this is S times the
learners' objective: l1 = S alpha l1_ratio, l2 = S alpha (1 - l1_ratio). For several targets |w_j| is the Euclidean
norm over the targets (multi-task).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.linear._native_calls.path_kernels import ColumnTable
from certus.linear.design.design_matrix import SMALL
from certus.linear.design.moments import Moments
from certus.linear.solvers.least_squares import NotFiniteError, Problem, moments_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PenalizedProblem:
    """The table (dense of any layout, or sparse columns) and the targets (n x t).

    ``shift``: what has been subtracted from the columns of the caller's table.
    """

    X: Any
    Y: Array
    weights: Array | None
    center: bool
    threads: int
    shift: Array | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def targets(self) -> int:
        """Number of targets."""
        return self.Y.shape[1]

    @cached_property
    def weight(self) -> float:
        """Total weight of the rows."""
        return float(self.rows if self.weights is None else self.weights.sum())

    @cached_property
    def root(self) -> Array:
        """Roots of the weights."""
        return np.ones(self.rows) if self.weights is None else np.sqrt(self.weights)

    @cached_property
    def mean_y(self) -> Array:
        """Weighted means of the targets; 0 without an intercept."""
        if not self.center:
            return np.zeros(self.targets)
        return self.Y.mean(axis=0) if self.weights is None else np.average(self.Y, axis=0, weights=self.weights)

    @cached_property
    def target(self) -> Array:
        """Scaled and centered targets, t x n."""
        centered = self.Y - self.mean_y
        return np.ascontiguousarray((centered if self.weights is None else centered * self.root[:, None]).T)

    @cached_property
    def target_squares(self) -> float:
        """|Y|^2 of the scaled and centered targets."""
        return float(np.vdot(self.target, self.target))

    @cached_property
    def table(self) -> ColumnTable:
        """The table by its columns; raises `NotFiniteError` if it holds NaN, infinity or too large numbers."""
        size = self.X.nnz if sparse.issparse(self.X) else self.X.size
        threads = self.threads if size > SMALL else 1
        table = ColumnTable(self._scaled_columns(), self.root, center=self.center, threads=threads)
        if not np.isfinite(table.squares).all():
            raise NotFiniteError
        return table

    def _scaled_columns(self) -> Any:
        if sparse.issparse(self.X):
            matrix = sparse.csc_array(self.X)
            if matrix.indptr.dtype != matrix.indices.dtype:
                matrix.indptr, matrix.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
            if self.weights is not None:
                values = matrix.data.astype(np.float64) * self.root[matrix.indices]
                matrix = sparse.csc_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)
            return matrix
        if self.weights is not None:
            return np.asfortranarray(self.X.astype(np.float64) * self.root[:, None])
        return np.asfortranarray(self.X)

    @cached_property
    def moments(self) -> Moments:
        """Second moments of the table and the targets."""
        # A small sparse table is filled in: its moments are then the very same numbers as those of a dense one.
        fill = sparse.issparse(self.X) and self.rows * self.columns <= SMALL
        X = self.X.toarray() if fill else self.X
        return moments_of(Problem(X, self.Y, self.weights, np.zeros(self.targets), self.center, self.threads))

    @property
    def has_table(self) -> bool:
        """Whether the table is there by its columns."""
        return "table" in self.__dict__

    @property
    def has_moments(self) -> bool:
        """Whether the moments have been computed."""
        return "moments" in self.__dict__

    @property
    def mean_x(self) -> Array:
        """Weighted means of the caller's columns; 0 without an intercept. From whichever form of the table is there."""
        mean = self.moments.mean_x if self.has_moments else self.table.mean
        return mean if self.shift is None else mean + self.shift

    def bring_into_form(self, form: str) -> None:
        """Compute "table" or "moments" now; raises `NotFiniteError`."""
        getattr(self, form)

    def one_target(self, k: int) -> PenalizedProblem:
        """The problem of one of the targets alone, sharing what is known about the table."""
        target = np.ascontiguousarray(self.Y[:, k : k + 1])
        problem = PenalizedProblem(self.X, target, self.weights, self.center, self.threads, self.shift)
        for name in ("table", "weight", "root"):
            if name in self.__dict__:
                problem.__dict__[name] = self.__dict__[name]
        if self.has_moments:
            problem.__dict__["moments"] = of_one_target(self.moments, k)
        return problem


def of_one_target(moments: Moments, k: int) -> Moments:
    """The moments with one of the targets."""
    one = slice(k, k + 1)
    return replace(
        moments,
        mean_y=moments.mean_y[one],
        cross=np.ascontiguousarray(moments.cross[:, one]),
        target_squares=moments.target_squares[one],
        target_size=moments.target_size[one],
    )
