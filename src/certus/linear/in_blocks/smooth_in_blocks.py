"""Models with a smooth loss on rows in blocks: Newton's method and the certified gap, both from sums over blocks.

A pass gives value, gradient and Hessian of the objective; the solver is the one of whole tables. What certifies the gap
is summed over the rows of parts of the problem by the functions that sum it over all rows of a table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import resolve_threads
from certus.base.blocks import Block
from certus.guarantees.training import GapEvidence, upper_bound
from certus.linear.design.block_design import TREE, BlockDesign
from certus.linear.design.design_matrix import DenseDesign
from certus.linear.design.moments import gamma
from certus.linear.evidence import decrement_gap, logistic_gap, mean_gap
from certus.linear.problems.smooth_problem import Evaluation, SmoothProblem
from certus.linear.solvers.class_hessian import finished_hessian, step_with
from certus.linear.solvers.newton import CholeskySteps, Needs, Point, Steps

Array = NDArray[np.float64]
MOST_UNKNOWNS = 4000  # of an explicit Hessian, which every block sends
WEAK = 1e-6  # gap over the objective at zero from which on a second bound is tried


class PartDesign(DenseDesign):
    """The rows of a block, whose sums are added to those of other blocks."""

    def chain(self, outputs: int) -> int:
        """Longest chain of additions behind an entry of the gradient of all rows."""
        return super().chain(outputs) + TREE


@dataclass(frozen=True)
class At:
    """A point of a problem whose rows are in blocks; travels to them."""

    problem: SmoothProblem  # without rows
    targets: Any
    coef: Array
    intercept: Array
    more: Any = None

    def part(self, block: Block) -> SmoothProblem:
        """The problem of the rows of a block."""
        target, weights = self.targets.of(block)
        return replace(self.problem, design=PartDesign(block.X, resolve_threads()), target=target, weights=weights)


def _at(problem: SmoothProblem, coef: Array, intercept: Array, more: Any = None) -> At:
    empty = replace(problem, design=DenseDesign(problem.design.X, 1))
    return At(empty, _design(problem).targets, np.ascontiguousarray(coef), intercept, more)


def _design(problem: SmoothProblem) -> BlockDesign:
    design: Any = problem.design
    assert isinstance(design, BlockDesign)
    return design


def joined(one: Any, two: Any) -> Any:
    """The merge of statistics that know how."""
    return one.joined(two)


class ClassSteps:
    """Exact Newton steps for several classes."""

    needs: ClassVar[Needs] = Needs(dense=True)

    def __init__(self, problem: SmoothProblem) -> None:
        self.problem = problem

    def evaluate(self, coef: Array, center: Array) -> Evaluation:
        """Value, gradient and Hessian of the losses."""
        return self.problem.evaluate_with_hessian(coef, center)

    def step(self, at: Evaluation) -> Point:
        """The Newton step, or one of steepest descent where the Hessian is singular."""
        matrix = finished_hessian(self.problem, at.detail.copy())
        if self.problem.strength == 0.0:
            # Equal changes of all classes' coefficients change nothing, and the gradient vanishes along them.
            places = np.arange(len(matrix)).reshape(self.problem.outputs, -1)[:, :-1]
            for column in places.T:
                matrix[np.ix_(column, column)] += float(np.mean(np.diag(matrix)[column]))
        found = step_with(self.problem, at, matrix)
        if found is not None:
            return found
        size = max(float(np.trace(at.detail)) / len(at.detail), 1e-300)
        return -at.gradient / size, -at.gradient_center / size


def steps_in_blocks(problem: SmoothProblem) -> Steps:
    """The rule for Newton steps; Hessians are explicit."""
    return CholeskySteps(problem) if problem.outputs == 1 else ClassSteps(problem)


def refuse_wide(learner: Any, columns: int, outputs: int) -> None:
    """Refuse a Hessian that is too large to be sent by every block."""
    unknowns = outputs * (columns + 1)
    if unknowns > MOST_UNKNOWNS:
        raise ValueError(
            f"{type(learner).__name__} on rows in blocks takes up to {MOST_UNKNOWNS} coefficients, got {unknowns} "
            f"({outputs} x {columns + 1}).\nHint: fit to a sample (certus.scale.sample), or take fewer columns."
        )


def _logistic_sums(block: Block, at: At) -> Any:
    return logistic_gap.logistic_sums(at.part(block), at.coef, at.intercept)


def _undecided(block: Block, at: At) -> int:
    part = at.part(block)
    rows = logistic_gap.row_facts(part, at.coef, at.intercept)
    return logistic_gap.count_undecided(part, rows, *at.more) or 0


def _added(one: int, two: int) -> int:
    return one + two


def logistic_evidence(problem: SmoothProblem, coef: Array, intercept: Array) -> logistic_gap.LogisticEvidence:
    """As the function of that name for whole tables; two passes, and two more where the penalty is weak."""
    table = _design(problem).table
    sums = table.reduce(_logistic_sums, joined, _at(problem, coef, intercept))
    evidence, (reach, radius) = logistic_gap.evidence_of_sums(problem, coef, sums)
    if np.isfinite(evidence.distance) and np.isfinite(reach):
        more = (evidence.distance, reach, radius)
        undecided = table.reduce(_undecided, _added, _at(problem, coef, intercept, more))
        evidence = replace(evidence, undecided=undecided)
    return with_decrement(problem, coef, intercept, evidence)


def _balance(block: Block, at: At) -> Any:
    part = at.part(block)
    return mean_gap.balance(part, mean_gap.mean_rows(part, at.coef, at.intercept))


def _mean_sums(block: Block, at: At) -> Any:
    part = at.part(block)
    rows = mean_gap.mean_rows(part, at.coef, at.intercept)
    return mean_gap.mean_sums(part, at.coef, at.intercept, at.more, rows)


def mean_evidence(problem: SmoothProblem, coef: Array, intercept: Array) -> GapEvidence:
    """As the function of that name for whole tables; two passes, and two more where the penalty is weak."""
    design = _design(problem)
    chain = gamma(design.chain(1) + 16)
    balance = design.table.reduce(_balance, joined, _at(problem, coef, intercept))
    shift, share = mean_gap.best_shift(problem, balance)
    sums = design.table.reduce(_mean_sums, joined, _at(problem, coef, intercept, shift))
    return with_decrement(problem, coef, intercept, mean_gap.evidence_of_sums(problem, coef, sums, share, chain))


def _second_order(block: Block, at: At) -> Any:
    return decrement_gap.second_order(decrement_gap.rows_at(at.part(block), at.coef, at.intercept, copies=True))


def _reach(block: Block, at: At) -> float:
    rows = decrement_gap.rows_at(at.part(block), at.coef, at.intercept, copies=True)
    return decrement_gap.reach_of(rows, at.more)


def with_decrement(problem: SmoothProblem, coef: Array, intercept: Array, found: Any) -> Any:
    """The evidence, or that of the Newton decrement if it is better; two passes where it is tried."""
    if problem.strength > 0.0 and found.gap <= WEAK * found.objective_at_zero:
        return found
    design = _design(problem)
    unknowns = max(1, problem.outputs - 1) * (design.columns + 1)
    if (problem.strength > 0.0 and problem.outputs > 1) or unknowns > decrement_gap.LARGEST_HESSIAN:
        return found
    sums = design.table.reduce(_second_order, joined, _at(problem, coef, intercept))
    solved = decrement_gap.solved(problem, coef, sums, design.rows)
    if solved is None:
        return found
    reach = design.table.reduce(_reach, max, _at(problem, coef, intercept, solved.root))
    decrement = solved.decrement(reach)
    if decrement is None or upper_bound(decrement, found.objective) >= found.gap:
        return found
    return replace(found, bound=decrement)
