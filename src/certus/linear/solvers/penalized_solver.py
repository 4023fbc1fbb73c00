"""Solves paths of elastic-net problems by the method that shape and penalty ask for.

Tall tables: coordinate descent on their Gram matrix. Others: working sets of columns. Without an L1 part the problem
is ridge regression, which has direct solutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.linear._native_calls.path_kernels import MANY, PathPenalties, PathRun, gram_path
from certus.linear.design.design_matrix import SMALL
from certus.linear.problems.penalized_problem import PenalizedProblem
from certus.linear.solvers import least_squares
from certus.linear.solvers.least_squares import Problem

Array = NDArray[np.float64]
GRAM_WIDTH = 1000  # columns up to which a tall table is solved through its Gram matrix
GRAM_WIDTH_PATH = 4000  # the same if a whole path shares it
GRAM_ACCURACY = 1e-12  # gaps below this share of |Y|^2 cannot be told from a Gram matrix


@dataclass(frozen=True)
class Effort:
    """When to stop: gap as a share of |Y|^2, sweeps, and the order of the coordinates."""

    share: float
    max_iter: int
    random: bool = False
    seed: int = 0


def solve_path(
    problem: PenalizedProblem,
    alphas: Array,
    l1_ratio: float,
    effort: Effort,
    *,
    positive: bool = False,
    start: Array | None = None,
    gram: Array | bool | None = None,
    max_rounds: int = MANY,
) -> PathRun:
    """Coefficients (points x columns x targets) for every alpha, warm-started from one to the next.

    The problem must be prepared. ``gram``: a Gram matrix to be used instead of the problem's own form. Gaps and
    objectives are those of the learners' objective times the total weight. ``max_rounds``: working sets that are
    solved at most for a point.
    """
    l1, l2 = problem.weight * alphas * l1_ratio, problem.weight * alphas * (1.0 - l1_ratio)
    start = np.zeros((problem.columns, problem.targets)) if start is None else start
    if not (l1 > 0.0).all():
        return _ridge_path(problem, l2, positive)
    wanted = effort.share * problem.target_squares
    penalties = PathPenalties(l1, l2, positive, wanted, effort.max_iter, effort.random, effort.seed, max_rounds)
    if isinstance(gram, np.ndarray):
        cross = np.ascontiguousarray(problem.table.products(problem.target).T)
        return gram_path(gram, cross, problem.target_squares, start, penalties)
    if problem.has_moments:
        moments = problem.moments
        cross = np.ascontiguousarray(moments.cross.T)
        return gram_path(moments.gram, cross, float(moments.target_squares.sum()), start, penalties)
    return problem.table.path(problem.target, start, penalties)


def prepare(problem: PenalizedProblem, points: int, effort: Effort, gram: Array | bool | None) -> None:
    """Bring the table into the form that suits a path of so many points; raises `NotFiniteError`."""
    tall = problem.rows >= 2 * problem.columns
    widest = GRAM_WIDTH_PATH if points > 1 and not sparse.issparse(problem.X) else GRAM_WIDTH
    # One problem of a small table is solved sooner than the moments are computed.
    worth = points > 1 or sparse.issparse(problem.X) or problem.X.size > SMALL
    suits = tall and worth and problem.columns <= widest and effort.share > GRAM_ACCURACY
    by_gram = gram is True or (suits and not isinstance(gram, np.ndarray))
    problem.bring_into_form("moments" if by_gram else "table")


def _ridge_path(problem: PenalizedProblem, l2: Array, positive: bool) -> PathRun:
    """Direct solutions: F is half the objective of ridge regression with penalty l2."""
    points = len(l2)
    coefs = np.empty((points, problem.columns, problem.targets))
    for k, strength in enumerate(l2):
        alphas = np.full(problem.targets, strength)
        plain = Problem(problem.X, problem.Y, problem.weights, alphas, problem.center, problem.threads)
        coefs[k] = _ridge(plain, positive).coef.T
    return PathRun(coefs, np.zeros(points), np.zeros(points), np.ones(points, dtype=np.int64))


def _ridge(problem: Problem, positive: bool) -> least_squares.Solution:
    if positive:
        return least_squares.nonnegative(problem)
    if not problem.alphas.any():
        return least_squares.ordinary(problem, 1e-12)
    rows, columns = problem.X.shape
    if problem.is_sparse and columns > least_squares.SMALL_WIDTH:
        return least_squares.by_lsqr(problem, tol=1e-12, max_iter=None)
    solution = least_squares.by_cholesky(problem) if rows >= columns else least_squares.by_dual(problem)
    return least_squares.by_svd(problem) if solution is None else solution


def start_from(coef: Any, problem: PenalizedProblem) -> Array:
    """Coefficients of an earlier fit ((p,) or (t, p)) as a start for this problem, zeros if they do not fit."""
    start = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    if start.shape != (problem.targets, problem.columns):
        return np.zeros((problem.columns, problem.targets))
    return np.ascontiguousarray(start.T)
