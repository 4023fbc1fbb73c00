"""How far a least-squares or ridge solution can be from the best one: the certificate of its optimality gap.

The objective P is quadratic with half-gradient g (in centered coordinates) and half-Hessian A = gram + alpha I, so

    P(w, b) - min P = g'A^-1 g + W (b - b(w))^2  <=  |S^-1 g|^2 / m + (sum of residuals)^2 / W

where m is a verified lower bound on the least eigenvalue of S^-1 A S^-1 (always possible: S = I, m = alpha). With
coefficients bound to be >= 0, components of g that only push against the bound do not count. Bounds on rounding
errors are added to g before it is squared. Nothing beats P >= 0, so P itself also bounds the gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import GapEvidence, ScaledGradient
from certus.linear.design.block_design import BlockDesign
from certus.linear.design.column_copies import different_columns
from certus.linear.design.design_matrix import DenseDesign, SparseDesign, make_design
from certus.linear.design.moments import UNIT, Moments, compute_moments, gamma
from certus.linear.solvers.least_squares import Problem, Solution
from certus.linear.solvers.normal_equations import ScaledCholesky
from certus.losses import Squared

Array = NDArray[np.float64]


@dataclass(frozen=True)
class QuadraticEvidence(GapEvidence):
    """What the certificate rests on. Norms are of S^-1 g / sqrt(m).

    ``metric`` is S sqrt(m): |metric (w - w*)| <= distance for every target.
    """

    bound: ScaledGradient
    metric: Array | None

    @property
    def distance(self) -> float:
        """Bound on |metric (w - w*)|."""
        return (self.bound.gradient_norm + self.bound.gradient_error) * (1.0 + 4.0 * UNIT)


def quadratic_evidence(
    problem: Problem, solution: Solution, coef: Array, intercept: Array, *, positive: bool = False
) -> QuadraticEvidence:
    """Evidence for the coefficients (t x d) and intercepts as they are stored."""
    design = make_design(problem.X, problem.threads)
    moments = solution.moments
    if moments is not None:
        gradient, error = _gradient_from_moments(problem, moments, coef)
        off = np.abs(intercept - (moments.mean_y - coef @ moments.mean_x)) if problem.center else 0.0
        slip = _intercept_rounding(moments, coef, intercept)
        intercept_gap = float(np.sum(moments.weight * (off + slip) ** 2)) if problem.center else 0.0
        objective, at_zero = _objectives_from_moments(problem, moments, coef)
        objective += intercept_gap
    else:
        gradient, error, intercept_gap, objective, at_zero = _from_residuals(problem, design, solution, coef, intercept)
    if positive:
        blocked = (coef <= 0.0) & (gradient > 0.0)
        gradient, error = (
            np.where(blocked, 0.0, gradient),
            np.where(blocked, np.maximum(error - gradient, 0), error),
        )
    metric = _metrics(problem, solution, gradient, error)
    norm, doubt = np.inf, 0.0
    if metric is not None:
        norm, doubt = (float(np.linalg.norm(part / metric)) for part in (gradient, error))
    elif not positive:
        kept, reduced = _metric_without_copies(problem)
        if kept is not None and reduced is not None:
            norm, doubt = (float(np.linalg.norm(part[:, kept] / reduced)) for part in (gradient, error))
    return QuadraticEvidence(objective, at_zero, ScaledGradient(norm, doubt, intercept_gap), metric)


def _gradient_from_moments(problem: Problem, moments: Moments, coef: Array) -> tuple[Array, Array]:
    """Half-gradient (t x d) and a bound on its rounding error, entry by entry."""
    penalty = problem.alphas[:, None] * coef
    gradient = coef @ moments.gram - moments.cross.T + penalty
    size = moments.column_size
    from_moments = moments.error * np.outer(np.abs(coef) @ size + moments.target_size, size)
    terms = np.abs(coef) @ np.abs(moments.gram) + np.abs(moments.cross.T) + np.abs(penalty)
    return gradient, from_moments + gamma(len(size) + 4) * terms


def _intercept_rounding(moments: Moments, coef: Array, intercept: Array) -> Array:
    """Rounding error of mean_y - coef mean_x, the means' own error included."""
    magnitude = np.abs(moments.mean_y) + np.abs(coef) @ np.abs(moments.mean_x) + np.abs(intercept)
    spread = (moments.target_size + np.abs(coef) @ moments.column_size) / np.sqrt(moments.weight)
    return gamma(len(moments.mean_x) + 8) * magnitude + moments.error * spread


def _objectives_from_moments(problem: Problem, moments: Moments, coef: Array) -> tuple[float, float]:
    quadratic = np.einsum("kd,kd->k", coef @ moments.gram - 2.0 * moments.cross.T, coef)
    penalty = problem.alphas * np.einsum("kd,kd->k", coef, coef)
    at_zero = float(moments.target_squares.sum())
    noise = moments.error * float(np.sum((moments.target_size + np.abs(coef) @ moments.column_size) ** 2))
    fit = np.maximum(moments.target_squares + quadratic, 0.0)
    return float(np.sum(fit + penalty)) + noise, at_zero


def _from_residuals(
    problem: Problem,
    design: DenseDesign | SparseDesign | BlockDesign,
    solution: Solution,
    coef: Array,
    intercept: Array,
) -> tuple[Array, Array, float, float, float]:
    """Gradient, its rounding bound, the intercept's share of the gap, the objective, and that of zero."""
    mean = solution.mean_x
    shift = np.zeros(design.columns) if problem.shift is None else problem.shift
    offset = intercept + coef @ shift  # what the caller's intercept is for the shifted table
    value, gradient, total, _ = design.loss_gradient(Squared(), problem.Y, problem.weights, coef, offset)
    gradient = gradient - np.outer(total, mean) + problem.alphas[:, None] * coef
    weight, size, squares, at_zero = _sizes(problem, design, solution)
    size = size + np.abs(shift) * np.sqrt(weight)  # of the caller's columns
    target = np.sqrt(squares)
    magnitude = target + np.abs(coef) @ size + np.abs(intercept) * np.sqrt(weight)
    fitted = gamma(design.columns + 4) * magnitude  # error of the residuals, as a vector of all rows
    residual = np.sqrt(2.0 * value) + fitted
    chain = gamma(design.chain(len(coef)) + 8)
    centered = size + np.abs(mean) * np.sqrt(weight)
    error = np.outer(chain * residual + fitted, centered) + 4.0 * UNIT * np.abs(problem.alphas[:, None] * coef)
    intercept_gap = 0.0
    if problem.center:
        slip = np.abs(total) + np.sqrt(weight) * (chain * residual + fitted)
        intercept_gap = float(np.sum(slip**2)) / weight
    penalty = float(problem.alphas @ np.einsum("kd,kd->k", coef, coef))
    objective = (np.sqrt(2.0 * value) * (1.0 + chain) + float(np.linalg.norm(fitted))) ** 2 + penalty
    return gradient, error, intercept_gap, float(objective), at_zero


def _sizes(
    problem: Problem, design: DenseDesign | SparseDesign | BlockDesign, solution: Solution
) -> tuple[float, Array, Array, float]:
    """The weight of all rows, lengths of columns, squares of targets, and the objective without coefficients."""
    if isinstance(design, BlockDesign):
        moments = design.moments
        return moments.weight, design.column_sizes(), design.target_squares(), float(moments.target_squares.sum())
    weight = float(design.rows if problem.weights is None else problem.weights.sum())
    at_zero = float(_weighted_squares(problem, problem.Y - solution.mean_y).sum())
    return weight, _column_sizes(problem, design), _weighted_squares(problem, problem.Y), at_zero


def _column_sizes(problem: Problem, design: DenseDesign | SparseDesign) -> Array:
    """Root of the weighted sum of squares of every column."""
    weights = np.ones(design.rows) if problem.weights is None else problem.weights
    if isinstance(design, SparseDesign):
        squared = design.transposed.copy()
        squared.data = squared.data.astype(np.float64) ** 2
        return np.sqrt(squared @ weights)
    return np.sqrt(np.einsum("i,ij,ij->j", weights, design.X, design.X, dtype=np.float64))


def _weighted_squares(problem: Problem, values: Array) -> Array:
    squares = values * values
    return squares.sum(axis=0) if problem.weights is None else problem.weights @ squares


def _metrics(problem: Problem, solution: Solution, gradient: Array, error: Array) -> Array | None:
    """S sqrt(m) for every target (t x d or t x 1): the choice that gives the smaller gap; None if there is none."""
    metrics = np.zeros((len(gradient), max(1, gradient.shape[1])))
    known: dict[float, Array] = {}
    for k, alpha in enumerate(problem.alphas.tolist()):
        plain = np.full(metrics.shape[1], np.sqrt(alpha))
        if alpha not in known:
            known[alpha] = _scaled_metric(solution, alpha)
        slope = np.abs(gradient[k]) + error[k]
        candidates = [metric for metric in (plain, known[alpha]) if len(metric) and (metric > 0.0).all()]
        if not candidates:
            return None
        metrics[k] = min(candidates, key=lambda metric: float(np.linalg.norm(slope / metric)))
    return metrics


def _metric_without_copies(problem: Problem) -> tuple[NDArray[np.intp] | None, Array | None]:
    """Columns that reach all that the table reaches, and S sqrt(m) for them; None if they are not independent.

    Copies of a column and constants beside an intercept make the matrix singular without making the problem hard.
    """
    if problem.alphas.any() or problem.is_sparse or isinstance(problem.X, BlockDesign):
        return None, None
    kept = different_columns(problem.X, constant_counts=not problem.center)
    if len(kept) == 0:
        return kept, np.empty(0)
    if len(kept) >= problem.X.shape[0]:
        return None, None
    table = np.ascontiguousarray(problem.X[:, kept])
    empty = np.empty((problem.X.shape[0], 0))
    moments = compute_moments(table, empty, problem.weights, center=problem.center, threads=problem.threads)
    if moments is None:
        return None, None
    factor = ScaledCholesky(moments.gram, 0.0)
    least = 0.0
    if factor.rcond > 0.0:
        error = moments.error + 8.0 * UNIT  # the second part: columns that were centered before
        least = factor.smallest_eigenvalue(np.sqrt(error) * moments.column_size / factor.scale)
    return kept, factor.scale * np.sqrt(least) if least > 0.0 else None


def _scaled_metric(solution: Solution, alpha: float) -> Array:
    moments = solution.moments
    if moments is None or len(moments.gram) == 0:
        return np.empty(0)
    factor = solution.factors.get(alpha) or ScaledCholesky(moments.gram, alpha)
    if factor.rcond <= 0.0:
        return np.empty(0)
    least = factor.smallest_eigenvalue(np.sqrt(moments.error) * moments.column_size / factor.scale)
    return factor.scale * np.sqrt(least)
