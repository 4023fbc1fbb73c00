"""Semismooth Newton steps for a `BoxProblem`, around a proximal-point iteration on its dual.

With a centre c and a width h the smoothed problem

    psi(w) = |w|^2/2 + sum_i max_b [ b (t_i - x_i'w) - epsilon |b| - ridge_i b^2/2 - h (b - c_i)^2/2 ]

is strongly convex and piecewise quadratic; its generalized Hessian I + sum_{free i} x_i x_i' / (ridge_i + h) needs
only the rows whose b is strictly inside its box, so a step costs little more than one pass over the table. The
squared losses are solved with h = 0. The others repeat with c = b and a smaller h (Rockafellar 1976; Li, Sun, Toh
2018): w and b then converge to the exact primal and dual solutions. Every pass yields the duality gap for free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import lapack

from certus.linear._native_calls import machine_kernels as kernels
from certus.linear._native_calls.machine_kernels import BoxPass
from certus.linear.problems.box_problem import BoxProblem
from certus.linear.solvers.newton import least_norm_solve

Array = NDArray[np.float64]
Watch = Callable[[float, float], bool]  # told objective and gap after a step; True asks to stop
SHRINK = 0.3  # of the width h per proximal step
SMALLEST = 1e-10  # of the first width


@dataclass(frozen=True)
class MachineResult:
    """Coefficients (with the constant's), dual coefficients, iterations, success and gaps along the way.

    ``ends_with_gap`` says that the last of the gaps is that of the coefficients.
    """

    w: Array
    b: Array
    iterations: int
    converged: bool
    history: list[float]
    ends_with_gap: bool = True


class BoxNewton:
    """The solver; it ends at the gap ``target_gap``, and if rounding ends it before, ``enough`` is a success."""

    def __init__(self, problem: BoxProblem, target_gap: float, max_iter: int, enough: float = 0.0) -> None:
        self.problem = problem
        self.target_gap = target_gap
        self.enough = max(enough, target_gap)
        self.max_iter = max_iter
        self.size = problem.table.width + (problem.table.constant != 0.0)
        self._sparse = sparse.issparse(problem.table.X)
        self._ones = np.ones(self.size)

    def solve(self, watch: Watch) -> MachineResult:
        """Iterate until the gap is small enough, nothing moves any more, or the iterations are used up."""
        problem = self.problem
        w, center = np.zeros(problem.table.width + 1), np.zeros(len(problem.target))
        prox = first = 0.0 if problem.smooth else self._first_width()
        at = self._pass(w, prox, center)
        best, history, iterations, idle = (self._gap(w, at), w, at.b), [], 0, 0
        while iterations < self.max_iter and best[0] > self.target_gap and idle < 60:
            gradient = w - at.image
            if prox > 0.0 and self._solved_enough(gradient, at.b, center, prox):
                center, prox = at.b, max(SHRINK * prox, SMALLEST * first)
                at = self._pass(w, prox, center)
                gradient = w - at.image
            w, at = self._step(w, at, gradient, prox, center)
            iterations += 1
            gap = self._gap(w, at)
            history.append(gap)
            idle = 0 if gap < best[0] else idle + 1
            best = (gap, w, at.b) if gap < best[0] else best
            if watch(self._objective(w, at), gap) or (prox == 0.0 and not (w - at.image).any()):
                break
        return MachineResult(best[1], best[2], iterations, best[0] <= self.enough, history)

    def _first_width(self) -> float:
        """A width at which the smooth zone spans the spread of the targets."""
        problem = self.problem
        used = problem.upper > problem.lower
        reach = float(np.median((problem.upper - problem.lower)[used])) if used.any() else 1.0
        targets = problem.target[used] if used.any() else np.ones(1)
        spread = max(float(np.abs(targets - np.median(targets)).mean()), 0.01 * float(np.abs(targets).max()))
        return max(spread, 1e-300) / reach

    def _pass(self, w: Array, prox: float, center: Array) -> BoxPass:
        table = self.problem.table
        return kernels.box_pass(table.rows, table.constant, self.problem.box, prox, center, w, table.used_threads)

    def _objective(self, w: Array, at: BoxPass) -> float:
        return 0.5 * float(w @ w) + at.loss

    def _gap(self, w: Array, at: BoxPass) -> float:
        """P(w) - D(b)."""
        return self._objective(w, at) - at.dual + 0.5 * float(at.image @ at.image)

    def _solved_enough(self, gradient: Array, b: Array, center: Array, prox: float) -> bool:
        moved = b - center
        return float(gradient @ gradient) <= 0.25 * prox * float(moved @ moved) + 1e-30 * float(b @ b)

    def _step(self, w: Array, at: BoxPass, gradient: Array, prox: float, center: Array) -> tuple[Array, BoxPass]:
        way = self._direction(at, gradient)
        slope = float(gradient @ way)
        value = 0.5 * float(w @ w) + at.envelope
        trial = w + way
        there = self._pass(trial, prox, center)
        if 0.5 * float(trial @ trial) + there.envelope <= value + 1e-4 * slope + 1e-14 * abs(value):
            return trial, there
        step = self._exact_length(w, way, at.scores, there.scores - at.scores, prox, center)
        trial = w + step * way
        return trial, self._pass(trial, prox, center)

    def _direction(self, at: BoxPass, gradient: Array) -> Array:
        """-(I + X_F' D X_F)^{-1} gradient, through the smaller of the two Gram matrices."""
        free = np.flatnonzero(at.curvature)
        way = -gradient
        if len(free) == 0:
            return way
        weights = at.curvature[free]
        if len(free) < self.size:
            way[: self.size] = self._by_rows(free, weights, way[: self.size])
        else:
            way[: self.size] = self._by_columns(free, weights, way[: self.size])
        return way

    def _by_columns(self, free: NDArray[np.intp], weights: Array, right: Array) -> Array:
        table = self.problem.table
        if self._sparse:
            Z = self._gathered(free) * np.sqrt(weights)[:, None]
            matrix = Z.T @ Z
        else:
            matrix = kernels.row_gram(table.X, table.constant, free, weights, table.used_threads)
        return solved(matrix, self._ones, right)

    def _by_rows(self, free: NDArray[np.intp], weights: Array, right: Array) -> Array:
        """(I + Z'DZ)^{-1} r = r - Z'(D^{-1} + ZZ')^{-1} Z r."""
        Z = self._gathered(free)
        matrix = Z @ Z.T
        return right - Z.T @ solved(matrix, 1.0 / weights, Z @ right)

    def _gathered(self, free: NDArray[np.intp]) -> Array:
        table = self.problem.table
        rows: Any = table.X[free]
        rows = rows.toarray() if self._sparse else rows
        Z = np.empty((len(free), self.size))
        Z[:, : table.width] = rows
        Z[:, table.width :] = table.constant
        return Z

    def _exact_length(self, w: Array, way: Array, scores: Array, change: Array, prox: float, center: Array) -> float:
        """The zero of the derivative along the line, which rises: regula falsi with bisection."""
        linear, square = float(w @ way), float(way @ way)

        def derivative(step: float) -> float:
            moved = kernels.slope_along(self.problem.box, prox, center, scores, change, step)
            return linear + step * square - moved

        low, high = 0.0, 1.0
        at_low, at_high = derivative(low), derivative(high)
        wanted = 0.1 * at_low
        if at_high <= 0.0 or at_low >= 0.0:
            return 1.0
        for round_ in range(60):
            middle = 0.5 * (low + high) if round_ % 2 else low - at_low * (high - low) / (at_high - at_low)
            at_middle = derivative(middle)
            if at_middle > 0.0:
                high, at_high = middle, at_middle
            else:  # still falling all the way from the start, so this point is lower
                low, at_low = middle, at_middle
                if at_low >= wanted:
                    break
            if high - low <= 1e-3 * low:
                break
        return low


def solved(matrix: Array, diagonal: Array, right: Array) -> Array:
    """(matrix + diag(diagonal))^-1 right; where rounding has made the sum indefinite, by the part of it that is not."""
    matrix.ravel()[:: len(matrix) + 1] += diagonal
    _, solution, failed = lapack.dposv(matrix.T, right, lower=False)
    return least_norm_solve(matrix, right) if failed else np.asarray(solution)
