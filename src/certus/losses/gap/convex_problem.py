"""A regularized risk in plain NumPy: its value, and the lower bounds on its minimum that dual points give.

    P(W, b) = sum_i s_i l(y_i, W x_i + b) + R(W)  >=  - sum_i s_i l*(y_i, u_i) - R*(- sum_i s_i u_i x_i')

for every W and b and every u with sum_i s_i u_i = 0, if the intercepts b are free (Rockafellar 1970, theorem 31.1).
Directions that no penalty holds ask the same of their products with u. This is the second route by which gaps are
checked: it shares no code with the solvers. It is in the layer of the losses, the lowest one that knows conjugates.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from certus.losses import L2, ConvexLoss, Penalty
from certus.losses.gap.problem_penalties import KernelNorm, Positive

WIDTH = 1e-4  # of the differences of derivatives that stand for the curvature
LEFT = 1e-9  # share of its terms that a sum may have left and still count as 0
HALVINGS = 60  # of the interval in which the largest multiple of a dual point is feasible
CUTS = 40  # of the interval in which the best one lies: its value is flat there


class Point(NamedTuple):
    """Coefficients (outputs x columns) and intercepts."""

    W: Any
    b: Any


class ConvexProblem:
    """The objective on given data, in extended precision where it sums up.

    Parameters
    ----------
    X : array (rows x columns)
        The table; with a `KernelNorm` the matrix of kernel values, and coefficients are those of functions.
    y : array
        Targets (rows x outputs), or positions of classes (rows) for a loss of all classes together.
    s : array
        Weights; rows without weight do not count.
    loss, penalty
        The loss of a row; the penalty of the coefficients, which gets a vector for one output, else a matrix
        (columns x outputs).
    intercept : bool
        Whether there are intercepts that no penalty holds. The columns are centered then.
    """

    def __init__(self, X: Any, y: Any, s: Any, loss: ConvexLoss, penalty: Penalty, *, intercept: bool = False) -> None:
        self.counted = np.asarray(s) > 0.0
        X = np.asarray(X, dtype=np.longdouble)[self.counted]
        self.y, self.s = np.asarray(y)[self.counted], np.asarray(s, dtype=np.longdouble)[self.counted]
        self.loss, self.penalty, self.intercept = loss, penalty, intercept
        self.kernel = penalty if isinstance(penalty, KernelNorm) else None
        self.mean = np.zeros(X.shape[1], dtype=np.longdouble)
        if intercept and self.kernel is None:
            self.mean = self.s @ X / self.s.sum()
        self.X, self.ones = X - self.mean, np.ones((len(X), int(intercept)))
        inner = penalty.penalty if isinstance(penalty, Positive) else penalty
        self.ridge = float(inner.strength) if isinstance(inner, L2) else 0.0
        self.free = inner.name == "none" or (isinstance(inner, L2) and self.ridge == 0.0)

    def point(self, coef: Any, intercept: Any = 0.0) -> Point:
        """Coefficients and intercepts in the coordinates of this problem."""
        W = np.atleast_2d(np.asarray(coef, dtype=np.longdouble))
        return Point(W, np.asarray(intercept, dtype=np.longdouble) + W @ self.mean)

    def value(self, at: Point) -> float:
        """P."""
        return self.total(self.loss.value(self.y, self.scores(at))) + float(self.penalty.value(self._shaped(at.W)))

    def scores(self, at: Point) -> Any:
        """W x_i + b (rows x outputs)."""
        return self.X @ at.W.T + at.b

    def total(self, terms: Any) -> float:
        """The weighted sum over rows and outputs."""
        return float(self.s @ np.asarray(terms).reshape(len(self.s), -1).sum(axis=1))

    def magnitude(self, at: Point) -> float:
        """The size of the terms that cancel in a norm of functions: rounding errors are relative to it."""
        if self.kernel is None:
            return 0.0
        sizes = np.sqrt(np.maximum(np.diagonal(self.kernel.K), 0.0))
        return self.kernel.strength * float(((np.abs(at.W) @ sizes) ** 2).sum())

    def products(self, u: Any) -> Any:
        """sum_i s_i u_i x_i' (outputs x columns); with a kernel the same function in terms of its coefficients."""
        weighted = (self.s[:, None] * u).T
        if self.kernel is None:
            return weighted @ self.X
        everywhere = np.zeros((len(weighted), len(self.counted)), dtype=np.longdouble)
        everywhere[:, self.counted] = weighted
        return everywhere

    def _shaped(self, W: Any) -> Any:
        """As the penalty takes coefficients."""
        W = np.asarray(W, dtype=np.float64)
        return W[0] if len(W) == 1 else W.T

    def lower_bound(self, at: Point, *, newton: bool = False) -> float:
        """The best bound on the minimum from dual points that belong to the scores at this point.

        ``newton`` tries one that belongs to the scores after a Newton step in all directions instead, for ridge
        penalties: where these are weak, the others tell little.
        """
        if not getattr(self.loss, "convex", True):
            return -math.inf
        scores = self.scores(at)
        u = np.asarray(self.loss.derivative(self.y, scores), dtype=np.longdouble)
        if not np.isfinite(u).all() or (newton and not self.ridge > 0.0):
            return -math.inf
        if newton:
            return self._best_multiple(self._after_newton(u, scores, at, all_columns=True), at)
        candidates = [self._after_newton(u, scores, at, all_columns=self.free)]
        if self.intercept and not self.free:
            candidates.append(_balanced(u, self.s))
        if self.kernel is not None:  # what the penalty's derivative says about u
            candidates.append(-self.kernel.strength * at.W.T[self.counted] / self.s[:, None])
        return max(self._best_multiple(candidate, at) for candidate in candidates)

    def dual_value(self, u: Any, at: Point | None) -> float:
        """The bound that a dual point gives; minus infinity if it is none.

        What rounding left of sums that must be 0 costs its product with the optimum, for which the point stands.
        """
        products, left = self.products(u), 0.0
        if self.intercept:
            sums = self.s @ u
            if (np.abs(sums) > LEFT * (self.s @ np.abs(u))).any():
                return -math.inf
            left += float(sums @ at.b) if at is not None else 0.0
        if self.free:
            held = np.abs(products) <= LEFT * (np.abs((self.s[:, None] * u).T) @ np.abs(self.X))
            if not (held if not isinstance(self.penalty, Positive) else held | (products > 0.0)).all():
                return -math.inf
            left += float((products * held * at.W).sum()) if at is not None else 0.0
            products = np.where(held, 0.0, products)
        value = (
            left - self.total(self.loss.conjugate(self.y, u)) - float(self.penalty.conjugate(self._shaped(-products)))
        )
        return -math.inf if math.isnan(value) else value

    def feasible_value(self, u: Any, at: Point | None) -> float:
        """The value of a dual point that may be outside its domain by rounding: it is shrunk then, as little as needed.

        Columns far larger than the penalty make that rounding large; the gap that is told has it, too.
        """
        for share in (0.0, *(10.0**k for k in range(-16, 0))):
            value = self.dual_value((1.0 - share) * u, at)
            if math.isfinite(value):
                return value
        return -math.inf

    def _best_multiple(self, u: Any, at: Point) -> float:
        """The largest dual value of t u: concave in t, and minus infinity from some t on."""
        low, high, best = 0.0, 1.0, self.dual_value(u, at)
        if math.isinf(best):
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if math.isfinite(self.dual_value(middle * u, at)) else (low, middle)
            high, best = low, self.dual_value(low * u, at)
        elif self.dual_value((1.0 + 1e-6) * u, at) > best:
            high = 2.0
        low = 0.0
        for _ in range(CUTS):
            first, second = low + 0.382 * (high - low), low + 0.618 * (high - low)
            values = self.dual_value(first * u, at), self.dual_value(second * u, at)
            best = max(best, *values)
            low, high = (first, high) if values[0] < values[1] else (low, second)
        return best

    def _after_newton(self, u: Any, scores: Any, at: Point, *, all_columns: bool) -> Any:
        """The dual point after a Newton step in free directions: what is left of sums that must be 0 vanishes."""
        if not (self.intercept or all_columns):
            return u
        used = np.ones(at.W.shape, dtype=bool) if all_columns else np.zeros(at.W.shape, dtype=bool)
        if isinstance(self.penalty, Positive):
            used &= np.asarray(at.W > 0.0)
        used = np.hstack([used, np.ones((len(used), int(self.intercept)), dtype=bool)])
        strength = np.append(np.full(at.W.shape[1], self.ridge), np.zeros(int(self.intercept)))
        table, curvature = np.hstack([self.X, self.ones]), self._curvature(scores)
        at_now = np.hstack([at.W, np.zeros((len(at.W), int(self.intercept)))])
        for _ in range(3):  # each round removes what the last one's rounding left
            slope = (self.s[:, None] * u).T @ table + strength * at_now
            step = self._newton_step(curvature, table.astype(np.float64), used, slope.astype(np.float64), strength)
            at_now = at_now - step
            scaled = (table @ step.T).astype(np.float64)
            u = u - (curvature * scaled if curvature.ndim == 2 else np.einsum("ikl,il->ik", curvature, scaled))
        return u

    def _newton_step(self, curvature: Any, Z: Any, used: Any, slope: Any, strength: Any) -> Any:
        """H^-1 slope (outputs x columns of Z) in the directions that are used."""
        s, step = self.s.astype(np.float64), np.zeros(used.shape)
        if curvature.ndim == 2:
            for t, mine in enumerate(used):
                hessian = Z[:, mine].T @ ((s * curvature[:, t])[:, None] * Z[:, mine]) + np.diag(strength[mine])
                step[t, mine] = _solve(hessian, slope[t, mine])
            return step
        mine = used[0]
        hessian = np.einsum("ia,ikl,ib->kalb", Z[:, mine], s[:, None, None] * curvature, Z[:, mine], optimize=True)
        hessian = hessian.reshape(slope[:, mine].size, -1) + np.diag(np.tile(strength[mine], len(used)))
        step[:, mine] = _solve(hessian, slope[:, mine].ravel()).reshape(len(used), -1)
        return step

    def _curvature(self, scores: Any) -> Any:
        """Second derivatives (rows x outputs), or matrices for a loss of all classes together."""
        directions = [np.ones(1)] if self.y.ndim == 2 else np.eye(scores.shape[1])
        found = []
        for direction in directions:
            above, below = (self.loss.derivative(self.y, scores + h * direction) for h in (WIDTH, -WIDTH))
            found.append((np.asarray(above) - np.asarray(below)) / (2.0 * WIDTH))
        return np.maximum(found[0], 0.0) if self.y.ndim == 2 else np.stack(found, axis=2)


def _balanced(u: Any, s: Any) -> Any:
    """The larger side of every output shrunk, so that the sums vanish; 0 is in the domain of every conjugate."""
    up, down = s @ np.maximum(u, 0.0), s @ np.maximum(-u, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(u > 0.0, np.where(up > down, down / up, 1.0), np.where(down > up, up / down, 1.0)) * u


def _solve(matrix: Any, right: Any) -> Any:
    """The least-squares solution, with columns scaled to equal size."""
    scale = np.sqrt(np.maximum(np.diagonal(matrix), 1e-300))
    return np.linalg.lstsq(matrix / np.outer(scale, scale), right / scale, rcond=None)[0] / scale
