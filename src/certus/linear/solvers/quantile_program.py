"""Quantile regression by its dual linear program, whose vertex is then computed again without the program's tolerances.

The dual has one bounded variable per row and one constraint per column:

    max u'y   subject to   -(1 - q) s <= u <= q s,   |X'u|_j <= A,   sum u = 0.

The coefficients are its multipliers. The program's tolerances are absolute, so everything is scaled to about 1: with an
intercept the columns and targets are centered, which sum u = 0 forgives, then columns, targets and weights are divided
by powers of two. At its vertex rows F with u strictly within the box are fitted exactly, and with a penalty the columns
J in use have X_J'u = A sign(w_J): two linear systems in [X_FJ, 1] that remove what the tolerances left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from certus.linear.design.column_copies import constant_columns
from certus.linear.evidence.quantile_gap import best_intercept, pinball

Array = NDArray[np.float64]
INSIDE = 1e-9  # share of the box from its border from which on a variable counts as within
EQUAL = 1e-9  # share of the objective without coefficients by which two solutions may differ and be equally good
ROUNDS = 2  # of each system: the second removes what rounding left of the first


@dataclass(frozen=True)
class QuantileProblem:
    """Rows with weight; ``X`` is the table less ``shift``, which is 0 without an intercept and for sparse tables."""

    X: Any
    shift: Array
    y: Array
    s: Array
    q: float
    alpha: float
    fit_intercept: bool

    @property
    def strength(self) -> float:
        """A: the penalty of the sum of the losses."""
        return self.alpha * float(self.s.sum())

    def objective(self, w: Array) -> float:
        """The sum of the losses with the best intercept, and the penalty."""
        residual = self.y - self.X @ w
        center = best_intercept(residual, self.s, self.q) if self.fit_intercept else 0.0
        return float(self.s @ pinball(residual - center, self.q)) + self.strength * float(np.abs(w).sum())

    def violation(self, u: Array) -> float:
        """By how much a dual point misses the constraints of the columns and of the sum, in units of their terms."""
        beyond = np.maximum(np.abs(self.X.T @ u) - self.strength, 0.0)
        size = np.abs(self.X).T @ np.abs(u)
        off = abs(float(u.sum())) / max(float(np.abs(u).sum()), 1e-300) if self.fit_intercept else 0.0
        return max(float((beyond / np.maximum(size, 1e-300)).max(initial=0.0)), off)


def centered_problem(X: Any, y: Array, s: Array, *, q: float, alpha: float, fit_intercept: bool) -> QuantileProblem:
    """The problem with columns of mean 0; constant ones become 0 exactly."""
    shift = np.zeros(X.shape[1])
    if fit_intercept and not sparse.issparse(X):
        shift = s @ X / s.sum()
        constant = constant_columns(X, s)
        shift[constant] = X[0, constant]
        X = X - shift
    return QuantileProblem(X, shift, y, s, q, alpha, fit_intercept)


def solve_program(problem: QuantileProblem, method: str, options: Any) -> tuple[Array, Array, Any]:
    """Coefficients, dual point and what `scipy.optimize.linprog` says."""
    y, s, q = problem.y, problem.s, problem.q
    centered = y - float(np.median(y)) if problem.fit_intercept else y
    height, weight = power_of_two(float(np.abs(centered).max(initial=0.0))), power_of_two(float(s.mean()))
    units = column_units(problem.X)
    transposed = sparse.csr_array(sparse.diags_array(1.0 / units) @ sparse.csr_array(problem.X.T))
    strength = problem.strength / weight
    equal = [sparse.csr_array(np.ones((1, len(y))))] if problem.fit_intercept else []
    bounded = sparse.vstack([transposed, -transposed], format="csr") if strength > 0.0 else None
    if bounded is None:
        equal.append(transposed)
    run = optimize.linprog(
        -centered / height,
        A_ub=bounded,
        b_ub=None if bounded is None else np.tile(strength / units, 2),
        A_eq=sparse.vstack(equal, format="csr") if equal else None,
        b_eq=np.zeros(sum(part.shape[0] for part in equal)) if equal else None,
        bounds=np.column_stack([(q - 1.0) * (s / weight), q * (s / weight)]),
        method=method,
        options=options,
    )
    if run.x is None:
        return np.zeros(len(units)), np.zeros(len(y)), run
    coef = height * _multipliers(run, strength, problem.fit_intercept) / units
    return *_vertex(problem, coef, weight * np.asarray(run.x, dtype=np.float64), units), run


def _multipliers(run: Any, strength: float, fit_intercept: bool) -> Array:
    """The coefficients from the multipliers of the program's constraints."""
    if strength > 0.0:
        upper, lower = np.split(np.asarray(run.ineqlin.marginals, dtype=np.float64), 2)
        return lower - upper
    return -np.asarray(run.eqlin.marginals, dtype=np.float64)[int(fit_intercept) :]


def _vertex(problem: QuantileProblem, w: Array, u: Array, units: Array) -> tuple[Array, Array]:
    """Coefficients and dual point after the two systems, where that is better."""
    low, high = -(1.0 - problem.q) * problem.s, problem.q * problem.s
    slack = INSIDE * problem.s
    rows = np.flatnonzero((u > low + slack) & (u < high - slack))
    columns = np.flatnonzero(w) if problem.strength > 0.0 else np.arange(len(w))
    if not len(rows) or len(rows) > 4 * (len(columns) + 1):
        return w, u
    part = problem.X[rows][:, columns] if not sparse.issparse(problem.X) else problem.X.tocsr()[rows][:, columns]
    part = part.toarray() if sparse.issparse(part) else part
    Z = np.column_stack([part / units[columns], np.full(len(rows), float(problem.fit_intercept))])
    wanted = np.append(problem.strength * np.sign(w[columns]) / units[columns], 0.0)
    several = problem.strength == 0.0 and len(rows) <= len(columns)  # solutions: the one of least norm is taken
    exact, fitted = u.copy(), np.zeros_like(w) if several else w.copy()
    for _ in range(ROUNDS):
        products = problem.X.T @ exact
        left = wanted - np.append(products[columns] / units[columns], exact.sum() * float(problem.fit_intercept))
        exact[rows] += np.linalg.lstsq(Z.T, left, rcond=None)[0]
        exact = np.clip(exact, low, high)
        residual = problem.y - problem.X @ fitted
        center = best_intercept(residual, problem.s, problem.q) if problem.fit_intercept else 0.0
        fitted[columns] += np.linalg.lstsq(Z, residual[rows] - center, rcond=None)[0][:-1] / units[columns]
    better = problem.violation(exact) < problem.violation(u)
    equal = EQUAL * problem.objective(np.zeros_like(w)) if several else 0.0
    return fitted if problem.objective(fitted) < problem.objective(w) + equal else w, exact if better else u


def column_units(X: Any) -> Array:
    """For every column the power of two next to its largest entry."""
    largest = np.abs(X).max(axis=0)
    sizes = (largest.toarray() if sparse.issparse(largest) else np.asarray(largest)).ravel()
    return np.array([power_of_two(float(size)) for size in sizes])


def power_of_two(size: float) -> float:
    """The power of two next to a size, so that dividing by it loses no digit; 1 for 0."""
    return float(2.0 ** np.clip(np.round(np.log2(size)), -1000.0, 1000.0)) if size > 0.0 else 1.0
