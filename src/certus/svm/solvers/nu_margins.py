"""Pairs of classes that have no margin at the nu asked for, solved with the next larger nu that gives one.

nu-SVC finds the nearest points of two reduced convex hulls (weights of at most 2 / (nu n), Crisp and Burges 2000). For
a nu that is too small for classes that overlap the hulls meet: the optimum is h = 0 with the margin rho = 0, whose sign
says nothing about any row. The hulls shrink as nu grows, up to the nu at which the smaller class is a single point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from certus.svm._native_calls import Floats, Problems
from certus.svm.solvers.dual_problems import fill, one_of
from certus.svm.solvers.verified_solution import Solution, joined

WAYS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)  # shares of the way from the nu asked for to the largest possible one

SolveOne = Callable[[Problems, Floats], Solution]


def has_margin(solution: Solution) -> NDArray[np.bool_]:
    """Per problem, whether its margin can be told from zero."""
    noise = 1e-15 * np.abs(solution.scores).max(initial=0.0)
    return np.asarray(solution.margin > 10.0 * solution.violation + noise)


def nu_in_use(solution: Solution) -> Floats:
    """The nu that each problem was solved with: the sum of a class's multipliers is nu sum(w) / 2."""
    problems = solution.problems
    return 2.0 * problems.totals(np.where(problems.sign > 0, solution.alpha, 0.0)) / problems.totals(problems.upper)


def with_margins(solution: Solution, nu: float, solve_one: SolveOne) -> Solution:
    """The solution, in which pairs without a margin have that of the smallest nu tried that gives one, if any does."""
    found = has_margin(solution)
    if found.all():
        return solution
    parts = []
    for number in range(solution.problems.count):
        part = _part(solution, number)
        parts.append(part if found[number] else _with_larger_nu(part, nu, solve_one))
    return joined(solution.problems, parts)


def _with_larger_nu(part: Solution, nu: float, solve_one: SolveOne) -> Solution:
    problem, steps = part.problems, part.steps
    sides = [problem.sign == side for side in (1, -1)]
    total = float(problem.upper.sum())
    largest = 2.0 * min(float(problem.upper[side].sum()) for side in sides) / total
    for way in WAYS:
        start = np.zeros(len(problem.upper))
        for side in sides:
            start[side] = fill(problem.upper[side], (nu + way * (largest - nu)) * total / 2.0)
        tried = solve_one(problem, start)
        steps = steps + tried.steps
        if has_margin(tried).all():
            return replace(tried, steps=steps)
    return replace(part, steps=steps)


def _part(solution: Solution, number: int) -> Solution:
    rows, own = solution.problems.rows(number), slice(number, number + 1)
    return Solution(
        one_of(solution.problems, number),
        solution.alpha[solution.problems.variables(number)],
        solution.scores[rows],
        solution.middle[own],
        solution.margin[own],
        solution.violation[own],
        solution.steps[own],
        solution.reasons[own],
    )
