"""A preconditioner for several classes: the blocks of the Hessian that belong to one class each.

    H_k = sum_i s_i p_ik (1 - p_ik) z_i z_i' + strength        z: centered columns, the constant last

The rows that a class is likely for have a mean of their own, which couples coefficients and intercept of the class; a
diagonal cannot see that. The sums run over a sample of the rows, so that all blocks cost about as much as one product
with the Hessian: the products of two columns are kept for the sample, and one matrix product sums them for all classes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from certus.linear.design.design_matrix import DenseDesign
from certus.linear.problems.smooth_problem import SmoothProblem

Array = NDArray[np.float64]
MOST_COLUMNS = 64  # above, inverting the blocks costs too much
ROWS_PER_COLUMN = 10  # a smaller sample says too little
MOST_PAIRS = 4_000_000  # kept products of two columns
FLOOR = 0.01  # of the rough diagonal is added: few rows of the sample may belong to a class


def worth_blocks(problem: SmoothProblem) -> bool:
    """Whether a sample is large enough for the blocks and small enough to be cheap."""
    design = problem.design
    if problem.loss.name != "multinomial" or not isinstance(design, DenseDesign) or design.columns > MOST_COLUMNS:
        return False
    return _sample_rows(problem) >= ROWS_PER_COLUMN * (design.columns + 1)


def _sample_rows(problem: SmoothProblem) -> int:
    """As many rows as cost about one product with the Hessian of all rows, and fit into memory."""
    width = problem.design.columns + 1
    return min(problem.design.rows, 4 * problem.design.rows // width, 2 * MOST_PAIRS // width**2)


class ClassBlocks:
    """The sample and its products of columns."""

    def __init__(self, problem: SmoothProblem) -> None:
        design = problem.design
        self._problem = problem
        self._stride = -(-design.rows // _sample_rows(problem))
        rows = design.X[:: self._stride] - problem.mean
        if problem.has_intercept:
            rows = np.column_stack([rows, np.ones(len(rows))])
        self._upper = np.triu_indices(rows.shape[1])
        self._pairs = rows[:, self._upper[0]] * rows[:, self._upper[1]]
        self._width = rows.shape[1]

    def inverse(
        self, probabilities: Array, rough: Array, rough_center: Array
    ) -> Callable[[Array, Array], tuple[Array, Array]]:
        """Inverse blocks at these probabilities; ``rough`` are inverse diagonals for coefficients and intercepts."""
        problem, columns = self._problem, rough.shape[1]
        p = probabilities[:: self._stride]
        curvature = p * (1.0 - p)
        if problem.weights is not None:
            curvature = problem.weights[:: self._stride, None] * curvature
        sums = self._stride * (curvature.T @ self._pairs)
        blocks = np.empty((len(sums), self._width, self._width))
        blocks[:, self._upper[0], self._upper[1]] = blocks[:, self._upper[1], self._upper[0]] = sums
        diagonal = np.arange(columns)
        blocks[:, diagonal, diagonal] += problem.strength + FLOOR / rough
        if problem.has_intercept:
            blocks[:, columns, columns] += FLOOR / rough_center
        inverses = np.linalg.inv(blocks)

        def apply(residual: Array, residual_center: Array) -> tuple[Array, Array]:
            if not problem.has_intercept:
                return (inverses @ residual[:, :, None])[:, :, 0], residual_center
            both = np.column_stack([residual, residual_center])
            solved = (inverses @ both[:, :, None])[:, :, 0]
            return np.ascontiguousarray(solved[:, :columns]), solved[:, columns]

        return apply
