"""Solving until the duality gap is small enough, when ``gap_tol`` asks for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from certus.base import warn_user
from certus.svm._native_calls import CONVERGED, Floats, Kernel, Problems
from certus.svm.evidence.svm_duality import duality_gaps, objective_at_zero
from certus.svm.solvers.hard_margin import solve_hard
from certus.svm.solvers.verified_solution import Solution, solve

ROUNDS = 8  # each with a tenth of the tolerance


def solve_to_gap(
    machine: Any, table: Any, kernel: Kernel, problems: Problems, start: Floats
) -> tuple[Solution, float, float]:
    """The solution, its duality gap and the objective at zero coefficients that the gap is compared with."""
    if not np.isfinite(problems.upper).all():
        return solve_hard(machine, table, kernel, problems, start)
    options = machine._options()
    solution = solve(table, kernel, problems, start, options)
    scale = objective_at_zero(problems)
    gap = float(duality_gaps(solution).sum())
    if machine.gap_tol is None:
        return solution, gap, scale
    wanted = machine.gap_tol * scale
    for _ in range(ROUNDS):
        if gap <= wanted or not (solution.reasons == CONVERGED).all():
            break
        options = replace(options, tolerance=options.tolerance / 10.0, fine_tolerance=options.fine_tolerance / 10.0)
        steps = solution.steps
        solution = solve(table, kernel, problems, solution.alpha, options)
        solution = replace(solution, steps=steps + solution.steps)
        gap = float(duality_gaps(solution).sum())
    if gap > wanted:
        warn_user(
            f"The duality gap is {gap:.3g}, asked for was gap_tol={machine.gap_tol:g} of the objective at zero "
            f"coefficients, {wanted:.3g}: rounding or max_iter={machine.max_iter} stopped the solver.",
            ConvergenceWarning,
        )
    return solution, gap, scale if np.isfinite(scale) else np.inf
