"""Stochastic average gradient, behind the names "sag" (Schmidt, Le Roux, Bach 2013) and "saga" (Defazio et al. 2014).

    minimize  (1/n) sum_i s_i l(y_i, W x_i + b) + strength/(2n) |W|^2

One random row at a time with a constant step: 1/L for SAG, where L bounds the curvature of every row's share, and
1 / (2 L + min(2 strength, L)) for SAGA, whose directions are unbiased. Both stop by scikit-learn's rule,
when an epoch changes no coefficient by more than ``tol`` times the largest one. That rule says nothing about the
objective; what was reached is measured afterwards by the certificate of the gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.extmath import row_norms

from certus.linear._native_calls.machine_kernels import AverageGradientState, sag_epoch, table_rows
from certus.linear.problems.smooth_problem import ScoreOverflowError
from certus.losses import KnownLoss, Squared

Array = NDArray[np.float64]
Watch = Callable[[Array, Array], bool]  # coefficients and intercepts after an epoch; True asks to stop
CURVATURE = {"logistic": 0.25, "multinomial": 0.25, "squared": 1.0}  # of the loss; the multinomial one as customary


@dataclass(frozen=True)
class RowProblem:
    """Losses of the rows; ``X`` is C-contiguous or CSR, ``target`` holds class codes or numbers."""

    X: Any
    target: Array
    weights: Array | None
    loss: KnownLoss
    outputs: int
    strength: float
    intercept_decay: float  # factor of the intercept's steps; 0: no intercept
    unbiased: bool = False  # SAGA instead of SAG

    def without_removed_rows(self) -> RowProblem:
        """The same problem without rows of weight 0."""
        if self.weights is None or self.weights.all():
            return self
        kept = np.flatnonzero(self.weights)
        return replace(self, X=self.X[kept], target=self.target[kept], weights=self.weights[kept])

    def step_size(self) -> float:
        """The method's step. In classification, weights make it shorter but never longer than without them."""
        squares = row_norms(self.X, squared=True).astype(np.float64) + (self.intercept_decay > 0.0)
        if self.weights is not None:
            squares *= self.weights if isinstance(self.loss, Squared) else np.maximum(self.weights, 1.0)
        share = self.strength / self.X.shape[0]
        lipschitz = CURVATURE[self.loss.name] * float(squares.max()) + share
        if not np.isfinite(lipschitz):
            raise overflow("the squares of some rows are too large to be computed")
        if lipschitz == share:
            raise ZeroDivisionError(
                "The 'sag' and 'saga' solvers cannot fit this table: all rows are zero and there is no intercept.\n"
                "Hint: choose another solver, or check the table."
            )
        if self.unbiased:  # strong convexity is strength / n, so 2 n times it is 2 strength
            return 1.0 / (2.0 * lipschitz + min(2.0 * self.strength, lipschitz))
        return 1.0 / lipschitz


@dataclass(frozen=True)
class AverageGradientResult:
    """Coefficients (outputs x columns), intercepts, and whether the stop rule was met within the epochs."""

    coef: Array
    intercept: Array
    epochs: int
    converged: bool


def average_gradient(
    problem: RowProblem,
    start: tuple[Array, Array],
    *,
    tol: float,
    max_iter: int,
    seed: int,
    watch: Watch,
) -> AverageGradientResult:
    """Epochs of SAG or SAGA from ``start`` (coefficients, intercepts)."""
    problem = problem.without_removed_rows()
    step, rows = problem.step_size(), problem.X.shape[0]
    table = table_rows(problem.X)
    state = AverageGradientState.at(start[0], start[1], rows)
    epochs, converged = 0, False
    while epochs < max_iter and not converged:
        before = state.coef.copy()
        sag_epoch(
            table,
            problem.loss,
            problem.target,
            problem.weights,
            strength=problem.strength / rows,
            step=step,
            intercept_decay=problem.intercept_decay,
            unbiased=problem.unbiased,
            seed=seed,
            epoch=epochs,
            state=state,
        )
        epochs += 1
        if not (np.isfinite(state.coef).all() and np.isfinite(state.intercept).all()):
            raise overflow(f"the coefficients are not finite after epoch {epochs}")
        converged = bool(np.abs(state.coef - before).max() <= tol * np.abs(state.coef).max())
        if watch(state.coef.T.copy(), state.intercept.copy()):
            break
    return AverageGradientResult(np.ascontiguousarray(state.coef.T), state.intercept, epochs, converged)


def overflow(what: str) -> ScoreOverflowError:
    """The error for numbers that got too large."""
    return ScoreOverflowError(
        f"Floating-point under-/overflow occurred: {what}.\n"
        "Hint: scale the columns with StandardScaler or MinMaxScaler, or choose another solver."
    )
