"""Regression of means by a loss that is half a deviance (Poisson, gamma, Tweedie) as a smooth problem.

P(w, b) = sum_i s_i l(y_i, x_i'w + b) + (alpha sum s / 2) |w|^2
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.linear.design.design_matrix import DenseDesign, SparseDesign
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.newton import Point
from certus.losses import KnownLoss

Array = NDArray[np.float64]
ROUNDING = 64.0 * float(np.finfo(float).eps)


def make_mean_problem(
    design: DenseDesign | SparseDesign,
    loss: KnownLoss,
    y: NDArray[Any],
    weights: Array | None,
    *,
    alpha: float,
    fit_intercept: bool,
) -> SmoothProblem:
    """The problem for checked targets."""
    target = np.ascontiguousarray(y, dtype=np.float64)
    total = float(design.rows if weights is None else weights.sum())
    score = loss.best_constant(target, weights) if fit_intercept else 0.0
    losses, constant = loss.value(target, np.full(len(target), score)), loss.constant(target)
    # What rounding alone makes of a deviance of 0: no scale should be smaller.
    noise = ROUNDING * _sum(np.abs(constant) + (1.0 + abs(score)) * (1.0 + target), weights)
    return SmoothProblem(
        design=design,
        loss=loss,
        target=target[:, None],
        weights=weights,
        strength=alpha * total,
        mean=design.mean(weights) if fit_intercept else np.zeros(design.columns),
        has_intercept=fit_intercept,
        outputs=1,
        total_weight=total,
        null=max(_sum(losses, weights), noise),
        constant=_sum(constant, weights),
    )


def start(problem: SmoothProblem) -> Point:
    """No coefficients, and the best intercept for that."""
    coef, center = problem.zero()
    if problem.has_intercept:
        center[0] = problem.loss.best_constant(problem.target[:, 0], problem.weights)
    return coef, center


def _sum(values: Array, weights: Array | None) -> float:
    return float(values.sum() if weights is None else weights @ values)
