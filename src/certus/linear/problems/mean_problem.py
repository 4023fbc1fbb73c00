"""Regression of positive means with a logarithmic link: Poisson and gamma losses as smooth problems.

    P(w, b) = sum_i s_i l(y_i, x_i'w + b) + (alpha sum s / 2) |w|^2

with l = exp(f) - y f (Poisson) or l = f + y exp(-f) (gamma), plus a constant that makes it half the deviance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from certus.linear.design.design_matrix import DenseDesign, SparseDesign
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.newton import Point

Array = NDArray[np.float64]
ROUNDING = 64.0 * float(np.finfo(float).eps)


def saturated(loss: str, y: Array) -> Array:
    """What has to be added to the loss of every row so that it is 0 at the best score."""
    return np.asarray(xlogy(y, y) - y if loss == "poisson" else -1.0 - np.log(y), dtype=np.float64)


def unit_losses(loss: str, y: Array, scores: Array) -> Array:
    """Half the deviance of every row."""
    plain = np.exp(scores) - y * scores if loss == "poisson" else scores + y * np.exp(-scores)
    return plain + saturated(loss, y)


def null_score(y: Array, weights: Array | None) -> float:
    """The best constant score: the logarithm of the mean."""
    return float(np.log(np.average(y, weights=weights)))


def make_mean_problem(
    design: DenseDesign | SparseDesign,
    loss: str,
    y: NDArray[Any],
    weights: Array | None,
    *,
    alpha: float,
    fit_intercept: bool,
) -> SmoothProblem:
    """The problem for checked targets."""
    target = np.ascontiguousarray(y, dtype=np.float64)
    total = float(design.rows if weights is None else weights.sum())
    score = null_score(target, weights) if fit_intercept else 0.0
    losses = unit_losses(loss, target, np.full(len(target), score))
    # What rounding alone makes of a deviance of 0: no scale should be smaller.
    noise = ROUNDING * _sum(np.abs(saturated(loss, target)) + (1.0 + abs(score)) * (1.0 + target), weights)
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
        constant=float(_sum(saturated(loss, target), weights)),
    )


def start(problem: SmoothProblem) -> Point:
    """No coefficients, and the best intercept for that."""
    coef, center = problem.zero()
    if problem.has_intercept:
        center[0] = null_score(problem.target[:, 0], problem.weights)
    return coef, center


def _sum(values: Array, weights: Array | None) -> float:
    return float(values.sum() if weights is None else weights @ values)
