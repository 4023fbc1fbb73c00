"""The duality gap of a support vector machine, as a sum of terms that cannot be negative.

With the derivatives g_t = s_t (F + b) + p_t - r of the Lagrangian, the primal objective (at the scores F, the
intercept b and, for the machines with nu, the margin r that the solution uses) minus the dual objective is

    gap = sum_t  a_t max(0, g_t) + (upper_t - a_t) max(0, -g_t).

It bounds how much the training objective could still fall, whatever way the solution was found.
"""

from __future__ import annotations

import numpy as np

from certus.svm._native_calls import ONE_SUM, Floats, Problems
from certus.svm.solvers.verified_solution import Solution


def duality_gap(solution: Solution, number: int) -> float:
    """Primal minus dual objective of one problem."""
    variables = solution.problems.variables(number)
    return float(gap_terms(solution.slopes(number), solution.alpha[variables], solution.problems.upper[variables]))


def duality_gaps(solution: Solution) -> Floats:
    """Primal minus dual objective of every problem."""
    slopes = solution.all_slopes()
    room = np.where(slopes < 0.0, solution.problems.upper - solution.alpha, solution.alpha)
    return solution.problems.totals(np.where(slopes == 0.0, 0.0, room) * np.abs(slopes))


def gap_terms(slopes: Floats, alpha: Floats, upper: Floats) -> float:
    """The sum above; infinite where an unbounded variable wants to grow (a violated hard constraint)."""
    wanting = slopes < 0.0
    idle = alpha[~wanting] @ slopes[~wanting]
    return float(idle - (upper[wanting] - alpha[wanting]) @ slopes[wanting])


def objective_at_zero(problems: Problems) -> float:
    """The primal objective with all coefficients and the intercept zero; for the machines with nu, where that is
    zero, the sum of the upper bounds.
    """
    if problems.bias == ONE_SUM and problems.linear.any():
        return float((problems.upper * np.maximum(0.0, -problems.linear)).sum())
    if problems.linear.any() and problems.copies == 1:
        return float((problems.upper * np.maximum(0.0, -problems.linear)).sum())
    return float(problems.upper.sum())
