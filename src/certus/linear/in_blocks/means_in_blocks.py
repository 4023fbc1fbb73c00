"""Poisson, gamma and Tweedie regression on rows in blocks: a pass per Newton step, some more for the gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations
from certus.base.blocks import Block, RowBlocks, merge_moments
from certus.linear.design.block_design import BlockDesign
from certus.linear.evidence.kept_evidence import KeptEvidence
from certus.linear.in_blocks.drawn_rows import DrawnRows, start_on
from certus.linear.in_blocks.smooth_in_blocks import joined, mean_evidence, refuse_wide, steps_in_blocks
from certus.linear.in_blocks.targets import Numbers
from certus.linear.problems.mean_problem import ROUNDING
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.newton import minimize
from certus.losses import KnownLoss, MeanLoss

Array = NDArray[np.float64]


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    loss = learner._loss
    return None if isinstance(loss, MeanLoss) and loss.convex else f"power={learner.power:g}"


@dataclass(frozen=True)
class _Sums:
    """Moments of the columns, and what the loss without coefficients is made of."""

    moments: tuple[Array, ...]
    target: float
    constant: float
    size: float
    drawn: DrawnRows

    def joined(self, other: _Sums) -> _Sums:
        moments = merge_moments(self.moments, other.moments)
        drawn = self.drawn.joined(other.drawn)
        sums = self.target + other.target, self.constant + other.constant, self.size + other.size
        return _Sums(moments, *sums, drawn)


def _sums(block: Block, learner: Any) -> _Sums:
    y = np.asarray(block.y, dtype=np.float64)
    loss, weights = learner._loss, np.ones(block.rows) if block.weights is None else block.weights
    row = loss.targets.first_outside(y)
    if row is not None:
        learner._check_range(y, block.weights)  # says so
    total = float(weights.sum())
    near = block.X[:: max(1, block.rows // 256)].mean(axis=0, dtype=np.float64)  # squares around it lose no digits
    rows = block.X - near
    offset = weights @ rows / total
    mean = near + offset
    np.square(rows, out=rows)
    moments = (np.array([total]), mean[None], np.maximum(weights @ rows - total * offset**2, 0.0)[None])
    constant = loss.constant(y)
    sums = float(weights @ y), float(weights @ constant), float(weights @ np.abs(constant))
    return _Sums(moments, *sums, DrawnRows.of(block))


def fit_means(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets."""
    found = rows.reduce(_sums, joined, rows.unfitted())
    problem = _problem(learner, rows, learner._loss, found)
    refuse_wide(learner, rows.columns, 1)
    evidence_at = KeptEvidence(lambda coef, intercept: mean_evidence(problem, coef, intercept))

    def certified(coef: Array, center: Array) -> bool:
        if learner.gap_tol is None:
            return True
        evidence = evidence_at(coef, problem.intercept(coef, center))
        return evidence.gap <= learner.gap_tol * evidence.objective_at_zero

    start = _start(learner, problem, found)
    with Iterations(learner, learner.max_iter, None, None) as iterations:
        result = minimize(
            problem,
            steps_in_blocks(problem),
            start,
            tol=learner.tol,
            max_iter=learner.max_iter,
            good_enough=certified,
            wanted_gap=None if learner.gap_tol is None else learner.gap_tol * problem.null,
            watch=lambda coef, center, facts: iterations.step(
                dict(zip(("coef_", "intercept_"), learner._as_stored(problem, coef, center), strict=True)), **facts
            ),
        )
    learner._store(problem, result, evidence_at)


def _start(learner: Any, problem: SmoothProblem, found: _Sums) -> tuple[Array, Array]:
    if learner.warm_start and hasattr(learner, "coef_"):
        coef, center = learner._start(problem)
        return coef, center
    coef, center = problem.zero()
    if problem.has_intercept:
        center[0] = problem.loss.best_constant([found.target / problem.total_weight])
    return start_on(problem, Numbers(), found.drawn, (coef, center))


def _problem(learner: Any, rows: RowBlocks, loss: KnownLoss, found: _Sums) -> SmoothProblem:
    (count, mean, deviations) = found.moments
    total, intercept = float(count[0]), bool(learner.fit_intercept)
    average = found.target / total
    if intercept:
        learner._check_range(np.array([average]), None)  # the mean of the targets must be positive
    score = loss.best_constant([average]) if intercept else 0.0
    # Without coefficients the loss is linear in the target, up to its constant.
    linear = float(loss.value(average, score) - loss.constant(average)) * total
    noise = ROUNDING * (found.size + (1.0 + abs(score)) * (total + found.target))
    design: Any = BlockDesign(rows, Numbers())
    design.spreads = np.sqrt(deviations[0] / total)
    return SmoothProblem(
        design=design,
        loss=loss,
        target=np.empty((0, 1)),
        weights=None,
        strength=learner.alpha * total,
        mean=mean[0] if intercept else np.zeros(rows.columns),
        has_intercept=intercept,
        outputs=1,
        total_weight=total,
        null=max(linear + found.constant, noise),
        constant=found.constant,
    )
