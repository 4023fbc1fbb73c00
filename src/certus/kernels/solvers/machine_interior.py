"""Interior-point method for kernel machines with a piecewise linear loss: hinge, absolute, quantile, tube.

With b_i = -s_i u_i the dual problem of the kernel machine is the quadratic program

    minimize  b'Kb / (2 alpha) - sum_i target_i b_i + epsilon |b|_1      over   s_i low_i <= b_i <= s_i high_i

and f = sum_i b_i k(x_i, .) / alpha. It is written with the positive and negative parts of b, each in a box [0, upper],
and solved by Mehrotra's predictor-corrector steps; each needs the inverse of alpha I + S K S with a diagonal S.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from certus.kernels._native_calls import Array
from certus.kernels.learning.function_spaces import Space
from certus.kernels.solvers.machine_losses import Boxes
from certus.kernels.solvers.machine_newton import Solved, Tell
from certus.losses import ConvexLoss

TO_BOUNDARY = 0.995  # share of the way to the boundary that a step goes


@dataclass(frozen=True)
class _Parts:
    """The parts a of b: b_row += sign a with 0 < a < upper and the linear cost of a."""

    row: NDArray[np.intp]
    sign: Array
    upper: Array
    cost: Array
    paired: NDArray[np.bool_]  # whether the row has both a positive and a negative part

    @classmethod
    def of(cls, boxes: Boxes, s: Array) -> _Parts:
        rows = np.arange(len(s))
        up, down = s * boxes.high > 0.0, s * boxes.low < 0.0
        row = np.concatenate([rows[up], rows[down]])
        sign = np.concatenate([np.ones(int(up.sum())), -np.ones(int(down.sum()))])
        upper = np.concatenate([(s * boxes.high)[up], -(s * boxes.low)[down]])
        return cls(row, sign, upper, boxes.epsilon - sign * boxes.target[row], (up & down)[row])

    def collect(self, values: Array, rows: int) -> Array:
        """Sums over the parts of each row."""
        return np.bincount(self.row, weights=values, minlength=rows).astype(np.float64)


def interior_point(
    space: Space, y: Array, s: Array, loss: ConvexLoss, boxes: Boxes, alpha: float, wanted: float, max_iter: int,
    tell: Tell,
) -> Solved:  # fmt: skip
    """Minimize P until the duality gap is at most ``wanted``."""
    parts = _Parts.of(boxes, s)
    state = _State(space, parts, alpha)
    best: tuple[float, Array, Array] | None = None
    steps = 0
    while True:
        u = -np.divide(state.sums(), s, out=np.zeros_like(s), where=s > 0.0)
        dual = np.clip(u, -boxes.high, -boxes.low) + 0.0  # inside the boxes to the last bit
        coef = space.expansion(-s * dual / alpha, state.coef)
        scores = space.scores(coef)
        slack = np.asarray(loss.value(y, scores)) + np.asarray(loss.conjugate(y, dual)) - dual * scores
        rest = alpha * coef + space.combine(s * dual)
        square = space.inner(rest, rest, space.scores(rest))
        gap = float(s @ np.maximum(slack, 0.0)) + max(square, 0.0) / (2.0 * alpha)
        if best is None or gap < best[0]:
            best = (gap, coef, dual)
        objective = float(s @ loss.value(y, scores)) + 0.5 * alpha * max(space.inner(coef, coef, scores), 0.0)
        if gap <= wanted or steps >= max_iter or tell(objective, gap) or not state.step():
            break
        steps += 1
    return Solved(best[1][:, None], best[2][:, None], steps)


class _State:
    """Parts a, their distances t = upper - a to the upper end, the multipliers z and v of the ends, and f."""

    def __init__(self, space: Space, parts: _Parts, alpha: float) -> None:
        """The middle of the boxes, with multipliers of the size of the gradient there."""
        self._space, self._parts, self._alpha = space, parts, alpha
        self.a = 0.5 * parts.upper
        self.t = parts.upper - self.a
        self.coef = space.combine(self.sums()) / alpha
        slopes = self._slopes()
        size = max(float(np.abs(slopes).max(initial=0.0)), 1e-300)
        self.z, self.v = np.maximum(slopes, 0.0) + size, np.maximum(-slopes, 0.0) + size

    def sums(self) -> Array:
        """The b of every row."""
        return self._parts.collect(self._parts.sign * self.a, self._space.rows)

    def _slopes(self) -> Array:
        """Derivatives of the dual objective in the parts."""
        scores = self._space.scores(self.coef)
        return np.asarray(self._parts.sign * scores[self._parts.row] + self._parts.cost)

    def step(self) -> bool:
        """One predictor-corrector step; False if rounding errors leave no progress."""
        a, t, z, v = values = (self.a, self.t, self.z, self.v)
        if len(a) == 0 or not (np.minimum(a, t) > 0.0).all() or not (np.minimum(z, v) > 0.0).all():
            return False
        weights = 1.0 / (z / a + v / t)
        try:
            system = _System(self._space, self._parts, weights, self._alpha)
        except linalg.LinAlgError:
            return False
        slopes = self._slopes() - z + v
        rest = self._alpha * self.coef - self._space.combine(self.sums())
        mu = float(z @ a + v @ t) / (2.0 * len(a))
        first = system.direction(values, slopes, rest, -z, -v)
        after = _duality(first, values, min(1.0, _longest(first, values))) / (2.0 * len(a))
        center = min((after / mu) ** 3, 1.0) * mu
        low = (center - first.a * first.z) / a - z
        high = (center + first.a * first.v) / t - v
        second = system.direction(values, slopes, rest, low, high)
        length = min(1.0, TO_BOUNDARY * _longest(second, values))
        if not length > 1e-10:
            return False
        self.a, self.t = a + length * second.a, t - length * second.a
        self.z, self.v = z + length * second.z, v + length * second.v
        self.coef = self._space.expansion(self.sums() / self._alpha, self.coef + length * second.coef)
        return True


class _System:
    """The equations of a step: for slopes - z + v, z a, v t and alpha f - sum_i b_i k(x_i, .).

    Eliminating dz = low - (z / a) da and dv = high + (v / t) da leaves da = weights (right - sign df(x_i)) and
    alpha df = sum_i db_i k(x_i, .) - rest. For one part of a row db = weights delta with delta = sign right - df(x_i);
    two parts of a row share the weighted mean of their right-hand sides.
    """

    def __init__(self, space: Space, parts: _Parts, weights: Array, alpha: float) -> None:
        self._parts, self._weights, self._rows = parts, weights, space.rows
        self._row_weights = parts.collect(weights, space.rows)
        self._share = weights / self._row_weights[parts.row]
        self._solve = space.barrier(self._row_weights, alpha)

    def direction(
        self, values: tuple[Array, Array, Array, Array], slopes: Array, rest: Array, low: Array, high: Array
    ) -> _Direction:
        """The step for the residuals ``slopes`` and ``rest`` and the wanted changes of z a and v t."""
        parts, (a, t, z, v) = self._parts, values
        right = -slopes + low - high
        mean = parts.collect(parts.sign * self._share * right, self._rows)
        coef, delta = self._solve(mean, rest)
        # right - sign mean is 0 for a row with one part, else the other part's share of the sum of both.
        both = parts.collect(right, self._rows)[parts.row]
        apart = np.where(parts.paired, (1.0 - self._share) * both, 0.0)
        da = self._weights * (apart + parts.sign * delta[parts.row])
        return _Direction(da, low - z / a * da, high + v / t * da, coef)


@dataclass(frozen=True)
class _Direction:
    a: Array
    z: Array
    v: Array
    coef: Array


def _longest(direction: _Direction, values: tuple[Array, Array, Array, Array]) -> float:
    """How far the direction can be followed before a, t, z or v is 0; at most 1 / TO_BOUNDARY."""
    length = 1.0 / TO_BOUNDARY
    changes = (direction.a, -direction.a, direction.z, direction.v)
    for value, change in zip(values, changes, strict=True):
        falling = change < 0.0
        if falling.any():
            length = min(length, float((value[falling] / -change[falling]).min()))
    return length


def _duality(direction: _Direction, values: tuple[Array, Array, Array, Array], step: float) -> float:
    """The sum z a + v t after a step."""
    a, t, z, v = values
    lower = (z + step * direction.z) @ (a + step * direction.a)
    return float(lower + (v + step * direction.v) @ (t - step * direction.a))
