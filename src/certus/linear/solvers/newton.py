"""Damped Newton iterations for a `SmoothProblem`; the linear algebra of the step is exchangeable.

`CholeskySteps` factors the explicit Hessian (tall dense tables, one output). `ConjugateGradientSteps` needs only
products with the Hessian (several classes, sparse or wide tables). Both are memoryless: two iterations at once
equal twice one iteration. `QuasiNewtonSteps` needs only gradients and remembers the last few of them (L-BFGS).
`certus.linear.solvers.chord_newton` has the steps for tall tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning

from certus.base import warn_user
from certus.linear.design.design_matrix import DenseDesign
from certus.linear.problems.smooth_problem import Evaluation, ScoreOverflowError, SmoothProblem
from certus.linear.solvers.class_blocks import ClassBlocks, worth_blocks
from certus.linear.solvers.class_hessian import MANY_PRODUCTS, exact_step, small_hessian
from certus.linear.solvers.lbfgs import LimitedMemory
from certus.linear.solvers.normal_equations import ScaledCholesky

Array = NDArray[np.float64]
Point = tuple[Array, Array]

# Besides the user's tolerance, the predicted decrease must be below this share of the objective at zero.
DECREASE = 1e-13
EPSILON = np.finfo(float).eps


class SingularStartError(ArithmeticError):
    """The Hessian at the start is singular to working precision."""


@dataclass(frozen=True)
class NewtonResult:
    """Where the iterations ended. ``converged`` includes: no progress possible at machine precision.

    ``instead``: the solver that took over from the one that was asked for.
    """

    coef: Array
    center: Array
    iterations: int
    converged: bool
    history: list[dict[str, float]]
    instead: str | None = None

    def followed_by(self, later: NewtonResult) -> NewtonResult:
        """The result of a second method that started where the first one ended."""
        return replace(later, iterations=self.iterations + later.iterations, history=[*self.history, *later.history])


@dataclass(frozen=True)
class Needs:
    """What a rule for steps needs of a problem; all of them need a smooth loss and a ridge penalty or none."""

    convex: bool = True
    one_output: bool = False
    dense: bool = False

    def met_by(self, problem: SmoothProblem) -> bool:
        """Whether a problem has it."""
        return (
            (problem.loss.convex or not self.convex)
            and (problem.outputs == 1 or not self.one_output)
            and (isinstance(problem.design, DenseDesign) or not self.dense)
        )


class Steps(Protocol):
    """A rule for Newton steps."""

    needs: ClassVar[Needs]

    def evaluate(self, coef: Array, center: Array) -> Evaluation:
        """Value, gradient and what the rule needs for its step."""
        ...

    def step(self, at: Evaluation) -> Point:
        """A descent direction."""
        ...


class CholeskySteps:
    """Exact Newton steps from the explicit Hessian; a singular one is solved in the least-norm sense.

    ``tell_singular`` warns of that once, as scikit-learn's solver of this name does. ``refuse_start`` raises
    `SingularStartError` instead if it happens in the very first step.
    """

    needs: ClassVar[Needs] = Needs(one_output=True, dense=True)

    def __init__(self, problem: SmoothProblem, *, tell_singular: bool = False, refuse_start: bool = False) -> None:
        self.problem = problem
        self._tell = tell_singular
        self._refuse = refuse_start

    def evaluate(self, coef: Array, center: Array) -> Evaluation:
        return self.problem.evaluate_with_hessian(coef, center)

    def step(self, at: Evaluation) -> Point:
        columns = at.gradient.shape[1]
        solution = self.inverse(at)(-np.concatenate([at.gradient[0], at.gradient_center]))
        return solution[None, :columns], solution[columns:]

    def inverse(self, at: Evaluation) -> Callable[[Array], Array]:
        """The inverse Hessian at a point, to be applied to a vector of coefficients and center."""
        columns = at.gradient.shape[1]
        size = columns + 1 if self.problem.has_intercept else columns
        matrix = at.detail[:size, :size].copy()
        matrix[np.arange(columns), np.arange(columns)] += self.problem.strength
        factor = ScaledCholesky(matrix, 0.0)
        singular = factor.rcond <= 1e-13
        if singular:
            if self._refuse:
                raise SingularStartError
            self._warn_once()
        self._refuse = False

        def apply(right: Array) -> Array:
            solution = np.zeros(columns + 1)
            cut = right[:size]
            solution[:size] = least_norm_solve(matrix, cut) if singular else factor.solve(cut[:, None])[:, 0]
            return solution

        return apply

    def _warn_once(self) -> None:
        if self._tell:
            self._tell = False
            warn_user(
                "The Newton steps met a singular or very ill-conditioned Hessian matrix. "
                "Steps of least norm are taken instead.\nHint: remove collinear columns, or add a penalty.",
                LinAlgWarning,
            )


def least_norm_solve(matrix: Array, right: Array) -> Array:
    """Solution of a symmetric, positive semidefinite system whose null space is left alone."""
    scale = np.sqrt(np.diag(matrix))
    scale = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(matrix / scale / scale[:, None])
    kept = values > 1e-12 * max(values[-1], 0.0)
    return vectors[:, kept] @ ((vectors[:, kept].T @ (right / scale)) / values[kept]) / scale


class ConjugateGradientSteps:
    """Inexact Newton steps by preconditioned conjugate gradients (Dembo, Eisenstat, Steihaug 1982).

    Once a step needs many products, those of several classes with a small Hessian are exact from then on.
    """

    needs: ClassVar[Needs] = Needs()

    def __init__(self, problem: SmoothProblem) -> None:
        self.problem = problem
        self._variance = problem.spread**2
        self._blocks = ClassBlocks(problem) if worth_blocks(problem) else None
        self._small, self._hard = small_hessian(problem), False
        self._limit = max(20, min(200 * problem.outputs, problem.outputs * (problem.design.columns + 1)))

    def evaluate(self, coef: Array, center: Array) -> Evaluation:
        return self.problem.evaluate(coef, center)

    def step(self, at: Evaluation) -> Point:
        exact = exact_step(self.problem, at) if self._hard else None
        return self._inexact_step(at) if exact is None else exact

    def _inexact_step(self, at: Evaluation) -> Point:
        precondition = self._precondition(at.detail)
        solution, solution_center = np.zeros_like(at.gradient), np.zeros_like(at.gradient_center)
        residual, residual_center = -at.gradient, -at.gradient_center
        direction, direction_center = precondition(residual, residual_center)
        product = _inner(residual, direction) + _inner(residual_center, direction_center)
        # Memoryless forcing term: solve the better, the smaller the mean gradient is.
        largest = max(np.abs(at.gradient).max(initial=0.0), np.abs(at.gradient_center).max(initial=0.0))
        wanted = product * min(0.1, np.sqrt(largest / self.problem.total_weight)) ** 2
        for number in range(self._limit):
            self._hard = self._small and number >= MANY_PRODUCTS
            if product <= wanted or product <= 0.0:
                break
            image, image_center = self.problem.hessian_product(at.detail, direction, direction_center)
            curvature = _inner(direction, image) + _inner(direction_center, image_center)
            if curvature <= EPSILON * product:
                break
            length = product / curvature
            solution += length * direction
            solution_center += length * direction_center
            residual = residual - length * image
            residual_center = residual_center - length * image_center
            scaled, scaled_center = precondition(residual, residual_center)
            before, product = product, _inner(residual, scaled) + _inner(residual_center, scaled_center)
            direction = scaled + (product / before) * direction
            direction_center = scaled_center + (product / before) * direction_center
        if not solution.any() and not solution_center.any():
            return direction, direction_center
        return solution, solution_center

    def _precondition(self, curvature: Array) -> Callable[[Array, Array], Point]:
        inverse, inverse_center = self.preconditioner(curvature)
        if self._blocks is not None:
            return self._blocks.inverse(curvature, inverse, inverse_center)
        return lambda residual, residual_center: (inverse * residual, inverse_center * residual_center)

    def preconditioner(self, curvature: Array) -> Point:
        """Inverse of a rough diagonal of the Hessian."""
        if self.problem.loss.name == "multinomial":
            spread = curvature * (1.0 - curvature)
            per_output = spread.sum(axis=0) if self.problem.weights is None else self.problem.weights @ spread
        else:
            per_output = curvature.sum(axis=0)
        per_output = np.maximum(per_output, 1e-12 * self.problem.total_weight)
        diagonal = self.problem.strength + np.outer(self._variance, per_output).T
        floor = 1e-10 * diagonal.max(initial=0.0) or 1.0
        return 1.0 / np.maximum(diagonal, floor), 1.0 / per_output


class StepsFromPlaces:
    """Rules that must know where they are; an accepted point is always the last one that was evaluated."""

    def __init__(self, problem: SmoothProblem) -> None:
        self.problem = problem
        self._seen: tuple[Evaluation, Point] | None = None

    def evaluate(self, coef: Array, center: Array) -> Evaluation:
        at = self.problem.evaluate(coef, center)
        self._seen = at, (coef, center)
        return at

    def _place_of(self, at: Evaluation) -> Point:
        assert self._seen is not None
        seen, place = self._seen
        assert seen is at
        return place


class QuasiNewtonSteps(StepsFromPlaces):
    """Steps of limited-memory BFGS: no products with the Hessian, a rough diagonal of it as the first guess."""

    needs: ClassVar[Needs] = Needs(convex=False)

    def __init__(self, problem: SmoothProblem, memory: int = 6) -> None:
        super().__init__(problem)
        self._memory = LimitedMemory(memory)
        self._before: tuple[Array, Array] | None = None  # point and gradient of the last step
        self._first = np.empty(0)

    def step(self, at: Evaluation) -> Point:
        coef, center = self._place_of(at)
        point, gradient = _joined(coef, center), _joined(at.gradient, at.gradient_center)
        if self._before is None:
            self._first = _joined(*ConjugateGradientSteps(self.problem).preconditioner(np.abs(at.detail)))
        else:  # the old vectors become the differences: fresh memory of this size costs as much as the arithmetic
            old_point, old_gradient = self._before
            np.subtract(point, old_point, out=old_point)
            np.subtract(gradient, old_gradient, out=old_gradient)
            self._memory.remember(old_point, old_gradient)
        self._before = point, gradient
        way = self._memory.direction(gradient, first=self._first)
        return way[: coef.size].reshape(coef.T.shape).T, way[coef.size :]


def _joined(coef: Array, center: Array) -> Array:
    """One vector, column after column of the table."""
    return np.concatenate([coef.T.ravel(), center])


def _inner(a: Array, b: Array) -> float:
    """Sum of products; the tables of coefficients are laid out either way, and none is copied for it."""
    return float(np.vdot(a, b) if a.flags.c_contiguous else np.vdot(a.T, b.T))


def minimize(
    problem: SmoothProblem,
    steps: Steps,
    start: Point,
    *,
    tol: float,
    max_iter: int,
    good_enough: Callable[[Array, Array], bool],
    watch: Callable[[Array, Array, dict[str, float]], bool],
    wanted_gap: float | None = None,
) -> NewtonResult:
    """Newton's method with backtracking until the mean gradient is at most ``tol`` and the point good enough.

    Whether it is good enough is asked when nearly nothing can be gained any more, and, if a gap is wanted, as soon as
    strong convexity promises that it is reached.
    """
    coef, center = start
    at = steps.evaluate(coef, center)
    scale = problem.null
    history: list[dict[str, float]] = []
    iterations, converged = 0, False
    while True:
        largest = max(np.abs(at.gradient).max(initial=0.0), np.abs(at.gradient_center).max(initial=0.0))
        if largest == 0.0:
            converged = True
            break
        small = largest <= tol * problem.total_weight
        promised = wanted_gap is not None and 0.0 < _promised(problem, at) <= wanted_gap
        if small and promised and good_enough(coef, center):
            converged = True
            break
        if iterations == max_iter:
            break
        way, way_center = steps.step(at)
        slope = _inner(at.gradient, way) + _inner(at.gradient_center, way_center)
        near = -0.5 * slope <= DECREASE * scale
        if small and near and good_enough(coef, center):
            # The step is known already, and so near the minimum it squares the error, unless curvatures change fast.
            moved = problem.neutral(coef + way, center + way_center)
            if _does_not_rise(problem, at, moved):
                coef, center = moved
            converged = True
            break
        found = line_search(problem, steps, (coef, center), at, (way, way_center), slope)
        if found is None:  # rounding hides any further decrease
            converged = True
            break
        coef, center, at = found
        iterations += 1
        facts = {"objective": at.value, "decrease": -0.5 * slope}
        history.append(facts)
        if watch(coef, center, facts):
            break
    return NewtonResult(coef, center, iterations, converged, history)


def _does_not_rise(problem: SmoothProblem, at: Evaluation, moved: Point) -> bool:
    """Whether the objective is not higher at a point than here, beyond rounding."""
    try:
        return bool(problem.evaluate(*moved).value <= at.value + _noise(problem, at))
    except ScoreOverflowError:
        return False


def _noise(problem: SmoothProblem, at: Evaluation) -> float:
    """About the rounding of a value, whose terms may cancel: those of the start tell how large they are."""
    return 8.0 * EPSILON * max(abs(at.value), abs(problem.null))


def _promised(problem: SmoothProblem, at: Evaluation) -> float:
    """Roughly the gap that strong convexity will certify here; 0 without a penalty (see `logistic_gap`)."""
    if problem.strength <= 0.0:
        return 0.0
    slope = float(np.sqrt(_inner(at.gradient, at.gradient)))
    if problem.has_intercept:
        slope += max(1, problem.outputs - 1) * problem.radius * float(np.abs(at.gradient_center).sum())
    return slope * slope / (2.0 * problem.strength)


def line_search(
    problem: SmoothProblem, steps: Steps, at: Point, now: Evaluation, way: Point, slope: float
) -> tuple[Array, Array, Evaluation] | None:
    """Halve the step until the objective falls enough (Armijo); None if it cannot fall visibly."""
    if slope >= 0.0:
        return None
    noise = _noise(problem, now)
    length = 1.0
    for _ in range(40):
        coef, center = problem.neutral(at[0] + length * way[0], at[1] + length * way[1])
        try:
            trial = steps.evaluate(coef, center)
        except ScoreOverflowError:  # too long a step for a loss that grows exponentially
            length *= 0.25
            continue
        if trial.value <= now.value + 1e-4 * length * slope and trial.value < now.value:
            return coef, center, trial
        if -length * slope <= noise:
            # Values no longer tell; the gradient still may.
            shrunk = np.linalg.norm(trial.gradient) + np.linalg.norm(trial.gradient_center)
            before = np.linalg.norm(now.gradient) + np.linalg.norm(now.gradient_center)
            better = shrunk < 0.5 * before and trial.value <= now.value + noise
            return (coef, center, trial) if better else None
        length *= 0.5
    return None
