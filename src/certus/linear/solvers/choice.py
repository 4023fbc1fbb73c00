"""Which rule for Newton steps a smooth problem gets: a table of rules, each of which says what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.chord_newton import ChordSteps, sample_minimum, worth_sampling
from certus.linear.solvers.newton import CholeskySteps, ConjugateGradientSteps, Point, QuasiNewtonSteps, Steps

HUGE = 100_000  # coefficients above which L-BFGS may beat Newton steps by conjugate gradients
EXPLICIT_HESSIAN = 1000  # columns up to which an explicit Hessian is cheaper than products with it
METHODS = ("newton-cholesky", "newton-cg")  # names of solvers that mean a method


@dataclass(frozen=True)
class Choice:
    """A rule for steps, and when it is the best of those whose needs are met."""

    steps: type[Any]
    best: Callable[[SmoothProblem, str], bool]

    def suits(self, problem: SmoothProblem, solver: str) -> bool:
        """Whether to take it."""
        return self.steps.needs.met_by(problem) and self.best(problem, solver)


def explicit(problem: SmoothProblem, solver: str) -> bool:
    """Whether an explicit Hessian is cheaper than products with it, or asked for."""
    columns = problem.design.columns
    fits = columns <= EXPLICIT_HESSIAN and columns <= 2 * problem.design.rows
    return solver == "newton-cholesky" or (fits and solver != "newton-cg")


def nearly_diagonal(problem: SmoothProblem, solver: str) -> bool:
    """Whether the penalty outweighs the curvature that a typical row adds, so that a few gradients tell the Hessian."""
    if not problem.loss.convex:
        return True  # nothing else is left
    if solver != "lbfgs" or problem.outputs * problem.design.columns <= HUGE:
        return False
    squares = float(np.sum(problem.spread**2))  # mean squared length of a centered row
    return problem.strength >= 0.25 * squares


CHOICES = (
    Choice(CholeskySteps, explicit),
    Choice(QuasiNewtonSteps, nearly_diagonal),
    Choice(ConjugateGradientSteps, lambda _problem, _solver: True),
)


def newton_steps(
    problem: SmoothProblem, solver: str, start: Point, *, refuse_start: bool = False
) -> tuple[Steps, Point]:
    """The rule for Newton steps that a solver's name and the shape of the table ask for, and where to begin."""
    steps = steps_by_shape(problem, solver, refuse_start=refuse_start)
    if solver not in METHODS and not isinstance(steps, QuasiNewtonSteps) and worth_sampling(problem):
        sample = sample_minimum(problem, start)
        if sample is not None:
            return ChordSteps(problem, sample.solve), (sample.coef, sample.center)
    return steps, start


def steps_by_shape(problem: SmoothProblem, solver: str, *, refuse_start: bool = False) -> Steps:
    """The rule for Newton steps.

    ``refuse_start``: whether solver="newton-cholesky" raises `SingularStartError` instead of a least-norm step.
    """
    chosen: Any = next(choice.steps for choice in CHOICES if choice.suits(problem, solver))
    if chosen is CholeskySteps:
        asked_for = solver == "newton-cholesky"
        return CholeskySteps(problem, tell_singular=asked_for, refuse_start=asked_for and refuse_start)
    steps: Steps = chosen(problem)
    return steps
