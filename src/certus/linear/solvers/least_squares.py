"""Least squares with an optional ridge penalty: chooses the method by shape, sparsity and conditioning.

    minimize  sum_i w_i |y_i - W x_i - b|^2 + sum_k alpha_k |W_k|^2        over W (t x d) and b (t)

Tall tables: one pass for the second moments, Cholesky, refinement with true residuals if the conditioning asks
for it. Wide tables: the dual form. Whatever Cholesky cannot do well: QR and SVD of the table. Sparse and large:
LSQR. Every solution carries the evidence from which its optimality gap is certified.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from certus.linear.design.column_copies import constant_columns
from certus.linear.design.design_matrix import DenseDesign, SparseDesign, make_design
from certus.linear.design.moments import Moments, compute_moments, sparse_moments
from certus.linear.problems.smooth_problem import ScoreOverflowError
from certus.linear.solvers import lsqr, orthogonal_factors
from certus.linear.solvers.average_gradient import RowProblem, average_gradient
from certus.linear.solvers.normal_equations import ScaledCholesky, minimum_norm
from certus.losses import Squared

Array = NDArray[np.float64]

GOOD = 1e-6  # reciprocal condition numbers above: Cholesky alone is accurate to nine digits or more
POOR = 1e-10  # below: one more step of refinement
USABLE = 1e-12  # above: refinement with true residuals converges; below: orthogonal methods
NEARLY_SINGULAR = 1e-10  # shares of the largest eigenvalue below: with signs given, orthogonal methods
CLEAR = 1e-11  # shares of the largest eigenvalue above: no rounding error of the moments
SMALL_TABLE = 10_000_000  # entries up to which a sparse table may be filled in
SMALL_WIDTH = 1000  # sparse tables up to this many columns go through their second moments


class NotFiniteError(ArithmeticError):
    """The moments are not finite: the table holds NaN or infinity, or its squares overflow."""


@dataclass(frozen=True)
class Problem:
    """One least-squares problem; ``Y`` is n x t, ``alphas`` has one penalty per target.

    ``shift``: what has been subtracted from the columns of the caller's table to make them centered.
    """

    X: Any
    Y: Array
    weights: Array | None
    alphas: Array
    center: bool
    threads: int
    shift: Array | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether the table is sparse."""
        return bool(sparse.issparse(self.X))


@dataclass(frozen=True)
class Solution:
    """Coefficients (t x d) and how they were found."""

    coef: Array
    mean_x: Array
    mean_y: Array
    method: str
    moments: Moments | None = None
    rank: int | None = None
    singular: Array | None = None
    iterations: NDArray[np.int32] | None = None
    converged: bool = True
    factors: dict[float, ScaledCholesky] = field(default_factory=dict)

    @property
    def intercept(self) -> Array:
        """The best intercepts for these coefficients."""
        return self.mean_y - self.coef @ self.mean_x


def means(problem: Problem, design: DenseDesign | SparseDesign) -> tuple[Array, Array]:
    """Weighted means of columns and targets; zeros without an intercept."""
    if not problem.center:
        return np.zeros(problem.X.shape[1]), np.zeros(problem.Y.shape[1])
    return design.mean(problem.weights), np.average(problem.Y, axis=0, weights=problem.weights)


def moments_of(problem: Problem) -> Moments:
    """Second moments of the table; raises `NotFiniteError` if they are not finite."""
    compute = sparse_moments if problem.is_sparse else compute_moments
    moments = compute(problem.X, problem.Y, problem.weights, center=problem.center, threads=problem.threads)
    if moments is None:
        raise NotFiniteError
    return moments


def by_cholesky(problem: Problem, moments: Moments | None = None) -> Solution | None:
    """Normal equations; None when their conditioning does not allow it."""
    moments = moments_of(problem) if moments is None else moments
    factors = {alpha: ScaledCholesky(moments.gram, alpha) for alpha in set(problem.alphas.tolist())}
    worst = min((factor.rcond for factor in factors.values()), default=1.0)
    if worst < USABLE:
        return None
    coef = np.empty_like(moments.cross)
    for alpha, factor in factors.items():
        chosen = problem.alphas == alpha
        coef[:, chosen] = factor.solve(moments.cross[:, chosen])
    solution = Solution(
        np.ascontiguousarray(coef.T),
        moments.mean_x,
        moments.mean_y,
        "cholesky",
        moments,
        rank=len(moments.gram),
        factors=factors,
    )
    return solution if worst >= GOOD else refined(problem, solution, steps=2 if worst >= POOR else 3)


def refined(problem: Problem, solution: Solution, steps: int) -> Solution:
    """Newton steps with the gradient from true residuals (corrected normal equations, Bjorck 1987)."""
    design = make_design(problem.X, problem.threads)
    coef = solution.coef.copy()
    for _ in range(steps):
        gradient, _ = half_gradient(problem, design, replace(solution, coef=coef))
        for alpha, factor in solution.factors.items():
            chosen = problem.alphas == alpha
            coef[chosen] -= factor.solve(np.ascontiguousarray(gradient[chosen].T)).T
    return replace(solution, coef=coef)


def half_gradient(
    problem: Problem, design: DenseDesign | SparseDesign, solution: Solution, intercept: Array | None = None
) -> tuple[Array, Array]:
    """Half the gradient (t x d) in centered coordinates from true residuals, and the residuals' sums."""
    coef = np.ascontiguousarray(solution.coef)
    intercept = solution.intercept if intercept is None else intercept
    _, gradient, total, _ = design.loss_gradient(Squared(), problem.Y, problem.weights, coef, intercept)
    gradient -= np.outer(total, solution.mean_x)
    return gradient + problem.alphas[:, None] * coef, total


def centered_table(problem: Problem) -> tuple[Array, Array, Array, Array]:
    """Dense tables sqrt(w) (X - mean), sqrt(w) (Y - mean), and the two means. Only to be read."""
    X = problem.X.toarray() if problem.is_sparse else problem.X
    X = np.asarray(X, dtype=np.float64)
    mean_x, mean_y = means(problem, DenseDesign(X, problem.threads))
    target = problem.Y - mean_y
    if problem.shift is None:
        table = X - mean_x
        if problem.center:
            table[:, constant_columns(X, problem.weights)] = 0.0  # what rounding leaves of them would be fitted
    else:
        table, mean_x = X if problem.weights is None else X.copy(), np.zeros(len(mean_x))
    if problem.weights is not None:
        root = np.sqrt(problem.weights)[:, None]
        table *= root
        target *= root
    if not np.isfinite(table).all():
        raise NotFiniteError
    return table, target, mean_x, mean_y


def by_svd(problem: Problem) -> Solution:
    """Ridge by singular values of the table."""
    table, target, mean_x, mean_y = centered_table(problem)
    coef = orthogonal_factors.ridge_by_svd(table, target, problem.alphas)
    return Solution(np.ascontiguousarray(coef.T), mean_x, mean_y, "svd")


def by_dual(problem: Problem) -> Solution | None:
    """Ridge of a wide table: w = X'(XX' + alpha I)^-1 y; None when the conditioning does not allow it."""
    table, target, mean_x, mean_y = centered_table(problem)
    kernel = kernel_matrix(table, problem.threads)
    coef = np.empty((problem.Y.shape[1], table.shape[1]))
    for alpha in set(problem.alphas.tolist()):
        factor = ScaledCholesky(kernel, alpha)
        if factor.rcond < GOOD * 1e-4:
            return None
        chosen = problem.alphas == alpha
        coef[chosen] = factor.solve(np.ascontiguousarray(target[:, chosen])).T @ table
    return Solution(coef, mean_x, mean_y, "cholesky")


def kernel_matrix(table: Array, threads: int) -> Array:
    """X X' of a wide table: the second moments of its transpose."""
    return moments_of(Problem(table.T, np.empty((table.shape[1], 0)), None, np.empty(0), False, threads)).gram


def by_lsqr(problem: Problem, *, tol: float, max_iter: int | None, method: str = "lsqr") -> Solution:
    """Iterative solution from products with the table."""
    design = make_design(problem.X, problem.threads)
    mean_x, mean_y = means(problem, design)
    if not (np.isfinite(mean_x).all() and np.isfinite(mean_y).all()):
        raise NotFiniteError
    run = lsqr.solve(
        design,
        problem.Y,
        problem.weights,
        problem.alphas,
        mean_x=mean_x,
        mean_y=mean_y,
        tol=tol,
        max_iter=max_iter,
    )
    return Solution(
        np.ascontiguousarray(run.coef.T),
        mean_x,
        mean_y,
        method,
        iterations=run.iterations,
        converged=run.converged,
    )


def by_average_gradient(problem: Problem, *, tol: float, max_iter: int, seed: int, unbiased: bool) -> Solution:
    """Stochastic average gradient (SAGA if ``unbiased``), target by target.

    Dense tables are centered, so that no intercept is needed; that converges much faster, so small sparse ones are
    filled in. In large sparse ones the intercept takes part, and the best one for the coefficients that were found
    replaces it.
    """
    stays_sparse = problem.is_sparse and (not problem.center or problem.X.shape[0] * problem.X.shape[1] > SMALL_TABLE)
    if stays_sparse:
        table, target, weights = sparse.csr_array(problem.X), problem.Y, problem.weights
        decay = 1.0 if problem.center else 0.0
        mean_x, mean_y = means(problem, make_design(problem.X, problem.threads))
    else:
        table, target, mean_x, mean_y = centered_table(problem)
        table, weights, decay = np.ascontiguousarray(table), None, 0.0
    runs = []
    for k, alpha in enumerate(problem.alphas):
        values = np.ascontiguousarray(target[:, k])
        rows = RowProblem(table, values, weights, Squared(), 1, float(alpha), decay, unbiased)
        start = np.zeros((1, table.shape[1])), np.zeros(1)
        try:
            runs.append(average_gradient(rows, start, tol=tol, max_iter=max_iter, seed=seed, watch=lambda *_: False))
        except ScoreOverflowError as error:
            if not (np.isfinite(table.data if stays_sparse else table).all() and np.isfinite(target).all()):
                raise NotFiniteError from error
            raise
    return Solution(
        np.vstack([run.coef for run in runs]),
        mean_x,
        mean_y,
        "saga" if unbiased else "sag",
        iterations=np.array([run.epochs for run in runs], dtype=np.int32),
        converged=all(run.converged for run in runs),
    )


def nonnegative(problem: Problem, max_iter: int | None = None) -> Solution:
    """Coefficients >= 0, by the active-set method of Lawson and Hanson (1974) on the triangular factor.

    With ``max_iter``: by so many iterations of the projected quasi-Newton method of Byrd et al. (1995).
    """
    if problem.X.shape[0] > problem.X.shape[1] or problem.is_sparse:
        moments = moments_of(problem)
        mean_x, mean_y = moments.mean_x, moments.mean_y
        table, target, units = _triangle(problem, moments)
    else:
        moments = None
        table, target, mean_x, mean_y = centered_table(problem)
        units = _units(np.einsum("ij,ij->j", table, table))
        table = table / units
    coef, converged = np.empty((problem.Y.shape[1], problem.X.shape[1])), True
    for k, alpha in enumerate(problem.alphas):
        rows, right = table, target[:, k]
        if alpha > 0.0:
            rows = np.vstack([table, np.diag(np.sqrt(alpha) / units)])
            right = np.concatenate([right, np.zeros(table.shape[1])])
        if max_iter is None or not len(rows):
            coef[k] = optimize.nnls(rows, right, maxiter=max(100, 30 * table.shape[1]))[0] if len(rows) else 0.0
        else:
            coef[k], reached = _projected_quasi_newton(rows, right, max_iter)
            converged = converged and reached
    return Solution(coef / units, mean_x, mean_y, "lbfgs", moments, converged=converged)


def _units(squares: Array) -> Array:
    """Powers of two next to the lengths of the columns, so that all columns count alike."""
    return np.asarray(np.exp2(np.round(0.5 * np.log2(np.where(squares > 0.0, squares, 1.0)))))


def _triangle(problem: Problem, moments: Moments) -> tuple[Array, Array, Array]:
    """A root R of the matrix of products of the columns in units of their own, R^-T X'y, and the units.

    Where the matrix is so close to singular that its root would lose digits, R comes from the table itself.
    """
    units = _units(moments.gram.diagonal())
    values, vectors = np.linalg.eigh(moments.gram / np.outer(units, units))
    if not problem.is_sparse and values.size and values[0] <= NEARLY_SINGULAR * values[-1]:
        table, target, _, _ = centered_table(problem)
        R = np.asarray(np.linalg.qr(np.hstack([table / units, target]), mode="r"))
        return R[:, : len(units)], R[:, len(units) :], units
    kept = values > 1e-14 * max(values[-1], 0.0) if values.size else np.zeros(0, dtype=bool)
    root = np.sqrt(values[kept])
    table = root[:, None] * vectors[:, kept].T
    return table, (vectors[:, kept].T @ (moments.cross / units[:, None])) / root[:, None], units


def _projected_quasi_newton(rows: Array, right: Array, max_iter: int) -> tuple[Array, bool]:
    """Minimize |rows w - right|^2 / 2 over w >= 0; also whether the iterations sufficed."""
    scale = float(np.linalg.norm(right)) or 1.0  # tolerances are for targets of size 1

    def value_and_gradient(w: Array) -> tuple[float, Array]:
        residual = rows @ w - right / scale
        return 0.5 * float(residual @ residual), rows.T @ residual

    found = optimize.minimize(
        value_and_gradient,
        np.zeros(rows.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=optimize.Bounds(0.0, np.inf),
        options={"maxiter": max_iter, "maxfun": 20 * max_iter + 100, "ftol": 0.0, "gtol": 1e-12},
    )
    return scale * np.maximum(found.x, 0.0), bool(found.success or found.status == 2)


def ordinary(problem: Problem, tol: float) -> Solution:
    """Least squares without penalty, the solution of least norm if there are several."""
    rows, columns = problem.X.shape
    large = problem.is_sparse and (columns > SMALL_WIDTH or rows <= columns) and rows * columns > SMALL_TABLE
    if large:
        return by_lsqr(problem, tol=min(tol, 1e-4) * 1e-4, max_iter=None)
    if rows > columns:
        solution = ordinary_from_moments(problem, moments_of(problem), tol)
        if solution is not None:
            return solution
    table, target, mean_x, mean_y = centered_table(problem)
    coef, rank, singular = orthogonal_factors.minimum_norm(table, target, tol)
    return Solution(np.ascontiguousarray(coef.T), mean_x, mean_y, "svd", rank=rank, singular=singular)


def _has_full_rank(factor: ScaledCholesky, tol: float) -> bool:
    """Whether all singular values of the scaled table are beyond doubt above ``tol`` times the largest."""
    cut = tol * tol
    return factor.rcond > 100.0 * cut or factor.least_share() > max(4.0 * cut, CLEAR)


def ordinary_from_moments(problem: Problem, moments: Moments, tol: float) -> Solution | None:
    """From the second moments alone, if these can tell the rank."""
    singular = np.sqrt(np.maximum(np.linalg.eigvalsh(moments.gram)[::-1], 0.0))
    solution = by_cholesky(problem, moments)
    if solution is not None and _has_full_rank(solution.factors[0.0], tol):
        return replace(solution, singular=singular)
    found = minimum_norm(moments, tol)
    if found is None:
        return None
    coef, rank = np.ascontiguousarray(found[0].T), found[1]
    return Solution(coef, moments.mean_x, moments.mean_y, "cholesky", moments, rank=rank, singular=singular)
