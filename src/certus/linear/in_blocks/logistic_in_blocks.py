"""LogisticRegression with a ridge penalty or none on rows in blocks: a pass per Newton step, some more for the gap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Iterations, class_weights
from certus.base.blocks import Block, ClassStatistics, RowBlocks, block_labels, merge_moments
from certus.linear.design.block_design import BlockDesign
from certus.linear.evidence.kept_evidence import KeptEvidence
from certus.linear.fitting.logistic_fit import Accuracy, descend, stored_values
from certus.linear.in_blocks.drawn_rows import DrawnRows, start_on
from certus.linear.in_blocks.smooth_in_blocks import logistic_evidence, refuse_wide, steps_in_blocks
from certus.linear.in_blocks.targets import Codes
from certus.linear.problems.logistic_penalty import resolve_penalty
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.losses import Logistic, Multinomial

Array = NDArray[np.float64]
FEW = 32  # classes whose sums are dense products


def whole_table_needed(learner: Any) -> str | None:
    """Which setting needs the whole table."""
    if resolve_penalty(learner).l1 > 0.0:
        return "an L1 penalty"
    return f"solver={learner.solver!r}" if learner.solver in ("liblinear", "sag", "saga") else None


def column_moments(block: Block, state: Any) -> ClassStatistics:
    """Weight, mean and squared deviations of every column in every class of a block."""
    del state
    labels, codes = block_labels(block.y)
    weights = np.ones(block.rows) if block.weights is None else block.weights
    count = np.bincount(codes, weights, len(labels))
    members: Any = sparse.csc_array((weights, codes, np.arange(block.rows + 1)), shape=(len(labels), block.rows))
    members = members.toarray() if len(labels) <= FEW else members.tocsr()
    near = block.X[:: max(1, block.rows // 256)].mean(axis=0, dtype=np.float64)  # squares around it lose no digits
    rows = block.X - near
    met = count > 0.0
    divisor = np.where(met, count, 1.0)[:, None]
    offset = (members @ rows) / divisor
    np.square(rows, out=rows)
    deviations = np.maximum(members @ rows - count[:, None] * offset**2, 0.0)
    mean = np.where(met[:, None], near + offset, 0.0)
    return ClassStatistics(labels, (count, mean, deviations))


def _overview(block: Block, state: Any) -> tuple[ClassStatistics, DrawnRows]:
    return column_moments(block, state), DrawnRows.of(block)


def _joined(one: tuple[ClassStatistics, DrawnRows], two: tuple[ClassStatistics, DrawnRows]) -> tuple[Any, Any]:
    return one[0].joined(two[0], merge_moments), one[1].joined(two[1])


def fit_logistic(learner: Any, rows: RowBlocks) -> None:
    """Set what ``fit`` of a whole table sets."""
    penalty = resolve_penalty(learner)
    found, drawn = rows.reduce(_overview, _joined)
    learner.classes_ = found.labels
    learner._refuse_one_class()
    count, mean, deviations = found.arrays
    by_class = class_weights(learner.class_weight, found.labels, found.labels, count)
    targets = Codes(found.labels, by_class)
    problem = _problem(learner, rows, targets, (count * by_class, mean, deviations, by_class))
    problem = replace(problem, strength=penalty.l2)
    refuse_wide(learner, rows.columns, problem.outputs)
    evidence = KeptEvidence(lambda coef, intercept: logistic_evidence(problem, coef, intercept))

    def certified(coef: Array, center: Array) -> bool:
        if learner.gap_tol is None:
            return True
        kept = (stored_values(part, problem) for part in (coef, problem.intercept(coef, center)))
        return evidence(*kept).gap <= learner.gap_tol * problem.null

    accuracy = Accuracy(learner.tol, learner.max_iter, learner.gap_tol)
    with Iterations(learner, learner.max_iter, None, None) as iterations:

        def watch(coef: Array, center: Array, facts: dict[str, float]) -> bool:
            if not iterations.watched:
                return False
            names = dict(zip(("coef_", "intercept_"), learner._as_stored(problem, coef, center), strict=True))
            return iterations.step(names, **facts)

        steps, start = steps_in_blocks(problem), learner._start(problem)
        if not (learner.warm_start and hasattr(learner, "coef_")):
            start = start_on(problem, targets, drawn, start)
        result = descend(problem, steps, start, accuracy, certified, watch)
    learner._store(problem, penalty, result, by_class, evidence)


def _problem(
    learner: Any, rows: RowBlocks, targets: Codes, moments: tuple[Array, Array, Array, Array]
) -> SmoothProblem:
    """The problem without penalty, with means and spreads from the first pass."""
    count, mean, deviations, by_class = moments
    total = float(count.sum())
    middle = count @ mean / total if learner.fit_intercept else np.zeros(rows.columns)
    design: Any = BlockDesign(rows, targets)
    design.constant = bool(learner.fit_intercept)
    design.spreads = np.sqrt((by_class @ deviations + count @ (mean - middle) ** 2) / total)
    classes = len(targets.classes)
    return SmoothProblem(
        design=design,
        loss=Logistic() if classes == 2 else Multinomial(),
        target=np.empty((0, 1)),
        weights=None,
        strength=0.0,
        mean=middle,
        has_intercept=bool(learner.fit_intercept),
        outputs=1 if classes == 2 else classes,
        total_weight=total,
        null=total * float(np.log(classes)),
    )
