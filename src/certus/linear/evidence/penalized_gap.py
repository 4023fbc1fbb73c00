"""How far a lasso, elastic-net or multi-task solution can be from the best one: its duality gap, rounding included.

Let R be any vectors orthogonal to the roots of the weights (to nothing, without intercept), q_j = X_j'R, and s > 0.
With the problem's F (see `penalized_problem`),

    min F >= s <R, Y> - (s^2 / 2) |R|^2 - sum_j (s |q_j| - l1)_+^2 / (2 l2)

and, if s |q_j - l2 w_j| <= l1 for all j, also min F >= s <R, Y> - (s^2 / 2) (|R|^2 + l2 |W|^2) (Rockafellar 1970,
theorem 31.1; Fercoq, Gramfort, Salmon 2015). R is the residual as it was computed: it does not matter how accurate
it is. Only the products with it, and the objective itself, have rounding errors; bounds on them are added.

With gap g and the second bound, coefficients j with s |q_j - l2 w_j| + sqrt(2 g) sqrt(|X_j|^2 + l2) < l1 are 0 at
every optimum (gap-safe sphere test, same paper).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.block_design import BlockDesign
from certus.linear.design.design_matrix import SMALL, make_design
from certus.linear.design.moments import UNIT, gamma
from certus.linear.problems.penalized_problem import PenalizedProblem
from certus.losses import Squared

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Residual:
    """Residual vectors (t x n, scaled) by their sums, and what is known about the rounding of these."""

    size: float  # the length of all vectors
    with_target: float  # their product with the targets
    products: Array  # with the columns, p x t
    product_error: Array  # bound on the error of the norm of each row of `products`, orthogonality included
    error: float  # bound on |vectors - true residual|
    along: float  # bound on the component along the roots of the weights
    lengths: Array  # upper bounds on the lengths of the centered columns


@dataclass(frozen=True)
class PenalizedEvidence(GapEvidence):
    """What the certificate rests on, all per unit of weight; rounding errors are in both values already."""

    bound: DualValue
    strength: float  # l2 per unit of weight
    zeros: NDArray[np.intp] | None = None  # columns whose coefficients are 0 at every optimum

    @property
    def distance(self) -> float:
        """Bound on |W - W*|."""
        if self.strength <= 0.0:
            return np.inf
        return float(np.sqrt(2.0 * self.gap / self.strength)) * (1.0 + 8.0 * UNIT)


def penalized_evidence(
    problem: PenalizedProblem, coef: Array, intercept: Array, *, l1: float, l2: float, positive: bool
) -> PenalizedEvidence:
    """Evidence for the coefficients (t x p) and intercepts as they are stored; l1 and l2 as in F."""
    residual = _by_columns(problem, coef) if problem.has_table else _by_rows(problem, coef)
    chain = gamma(problem.rows + 16)
    size = residual.size
    norms, squares = float(np.linalg.norm(coef, axis=0).sum()), float(np.vdot(coef, coef))
    penalty = (l1 * norms + 0.5 * l2 * squares) * (1.0 + gamma(coef.size + 8))
    objective = 0.5 * (size * (1.0 + chain) + residual.error) ** 2 + penalty
    objective += _intercept_share(problem, coef, intercept)
    dual, zeros = _dual(problem, residual, coef, l1, l2, size, positive, objective)
    weight = problem.weight
    at_zero = 0.5 * problem.target_squares / weight
    return PenalizedEvidence(objective / weight, at_zero, DualValue(dual / weight), l2 / weight, zeros)


def _dual(
    problem: PenalizedProblem,
    residual: Residual,
    coef: Array,
    l1: float,
    l2: float,
    size: float,
    positive: bool,
    objective: float,
) -> tuple[float, NDArray[np.intp] | None]:
    """The best dual value that is found, and the columns that it proves to be out."""
    chain = gamma(problem.rows + 16)
    length = float(np.sqrt(problem.target_squares))
    with_target = residual.with_target - (chain * size + residual.along) * length
    squares = (size * (1.0 + chain)) ** 2
    ridge = l2 * float(np.vdot(coef, coef)) * (1.0 + gamma(coef.size + 8))
    plain = _sizes(residual.products, positive) + residual.product_error
    shifted = _sizes(residual.products - l2 * coef.T, positive) + residual.product_error
    shifted += 4.0 * UNIT * l2 * np.linalg.norm(coef, axis=0)
    feasible = _feasible_scale(shifted, l1, with_target, squares + ridge)
    values = [0.0]
    if l1 > 0.0:
        values.append(feasible * with_target - 0.5 * feasible**2 * (squares + ridge))
    if l2 > 0.0:
        for scale in (1.0, feasible):
            excess = np.maximum(scale * plain - l1, 0.0)
            value = scale * with_target - 0.5 * scale**2 * squares
            values.append(value - float(excess @ excess) * (1.0 + gamma(len(plain) + 4)) / (2.0 * l2))
    noise = 8.0 * UNIT * (abs(with_target) + squares + ridge)
    best = max(values) - noise
    if l1 == 0.0:
        return best, None
    radius = float(np.sqrt(2.0 * max(objective - (values[1] - noise), 0.0)))
    reach = feasible * shifted + radius * np.sqrt(residual.lengths**2 + l2)
    return best, np.flatnonzero(reach * (1.0 + 16.0 * UNIT) < l1)


def _sizes(vectors: Array, positive: bool) -> Array:
    """Norms of the rows; where coefficients cannot be negative only positive parts count."""
    norms: Array = np.linalg.norm(np.maximum(vectors, 0.0) if positive else vectors, axis=1)
    return norms * (1.0 + gamma(vectors.shape[1] + 2))


def _feasible_scale(sizes: Array, l1: float, with_target: float, squares: float) -> float:
    largest = float(sizes.max(initial=0.0))
    best = max(with_target / squares, 0.0) if squares > 0.0 else 0.0
    return min(best, l1 / largest * (1.0 - 4.0 * UNIT)) if largest > 0.0 else best


def _by_columns(problem: PenalizedProblem, coef: Array) -> Residual:
    table = problem.table
    vectors = table.residual(problem.target, np.ascontiguousarray(coef.T))
    whole = np.sqrt(table.squares + table.weight * table.mean**2) * (1.0 + gamma(problem.rows + 8))
    sums = RowSums.of(vectors, problem, table.products(vectors))
    return _residual(problem, coef, sums, whole, np.sqrt(table.squares))


@dataclass(frozen=True)
class RowSums:
    """Sums over the rows that a residual is known by."""

    squares: float
    with_target: float
    along: float  # absolute sums with the roots of the weights, of all targets
    products: Array

    @classmethod
    def of(cls, vectors: Array, problem: PenalizedProblem, products: Array) -> RowSums:
        """Of vectors at hand."""
        squares, with_target = float(np.vdot(vectors, vectors)), float(np.vdot(vectors, problem.target))
        along = float(np.abs(vectors @ problem.root).sum()) if problem.center else 0.0
        return cls(squares, with_target, along, products)


def _by_rows(problem: PenalizedProblem, coef: Array) -> Residual:
    """The same through row blocks, for tables whose columns are not at hand."""
    moments = problem.moments
    intercept = problem.mean_y - coef @ moments.mean_x if problem.center else np.zeros(len(coef))
    if isinstance(problem.X, BlockDesign):
        sums = RowSums(*problem.X.residual_sums(np.ascontiguousarray(coef), intercept, problem.mean_y))
    else:
        sums = _sums_by_rows(problem, coef, intercept)
    squares = moments.gram.diagonal()
    lengths = np.sqrt(squares + moments.error * moments.column_size**2)
    whole = np.sqrt(squares + moments.weight * moments.mean_x**2)
    whole = whole * (1.0 + 2.0 * moments.error) + moments.error * moments.column_size
    return _residual(problem, coef, sums, whole, lengths)


def _sums_by_rows(problem: PenalizedProblem, coef: Array, intercept: Array) -> RowSums:
    X = problem.X
    small = not sparse.issparse(X) and X.size <= SMALL
    design = None if small else make_design(X, problem.threads)
    if design is None:
        X = X.astype(np.float64, copy=False)
        weighted = problem.Y - (X @ coef.T + intercept)
    else:
        nothing, ones = np.zeros(design.columns), np.ones(design.columns)
        weighted = problem.Y - design.scores_and_lengths(np.ascontiguousarray(coef), intercept, nothing, ones)[0]
    if problem.center:
        weighted -= _mean(weighted, problem.weights)
    vectors = np.ascontiguousarray(weighted.T if problem.weights is None else (weighted * problem.root[:, None]).T)
    if problem.weights is not None:
        weighted *= problem.weights[:, None]
    if design is None:
        products = X.T @ weighted
    else:  # the squared loss at zero coefficients with target -r and no weights has the gradient X'r
        target, none = np.ascontiguousarray(-weighted), np.zeros(len(coef))
        products = design.loss_gradient(Squared(), target, None, np.zeros(coef.shape), none)[1].T
    return RowSums.of(vectors, problem, products)


def _mean(values: Array, weights: Array | None) -> Array:
    """Mean over the rows; how accurate it is does not matter, what is left along the roots is measured."""
    return values.sum(axis=0) / len(values) if weights is None else weights @ values / weights.sum()


def _residual(problem: PenalizedProblem, coef: Array, sums: RowSums, whole: Array, lengths: Array) -> Residual:
    """``whole``: bounds on the lengths of the columns before centering."""
    size = float(np.sqrt(sums.squares))
    chain = gamma(problem.rows + 16)
    along = 0.0
    magnitude = float(np.sqrt(problem.target_squares)) + float((np.abs(coef) @ whole).sum())
    if problem.center:
        root_length = float(np.sqrt(problem.weight))
        along = sums.along / root_length + chain * size
        # Subtracting the mean of y rounds against y itself; what is along the roots does not matter.
        magnitude += float(np.abs(problem.mean_y).sum()) * root_length
    terms = int(np.count_nonzero(coef, axis=1).max(initial=0))
    if not sparse.issparse(problem.X):
        terms = max(terms, 0 if problem.has_table else problem.columns)
    error = gamma(terms + 16) * 4.0 * magnitude
    return Residual(
        size=size,
        with_target=sums.with_target,
        products=sums.products,
        product_error=whole * (chain * size + along),
        error=error,
        along=along,
        lengths=lengths * (1.0 + gamma(problem.rows + 8)),
    )


def _intercept_share(problem: PenalizedProblem, coef: Array, intercept: Array) -> float:
    """What the stored intercepts cost over the best ones: S |b - b(W)|^2 / 2."""
    if not problem.center:
        return 0.0
    mean = problem.mean_x
    best = problem.mean_y - coef @ mean
    magnitude = np.abs(problem.mean_y) + np.abs(coef) @ np.abs(mean) + np.abs(intercept)
    if problem.has_table:
        spread = np.sqrt(problem.table.squares / problem.weight)
    else:
        spread = problem.moments.column_size / np.sqrt(problem.weight)
    slip = gamma(problem.columns + problem.rows + 16) * (magnitude + np.abs(coef) @ spread)
    slip += gamma(problem.rows + 16) * np.sqrt(problem.target_squares / problem.weight)
    return 0.5 * problem.weight * float(np.sum((np.abs(intercept - best) + slip) ** 2))
