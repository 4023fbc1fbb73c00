"""LinearSVC with the squared hinge on rows in blocks: semismooth Newton steps of all machines at once, a pass each.

A pass gives, for every machine, the loss, the dual value of the dual variables that belong to the scores, their image,
and the Hessian of the rows that are inside the margin: as for whole tables, every pass yields the duality gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Iterations, class_weights, resolve_threads
from certus.base.blocks import Block, MergeClasses, RowBlocks, count_labels, sums
from certus.linear._native_calls import machine_kernels as kernels
from certus.linear._native_calls import smooth_kernels
from certus.linear.design.block_design import TREE
from certus.linear.design.moments import gamma
from certus.linear.evidence.linear_labels import label_certificate, undecided_rows
from certus.linear.evidence.machine_evidence import MachineEvidence, combine, evidence_of_sums, machine_sums
from certus.linear.in_blocks.smooth_in_blocks import refuse_wide
from certus.linear.problems.box_problem import BoxProblem, MachineTable, classification
from certus.linear.solvers.box_newton import solved
from certus.linear.solvers.machine_solvers import EXACT, LOOSEST

Array = NDArray[np.float64]
HALVINGS = 40
PATIENCE = 3  # steps without a smaller gap: rounding hides what is left


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    if learner.multi_class != "ovr":
        return f"multi_class={learner.multi_class!r}"
    return None if (learner.loss, learner.penalty) == ("squared_hinge", "l2") else "another loss than the squared hinge"


@dataclass(frozen=True)
class _Machines:
    """One machine per class, or one for two."""

    classes: NDArray[Any]
    costs: Array  # of a row of each class
    constant: float

    @property
    def positive(self) -> list[int]:
        return [1] if len(self.classes) == 2 else list(range(len(self.classes)))

    def problems(self, block: Block) -> list[BoxProblem]:
        """The machines of the rows of a block."""
        codes = np.searchsorted(self.classes, block.y)
        costs = self.costs[codes] * (1.0 if block.weights is None else block.weights)
        table = MachineTable(block.X, self.constant, resolve_threads())
        return [classification(table, np.where(codes == k, 1.0, -1.0), costs, squared=True) for k in self.positive]


def _pass(block: Block, at: tuple[_Machines, Array]) -> tuple[Array, ...]:
    machines, coef = at
    parts = []
    for problem, w in zip(machines.problems(block), coef, strict=True):
        table, zero = problem.table, np.zeros(block.rows)
        found = kernels.box_pass(table.rows, table.constant, problem.box, 0.0, zero, w, table.used_threads)
        free = np.flatnonzero(found.curvature)
        weights = found.curvature[free]
        size = len(w) - (machines.constant == 0.0)
        hessian = np.zeros((size, size))
        if len(free):
            hessian = kernels.row_gram(table.X, table.constant, free, weights, table.used_threads)
        parts.append((np.array(found.loss), np.array(found.dual), found.image, hessian, np.array(problem.at_zero)))
    return tuple(np.stack(each) for each in zip(*parts, strict=True))


def _evidence(block: Block, at: tuple[_Machines, Array, int]) -> list[Any]:
    machines, coef, chain = at
    found = []
    for problem, w in zip(machines.problems(block), coef, strict=True):
        table, zero = problem.table, np.zeros(block.rows)
        b = kernels.box_pass(table.rows, table.constant, problem.box, 0.0, zero, w, table.used_threads).b
        found.append(machine_sums(problem, w, b, table.scores(w), chain))
    return found


def _joined(one: list[Any], two: list[Any]) -> list[Any]:
    return [a.joined(b) for a, b in zip(one, two, strict=True)]


def _undecided(block: Block, at: tuple[_Machines, Array, float]) -> int:
    machines, coef, farthest = at
    table = MachineTable(block.X, machines.constant, resolve_threads())
    scores = np.column_stack([table.scores(w) for w in coef])
    lengths = table.lengths * (1.0 + 1e-12)
    rounding = gamma(table.width + 8) * lengths * float(np.linalg.norm(coef, axis=1).max())
    return undecided_rows(scores, lengths * farthest + 2.0 * rounding)


def _added(one: int, two: int) -> int:
    return one + two


def fit_machines(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets."""
    learner._check_combination()
    found = rows.reduce(count_labels, MergeClasses(sums))
    labels, counts = found.labels, found.arrays[0]
    learner.classes_ = labels
    refuse_wide(learner, rows.columns, 1)
    if len(labels) < 2:
        raise ValueError(
            "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{labels[0]!r}.\nHint: check the target column."
        )
    by_class = class_weights(learner.class_weight, labels, labels, counts)
    machines = _Machines(labels, learner.C * by_class, learner._constant)
    with Iterations(learner, learner.max_iter) as iterations:
        coef = _solve(learner, rows, machines, iterations)
    evidence = _gathered(rows, machines, coef)
    learner.history_ = np.array([*learner.history_, evidence.gap])
    stored, intercept = coef[:, :-1], learner.intercept_scaling * coef[:, -1]
    learner.coef_ = np.ascontiguousarray(stored)
    learner.intercept_ = intercept if learner.fit_intercept else 0.0
    facts = {
        "penalty": learner.penalty,
        "multi_class": learner.multi_class,
        "epsilon": 0.0,
        "classes": labels.tolist(),
        "class_weights": by_class.tolist(),
    }
    learner._certify(evidence, facts, stored, intercept)
    assert evidence.distances is not None
    farthest = float(np.sort(evidence.distances)[-2:].sum())
    undecided = rows.reduce(_undecided, _added, (machines, coef, farthest))
    certificate = label_certificate(undecided, rows.rows, float(evidence.distances.max()))
    learner.report_ = learner.report_.with_([certificate])
    learner._warn_unless_converged(evidence.objective_at_zero)


def _gathered(rows: RowBlocks, machines: _Machines, coef: Array) -> MachineEvidence:
    chain = max(smooth_kernels.gradient_chain(rows.largest, rows.columns, 1), 64 + rows.largest // 8) + TREE
    found = rows.reduce(_evidence, _joined, (machines, coef, chain))
    none = np.empty((0, 1))  # scores and dual variables stay with the rows
    return combine([evidence_of_sums(one, w, chain, none, none) for one, w in zip(found, coef, strict=True)])


def _solve(learner: Any, rows: RowBlocks, machines: _Machines, iterations: Iterations) -> Array:
    """The coefficients of all machines, the constant's last; sets how the iterations went."""
    count = len(machines.positive)
    coef, idle, learner.history_ = np.zeros((count, rows.columns + 1)), 0, []
    at = rows.reduce(_pass, sums, (machines, coef))
    share = EXACT if learner.gap_tol is None else learner.gap_tol
    wanted, gaps = share * at[4], _gaps(coef, at)
    best_coef, best = coef, gaps
    learner.n_iter_ = 0
    while learner.n_iter_ < learner.max_iter and (best > wanted).any() and idle < PATIENCE:
        moved, at = _step(rows, machines, coef, at)
        learner.n_iter_ += 1
        gaps = _gaps(moved, at)
        better = gaps < best
        idle = 0 if better.any() else idle + 1
        best_coef, best = np.where(better[:, None], moved, best_coef), np.where(better, gaps, best)
        coef = moved
        learner.history_.append(float(gaps.sum()))
        if iterations.step(objective=float(_values(coef, at).sum()), gap=float(gaps.sum())):
            break
    enough = wanted if learner.gap_tol is not None else np.maximum(wanted, LOOSEST * learner.tol * at[4])
    learner.converged_ = bool((best <= enough).all())
    return best_coef


def _values(coef: Array, at: tuple[Array, ...]) -> Array:
    return np.asarray(0.5 * np.einsum("kj,kj->k", coef, coef) + at[0])


def _gaps(coef: Array, at: tuple[Array, ...]) -> Array:
    return np.asarray(_values(coef, at) - at[1] + 0.5 * np.einsum("kj,kj->k", at[2], at[2]))


def _step(rows: RowBlocks, machines: _Machines, coef: Array, at: tuple[Array, ...]) -> tuple[Array, tuple[Array, ...]]:
    """A Newton step of every machine, halved until its objective falls."""
    gradient, way = coef - at[2], np.zeros_like(coef)
    for k, hessian in enumerate(at[3]):
        size = len(hessian)
        way[k] = -gradient[k]
        way[k, :size] = solved(np.array(hessian, order="C"), np.ones(size), way[k, :size])
    slopes, values, steps = np.einsum("kj,kj->k", gradient, way), _values(coef, at), np.ones(len(coef))
    for _ in range(HALVINGS):
        trial = coef + steps[:, None] * way
        there = rows.reduce(_pass, sums, (machines, trial))
        good = _values(trial, there) <= values + 1e-4 * steps * slopes + 1e-14 * np.abs(values)
        if good.all():
            break
        steps = np.where(good, steps, 0.5 * steps)
    return trial, there
