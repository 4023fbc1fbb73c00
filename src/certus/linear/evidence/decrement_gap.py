"""How far a logistic regression or one of means can be from the best one, by its Newton decrement.

Along any direction v the loss is generalized self-concordant: its third derivative is at most S times the second,
where S bounds how much v changes the difference of two scores of a row (Bach 2010, proposition 1). Hence, with
gradient g and Hessian H at our point, |v|_H = sqrt(v'Hv), decrement q = |g|_{H^-1} and S <= r |v|_H,

    P(w + v) >= P(w) + g'v + (exp(-S) + S - 1) |v|_H^2 / S^2,      so for q r < 1:

    P - min P <= q^2 / (2 (1 - q r)),        r^2 = max over rows and pairs of classes of |x (e_a - e_b)|^2_{H^-1}

and a minimizer exists. This needs no penalty; a ridge penalty is part of g and H, and helps where it is so weak that
the bound from strong convexity says nothing (then for one output only). Several classes are counted from the first
one, whose scores are 0. Without a penalty, columns that are constant (with an intercept) or equal to an earlier column
change nothing that can be reached, and are left out. Rounding errors of g are added to q; those of H are divided by
its least eigenvalue, in columns scaled to equal size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, softmax

from certus.guarantees.training import Decrement
from certus.linear.design.column_copies import different_columns
from certus.linear.design.moments import UNIT, gamma
from certus.linear.problems.smooth_problem import SmoothProblem

Array = NDArray[np.float64]
LARGEST_HESSIAN = 500  # unknowns up to which the explicit Hessian is made
LARGEST_WORK = 4_000_000_000  # multiplications that the Hessian may take
BLOCK = 4096  # rows handled at a time


@dataclass(frozen=True)
class _Rows:
    """The rows that count, in the columns that count; classes are counted from the second one."""

    X: Any
    mean: Array
    ones: bool
    residual: Array  # derivatives of the losses, weighted
    doubt: Array  # bound on the rounding errors of the residual, weighted
    curvature: Array  # second derivatives in one score, weighted
    probability: Array  # of the classes; second derivatives in two scores are -s p_a p_b
    weights: Array
    score_error: float  # the worst

    @property
    def unknowns(self) -> int:
        return self.residual.shape[1] * (self.X.shape[1] + self.ones)

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Blocks of centered rows, the constant last."""
        for start in range(0, self.X.shape[0], BLOCK):
            block = slice(start, start + BLOCK)
            part = self.X[block].toarray() if sparse.issparse(self.X) else self.X[block]
            part = part.astype(np.float64) - self.mean
            yield block, np.hstack([part, np.ones((len(part), 1))]) if self.ones else part


def decrement_at(problem: SmoothProblem, coef: Array, intercept: Array) -> Decrement | None:
    """The decrement at stored coefficients, or None if the bound does not apply or costs too much."""
    design, outputs = problem.design, problem.outputs
    widest = max(1, outputs - 1) * (design.columns + 1)
    if (problem.strength > 0.0 and outputs > 1) or widest > LARGEST_HESSIAN:
        return None
    if design.rows * widest**2 * max(1, outputs - 1) > LARGEST_WORK:
        return None
    rows = rows_at(problem, coef, intercept)
    if rows.unknowns == 0:
        return None
    found = solved(problem, coef, second_order(rows), design.rows)
    return None if found is None else found.decrement(reach_of(rows, found.root))


@dataclass(frozen=True)
class SecondOrder:
    """Hessian, gradient, a bound on the rounding errors of the gradient's entries, and the worst error of a score.

    Those of parts of the rows add up.
    """

    hessian: Array
    gradient: Array
    doubt: Array
    score_error: float

    def joined(self, other: SecondOrder) -> SecondOrder:
        """The sums over the rows of both."""
        return SecondOrder(
            self.hessian + other.hessian,
            self.gradient + other.gradient,
            self.doubt + other.doubt,
            max(self.score_error, other.score_error),
        )


@dataclass(frozen=True)
class Solved:
    """The decrement, and a root of the inverse Hessian to measure rows with."""

    size: float
    root: Array
    margin: float

    def decrement(self, reach: float) -> Decrement | None:
        """What is certified if no row is longer than ``reach``."""
        reach *= self.margin
        return Decrement(self.size, reach) if self.size * reach < 0.99 else None


def rows_at(problem: SmoothProblem, coef: Array, intercept: Array, *, copies: bool = False) -> _Rows:
    """The rows at these coefficients; ``copies``: whether copies of columns stay even without a penalty."""
    design = problem.design
    scores, lengths = design.scores_and_lengths(coef, intercept, problem.mean, np.ones(design.columns))
    longest = (lengths + float(np.linalg.norm(problem.mean))) * float(np.linalg.norm(coef))
    score_error = 2.0 * gamma(design.columns + 8) * (longest + float(np.abs(intercept).max(initial=0.0)))
    return _rows(problem, scores, score_error, copies)


def solved(problem: SmoothProblem, coef: Array, sums: SecondOrder, count: int) -> Solved | None:
    """The decrement from the sums over all rows; None if the Hessian is not safely positive definite."""
    hessian, gradient, doubt = (part.copy() for part in (sums.hessian, sums.gradient, sums.doubt))
    if problem.strength > 0.0:
        penalized = np.arange(coef.shape[1])
        hessian[penalized, penalized] += problem.strength
        gradient[penalized] += problem.strength * coef[0]
        doubt[penalized] += 4.0 * UNIT * problem.strength * np.abs(coef[0])
    diagonal = np.diag(hessian)
    if not (np.isfinite(hessian).all() and (diagonal > 0.0).all()):
        return None
    scale = np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(hessian / scale / scale[:, None])
    unknowns = len(hessian)
    error = unknowns * (4.0 * gamma(count + 16) + 64.0 * unknowns * UNIT)
    if values[0] <= 4.0 * error:
        return None
    # H is at least this share of the computed one: errors of its sums, and of the scores it was computed from.
    share = (1.0 - 2.0 * error / values[0]) * float(np.exp(-4.0 * sums.score_error))
    least = float(values[0]) * share
    if not least > np.finfo(float).tiny:  # the scores are known too roughly
        return None
    root = vectors / np.sqrt(values * share)
    margin = 1.0 + error / values[0]
    size = float(np.linalg.norm((gradient / scale) @ root)) * margin
    size += float(np.linalg.norm(doubt / scale)) / float(np.sqrt(least))
    return Solved(size, root / scale[:, None], float(margin))


def _rows(problem: SmoothProblem, scores: Array, score_error: Array, copies: bool) -> _Rows:
    weights = np.ones(len(scores)) if problem.weights is None else problem.weights
    rule = {"logistic": _of_two_classes, "multinomial": _of_classes}.get(problem.loss.name)
    if rule is not None:
        residual, curvature, probability = rule(problem.target[:, 0], scores)
    else:
        residual = problem.loss.derivative(problem.target, scores)
        curvature = problem.loss.curvature(problem.target, scores)
        probability = curvature
    # A score that is off by e moves a derivative by the curvature (below 1 for classes) times e, to first order.
    steepest = np.maximum(curvature, 1.0 if rule is not None else np.abs(residual) + np.abs(problem.target) + 1.0)
    doubt = 1.01 * score_error[:, None] * steepest + 16.0 * UNIT * steepest
    doubt += gamma(len(scores) + 16) * np.abs(residual)
    some = np.flatnonzero(weights)
    X, counted = problem.design.X[some], weights[some, None]
    if copies or problem.strength > 0.0:  # a penalty tells copies apart
        kept = np.arange(X.shape[1])
    else:
        kept = different_columns(X, constant_counts=not problem.has_intercept)
    return _Rows(
        X[:, kept],
        problem.mean[kept],
        problem.has_intercept,
        counted * residual[some],
        counted * doubt[some],
        counted * curvature[some],
        probability[some],
        weights[some],
        float(score_error.max(initial=0.0)),
    )


def _of_two_classes(codes: Array, scores: Array) -> tuple[Array, Array, Array]:
    p = expit(scores)
    return p - codes[:, None], p * expit(-scores), p


def _of_classes(codes: Array, scores: Array) -> tuple[Array, Array, Array]:
    p = softmax(scores, axis=1)
    others = p @ (1.0 - np.eye(p.shape[1]))  # 1 - p with all its digits
    residual = p - (codes[:, None] == np.arange(p.shape[1]))
    return residual[:, 1:], (p * others)[:, 1:], p[:, 1:]


def second_order(rows: _Rows) -> SecondOrder:
    """The sums over the rows."""
    free = rows.residual.shape[1]
    width = rows.unknowns // free
    hessian = np.zeros((rows.unknowns, rows.unknowns))
    gradient, doubt = np.zeros(rows.unknowns), np.zeros(rows.unknowns)
    for block, table in rows.blocks():
        gradient += (rows.residual[block].T @ table).ravel()
        doubt += (rows.doubt[block].T @ np.abs(table)).ravel()
        p, s = rows.probability[block], rows.weights[block]
        for a in range(free):
            for b in range(a + 1):
                curvature = rows.curvature[block, a] if a == b else -s * p[:, a] * p[:, b]
                part = table.T @ (curvature[:, None] * table)
                hessian[a * width : (a + 1) * width, b * width : (b + 1) * width] += part
    return SecondOrder(np.tril(hessian) + np.tril(hessian, -1).T, gradient, doubt, rows.score_error)


def reach_of(rows: _Rows, root: Array) -> float:
    """The largest length of x (e_a - e_b) in the inverse Hessian, root root'."""
    free = rows.residual.shape[1]
    width = rows.unknowns // free
    largest = 0.0
    for _, table in rows.blocks():
        images = [np.zeros(1)] + [table @ root[a * width : (a + 1) * width] for a in range(free)]
        for a in range(1, free + 1):
            for b in range(a):
                lengths = np.linalg.norm(np.atleast_2d(images[a] - images[b]), axis=1)
                largest = max(largest, float(lengths.max(initial=0.0)))
    return largest
