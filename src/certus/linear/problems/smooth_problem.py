"""A smooth loss plus a ridge penalty on the coefficients, in centered coordinates.

    P(W, c) = sum_i s_i l(y_i, W (x_i - m) + c) + (strength/2) |W|^2

m is the weighted mean of the columns. The intercept b = c - W m is not penalized, so P is the same function as
with uncentered columns, but its Hessian is far better conditioned. Without intercept, m = 0 and c stays 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.linear.design.design_matrix import DenseDesign, SparseDesign
from certus.losses import KnownLoss, Logistic, Multinomial

Array = NDArray[np.float64]


class ScoreOverflowError(ValueError):
    """Scores of some rows, or losses of them, are too large to be computed."""


@dataclass(frozen=True)
class Evaluation:
    """Value and gradient at a point. ``detail`` is what the direction rule needs (curvatures or a Hessian)."""

    value: float
    gradient: Array
    gradient_center: Array
    detail: Array


@dataclass(frozen=True)
class SmoothProblem:
    """The data of the objective.

    ``loss`` has a native twin with a curvature; ``target`` holds one number or the number of a class per row.
    ``constant`` is added to the objective; with it the objective is never negative. ``null`` is its value without
    coefficients, the scale of what counts as small.
    """

    design: DenseDesign | SparseDesign  # or a `BlockDesign`, which has of them what sums over rows need
    loss: KnownLoss
    target: Array
    weights: Array | None
    strength: float
    mean: Array
    has_intercept: bool
    outputs: int
    total_weight: float
    null: float
    constant: float = 0.0

    def intercept(self, coef: Array, center: Array) -> Array:
        """B of the uncentered model."""
        return center - coef @ self.mean

    @cached_property
    def spread(self) -> Array:
        """Rough standard deviations of the columns."""
        return self.design.spread(self.mean)

    @cached_property
    def radius(self) -> float:
        """Rough root mean square of the rows' distance to the mean."""
        return float(np.linalg.norm(self.spread))

    def zero(self) -> tuple[Array, Array]:
        """The starting point without anything better."""
        return np.zeros((self.outputs, self.design.columns), order=self.design.layout), np.zeros(self.outputs)

    def evaluate(self, coef: Array, center: Array) -> Evaluation:
        """Value, gradient, curvature of the rows."""
        value, gradient, total, curvature = self.design.loss_gradient(
            self.loss, self.target, self.weights, coef, self.intercept(coef, center)
        )
        return self.finished(value, gradient, total, curvature, coef)

    def evaluation_of(self, value: float, derivatives: Array, curvature: Array, coef: Array) -> Evaluation:
        """As `evaluate` for a sparse table whose losses at these coefficients are known already."""
        assert isinstance(self.design, SparseDesign)
        gradient, total = self.design.gradient_of(derivatives)
        return self.finished(value, gradient, total, curvature, coef)

    def evaluate_with_hessian(self, coef: Array, center: Array) -> Evaluation:
        """Value, gradient, and the Hessian of the loss in (W, c); dense tables and one output, or rows in blocks."""
        assert not isinstance(self.design, SparseDesign)
        value, gradient, total, hessian = self.design.newton_pass(
            self.loss, self.target, self.weights, coef, self.intercept(coef, center), self.mean
        )
        return self.finished(value, gradient, total, hessian, coef)

    def finished(self, value: float, gradient: Array, total: Array, detail: Array, coef: Array) -> Evaluation:
        """The evaluation from the sums over the rows; takes over the arrays."""
        self._center(gradient, total)
        gradient += self.strength * coef
        # A sum is finite only if all its terms are; the other way round only rounding can tell.
        summed = value + float(gradient.sum()) + float(detail.sum())
        if not (math.isfinite(summed) or all(np.isfinite(part).all() for part in (value, gradient, detail))):
            raise ScoreOverflowError(
                "Floating-point under-/overflow occurred: the scores of some rows are too large to be computed.\n"
                "Hint: scale the columns, for example with StandardScaler."
            )
        value += 0.5 * self.strength * float(np.linalg.norm(coef)) ** 2 + self.constant
        return Evaluation(value, gradient, total if self.has_intercept else np.zeros_like(total), detail)

    def _center(self, gradient: Array, total: Array) -> None:
        """Subtract total mean' in place, in the layout that the gradient has."""
        if gradient.flags.c_contiguous:
            gradient -= total[:, None] * self.mean
        else:
            turned = gradient.T
            turned -= self.mean[:, None] * total

    def hessian_product(self, curvature: Array, coef: Array, center: Array) -> tuple[Array, Array]:
        """Hessian of P times a direction."""
        product, total = self.design.hessian_product(
            self.loss, self.weights, curvature, coef, self.intercept(coef, center)
        )
        self._center(product, total)
        product += self.strength * coef
        return product, total if self.has_intercept else np.zeros_like(total)

    def neutral(self, coef: Array, center: Array) -> tuple[Array, Array]:
        """The equivalent point of least norm: adding one vector to all classes changes no probability."""
        if isinstance(self.loss, Multinomial):
            return coef - coef.mean(axis=0), center - center.mean()
        return coef, center


def make_problem(
    design: DenseDesign | SparseDesign,
    target: NDArray[Any],
    weights: Array | None,
    *,
    classes: int,
    strength: float,
    fit_intercept: bool,
) -> SmoothProblem:
    """The logistic problem of coded labels 0 .. classes-1."""
    mean = design.mean(weights) if fit_intercept else np.zeros(design.columns)
    total_weight = float(design.rows if weights is None else weights.sum())
    return SmoothProblem(
        design=design,
        loss=Logistic() if classes == 2 else Multinomial(),
        target=np.ascontiguousarray(target.reshape(-1, 1), dtype=np.float64),
        weights=weights,
        strength=strength,
        mean=mean,
        has_intercept=fit_intercept,
        outputs=1 if classes == 2 else classes,
        total_weight=total_weight,
        null=total_weight * float(np.log(classes)),
    )
