"""Duality gap of logistic regression with an L1 or elastic-net penalty.

Any probabilities u (rows x classes) with the right class totals, sum_i s_i u_i = sum_i s_i y_i, are a dual point: with
r = s (u - y) and H the entropy,

    min P >= sum_i s_i H(u_i) - sum_kj (|r_k'x_j| - l1)_+^2 / (2 l2)

where without l2 the last term asks for |r_k'x_j| <= l1 instead (Rockafellar 1970, theorem 31.1). We take the mixture
u = (1 - q) y + q p with the model's probabilities p and a share q that makes it feasible. Totals that are off by g
are put right in one row whose probabilities leave room for it; that changes the products by |g_k| |x_ij - m_j| and
the entropy by little. If there is no such row, they cost |g|_1 B, where B bounds the optimal intercepts. It does not
matter how accurate p is: r is what it is, only the products with it have rounding errors.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax, xlogy

from certus.guarantees.training import DualValue
from certus.linear._native_calls import smooth_kernels
from certus.linear.design.design_matrix import SparseDesign
from certus.linear.design.moments import gamma
from certus.linear.evidence.logistic_gap import LogisticEvidence, center_bend, center_reach, count_undecided, row_facts
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.losses import Squared

Array = NDArray[np.float64]


def probabilities(problem: SmoothProblem, scores: Array) -> Array:
    """One column (of the second class) for two classes, else one per class."""
    return expit(scores) if problem.outputs == 1 else softmax(scores, axis=1)


def _one_hot(problem: SmoothProblem) -> Array:
    if problem.outputs == 1:
        return problem.target
    return np.eye(problem.outputs)[problem.target[:, 0].astype(np.intp)]


def _entropy(problem: SmoothProblem, mixture: Array) -> float:
    entropy = -xlogy(mixture, mixture).sum(axis=1)
    if problem.outputs == 1:
        entropy -= xlogy(1.0 - mixture, 1.0 - mixture)[:, 0]
    return float(entropy.sum() if problem.weights is None else problem.weights @ entropy)


def _dual(
    problem: SmoothProblem, p: Array, products: Array, l1: float, cost: Callable[[float], float] | None = None
) -> tuple[float, float]:
    """The best dual value over the shares that are tried, and the share; ``products`` bounds |X'r| of the share 1.

    ``cost(share)`` is what has to be subtracted because the totals are not exactly right.
    """
    largest = float(products.max(initial=0.0))
    feasible = (1.0 if largest <= l1 else l1 / largest) * (1.0 - 1e-15)
    values = []
    for share in (feasible, 1.0) if problem.strength > 0.0 else (feasible,):
        mixture = p if share == 1.0 else (1.0 - share) * _one_hot(problem) + share * p
        value = _entropy(problem, mixture) - (0.0 if cost is None else cost(share))
        if problem.strength > 0.0:
            value -= float(np.sum(np.maximum(share * products - l1, 0.0) ** 2)) / (2.0 * problem.strength)
        values.append((value, share))
    return max(values)


def estimated_gap(
    problem: SmoothProblem, l1: float, objective: float, loss_gradient: Array, scores: Array
) -> tuple[float, float]:
    """The gap up to rounding, for stopping, and the share q of the dual point.

    The intercepts must be the best ones for the coefficients.
    """
    dual, share = _dual(problem, probabilities(problem, scores), np.abs(loss_gradient), l1)
    return objective - dual, share


def may_be_used(l1: float, gap: float, share: float, loss_gradient: Array, lengths: Array) -> NDArray[np.bool_]:
    """The columns that some optimum may use, by the gap-safe sphere test (Ndiaye et al. 2017, theorem 6).

    The entropy of a row has curvature at least 4 in the probability of each class, so the best dual point r* is within
    sqrt(gap / 2) of ours, where rows are measured in units of sqrt(s). A column with |r_k*'x_j| < l1 for all k has no
    coefficient other than 0. ``lengths`` are those of the columns, rows multiplied by sqrt(s).
    """
    reach = math.sqrt(max(gap, 0.0) / 2.0) * lengths
    largest = np.abs(loss_gradient).max(axis=0)
    return np.asarray(share * largest + reach >= (1.0 - 1e-9) * l1)


def elastic_net_evidence(problem: SmoothProblem, l1: float, coef: Array, intercept: Array) -> LogisticEvidence:
    """Evidence for the coefficients (K x d) and intercepts as they are stored, rounding errors included."""
    center = intercept + coef @ problem.mean if problem.has_intercept else intercept
    rows = row_facts(problem, coef, intercept)
    objective = problem.evaluate(coef, center).value + l1 * float(np.abs(coef).sum())
    p = probabilities(problem, rows.scores)
    residual = p - _one_hot(problem)
    if problem.weights is not None:
        residual *= problem.weights[:, None]
    products, off = _exact_products(problem, residual)
    radius = float(rows.lengths.max(initial=0.0))
    totals = float(np.abs(off).sum()) * (1.0 + 1e-15)
    reach = center_reach(center_bend(problem, rows.curvature), totals) if problem.has_intercept else 0.0
    products, cost = _put_right(problem, p, products, off)
    if cost is None:
        factor = max(1, 2 * (problem.outputs - 1))
        travel = factor * radius * (float(np.abs(coef).sum()) + objective / l1)
        far = totals * (float(np.abs(center).max()) + reach + travel)
        cost = functools.partial(float.__mul__, far)
    chain = gamma(problem.design.chain(problem.outputs) + 64)
    weighted_error = rows.score_error.sum() if problem.weights is None else problem.weights @ rows.score_error
    evidence = LogisticEvidence(
        objective,
        problem.total_weight * float(np.log(max(2, problem.outputs))),
        DualValue(
            _dual(problem, p, products, l1, cost)[0],
            float(chain * (2.0 * objective + 4.0 * problem.total_weight) + weighted_error),
        ),
    )
    if problem.strength <= 0.0:
        return evidence  # only the ridge part of the penalty bounds the distance to the optimum
    distance = float(np.sqrt(2.0 * evidence.gap / problem.strength)) * (1.0 + 1e-12)
    undecided = count_undecided(problem, rows, distance, reach, radius)
    return replace(evidence, undecided=undecided, distance=distance)


def _put_right(
    problem: SmoothProblem, p: Array, products: Array, off: Array
) -> tuple[Array, Callable[[float], float] | None]:
    """Bounds on the products after one row has taken up what the totals are off by, and the price in entropy.

    No price (None) and unchanged products if no row has room. For |d| <= u / 2 the function -u log u changes by at
    most |d| (|log u| + 2).
    """
    if not problem.has_intercept or not off.any():
        return products, functools.partial(float.__mul__, 0.0)
    least = np.minimum(p, 1.0 - p)[:, 0] if problem.outputs == 1 else p.min(axis=1)
    room = least if problem.weights is None else problem.weights * least
    row = int(room.argmax())
    largest = float(np.abs(off).max()) * (1.0 + 1e-12)
    if not largest <= 0.25 * float(room[row]):
        return products, None
    design = problem.design
    values = design.X[[row]].toarray()[0] if isinstance(design, SparseDesign) else design.X[row]
    moved = np.outer(np.abs(off), np.abs(values.astype(np.float64) - problem.mean))
    amount = 2.0 * float(np.abs(off).sum()) * (1.0 + 1e-12)

    def price(share: float) -> float:
        floor = max(share * float(least[row]), 1e-300)
        return share * amount * (2.0 + abs(math.log(floor)))

    return products + moved * (1.0 + 1e-12), price


def _exact_products(problem: SmoothProblem, residual: Array) -> tuple[Array, Array]:
    """Upper bounds on |r_k'(x_j - m_j)| for all k, j, and the sums of r_k over the rows (exactly rounded)."""
    design = problem.design
    # The squared loss at zero coefficients with target -r and no weights has the gradient X'r.
    nothing, none = np.zeros((problem.outputs, design.columns)), np.zeros(problem.outputs)
    _, products, _, _ = design.loss_gradient(Squared(), np.ascontiguousarray(-residual), None, nothing, none)
    totals = np.array([math.fsum(column) for column in residual.T])
    chain = gamma(design.chain(problem.outputs) + 8)
    error = chain * np.outer(np.linalg.norm(residual, axis=0), _column_lengths(problem))
    bound = np.abs(products - np.outer(totals, problem.mean)) + error
    bound += 4.0 * np.finfo(float).eps * np.outer(np.abs(totals), np.abs(problem.mean))
    return bound, totals


def _column_lengths(problem: SmoothProblem) -> Array:
    design = problem.design
    if isinstance(design, SparseDesign):
        return np.sqrt(smooth_kernels.sparse_squares(design.transposed, np.ones(design.rows), design.threads))
    return np.sqrt(np.einsum("ij,ij->j", design.X, design.X, dtype=np.float64))
