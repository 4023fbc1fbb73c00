"""Proximal Newton for a smooth loss with an L1 or elastic-net penalty (Lee, Sun, Saunders 2014).

The loss is replaced by its quadratic model, coordinate descent finds the penalized minimizer of that, and a line
search makes the step safe for the whole objective. With few coefficients all classes move at once; otherwise one
class at a time (with one output that is the same). In sparse tables the model is minimized over a working set: the
columns in use and those whose slope comes near the penalty. The others wait until the next look at all columns. From
that, columns that provably no optimum uses are known, and stay out of working sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from certus.linear._native_calls import smooth_kernels
from certus.linear.design.design_matrix import DenseDesign, SparseDesign
from certus.linear.evidence.elastic_net_gap import estimated_gap, may_be_used, probabilities
from certus.linear.problems.smooth_problem import Evaluation, SmoothProblem
from certus.linear.solvers.newton import NewtonResult, Point

Array = NDArray[np.float64]
EPSILON = np.finfo(float).eps
POLISHES = 3  # rounds of coordinate descent and exact solution on the support
ROUGH = 1e-9  # models that are wanted less accurately, as a share of the objective at zero, are not polished
NEAR = 0.7  # share of the penalty from which on a column's slope brings it into the working set
REGULAR = 1e-9  # reciprocal condition number above which a system is solved by Cholesky
JOINT_SIZE = 1500  # coefficients of all classes up to which one explicit Hessian serves them together


@dataclass
class _State:
    """The current point, its evaluation and its full objective."""

    coef: Array
    center: Array
    at: Evaluation
    objective: float


class ProximalNewton:
    """One run of the method on one problem; ``problem.strength`` is the ridge part of the penalty."""

    def __init__(self, problem: SmoothProblem, l1: float) -> None:
        self.problem = problem
        self.l1 = l1
        self._scale = problem.total_weight * float(np.log(max(2, problem.outputs)))
        dense = isinstance(problem.design, DenseDesign)
        self._joint = dense and problem.outputs * (problem.design.columns + 1) <= JOINT_SIZE
        self._usable = np.ones(problem.design.columns, dtype=bool)  # columns that some optimum may use

    def minimize(
        self,
        start: Point,
        *,
        max_iter: int,
        gap_limit: float,
        watch: Callable[[Array, Array, dict[str, float]], bool],
    ) -> NewtonResult:
        """Iterate until the duality gap is at most ``gap_limit`` or nothing moves any more."""
        state = self._state(*start)
        history: list[dict[str, float]] = []
        precision, converged, iterations = 1e-4 * self._scale, False, 0
        for _ in range(max_iter):
            before, moved = state.objective, False
            for classes in self._groups():
                state, progress = self._update(state, classes, precision)
                moved = moved or progress
            state, gap, share = self._settled(state)
            iterations += 1
            if not moved and gap > gap_limit:
                state, gap, moved = self._refined(state, gap)
            finest = 1e-6 * EPSILON * self._scale
            history.append({"objective": state.objective, "gap": gap})
            if gap <= gap_limit or (not moved and precision <= finest):
                converged = True
                break
            precision = max(min(1e-3 * (before - state.objective), 0.1 * precision), finest) if moved else finest
            if watch(state.coef, state.center, history[-1]):
                break
            self._screen(state, gap, share, moved=moved)
        return NewtonResult(state.coef, state.center, iterations, converged, history)

    def _screen(self, state: _State, gap: float, share: float, *, moved: bool) -> None:
        """Note the columns that no optimum uses; where nothing moves, rounding may have misled, and all count again."""
        if not moved:
            self._usable[:] = True
        elif isinstance(self.problem.design, SparseDesign):
            loss_gradient = state.at.gradient - self.problem.strength * state.coef
            self._usable &= may_be_used(self.l1, gap, share, loss_gradient, self._lengths)

    @cached_property
    def _lengths(self) -> Array:
        """Of the columns, rows multiplied by the roots of their weights."""
        assert isinstance(self.problem.design, SparseDesign)
        return self.problem.design.lengths(self.problem.weights)

    def _settled(self, state: _State) -> tuple[_State, float, float]:
        """The equivalent point of least penalty with the best intercepts, its gap up to rounding, the dual's share."""
        if self.problem.outputs > 1:
            state = self._state(best_shift(state.coef, self.l1, self.problem.strength), state.center)
        state, scores = self._with_best_center(state)
        loss_gradient = state.at.gradient - self.problem.strength * state.coef
        return state, *estimated_gap(self.problem, self.l1, state.objective, loss_gradient, scores)

    def _refined(self, state: _State, gap: float) -> tuple[_State, float, bool]:
        """Full steps where the objective's decrease drowns in rounding: the gap, of first order, still tells."""
        trial = state
        for classes in self._groups():
            step, step_center = self._step(trial, classes, 1e-6 * EPSILON * self._scale)
            coef, center = trial.coef.copy(), trial.center.copy()
            coef[classes] += step
            center[classes] += step_center
            trial = self._state(coef, center)
        trial, smaller, _ = self._settled(trial)
        return (trial, smaller, True) if smaller < 0.999 * gap else (state, gap, False)

    def _groups(self) -> Iterator[list[int]]:
        """Classes that move together."""
        classes = list(range(self.problem.outputs))
        return iter([classes] if self._joint else [[k] for k in classes])

    def _state(self, coef: Array, center: Array) -> _State:
        at = self.problem.evaluate(coef, center)
        return _State(coef, center, at, at.value + self.l1 * float(np.abs(coef).sum()))

    def _update(self, state: _State, classes: list[int], precision: float) -> tuple[_State, bool]:
        """One proximal Newton step for some classes; False if the objective cannot fall visibly."""
        step, step_center = self._step(state, classes, precision)
        wanted = state.coef[classes] + step
        slope = float(np.vdot(state.at.gradient[classes], step))
        slope += float(state.at.gradient_center[classes] @ step_center)
        slope += self.l1 * float(np.abs(wanted).sum() - np.abs(state.coef[classes]).sum())
        if slope >= -4.0 * EPSILON * state.objective:
            return state, False
        length = 1.0
        for _ in range(40):
            coef, center = state.coef.copy(), state.center.copy()
            coef[classes] = wanted if length == 1.0 else coef[classes] + length * step
            center[classes] += length * step_center
            trial = self._state(coef, center)
            if trial.objective <= state.objective + 1e-4 * length * slope:
                return trial, True
            length *= 0.5
        return state, False

    def _step(self, state: _State, classes: list[int], precision: float) -> tuple[Array, Array]:
        """Minimizer of the quadratic model, relative to the current point."""
        if isinstance(self.problem.design, DenseDesign):
            return self._dense_step(state, classes, precision)
        return self._working_step(state, classes[0], precision)

    def _dense_step(self, state: _State, classes: list[int], precision: float) -> tuple[Array, Array]:
        problem, columns, count = self.problem, state.coef.shape[1], len(classes)
        # Penalized coordinates first (class by class), then the intercepts.
        gradient = (state.at.gradient - problem.strength * state.coef)[classes].ravel()
        at = state.coef[classes].ravel()
        if problem.has_intercept:
            gradient = np.concatenate([gradient, state.at.gradient_center[classes]])
            at = np.concatenate([at, state.center[classes]])
        hessian = self._hessian(state.at.detail, classes)
        options = self._options(count * columns, precision / len(at))
        step = np.zeros_like(at)
        for _ in range(POLISHES):
            step = smooth_kernels.descend_gram(hessian, gradient, at, start=step, **options)
            if precision > ROUGH * self._scale:
                break
            step = self._polished(hessian, gradient, at, step, count * columns)
            waiting = (at + step)[: count * columns] == 0.0
            slope = (gradient + hessian @ step)[: count * columns]
            if np.abs(slope[waiting]).max(initial=0.0) <= self.l1:  # the model's minimum
                break
        moved = step[: count * columns].reshape(count, columns)
        return moved, step[count * columns :] if problem.has_intercept else np.zeros(count)

    def _working_step(self, state: _State, k: int, precision: float) -> tuple[Array, Array]:
        problem, design = self.problem, self.problem.design
        assert isinstance(design, SparseDesign)
        coef, slope = state.coef[k], state.at.gradient[k] - problem.strength * state.coef[k]
        working = np.flatnonzero((coef != 0.0) | ((np.abs(slope) >= NEAR * self.l1) & self._usable))
        columns = design.transposed if len(working) == len(coef) else design.transposed[working]
        gradient, at = slope[working], coef[working]
        curvature = self._curvature(state.at.detail, k, k)
        with np.errstate(divide="ignore"):
            diagonal = smooth_kernels.sparse_squares(columns, 1.0 / np.sqrt(curvature), design.threads)
        if problem.has_intercept:
            gradient, at = np.append(gradient, state.at.gradient_center[k]), np.append(at, state.center[k])
            diagonal = np.append(diagonal, curvature.sum())
        options = self._options(len(working), precision / max(len(at), 1))
        step = smooth_kernels.descend_columns(columns, curvature, diagonal, gradient, at, **options)
        moved = np.zeros((1, len(coef)))
        moved[0, working] = step[: len(working)]
        return moved, step[len(working) :] if problem.has_intercept else np.zeros(1)

    def _options(self, penalized: int, tol: float) -> dict[str, Any]:
        return {"l1": self.l1, "l2": self.problem.strength, "penalized": penalized, "tol": tol}

    def _polished(self, hessian: Array, gradient: Array, at: Array, step: Array, penalized: int) -> Array:
        """Exact minimizer of the model on the coordinates that are not 0; those that reach 0 are left there.

        Coordinate descent finds the support fast but converges slowly where coefficients trade off, as collinear
        columns do.
        """
        step = step.copy()
        for _ in range(min(len(at), 200)):
            here = at + step
            free = np.flatnonzero(here != 0.0)
            inside = free < penalized
            slope = gradient[free] + hessian[free] @ step
            slope += inside * (self.l1 * np.sign(here[free]) + self.problem.strength * here[free])
            matrix = hessian[np.ix_(free, free)] + np.diag(inside * self.problem.strength)
            move, flat = _model_move(matrix, slope, 1e-9 * self.l1)
            heading = inside & (here[free] * move < 0.0)
            reach = np.where(heading, -here[free] / np.where(heading, move, 1.0), np.inf)
            first = int(reach.argmin()) if len(reach) else 0
            if len(reach) == 0 or (flat and not np.isfinite(reach[first])):
                break
            if not flat and reach[first] >= 1.0:
                step[free] += move
                break
            step[free] += reach[first] * move
            step[free[first]] = -at[free[first]]
        return step

    def _hessian(self, detail: Array, classes: list[int]) -> Array:
        """Explicit Hessian of the loss for some classes, intercepts last."""
        problem, d, count = self.problem, self.problem.design.columns, len(classes)
        hessian = np.empty((count * (d + 1), count * (d + 1)))
        nothing = np.empty((problem.design.rows, 0))
        for a, k in enumerate(classes):
            for b, other in enumerate(classes[: a + 1]):
                curvature = self._curvature(detail, k, other)
                sign = 1.0 if k == other else -1.0
                block = sign * smooth_kernels.shifted_gram(
                    problem.design.X,
                    nothing,
                    curvature,
                    problem.mean,
                    problem.design.threads,
                )
                for row, column in ((a, b), (b, a)):
                    hessian[row * d : (row + 1) * d, column * d : (column + 1) * d] = block[:d, :d]
                    hessian[row * d : (row + 1) * d, count * d + column] = block[:d, d]
                    hessian[count * d + column, row * d : (row + 1) * d] = block[:d, d]
                    hessian[count * d + row, count * d + column] = block[d, d]
        size = len(hessian) if problem.has_intercept else count * d
        return np.ascontiguousarray(hessian[:size, :size])

    def _curvature(self, detail: Array, k: int, other: int) -> Array:
        """Size of the second derivative with respect to the scores of two classes, for every row."""
        if self.problem.loss.name == "logistic":
            return np.ascontiguousarray(detail[:, 0])
        spread = detail[:, k] * ((1.0 - detail[:, k]) if k == other else detail[:, other])
        return spread if self.problem.weights is None else self.problem.weights * spread

    def _with_best_center(self, state: _State) -> tuple[_State, Array]:
        """The same coefficients with the intercepts solved to machine precision, and their scores."""
        problem = self.problem
        uncentered = problem.intercept(state.coef, np.zeros_like(state.center))
        scores = problem.design.scores(state.coef, uncentered)
        if not problem.has_intercept:
            return state, scores
        center = best_center(problem, scores, state.center)
        return self._state(state.coef, center), scores + center


def _model_move(matrix: Array, slope: Array, negligible: float) -> tuple[Array, bool]:
    """The step to the minimum of a quadratic, or (True) a direction in which it falls without bound."""
    factor, failed = lapack.dpotrf(matrix, lower=True, clean=False)
    if len(matrix) and not failed and lapack.dpocon(factor, np.abs(matrix).sum(axis=0).max(), uplo="L")[0] > REGULAR:
        return -lapack.dpotrs(factor, slope, lower=True)[0], False
    values, vectors = np.linalg.eigh(matrix)
    kept = values > 1e-12 * max(float(values[-1]), 0.0) if len(values) else np.zeros(0, dtype=bool)
    parts = vectors.T @ slope
    if np.abs(parts[~kept]).max(initial=0.0) > negligible:
        return -vectors[:, ~kept] @ parts[~kept], True
    return -vectors[:, kept] @ (parts[kept] / values[kept]), False


def best_center(problem: SmoothProblem, scores: Array, center: Array) -> Array:
    """Newton's method in the intercepts alone, on scores without them."""
    weights = np.ones(len(scores)) if problem.weights is None else problem.weights
    labels = problem.target[:, 0].astype(np.intp)
    wanted = (
        np.bincount(labels, weights, minlength=2)[1:]
        if problem.outputs == 1
        else np.bincount(labels, weights, minlength=problem.outputs)
    )
    for _ in range(20):
        p = probabilities(problem, scores + center)
        totals = weights @ p
        hessian = np.diag(totals) - (p * weights[:, None]).T @ p
        gradient = totals - wanted
        if problem.outputs == 1:
            step = gradient / hessian[0] if hessian[0, 0] > 0.0 else np.zeros(1)
        else:
            step = np.linalg.lstsq(hessian, gradient, rcond=1e-12)[0]
        step = np.clip(step, -1.0, 1.0)
        center = center - step
        if np.abs(step).max() <= 4.0 * EPSILON * (1.0 + np.abs(center).max()):
            break
    return center


def best_shift(coef: Array, l1: float, l2: float) -> Array:
    """Equivalent coefficients of several classes with the least penalty.

    Adding one number t_j to column j of all classes changes no probability, and the penalty of the column is a
    one-dimensional convex function of t_j: its minimum is at a coefficient (which becomes 0) or, with l2, where
    the derivative vanishes between two of them.
    """
    classes = len(coef)
    if classes == 1:
        return coef
    candidates = [*coef]
    if l2 > 0.0:
        mean = coef.mean(axis=0)
        candidates += [mean - l1 * (2 * below - classes) / (classes * l2) for below in range(classes + 1)]
    shifts = np.array(candidates)
    distance = np.abs(coef[None] - shifts[:, None])
    penalty = (l1 * distance + 0.5 * l2 * distance**2).sum(axis=1)
    return coef - np.take_along_axis(shifts, penalty.argmin(axis=0)[None], axis=0)[0]
