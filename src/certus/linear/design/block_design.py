"""A table in blocks as a linear map: what `DenseDesign` does in one reading of a table, in one pass over the blocks.

Targets and weights are in the blocks as well, so that of those the arguments are ignored. Curvatures of rows stay where
the rows are; explicit Hessians come back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.base.blocks import Block, RowBlocks, sums
from certus.linear._native_calls import smooth_kernels
from certus.linear.design.moments import Moments
from certus.linear.solvers.class_hessian import hessian_of_rows
from certus.losses import KnownLoss, Squared, loss_gradient

Array = NDArray[np.float64]
ROUGH = 1e-9  # relative error of sizes that bound rounding errors
TREE = 64  # additions above a block: more than the tree of 2^64 blocks has


@dataclass(frozen=True)
class _At:
    """Where a block is evaluated."""

    loss: KnownLoss
    targets: Any
    coef: Array
    intercept: Array
    shift: Array
    constant: bool = True


def _gradient(block: Block, at: _At) -> tuple[Any, ...]:
    target, weights = at.targets.of(block)
    value, gradient, total, _ = loss_gradient(
        at.loss, block.X, target, weights, at.coef, at.intercept, resolve_threads(), want_curvature=True
    )
    return np.array(value), gradient, total


def _hessian(block: Block, at: _At) -> tuple[Any, ...]:
    target, weights = at.targets.of(block)
    if len(at.coef) == 1:
        value, gradient, total, hessian = smooth_kernels.newton_pass(
            at.loss, block.X, target, weights, at.coef, at.intercept, at.shift, resolve_threads()
        )
        return np.array(value), gradient, total, hessian
    value, gradient, total, probabilities = loss_gradient(
        at.loss, block.X, target, weights, at.coef, at.intercept, resolve_threads(), want_curvature=True
    )
    return (
        np.array(value),
        gradient,
        total,
        hessian_of_rows(block.X, weights, probabilities, at.shift, constant=at.constant),
    )


def _residuals(block: Block, at: _At) -> tuple[Any, ...]:
    target, weights = at.targets.of(block)
    X = block.X.astype(np.float64, copy=False)
    residual = target - (X @ at.coef.T + at.intercept)
    weighted = residual if weights is None else residual * weights[:, None]
    squares, with_target = np.vdot(weighted, residual), np.vdot(weighted, target - at.shift)
    return np.array(squares), np.array(with_target), weighted.sum(axis=0), X.T @ weighted


class BlockDesign:
    """Rows in blocks.

    Parameters
    ----------
    table : RowBlocks
        After its first pass.
    targets : Numbers or Codes
        What the blocks' targets and weights are.
    """

    layout: Literal["C", "F"] = "C"

    def __init__(self, table: RowBlocks, targets: Any, moments: Moments | None = None) -> None:
        self.table, self.targets = table, targets
        self.moments: Any = moments  # of all rows, where least squares need them
        self.constant = True  # whether there is an intercept
        self.spreads = np.zeros(table.columns)  # rough standard deviations of the columns
        self.rows, self.columns = table.rows, table.columns
        self.shape, self.dtype, self.threads = (table.rows, table.columns), table.dtype, 1
        self.X = np.empty((0, table.columns), dtype=table.dtype)  # its width and type are asked for

    def loss_gradient(
        self, loss: KnownLoss, target: Array | None, weights: Array | None, coef: Array, intercept: Array
    ) -> tuple[float, Array, Array, Array]:
        """Value and gradients; no curvatures of rows."""
        del target, weights
        at = _At(loss, self.targets, np.ascontiguousarray(coef), intercept, np.zeros(self.columns))
        value, gradient, total = self.table.reduce(_gradient, sums, at)
        return float(value), gradient, total, np.empty((0, len(coef)))

    def newton_pass(
        self,
        loss: KnownLoss,
        target: Array | None,
        weights: Array | None,
        coef: Array,
        intercept: Array,
        shift: Array,
    ) -> tuple[float, Array, Array, Array]:
        """Value, gradients and explicit Hessian, of several classes as well."""
        del target, weights
        at = _At(loss, self.targets, np.ascontiguousarray(coef), intercept, shift, self.constant)
        value, gradient, total, hessian = self.table.reduce(_hessian, sums, at)
        return float(value), gradient, total, hessian

    def spread(self, mean: Array) -> Array:
        """Rough standard deviations of the columns."""
        del mean
        return self.spreads

    def column_sizes(self) -> Array:
        """Lengths of the columns, rows multiplied by the roots of their weights."""
        at = self.moments
        return np.sqrt(np.diag(at.gram) + at.weight * at.mean_x**2) * (1.0 + ROUGH)

    def target_squares(self) -> Array:
        """The weighted squares of every target."""
        at = self.moments
        return np.asarray((at.target_squares + at.weight * at.mean_y**2) * (1.0 + ROUGH))

    def residual_sums(self, coef: Array, intercept: Array, mean_y: Array) -> tuple[float, float, float, Array]:
        """Of the residuals r: sums of w r^2 and w r (y - mean), the size of that of w r, and that of w r x."""
        at = _At(Squared(), self.targets, coef, intercept, mean_y)
        squares, with_target, along, products = self.table.reduce(_residuals, sums, at)
        return float(squares), float(with_target), float(np.abs(along).sum()), products

    def chain(self, outputs: int) -> int:
        """Longest chain of additions behind an entry of the gradient."""
        return smooth_kernels.gradient_chain(self.table.largest, self.columns, outputs) + TREE
