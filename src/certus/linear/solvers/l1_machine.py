"""Squared hinge loss with an L1 penalty, by proximal Newton steps (Yuan, Ho, Lin 2012, section 2).

    P(w) = |w|_1 + sum_i C_i max(0, 1 - y_i x_i'w)^2

The dual point b_i = 2 C_i y_i max(0, 1 - y_i f_i), scaled so that |X'b|_inf <= 1, gives the lower bound
D(b) = sum_i [ y_i b_i - b_i^2 / (4 C_i) ].
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees.training import DualValue
from certus.linear._native_calls import machine_kernels as kernels
from certus.linear._native_calls import smooth_kernels
from certus.linear.design.moments import gamma
from certus.linear.evidence.machine_evidence import MachineEvidence
from certus.linear.problems.box_problem import MachineTable
from certus.linear.solvers.box_newton import MachineResult, Watch

Array = NDArray[np.float64]
STALLED = 10  # steps in which the best gap must halve, once it is small enough
POLISHES = 3  # rounds of coordinate descent and exact solution on the support
ROUGH = 100.0
EXPLICIT = 1500  # columns up to which the Hessian is formed


class L1Machine:
    """One machine with labels -1 and 1 and a cost per row."""

    def __init__(self, table: MachineTable, signs: Array, costs: Array) -> None:
        self.table = table
        self.signs = signs
        self.costs = costs
        self.size = table.width + (table.constant != 0.0)
        self.at_zero = float(costs.sum())
        self._columns: Any = None
        if sparse.issparse(table.X) or table.width > EXPLICIT:
            self._columns = _by_columns(table)
            self._squares = self._columns.copy()
            self._squares.data = self._squares.data**2

    def slack(self, scores: Array) -> Array:
        """max(0, 1 - y f)."""
        return np.maximum(0.0, 1.0 - self.signs * scores)

    def objective(self, w: Array, scores: Array) -> float:
        """P."""
        return float(np.abs(w).sum() + self.costs @ self.slack(scores) ** 2)

    def solve(self, target_gap: float, max_iter: int, watch: Watch, enough: float = 0.0) -> MachineResult:
        """Proximal Newton with backtracking until the gap is ``target_gap``.

        If rounding ends it before, a gap of ``enough`` is a success; where columns are nearly collinear, rounding shows
        as steps that no longer shrink a gap of a hundred times that.
        """
        w = np.zeros(self.table.width + 1)
        scores = self.table.scores(w)
        gap, b = self._gap(w, scores)
        best, history, iterations = (gap, w, b), [], 0
        while iterations < max_iter and best[0] > target_gap:
            moved = self._step(w, scores, gap)
            if moved is None:
                break
            w, scores = moved
            gap, b = self._gap(w, scores)
            iterations += 1
            history.append(gap)
            best = (gap, w, b) if gap < best[0] else best
            if best[0] <= ROUGH * enough and _stalled(history):
                enough *= ROUGH
                break
            if watch(self.objective(w, scores), gap):
                break
        return MachineResult(best[1], best[2], iterations, best[0] <= max(target_gap, enough), history)

    def _gap(self, w: Array, scores: Array) -> tuple[float, Array]:
        b = 2.0 * self.costs * self.signs * self.slack(scores)
        b = b / max(1.0, float(np.abs(self.table.image(b)).max(initial=0.0)))
        return self.objective(w, scores) - self._dual(b), b

    def _dual(self, b: Array) -> float:
        used = self.costs > 0.0
        return float((self.signs * b)[used].sum() - (b[used] ** 2 / (4.0 * self.costs[used])).sum())

    def _step(self, w: Array, scores: Array, gap: float) -> tuple[Array, Array] | None:
        """The next point and its scores, or None if the objective cannot fall visibly."""
        slack = self.slack(scores)
        gradient = -self.table.image(2.0 * self.costs * self.signs * slack)[: self.size]
        way = np.zeros_like(w)
        way[: self.size] = self._model_step(w[: self.size], slack, gradient, gap)
        value = self.objective(w, scores)
        slope = float(gradient @ way[: self.size] + np.abs(w + way).sum() - np.abs(w).sum())
        if slope >= -4e-16 * value:
            return None
        change, length = self.table.scores(way), 1.0
        for _ in range(40):
            trial = w + length * way
            if self.objective(trial, scores + length * change) <= value + 1e-4 * length * slope:
                return trial, self.table.scores(trial)
            length *= 0.5
        return None

    def _model_step(self, at: Array, slack: Array, gradient: Array, gap: float) -> Array:
        curvature = np.where(slack > 0.0, 2.0 * self.costs, 0.0)
        options: dict[str, Any] = {
            "l1": 1.0,
            "l2": 0.0,
            "penalized": self.size,
            "tol": max(1e-6 * gap / self.size, 1e-18),
        }
        if self._columns is not None and self.size > EXPLICIT:
            diagonal = np.asarray(self._squares @ curvature)
            return smooth_kernels.descend_columns(self._columns, curvature, diagonal, gradient, at, **options)
        hessian = self._hessian(curvature)
        step, signs = np.zeros_like(at), None
        for _ in range(POLISHES):
            found = smooth_kernels.descend_gram(hessian, gradient, at, start=step, **options)
            if signs is not None and np.array_equal(np.sign(at + found), signs):
                break  # the step is the minimizer with these signs already
            step = _polished(hessian, gradient, at, found)
            signs = np.sign(at + step)
        return step

    def _hessian(self, curvature: Array) -> Array:
        if self._columns is not None:
            product = (self._columns * curvature[None, :]) @ self._columns.T
            return np.ascontiguousarray(product.toarray())
        table, rows = self.table, np.flatnonzero(curvature)
        return kernels.row_gram(table.X, table.constant, rows, curvature[rows], table.used_threads)

    def evidence(self, w: Array, b: Array) -> MachineEvidence:
        """Primal and dual value with their rounding error."""
        table = self.table
        scores, lengths = table.scores(w), table.lengths * (1.0 + 1e-12)
        image_error = gamma(table.chain + 8) * float(np.abs(b) @ lengths)
        largest = float(np.abs(table.image(b)).max(initial=0.0)) + image_error
        b = b / (max(1.0, largest) * (1.0 + 1e-15))
        slack = self.slack(scores)
        error = gamma(table.width + 8) * (lengths * np.linalg.norm(w) + 1.0 + np.abs(scores))
        rounding = self.costs @ (2.0 * slack * error + error**2) + gamma(table.chain + 8) * (
            self.costs @ slack**2 + np.abs(b).sum() + float(np.abs(w).sum())
        )
        return MachineEvidence(
            objective=self.objective(w, scores),
            objective_at_zero=self.at_zero,
            bound=DualValue(self._dual(b), float(1.01 * rounding)),
            distances=None,
            scores=scores[:, None],
            dual=b[:, None],
        )


def _stalled(history: list[float]) -> bool:
    """Whether the last steps did not halve the gap that was reached before."""
    return len(history) > STALLED and min(history[-STALLED:]) > 0.5 * min(history[:-STALLED])


def _polished(hessian: Array, gradient: Array, at: Array, step: Array) -> Array:
    """The model's exact minimizer on the support; a coefficient that would change its sign stops at 0 there.

    Coordinate descent finds the support fast but converges slowly where columns are nearly collinear.
    """
    step = step.copy()
    for _ in range(min(len(at), 100)):
        here = at + step
        free = np.flatnonzero(here)
        slope = gradient[free] + hessian[free] @ step + np.sign(here[free])
        move = np.linalg.lstsq(hessian[np.ix_(free, free)], -slope, rcond=1e-12)[0]
        if float(slope @ move) >= 0.0 or not np.isfinite(move).all():
            break
        crossing = here[free] * (here[free] + move) < 0.0
        if not crossing.any():
            step[free] += move
            break
        reach = np.where(crossing, -here[free] / np.where(crossing, move, 1.0), np.inf)
        first = int(reach.argmin())
        step[free] += reach[first] * move
        step[free[first]] = -at[free[first]]
    return step


def _by_columns(table: MachineTable) -> Any:
    """The transposed table in CSR form, the constant column last, in double."""
    X = sparse.csr_array(table.X, dtype=np.float64)
    if table.constant != 0.0:
        X = sparse.hstack([X, np.full((X.shape[0], 1), table.constant)])
    columns = sparse.csr_array(X.T)
    if columns.indptr.dtype != columns.indices.dtype:
        columns.indptr, columns.indices = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
    return columns
