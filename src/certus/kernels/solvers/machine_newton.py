"""Newton's method for kernel machines with a differentiable loss, and what the other solvers return too.

The problem is, for f in the space of the kernel and weights s,

    minimize  P(f) = sum_i s_i l(y_i, f(x_i)) + (alpha / 2) |f|^2

With u_i = l'(y_i, f(x_i)) its gradient is r = alpha f + sum_i s_i u_i k(x_i, .), and P(f) - min P <= |r|^2 / (2 alpha).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certus.kernels._native_calls import Array
from certus.kernels.learning.function_spaces import Space
from certus.kernels.solvers.machine_losses import curvature
from certus.losses import ConvexLoss

Tell = Callable[[float, float], bool]  # objective, gap -> whether to stop
HALVINGS = 40
ROUNDING = 1e-12  # share of the objective by which its value can seem to rise


@dataclass(frozen=True)
class Solved:
    """Coefficients (size x outputs), dual variables u (rows x outputs) and the number of steps."""

    coef: Array
    dual: Array
    n_iter: int


def newton(
    space: Space, y: Array, s: Array, loss: ConvexLoss, alpha: float, wanted: float, max_iter: int, tell: Tell
) -> Solved:
    """Minimize P until the gap is at most ``wanted``."""

    def direction(at: Point) -> Array:
        return space.newton(s * curvature(loss, y, at.scores), alpha)(-at.gradient)

    found = minimize(space, y, s, loss, alpha, wanted, max_iter, tell, direction)
    return Solved(found.coef[:, None], found.dual[:, None], found.n_iter)


class Point(NamedTuple):
    """Where a step begins."""

    scores: Array
    gradient: Array
    gradient_scores: Array
    objective: float
    gap: float


def minimize(
    space: Space, y: NDArray[Any], s: Array, loss: Any, alpha: float, wanted: float, max_iter: int, tell: Tell,
    direction_at: Callable[[Point], Array], outputs: tuple[int, ...] = (),
) -> Solved:  # fmt: skip
    """Follow the directions until the gap is at most ``wanted``; one output, or those of ``outputs``."""
    coef, scores, square = np.zeros((space.size, *outputs)), np.zeros((space.rows, *outputs)), 0.0
    weights = s[:, None] if outputs else s
    steps, before, lowest = 0, (coef, scores), np.inf
    while True:
        dual = np.asarray(loss.derivative(y, scores), dtype=np.float64)
        gradient = alpha * coef + space.combine(weights * dual)
        gradient_scores = space.scores(gradient)
        gap = max(space.inner(gradient, gradient, gradient_scores), 0.0) / (2.0 * alpha)
        objective = float(s @ loss.value(y, scores)) + 0.5 * alpha * square
        if not objective <= lowest + ROUNDING * abs(lowest):  # scores as sums tell more than those along the line
            coef = before[0]
            dual = np.asarray(loss.derivative(y, before[1]), dtype=np.float64)
            break
        lowest = min(objective, lowest)
        if gap <= wanted or steps >= max_iter or tell(objective, gap):
            break
        direction = direction_at(Point(scores, gradient, gradient_scores, objective, gap))
        along = space.scores(direction)
        slope = space.inner(direction, gradient, gradient_scores)
        line = Line(y, s, loss, scores, along, alpha, space.inner(direction, coef, scores))
        step = line.search(objective, slope, square, space.inner(direction, direction, along))
        if step == 0.0:
            break
        before = (coef, scores)
        coef = coef + step * direction
        scores = space.scores(coef)
        square = max(space.inner(coef, coef, scores), 0.0)
        steps += 1
    return Solved(coef, dual, steps)


@dataclass(frozen=True)
class Line:
    """The objective along a direction."""

    y: NDArray[Any]
    s: Array
    loss: ConvexLoss
    scores: Array
    along: Array
    alpha: float
    cross: float  # <f, d>

    def search(self, start: float, slope: float, square: float, own: float) -> float:
        """The longest of 1, 1/2, 1/4 … that lowers the objective in proportion; 0 if rounding hides the decrease."""
        if not slope < 0.0:
            return 0.0
        step = 1.0
        for _ in range(HALVINGS):
            with np.errstate(over="ignore", invalid="ignore"):
                losses = float(self.s @ self.loss.value(self.y, self.scores + step * self.along))
            value = losses + 0.5 * self.alpha * (square + 2.0 * step * self.cross + step**2 * own)
            if value <= start + 1e-4 * step * slope + 1e-15 * abs(start):
                return step
            step *= 0.5
        return 0.0
