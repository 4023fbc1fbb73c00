"""Duality gap of a linear model with the squared or logistic loss and a penalty on the lengths of groups.

    P(w, c) = sum_i s_i l(y_i, x_i'w + c) + sum_g l1_g |w_g|  >=  - sum_i s_i l*(y_i, u_i)

for every u with sum_i s_i u_i = 0 (if there is an intercept) and |sum_i s_i u_i x_ig| <= l1_g for all groups
(Rockafellar 1970, theorem 31.1). We take the losses' derivatives at the scores, the larger side of them shrunk so that
the sum vanishes, times the factor that makes them feasible. What rounding leaves of the sum costs its product with the
intercept of the optimum, which the objective bounds: its coefficients are at most P / min l1 long.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.design_matrix import SparseDesign
from certus.linear.design.moments import gamma
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.losses import GroupL2, Squared

Array = NDArray[np.float64]


def group_evidence(problem: SmoothProblem, penalty: GroupL2, coef: Array, intercept: Array) -> GapEvidence:
    """Evidence for the coefficients (1 x d) and the intercept as they are stored, per unit of weight."""
    design, y, loss = problem.design, problem.loss.from_codes(problem.target[:, 0]), problem.loss
    weights = np.ones(design.rows) if problem.weights is None else problem.weights
    scores, lengths = design.scores_and_lengths(coef, intercept, problem.mean, np.ones(design.columns))
    f, size, offset = scores[:, 0], float(np.linalg.norm(coef)), float(np.linalg.norm(problem.mean))
    score_error = 2.0 * gamma(design.columns + 8) * ((lengths + offset) * size + abs(float(intercept[0])) + np.abs(y))
    losses, u = loss.value(y, f), loss.derivative(y, f)
    if problem.has_intercept:
        u = _balanced(u, weights)
    residual = weights * u
    left = math.fsum(residual) if problem.has_intercept else 0.0
    reach = penalty.lengths(_products(problem, residual)) / (penalty.strength * penalty.factors)
    scale = _scale(problem, y, u, weights, float(reach.max(initial=0.0)))
    conjugates = loss.conjugate(y, scale * u)
    primal = float(weights @ losses) + penalty.value(coef[0])
    chain = gamma(design.rows + 64)
    rounding = float(np.abs(residual) @ score_error) + float(weights @ score_error**2)
    rounding += chain * (2.0 * primal + float(weights @ (np.abs(conjugates) + np.abs(u) * (np.abs(f) + np.abs(y)))))
    rounding += (
        scale * abs(left) * _intercept_bound(problem, penalty, y, weights, primal, float(lengths.max(initial=0.0)))
    )
    total = problem.total_weight
    bound = DualValue(-float(weights @ conjugates) / total, rounding / total)
    return GapEvidence(primal / total, problem.null / total, bound)


def _balanced(u: Array, weights: Array) -> Array:
    """The larger side shrunk, so that the weighted sum vanishes; 0 is in the domain of every conjugate."""
    up, down = float(weights @ np.maximum(u, 0.0)), -float(weights @ np.minimum(u, 0.0))
    if up == 0.0 or down == 0.0:
        return np.zeros_like(u)
    return u * np.where(u > 0.0, min(1.0, down / up), min(1.0, up / down))


def _products(problem: SmoothProblem, residual: Array) -> Array:
    """Upper bounds on |r'(x_j - m_j)| for all columns."""
    design = problem.design
    # The squared loss at zero coefficients with target -r and no weights has the gradient X'r.
    nothing, target = np.zeros((1, design.columns)), np.ascontiguousarray(-residual[:, None])
    _, products, total, _ = design.loss_gradient(Squared(), target, None, nothing, np.zeros(1))
    if isinstance(design, SparseDesign):
        columns = np.sqrt(np.asarray(design.X.multiply(design.X).sum(axis=0), dtype=np.float64).ravel())
    else:
        columns = np.sqrt(np.einsum("ij,ij->j", design.X, design.X, dtype=np.float64))
    length = float(np.linalg.norm(residual)) * (1.0 + 1e-12)
    error = (
        gamma(design.chain(1) + 16) * length * (columns * (1.0 + 1e-12) + math.sqrt(design.rows) * np.abs(problem.mean))
    )
    return np.abs(products[0] - total[0] * problem.mean) + error


def _scale(problem: SmoothProblem, y: Array, u: Array, weights: Array, reach: float) -> float:
    """The factor of the dual point: the best one for the squared loss, else 1, as far as it is feasible."""
    best = 1.0
    if isinstance(problem.loss, Squared):
        square = float(weights @ u**2)
        best = max(-float((weights * u) @ y) / square, 0.0) if square > 0.0 else 0.0
    return min(best, (1.0 - 1e-14) / reach) if reach > 0.0 else best


def _intercept_bound(
    problem: SmoothProblem, penalty: GroupL2, y: Array, weights: Array, primal: float, longest: float
) -> float:
    """A bound on the optimum's intercept in centered columns.

    Its coefficients move no score by more than ``travel``. The squared loss puts it within sqrt(2 P / S) of the mean
    target, up to that; the logistic one makes the rows of a class cost at least their weight times its size.
    """
    travel = longest * primal / (penalty.strength * float(penalty.factors.min(initial=np.inf)))
    if isinstance(problem.loss, Squared):
        return travel + float(np.abs(y).max(initial=0.0)) + math.sqrt(2.0 * primal / problem.total_weight)
    sides = [float(weights @ (y > 0.0)), float(weights @ (y < 0.0))]
    return travel + primal / min(sides) if min(sides) > 0.0 else math.inf
