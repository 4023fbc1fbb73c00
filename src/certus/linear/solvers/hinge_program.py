"""The hinge loss with an L1 penalty, by its dual linear program.

The dual has one bounded variable per row and one constraint per column:

    max sum u   subject to   0 <= u <= s,   |X'(y u)|_j <= c_j,   sum y u = 0.

The coefficients are its multipliers. The program's tolerances are absolute, so everything is scaled to about 1: columns
and weights are divided by powers of two, and with an intercept columns are centered, which sum y u = 0 forgives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from certus.linear.evidence.quantile_gap import best_intercept
from certus.linear.solvers.quantile_program import column_units, power_of_two

Array = NDArray[np.float64]


@dataclass(frozen=True)
class HingeProblem:
    """Rows with weight s and signs y; ``X`` is the table less ``shift``; ``c`` are the strengths of the penalty."""

    X: Any
    shift: Array
    y: Array
    s: Array
    c: Array
    fit_intercept: bool

    def intercept(self, w: Array) -> float:
        """The best one: a quantile of what the scores lack to the signs."""
        if not self.fit_intercept:
            return 0.0
        return best_intercept(self.y - self.X @ w, self.s, float(self.s[self.y > 0.0].sum() / self.s.sum()))

    def losses(self, w: Array) -> float:
        """The sum of the losses, with the best intercept."""
        return float(self.s @ np.maximum(1.0 - self.y * (self.X @ w + self.intercept(w)), 0.0))


def solve_hinge(problem: HingeProblem) -> tuple[Array, Array, Any]:
    """Coefficients, dual point and what `scipy.optimize.linprog` says."""
    y, s, units = problem.y, problem.s, column_units(problem.X)
    weight = power_of_two(float(s.mean()))
    signed = sparse.csr_array(sparse.diags_array(1.0 / units) @ sparse.csr_array(problem.X.T) @ sparse.diags_array(y))
    run = optimize.linprog(
        -np.ones(len(y)),
        A_ub=sparse.vstack([signed, -signed], format="csr"),
        b_ub=np.tile(problem.c / units / weight, 2),
        A_eq=sparse.csr_array(y[None, :]) if problem.fit_intercept else None,
        b_eq=np.zeros(1) if problem.fit_intercept else None,
        bounds=np.column_stack([np.zeros(len(y)), s / weight]),
        method="highs",
    )
    if run.x is None:
        return np.zeros(len(units)), np.zeros(len(y)), run
    upper, lower = np.split(np.asarray(run.ineqlin.marginals, dtype=np.float64), 2)
    return (lower - upper) / units, weight * np.asarray(run.x, dtype=np.float64), run
