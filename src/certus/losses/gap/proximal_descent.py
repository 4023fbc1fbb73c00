"""Whether a solution can be improved: accelerated proximal gradient steps (Beck, Teboulle 2009, FISTA).

They need a derivative and a proximal map only, so they work for any loss and penalty. Kinks of a loss are rounded off
by averaging it over a small interval around every score.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from certus.losses.gap.convex_problem import ConvexProblem, Point

WIDTHS = (1e-1, 1e-3)
HALVINGS = 60


def better_solution(problem: ConvexProblem, at: Point, steps: int) -> Point:
    """The best point that so many steps from a given one reach."""
    best, least = at, problem.value(at)
    for width in WIDTHS:
        found = _Descent(problem, width).run(best, steps)
        value = problem.value(found)
        if value < least:
            best, least = found, value
    return best


class _Descent:
    """Coefficients and intercepts are the columns of one matrix, the intercepts last."""

    def __init__(self, problem: ConvexProblem, width: float) -> None:
        self.problem, self.width = problem, width
        self.table = np.hstack([problem.X, problem.ones]).astype(np.float64)
        self.step = 1.0 / max(float(np.abs(self.table).max(initial=0.0)), 1e-150) ** 2

    def run(self, at: Point, steps: int) -> Point:
        """Steps with a momentum that is dropped when it points uphill (O'Donoghue, Candes 2015)."""
        free = int(self.problem.intercept)
        fixed = np.zeros(len(at.W)) if free else np.asarray(at.b, dtype=np.float64)
        V = np.hstack([at.W, np.broadcast_to(np.reshape(at.b, (-1, 1)), (len(at.W), 1))[:, :free]]).astype(np.float64)
        ahead, momentum = V, 1.0
        for _ in range(steps):
            last, V = V, self._descend(ahead, fixed)
            following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum**2))
            uphill = float(((ahead - V) * (V - last)).sum()) > 0.0
            ahead = V if uphill else V + (momentum - 1.0) / following * (V - last)
            momentum = 1.0 if uphill else following
            self.step *= 1.25
        columns = at.W.shape[1]
        return Point(V[:, :columns].astype(np.longdouble), (V[:, columns] if free else fixed).astype(np.longdouble))

    def _descend(self, V: Any, fixed: Any) -> Any:
        """One proximal gradient step of a length at which the losses lie below their quadratic model."""
        problem, columns = self.problem, self.problem.X.shape[1]
        scores = self.table @ V.T + fixed
        value, slopes = self._losses(scores)
        gradient = np.hstack([problem.products(slopes), (problem.s[:, None] * slopes).T @ problem.ones])
        gradient = gradient.astype(np.float64)
        for _ in range(HALVINGS):
            moved = V - self.step * gradient
            shaped = moved[0, :columns] if len(moved) == 1 else moved[:, :columns].T
            near = np.asarray(problem.penalty.prox(shaped, self.step))
            moved[:, :columns] = near if len(moved) == 1 else near.T
            change = moved - V
            shift = self.table @ change.T
            rise = self._losses(scores + shift)[0] - value - problem.total(slopes * shift)
            if rise <= self._square(change) / (2.0 * self.step) + 1e-15 * abs(value):
                return moved
            self.step *= 0.5
        return V

    def _square(self, change: Any) -> float:
        kernel = self.problem.kernel
        return float((change**2).sum()) if kernel is None else kernel.square(change.T)

    def _losses(self, scores: Any) -> tuple[float, Any]:
        """Value and derivatives of the averaged losses, by Simpson's rule; those of all classes as they are."""
        problem = self.problem
        with np.errstate(over="ignore", invalid="ignore"):
            if problem.y.ndim == 1:
                return problem.total(problem.loss.value(problem.y, scores)), problem.loss.derivative(problem.y, scores)
            low, middle, high = (problem.loss.value(problem.y, scores + h) for h in (-self.width, 0.0, self.width))
            return problem.total((low + 4.0 * middle + high) / 6.0), (high - low) / (2.0 * self.width)
