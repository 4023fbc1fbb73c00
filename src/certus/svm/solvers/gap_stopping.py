"""Solving until the duality gap is small enough, when ``gap_tol`` asks for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from certus.base import warn_user
from certus.svm._native_calls import CONVERGED, Floats, Kernel, Options, Problems, Table
from certus.svm.evidence.svm_duality import duality_gaps, objective_at_zero
from certus.svm.solvers.hard_margin import solve_hard
from certus.svm.solvers.verified_solution import Solution, solve

ROUNDS = 8  # each with a tenth of the tolerance


def solve_to_gap(
    table: Table, kernel: Kernel, problems: Problems, start: Floats, options: Options, gap_tol: float | None
) -> tuple[Solution, float, float]:
    """The solution, its duality gap and the objective at zero coefficients that the gap is compared with."""
    if not np.isfinite(problems.upper).all():
        solution, gap, objective = solve_hard(table, kernel, problems, start, options)
        if gap_tol is not None and np.isfinite(gap) and gap > gap_tol * objective:
            _warn_of_gap(gap, f"gap_tol={gap_tol:g} of the objective", options)
        return solution, gap, 0.0
    solution = solve(table, kernel, problems, start, options)
    scale = objective_at_zero(problems)
    gap = float(duality_gaps(solution).sum())
    if gap_tol is None:
        return solution, gap, scale
    wanted = gap_tol * scale
    for _ in range(ROUNDS):
        if gap <= wanted or not (solution.reasons == CONVERGED).all():
            break
        options = replace(options, tolerance=options.tolerance / 10.0, fine_tolerance=options.fine_tolerance / 10.0)
        steps = solution.steps
        solution = solve(table, kernel, problems, solution.alpha, options)
        solution = replace(solution, steps=steps + solution.steps)
        gap = float(duality_gaps(solution).sum())
    if gap > wanted:
        _warn_of_gap(gap, f"gap_tol={gap_tol:g} of the objective at zero coefficients, {wanted:.3g}", options)
    return solution, gap, scale if np.isfinite(scale) else np.inf


def _warn_of_gap(gap: float, asked: str, options: Options) -> None:
    warn_user(
        f"The duality gap is {gap:.3g}, but {asked}, was asked for: rounding or max_iter={options.max_steps} stopped "
        "the solver.\nHint: raise gap_tol, allow more steps, or scale the columns.",
        ConvergenceWarning,
    )
