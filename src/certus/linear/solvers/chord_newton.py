"""Newton steps for tall tables that need the Hessian of all rows rarely or never.

The objective of every k-th row, scaled up, has nearly the same minimum as that of all rows, and nearly the same
Hessian there: with d columns and m rows they differ by about sqrt(d / m). So the iterations start at the minimum of a
sample, and step with the Hessian of the sample as long as every reading of the table shrinks the gradient as much as
good Newton steps do (chord method: Ortega, Rheinboldt 1970, 10.2); otherwise the Hessian of all rows is made.

A sample that misleads costs time, never accuracy: the gradient is always that of all rows, and the sampled rows are
among them, so the scaled Hessian is never more than k times that of all rows at the same point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.linear.design.design_matrix import DenseDesign
from certus.linear.problems.smooth_problem import Evaluation, ScoreOverflowError, SmoothProblem
from certus.linear.solvers.lbfgs import LimitedMemory
from certus.linear.solvers.newton import CholeskySteps, Needs, Point, StepsFromPlaces, line_search

Array = NDArray[np.float64]
Solve = Callable[[Array], Array]

STRIDES = (64, 8)  # the samples, from small to large
ROWS_PER_COLUMN = 20  # a smaller sample says too little
WORTHWHILE = 500_000  # entries of a table from which on samples save time
SHRINK = 0.3  # of the decrement by one step; with less a new Hessian pays
CLOSE = 0.003  # predicted decrease over the objective at zero after which a sample has said what it can
SAMPLE_STEPS = 15


@dataclass(frozen=True)
class SampleMinimum:
    """Nearly the minimum of a sample, and the inverse of its Hessian, scaled up to all rows."""

    coef: Array
    center: Array
    solve: Solve


class ChordSteps(StepsFromPlaces):
    """Newton steps with the Hessian of an earlier point or of a sample, corrected by what the steps show (BFGS).

    Where they shrink the gradient too slowly, a new Hessian is made. For one output.
    """

    needs: ClassVar[Needs] = Needs(one_output=True, dense=True)

    def __init__(self, problem: SmoothProblem, solve: Solve) -> None:
        super().__init__(problem)
        self._solve = solve
        self._memory = LimitedMemory()
        self._before: tuple[Array, Array] | None = None  # point and gradient of the last step
        self._decrement = np.inf  # of the last step

    def step(self, at: Evaluation) -> Point:
        coef, center = self._place_of(at)
        point, gradient = np.append(coef, center), np.append(at.gradient, at.gradient_center)
        if self._before is not None:
            self._memory.remember(point - self._before[0], gradient - self._before[1])
        self._before = point, gradient
        way, decrement = self._way(gradient)
        if not decrement <= SHRINK * self._decrement:
            exact = CholeskySteps(self.problem)
            self._solve = exact.inverse(exact.evaluate(coef, center))
            self._memory = LimitedMemory()
            way, decrement = self._way(gradient)
        self._decrement = decrement
        return way[: coef.size].reshape(coef.shape), way[coef.size :]

    def _way(self, gradient: Array) -> tuple[Array, float]:
        """A step and its decrement."""
        way = self._memory.direction(gradient, first=self._solve)
        return way, math.sqrt(max(-float(gradient @ way), 0.0))


def worth_sampling(problem: SmoothProblem) -> bool:
    """Whether the table is tall enough for samples that say something, and large enough to gain by them."""
    design = problem.design
    if not isinstance(design, DenseDesign) or problem.outputs > 1 or problem.strength <= 0.0:
        return False
    return design.rows * design.columns >= WORTHWHILE and design.rows >= STRIDES[-1] * _least_rows(problem)


def _least_rows(problem: SmoothProblem) -> int:
    return ROWS_PER_COLUMN * (problem.design.columns + 1)


def sample_minimum(problem: SmoothProblem, start: Point) -> SampleMinimum | None:
    """The minimum of the largest sample, found from those of the smaller ones; None if a sample leads nowhere.

    Who starts with coefficients knows more than a sample: they stay, only the Hessian there is that of the sample.
    """
    found = None
    if start[0].any():
        sample, share = every(problem, STRIDES[-1])
        steps = CholeskySteps(sample)
        return SampleMinimum(*start, _scaled(steps.inverse(steps.evaluate(*start)), share)) if share > 0.0 else None
    for stride in STRIDES:
        if problem.design.rows < stride * _least_rows(problem):
            continue
        try:
            found = _descend(*every(problem, stride), start)
        except ScoreOverflowError:
            return None
        if found is None:
            return None
        start = found.coef, found.center
    return found


def every(problem: SmoothProblem, stride: int) -> tuple[SmoothProblem, float]:
    """The problem of every stride-th row, penalized as much per weight, and its share of the weight."""
    design = problem.design
    assert isinstance(design, DenseDesign)
    rows = DenseDesign(design.X[::stride], design.threads)
    weights = None if problem.weights is None else np.ascontiguousarray(problem.weights[::stride])
    weight = float(rows.rows if weights is None else weights.sum())
    share = weight / problem.total_weight
    sample = replace(
        problem,
        design=rows,
        target=np.ascontiguousarray(problem.target[::stride]),
        weights=weights,
        strength=share * problem.strength,
        total_weight=weight,
        null=share * problem.null,
        constant=share * problem.constant,
    )
    return sample, share


def _descend(sample: SmoothProblem, share: float, start: Point) -> SampleMinimum | None:
    if not share > 0.0:
        return None
    steps, (coef, center) = CholeskySteps(sample), start
    at = steps.evaluate(coef, center)
    for _ in range(SAMPLE_STEPS):
        way, way_center = steps.step(at)
        slope = float(np.vdot(at.gradient, way) + at.gradient_center @ way_center)
        if -0.5 * slope <= CLOSE * sample.null:
            return SampleMinimum(coef + way, center + way_center, _scaled(steps.inverse(at), share))
        found = line_search(sample, steps, (coef, center), at, (way, way_center), slope)
        if found is None:
            return None
        coef, center, at = found
    return None


def _scaled(solve: Solve, share: float) -> Solve:
    return lambda right: share * solve(right)
