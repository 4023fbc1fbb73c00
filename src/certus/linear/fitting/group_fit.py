"""What both group lassos share: the groups, the fit of one output, what is stored."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.base import Boolean, Constraints, Interval, Iterations, Learner, Verbosity, warn_not_converged
from certus.guarantees import Report
from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.design_matrix import DenseDesign, SparseDesign
from certus.linear.evidence.group_gap import group_evidence
from certus.linear.evidence.kept_evidence import KeptEvidence
from certus.linear.evidence.linear_gap_rules import GROUPS
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.block_newton import minimize_blocks
from certus.linear.solvers.newton import NewtonResult
from certus.losses import GroupL2, KnownLoss

Array = NDArray[np.float64]


class Groups:
    """The rule of the parameter ``groups``; whether it fits the table is found out by `group_lists`."""

    def allows(self, value: Any) -> bool:
        if value is None or (isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1):
            return True
        return isinstance(value, list | tuple | np.ndarray) and len(value) > 0

    def __str__(self) -> str:
        return "None, a positive whole number, a label per column, or a list of lists of columns"


def group_lists(groups: Any, columns: int) -> list[list[int]]:
    """The columns of every group."""
    if groups is None or isinstance(groups, int | np.integer):
        size = 1 if groups is None else int(groups)
        return [list(range(first, min(first + size, columns))) for first in range(0, columns, size)]
    if all(np.ndim(entry) == 0 for entry in groups):
        if len(groups) != columns:
            raise ValueError(
                f"groups must hold a label for each of the {columns} columns, got {len(groups)} labels.\n"
                "Hint: a list of lists of columns, or the size of equal groups, is possible as well."
            )
        labels, place = np.unique(np.asarray(groups), return_inverse=True)
        return [np.flatnonzero(place == k).tolist() for k in range(len(labels))]
    lists = [[int(column) for column in group] for group in groups]
    if sorted(column for group in lists for column in group) != list(range(columns)) or not all(lists):
        raise ValueError(
            f"groups must hold each of the columns 0 … {columns - 1} exactly once, and no empty group.\n"
            "Hint: give a column that belongs to no other one a group of its own."
        )
    return lists


class GroupFit(Learner):
    """Parameters and attributes of both learners.

    Parameters
    ----------
    groups : int, array-like of shape (n_features,), list of lists of int, or None
        The groups: the size of groups of neighboring columns, a label per column, or the columns of every group.
        Without it every column is a group of its own.
    alpha : float
        Strength of the penalty, above 0.
    max_iter : int
        Largest number of iterations: proximal Newton steps, of which the squared loss needs few.
    tol : float
        Certified gap at which iterations end, relative to the objective without coefficients.
    verbose : int
        1 prints a table of the iterations, with ever fewer lines; 2 prints all of them. 0 prints nothing.

    Attributes
    ----------
    n_iter_ : int
        Number of iterations.
    gap_ : float
        Certified bound on the objective minus its minimum.
    converged_ : bool
        Whether the gap is as small as asked for.
    history_ : ndarray
        Objective after every iteration.
    report_ : Report
        The certificate of the gap.
    """

    _takes_sparse = True

    _constraints: ClassVar[Constraints] = {
        "groups": [Groups()],
        "alpha": [Interval(0, None, closed="neither")],
        "fit_intercept": [Boolean()],
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None, closed="neither")],
        "verbose": [Verbosity()],
    }
    _state: ClassVar[tuple[str, ...]] = ("coef_", "intercept_", "n_iter_", "gap_", "converged_", "history_")

    def __init__(
        self,
        groups: Any = None,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 100,
        tol: float = 1e-8,
        verbose: int = 0,
    ) -> None:
        self._set_parameters(locals())

    def _penalty(self, total: float, columns: int) -> GroupL2:
        lists = group_lists(self.groups, columns)
        return GroupL2(lists, float(self.alpha) * total, [len(group) ** 0.5 for group in lists])

    def _problem(
        self, design: DenseDesign | SparseDesign, loss: KnownLoss, target: Array, weights: Array | None
    ) -> SmoothProblem:
        y, free = loss.from_codes(target), bool(self.fit_intercept)
        at_zero = loss.value(y, np.full(len(y), loss.best_constant(y, weights) if free else 0.0))
        return SmoothProblem(
            design=design,
            loss=loss,
            target=np.ascontiguousarray(target[:, None], dtype=np.float64),
            weights=weights,
            strength=0.0,
            mean=design.mean(weights) if free else np.zeros(design.columns),
            has_intercept=free,
            outputs=1,
            total_weight=float(design.rows if weights is None else weights.sum()),
            null=float(at_zero.sum() if weights is None else weights @ at_zero),
        )

    def _solve(
        self, problem: SmoothProblem, penalty: GroupL2, iterations: Iterations
    ) -> tuple[NewtonResult, KeptEvidence[GapEvidence]]:
        """The best coefficients of one output, and the evidence for any."""
        coef, center = problem.zero()
        if problem.has_intercept:
            codes = problem.loss.from_codes(problem.target[:, 0])
            center[0] = problem.loss.best_constant(codes, problem.weights)
        evidence_at = KeptEvidence(lambda w, b: group_evidence(problem, penalty, w, b))

        def enough(coef: Array, center: Array) -> bool:
            evidence = evidence_at(coef, problem.intercept(coef, center))
            return evidence.gap <= self.tol * evidence.objective_at_zero

        def watch(_coef: Array, _center: Array, facts: dict[str, float]) -> bool:
            return iterations.step(objective=facts["objective"] / problem.total_weight)

        found = minimize_blocks(
            problem, penalty, (coef, center), max_iter=self.max_iter, good_enough=enough, watch=watch
        )
        return found, evidence_at

    def _store(
        self, problem: SmoothProblem, penalty: GroupL2, results: list[Any], coef: Any, intercept: Any, classes: Any
    ) -> None:
        """``coef`` (outputs x columns) and ``intercept`` as they are stored."""
        found = [result for result, _ in results]
        parts = [
            at(w.astype(np.float64)[None], np.array([float(b)]))
            for (_, at), w, b in zip(results, coef, intercept, strict=True)
        ]
        bounds = [part.bound for part in parts if isinstance(part.bound, DualValue)]
        evidence = GapEvidence(
            sum(part.objective for part in parts),
            sum(part.objective_at_zero for part in parts),
            DualValue(sum(bound.dual for bound in bounds), sum(bound.rounding for bound in bounds)),
        )
        self.n_iter_ = max(1, *(result.iterations for result in found))  # the start is looked at too
        self.history_ = np.array([facts["objective"] for result in found for facts in result.history])
        self.history_ /= problem.total_weight
        self.gap_ = evidence.gap
        self.converged_ = all(result.converged for result in found)
        inputs = {
            "groups": [list(group) for group in penalty.groups],
            "alpha": float(self.alpha),
            "fit_intercept": bool(self.fit_intercept),
            "classes": classes,
        }
        self.report_ = Report([GROUPS.certificate(evidence, inputs, {"coef": coef, "intercept": intercept})])
        if not self.converged_:
            cause = f"The iterations ended after {self.n_iter_} (max_iter={self.max_iter})."
            warn_not_converged(self, cause, gap=self.gap_, at_zero=evidence.objective_at_zero)
