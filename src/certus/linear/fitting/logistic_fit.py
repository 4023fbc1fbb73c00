"""Solve a logistic problem by the method that its shape and penalty ask for, and gather the evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgWarning

from certus.base import warn_user
from certus.guarantees.training import upper_bound
from certus.linear.design.design_matrix import DenseDesign, SparseDesign
from certus.linear.evidence.decrement_gap import decrement_at
from certus.linear.evidence.elastic_net_gap import elastic_net_evidence
from certus.linear.evidence.kept_evidence import KeptEvidence
from certus.linear.evidence.logistic_gap import LogisticEvidence, logistic_evidence
from certus.linear.problems.smooth_problem import SmoothProblem, make_problem
from certus.linear.solvers.average_gradient import RowProblem, average_gradient
from certus.linear.solvers.choice import EXPLICIT_HESSIAN, newton_steps, steps_by_shape
from certus.linear.solvers.logistic_dual_descent import dual_descent
from certus.linear.solvers.newton import (
    ConjugateGradientSteps,
    NewtonResult,
    Point,
    QuasiNewtonSteps,
    SingularStartError,
    Steps,
    minimize,
)
from certus.linear.solvers.proximal_newton import ProximalNewton
from certus.losses import ElasticNet

Array = NDArray[np.float64]
DUAL = "liblinear, dual"
DRAWN = ("sag", "saga", DUAL)  # solvers that draw rows
SPARSE_INTERCEPT_DECAY = 0.01  # of these: steps of the intercept on sparse tables, whose columns are rarely touched
SMALL_TABLE = 10_000_000  # entries up to which a sparse table may be filled in
WEAK = 1e-6  # gap over the objective at zero from which on a second bound is tried


@dataclass(frozen=True)
class Accuracy:
    """When to stop: scikit-learn's ``tol`` and ``max_iter``, and the share of the objective at zero for the gap.

    ``seed`` is for the solvers that draw rows.
    """

    tol: float
    max_iter: int
    gap_tol: float | None
    seed: int = 0


def logistic_problem(
    design: DenseDesign | SparseDesign,
    codes: NDArray[Any],
    weights: Array | None,
    *,
    classes: int,
    penalty: ElasticNet,
    fit_intercept: bool,
) -> SmoothProblem:
    """The smooth part of the objective.

    Under L1, narrow tables are dense and wide ones sparse: that is what coordinate descent works on. Sparse columns
    stay uncentered there.
    """
    if penalty.l1 > 0.0:
        narrow = design.columns <= EXPLICIT_HESSIAN and design.rows * design.columns <= SMALL_TABLE
        if isinstance(design, SparseDesign) and narrow:
            design = DenseDesign(design.X.toarray(), design.threads)
        elif isinstance(design, DenseDesign) and design.columns > EXPLICIT_HESSIAN:
            design = SparseDesign(sparse.csr_array(design.X), design.threads)
    problem = make_problem(design, codes, weights, classes=classes, strength=penalty.l2, fit_intercept=fit_intercept)
    if penalty.l1 > 0.0 and isinstance(design, SparseDesign):
        problem = replace(problem, mean=np.zeros(design.columns))
    return problem


def solve(
    problem: SmoothProblem,
    penalty: ElasticNet,
    solver: str,
    start: Point,
    accuracy: Accuracy,
    watch: Callable[[Array, Array, dict[str, float]], bool],
    evidence: KeptEvidence[LogisticEvidence],
) -> NewtonResult:
    """Coefficients in centered coordinates."""
    at_zero = problem.total_weight * float(np.log(max(2, problem.outputs)))
    if penalty.l1 > 0.0:
        wanted = min(accuracy.tol, 1e-4) * 1e-3
        wanted = wanted if accuracy.gap_tol is None else min(wanted, accuracy.gap_tol)
        return ProximalNewton(problem, penalty.l1).minimize(
            start, max_iter=accuracy.max_iter, gap_limit=wanted * at_zero, watch=watch
        )

    def certified(coef: Array, center: Array) -> bool:
        if accuracy.gap_tol is None:
            return True
        kept = (stored_values(part, problem) for part in (coef, problem.intercept(coef, center)))
        return evidence(*kept).gap <= accuracy.gap_tol * at_zero

    drawn = None
    if solver in DRAWN:
        if solver == DUAL:
            drawn = dual_descent(problem, tol=accuracy.tol, max_iter=accuracy.max_iter, seed=accuracy.seed, watch=watch)
        else:
            drawn = by_average_gradient(problem, start, accuracy, watch, unbiased=solver == "saga")
        stopped = not drawn.converged and drawn.iterations < accuracy.max_iter
        if accuracy.gap_tol is None or stopped:
            return drawn
        if certified(drawn.coef, drawn.center):
            return replace(drawn, converged=True)
        start = drawn.coef, drawn.center  # Newton steps reach the gap that was asked for
    steps, start = newton_steps(problem, solver, start, refuse_start=True)
    try:
        found = descend(problem, steps, start, accuracy, certified, watch)
    except SingularStartError:
        _tell_of_fallback()
        steps, left = steps_by_shape(problem, "lbfgs"), replace(accuracy, max_iter=accuracy.max_iter - 1)
        found = replace(descend(problem, steps, start, left, certified, watch), instead="lbfgs")
    if isinstance(steps, QuasiNewtonSteps) and found.converged and not certified(found.coef, found.center):
        # Rounding ended it before the gap was reached; Newton steps get further.
        left = replace(accuracy, max_iter=accuracy.max_iter - found.iterations)
        steps, start = ConjugateGradientSteps(problem), (found.coef, found.center)
        found = found.followed_by(descend(problem, steps, start, left, certified, watch))
    return found if drawn is None else drawn.followed_by(found)


def _tell_of_fallback() -> None:
    warn_user(
        "The Hessian matrix is singular or very ill-conditioned at the start. solver='lbfgs' is used instead, and this "
        "attempt counts as one of the max_iter iterations.\n"
        "Hint: remove collinear columns, or add a penalty.",
        LinAlgWarning,
    )


def stored_values(values: Array, problem: SmoothProblem) -> Array:
    """As they will be stored, which is what the certificate is about."""
    return values.astype(problem.design.X.dtype).astype(np.float64)


def descend(
    problem: SmoothProblem,
    steps: Steps,
    start: Point,
    accuracy: Accuracy,
    certified: Callable[[Array, Array], bool],
    watch: Callable[[Array, Array, dict[str, float]], bool],
) -> NewtonResult:
    """Iterations with one rule for the steps."""
    return minimize(
        problem,
        steps,
        start,
        tol=accuracy.tol,
        max_iter=accuracy.max_iter,
        good_enough=certified,
        watch=watch,
        wanted_gap=None if accuracy.gap_tol is None else accuracy.gap_tol * problem.null,
    )


def by_average_gradient(
    problem: SmoothProblem,
    start: Point,
    accuracy: Accuracy,
    watch: Callable[[Array, Array, dict[str, float]], bool],
    *,
    unbiased: bool,
) -> NewtonResult:
    """Epochs of SAG, or of SAGA if ``unbiased``; the iterations that are counted and told are epochs."""
    decay = SPARSE_INTERCEPT_DECAY if isinstance(problem.design, SparseDesign) else 1.0
    rows = RowProblem(
        problem.design.X,
        problem.target[:, 0],
        problem.weights,
        problem.loss,
        problem.outputs,
        problem.strength,
        decay if problem.has_intercept else 0.0,
        unbiased,
    )
    history: list[dict[str, float]] = []

    def centered(coef: Array, intercept: Array) -> Point:
        return problem.neutral(coef, intercept + coef @ problem.mean if problem.has_intercept else intercept)

    def after_epoch(coef: Array, intercept: Array) -> bool:
        coef, center = centered(coef, intercept)
        history.append({"objective": problem.evaluate(coef, center).value})
        return watch(coef, center, history[-1])

    result = average_gradient(
        rows,
        (start[0], problem.intercept(*start)),
        tol=accuracy.tol,
        max_iter=accuracy.max_iter,
        seed=accuracy.seed,
        watch=after_epoch,
    )
    coef, center = centered(result.coef, result.intercept)
    return NewtonResult(coef, center, result.epochs, result.converged, history)


def kept_evidence(problem: SmoothProblem, penalty: ElasticNet) -> KeptEvidence[LogisticEvidence]:
    """What is known about coefficients of this problem, gathered once for the same ones."""
    return KeptEvidence(lambda coef, intercept: evidence_for(problem, penalty, coef, intercept))


def evidence_for(problem: SmoothProblem, penalty: ElasticNet, coef: Array, intercept: Array) -> LogisticEvidence:
    """What is known about the distance of stored coefficients to the optimum."""
    if penalty.l1 > 0.0:
        return elastic_net_evidence(problem, penalty.l1, coef, intercept)
    evidence = logistic_evidence(problem, coef, intercept)
    if penalty.l2 > 0.0 and evidence.gap <= WEAK * evidence.objective_at_zero:
        return evidence
    decrement = decrement_at(problem, coef, intercept)
    if decrement is None or upper_bound(decrement, evidence.objective) >= evidence.gap:
        return evidence
    return replace(evidence, bound=decrement)
