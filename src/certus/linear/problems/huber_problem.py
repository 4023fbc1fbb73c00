"""Huber's regression with scale as one convex problem, its Newton steps and its dual.

With r = y - X w - b, weights s and H(z) = z^2 for |z| <= epsilon, else 2 epsilon |z| - epsilon^2 (Huber, Ronchetti
2009, section 7.7),

    P(w, b, scale) = sum_i s_i [ scale + scale H(r_i / scale) ] + alpha |w|^2        scale > 0

Since scale H(r / scale) = max over |v| <= 2 epsilon of v r - scale v^2 / 4, every v with |v_i| <= 2 epsilon,
sum s v = 0 (with an intercept) and sum s v^2 <= 4 sum s gives

    min P >= sum_i s_i v_i y_i - |X'(s v)|^2 / (4 alpha).

Near the solution v = clip(2 r / scale) is such a point but for a shift and a factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees.training import DualValue, GapEvidence
from certus.linear._native_calls import smooth_kernels
from certus.linear.design.moments import gamma
from certus.linear.design.shifted_columns import center_error, exact_center, stored_intercept

Array = NDArray[np.float64]
LEAST_SCALE = 10.0 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class HuberPoint:
    """A point in centered coordinates with everything that is computed there."""

    coef: Array
    center: float
    scale: float
    value: float
    residual: Array
    influence: Array  # v
    slope: Array  # X_c'(s v), without the penalty
    gradient: Array  # in (coef, center, scale)


@dataclass(frozen=True)
class HuberProblem:
    """The data of the objective; ``mean`` holds the columns' means (0 without intercept).

    Of columns that are far off 0 the ``shift`` was subtracted before; it stands for the means then, and ``mean`` is 0.
    """

    X: Any
    y: Array
    s: Array
    epsilon: float
    alpha: float
    mean: Array
    has_intercept: bool
    threads: int
    shift: Array | None = None

    @property
    def means(self) -> Array:
        """Those of the caller's columns."""
        return self.mean if self.shift is None else self.shift

    def intercept(self, at: HuberPoint) -> float:
        """That of the caller's table."""
        return stored_intercept(at.center, self.means, at.coef) if self.has_intercept else 0.0

    def in_use(self, coef: Array, intercept: float, scale: float) -> HuberPoint:
        """The point that coefficients and an intercept for the caller's table stand for."""
        center = exact_center(intercept, self.means, coef) if self.has_intercept else 0.0
        return self.at(coef, center, scale)

    def at(self, coef: Array, center: float, scale: float) -> HuberPoint:
        """Value and gradient."""
        residual = self.y - (self.X @ coef + (center - self.mean @ coef))
        size, limit = np.abs(residual), self.epsilon * scale
        losses = np.where(size <= limit, residual**2 / scale, 2.0 * self.epsilon * size - self.epsilon * limit)
        value = float(self.s @ (scale + losses)) + self.alpha * float(coef @ coef)
        v = np.clip(2.0 * residual / scale, -2.0 * self.epsilon, 2.0 * self.epsilon)
        weighted = self.s * v
        slope = np.asarray(self.X.T @ weighted) - self.mean * weighted.sum()
        gradient = np.concatenate(
            [
                2.0 * self.alpha * coef - slope,
                [-weighted.sum() if self.has_intercept else 0.0, float(self.s @ (1.0 - 0.25 * v * v))],
            ]
        )
        return HuberPoint(coef, center, scale, value, residual, v, slope, gradient)

    def hessian(self, at: HuberPoint) -> Array:
        """(2 / scale) Z'SZ over rows within epsilon scale, Z = [X - mean, 1, r / scale], plus the penalty's part."""
        inside = np.abs(at.residual) <= self.epsilon * at.scale
        return self._gram((2.0 / at.scale) * self.s * inside, at.residual / at.scale)

    def majorizer(self, at: HuberPoint) -> Array:
        """Hessian in (coef, center) of the quadratic that touches P at this point and lies above it elsewhere."""
        curvature = 2.0 / np.maximum(at.scale, np.abs(at.residual) / self.epsilon)
        return self._gram(self.s * curvature, np.zeros(len(self.y)))[:-1, :-1]

    def best_scale(self, residual: Array) -> float:
        """The scale with the least objective for given residuals: the root of sum s (1 - min(r/scale, epsilon)^2)."""
        size, total = np.abs(residual), float(self.s.sum())
        low, high = float(LEAST_SCALE), max(float(np.sqrt(self.s @ size**2 / total)), LEAST_SCALE)
        for _ in range(100):
            if high <= low * (1.0 + 1e-12):
                break
            middle = math.sqrt(low * high)
            grows = float(self.s @ np.minimum(size / middle, self.epsilon) ** 2) < total
            low, high = (low, middle) if grows else (middle, high)
        return high

    def _gram(self, weights: Array, ratio: Array) -> Array:
        """Z' diag(weights) Z for Z = [X - mean, 1, ratio], plus 2 alpha on the coefficients."""
        columns = self.X.shape[1]
        if sparse.issparse(self.X):
            gram = self._sparse_gram(weights, ratio[:, None])
        else:
            gram = smooth_kernels.shifted_gram(self.X, ratio[:, None], weights, np.append(self.mean, 0.0), self.threads)
        order = [*range(columns), columns + 1, columns]  # (columns, ratio, one) -> (columns, one, ratio)
        gram = gram[np.ix_(order, order)]
        gram[np.arange(columns), np.arange(columns)] += 2.0 * self.alpha
        return np.ascontiguousarray(gram)

    def _sparse_gram(self, weights: Array, ratio: Array) -> Array:
        extra = np.column_stack([ratio, np.ones(len(ratio))])
        weighted = sparse.csr_array(self.X.multiply(weights[:, None]))
        cross = weighted.T @ extra - np.outer(self.mean, weights @ extra)
        total = np.asarray(weighted.sum(axis=0)).ravel()
        table = (self.X.T @ weighted).toarray() - np.outer(total, self.mean) - np.outer(self.mean, total)
        table += weights.sum() * np.outer(self.mean, self.mean)
        return np.block([[table, cross], [cross.T, extra.T @ (weights[:, None] * extra)]])

    def dual_point(self, at: HuberPoint) -> tuple[Array, Array]:
        """A feasible v, and X_c'(s v)."""
        v, slope = at.influence, at.slope
        if at.scale <= 10.0 * LEAST_SCALE:  # residuals over the scale are noise: take v from the stationarity in w
            v = self._stationary(at)
        if self.has_intercept:
            v = v - float(self.s @ v) / float(self.s.sum())
        if v is not at.influence:
            slope = np.asarray(self.X.T @ (self.s * v)) - self.mean * float(self.s @ v)
        largest, square = float(np.abs(v).max(initial=0.0)), float(self.s @ (v * v))
        factor = 1.0
        if largest > 2.0 * self.epsilon:
            factor = 2.0 * self.epsilon / largest
        if square > 4.0 * float(self.s.sum()):
            factor = min(factor, math.sqrt(4.0 * float(self.s.sum()) / square))
        factor *= 1.0 - 1e-14
        return factor * v, factor * slope

    def _stationary(self, at: HuberPoint) -> Array:
        """The influences with those of the fitted rows chosen so that X_c'(s v) = 2 alpha w and sum s v = 0."""
        size = float(np.abs(self.y).max(initial=0.0)) + float(np.abs(at.residual).max(initial=0.0))
        fitted = (np.abs(at.residual) <= 1e-9 * size) & (self.s > 0.0)
        v = np.where(fitted, 0.0, 2.0 * self.epsilon * np.sign(at.residual))
        X = self.X[fitted].toarray() if sparse.issparse(self.X) else self.X[fitted]
        rows = np.column_stack([X - self.mean, np.full(int(fitted.sum()), float(self.has_intercept))])
        wanted = np.append(2.0 * self.alpha * at.coef, 0.0)
        wanted[:-1] -= np.asarray(self.X.T @ (self.s * v)) - self.mean * float(self.s @ v)
        wanted[-1] -= float(self.s @ v) * float(self.has_intercept)
        v[fitted] = np.linalg.lstsq((rows * self.s[fitted, None]).T, wanted, rcond=None)[0]
        return v

    def gap(self, at: HuberPoint) -> float:
        """The gap up to rounding; infinite without a penalty."""
        if self.alpha == 0.0:
            return math.inf
        v, slope = self.dual_point(at)
        dual = float((self.s * v) @ self.y) - float(slope @ slope) / (4.0 * self.alpha)
        return at.value - dual

    def evidence(self, found: HuberPoint) -> tuple[GapEvidence, Array]:
        """What is certified about a point as it is stored, and the dual point; rounding errors included."""
        v, slopes = self.dual_point(found)
        at = self.in_use(found.coef, self.intercept(found), found.scale)
        weighted = self.s * v
        chain = gamma(len(self.y) + len(at.coef) + 32)
        lengths = self._lengths()
        slope_error = chain * float(np.abs(weighted) @ (lengths + 2.0 * np.linalg.norm(self.mean)))
        slope = float(np.linalg.norm(slopes))
        dual, rounding = -math.inf, 0.0
        if self.alpha > 0.0:
            dual = float(weighted @ self.y) - slope**2 / (4.0 * self.alpha)
            rounding = (2.0 * slope * slope_error + slope_error**2) / (4.0 * self.alpha)
            if self.has_intercept:
                height = float(np.abs(self.y).max(initial=0.0))
                height += float(lengths.max(initial=0.0)) * math.sqrt(at.value / self.alpha)
                rounding += abs(math.fsum(weighted)) * height
        size = np.abs(self.y) + (lengths + np.linalg.norm(self.mean)) * np.linalg.norm(at.coef) + abs(at.center)
        rounding += chain * (at.value + float(np.abs(weighted) @ np.abs(self.y)))
        rounding += chain * 2.0 * self.epsilon * float(self.s @ size)
        slip = center_error(self.intercept(at), self.means, at.coef)
        rounding += 2.0 * self.epsilon * slip * float(self.s.sum())
        none = self.at(np.zeros_like(at.coef), at.center if self.has_intercept else 0.0, at.scale)
        return GapEvidence(at.value, max(none.value, at.value), DualValue(dual, float(rounding))), v

    def _lengths(self) -> Array:
        """Upper bounds on |x_i - mean|."""
        if sparse.issparse(self.X):
            squares = np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel()
        else:
            squares = np.einsum("ij,ij->i", self.X, self.X)
        return np.sqrt(squares) + float(np.linalg.norm(self.mean))
