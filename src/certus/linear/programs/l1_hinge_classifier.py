"""The hinge loss with an L1 penalty, exactly, and with l_p penalties by reweighting (Candes, Wakin, Boyd 2008)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Classifier, class_weights, fit_method, register, warn_not_converged
from certus.base.inputs import LARGEST, ClassWeightLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Boolean, Exactly, InstanceOf, Interval, OneOf
from certus.base.persistence import check_shapes
from certus.guarantees import Report, as_estimate
from certus.guarantees.training import DualValue, GapEvidence
from certus.linear.design.column_copies import constant_columns
from certus.linear.design.shifted_columns import center_error, exact_center, stored_intercept
from certus.linear.evidence.hinge_gap import feasible_hinge_dual, hinge_evidence
from certus.linear.evidence.linear_gap_rules import HINGE
from certus.linear.fitting.linear_prediction import LinearClassification
from certus.linear.solvers.hinge_program import HingeProblem, solve_hinge

Array = NDArray[np.float64]
FLAT = 1e-2  # share of the middle size of the first coefficients below which |w|^p is nearly a line
ENOUGH = 1e-9  # share of the objective that a reweighting must gain for another one to follow
LOST = 1e-4  # gap over the objective without coefficients that is worth a warning though the program was solved


@register(
    guarantees=("gap to the optimum (p = 1)",),
    cost="fit a linear program of n rows and p columns per class, predict p per row and class",
)
class L1HingeClassifier(LinearClassification, Classifier):
    """Linear classifier with few coefficients: the hinge loss with an L1 penalty, as a linear program.

    Minimizes, over coefficients w and intercept b (not penalized) with costs C_i = C times the weight of row i,

        sum_j |w_j|^p + sum_i C_i max(0, 1 - y_i (x_i'w + b)),     y_i = -1 or 1.

    With p = 1 the program is solved exactly, and its dual certifies the gap. With p < 1, nearer to counting the
    columns in use, the problem is not convex: programs with the strengths p (|w_j| + e)^(p - 1) of the last solution
    follow each other while that gains something, which finds a local minimum; what is reported is an estimate. Several
    classes are learned one against the rest.

    Parameters
    ----------
    C : float, default=1.0
        Cost of the losses; the smaller, the fewer coefficients.
    p : float, default=1.0
        Power of the penalty, above 0 and at most 1.
    max_iter : int, default=20
        Most programs per class with p < 1.
    gap_tol : float or None, default=None
        Largest certified gap that is accepted without a warning, relative to the objective without coefficients.

    Attributes
    ----------
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_iter_ : int
        Largest number of programs of a class.
    history_ : ndarray
        Objectives after each program, class after class; with p < 1 of (|w_j| + e)^p.
    gap_ : float
        Certified bound on the objective (summed over classes) minus its minimum; with p < 1 that of the last programs.
    converged_ : bool
        Whether the gap is as small as asked for, and reweighting ended.
    report_ : Report
        The certificate of the gap; an estimate with p < 1.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import L1HingeClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 20))
    >>> model = L1HingeClassifier(C=0.03).fit(X, X[:, 3] > X[:, 5])
    >>> np.flatnonzero(model.coef_[0]).tolist(), bool(model.gap_ < 1e-6)
    ([3, 5], True)
    """

    _constraints = {
        "C": [Interval(0, None, closed="neither")],
        "p": [Interval(0, 1, closed="right")],
        "fit_intercept": [Boolean()],
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
        "max_iter": [Interval(1, None, integer=True)],
        "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
    }
    _takes_sparse = True
    _state = ("coef_", "intercept_", "classes_", "n_iter_", "history_", "gap_", "converged_")

    def __init__(
        self,
        C: float = 1.0,
        *,
        p: float = 1.0,
        fit_intercept: bool = True,
        class_weight: ClassWeightLike = None,
        max_iter: int = 20,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Any, y: TargetLike, sample_weight: WeightsLike = None) -> L1HingeClassifier:
        """Find the best coefficients."""
        table, y = check_Xy(self, X, y, accept_sparse="csr", largest=LARGEST)
        codes = self._encode_labels(y)
        weights = check_weights(self, sample_weight, table)
        by_class = class_weights(self.class_weight, self.classes_, y, weights)
        costs = self.C * by_class[codes] * (1.0 if weights is None else weights)
        self._refuse_one_class(codes, costs)
        kept = np.flatnonzero(costs)
        rows = _doubles(table, kept)
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        signs = [np.where(codes[kept] == k, 1.0, -1.0) for k in positive]
        shift = _means(rows, costs[kept]) if self.fit_intercept else np.zeros(rows.shape[1])
        centered = rows if sparse.issparse(rows) else rows - shift
        parts = [
            self._solve(HingeProblem(centered, shift, y, costs[kept], np.ones(len(shift)), bool(self.fit_intercept)))
            for y in signs
        ]
        self._store(parts, by_class, kept, len(codes))
        return self

    def _refuse_one_class(self, codes: Any, costs: Array) -> None:
        counted = np.unique(codes[costs > 0.0])
        if len(counted) < max(2, len(self.classes_)):
            missing = "the data contains only one class" if len(self.classes_) < 2 else "some have no row with a weight"
            raise ValueError(
                f"L1HingeClassifier needs rows of at least 2 classes in the data, but {missing}: "
                f"{self.classes_[0]!r}.\nHint: check the target column, or that a split did not leave a class out."
            )

    def _solve(self, problem: HingeProblem) -> _Part:
        """The best coefficients of one class against the rest; with p < 1, while reweighting gains something."""
        w, u, run = solve_hinge(problem)
        if self.p == 1.0 or not w.any():
            return _Part(problem, w, u, [problem.losses(w) + float(np.abs(w).sum())], bool(run.success))
        flat, history, ended = FLAT * float(np.median(np.abs(w[w != 0.0]))), [], False

        def value(w: Array) -> float:
            return problem.losses(w) + float(((np.abs(w) + flat) ** self.p).sum())

        history.append(value(w))
        while len(history) < self.max_iter and not ended:
            weighted = replace(problem, c=self.p * (np.abs(w) + flat) ** (self.p - 1.0))
            tried, multipliers, run = solve_hinge(weighted)
            reached = value(tried)
            ended = reached >= history[-1] * (1.0 - ENOUGH)
            if reached <= history[-1]:
                problem, w, u = weighted, tried, multipliers
            history.append(min(reached, history[-1]))
        return _Part(problem, w, u, history, bool(run.success) and ended)

    def _store(self, parts: list[_Part], by_class: Array, kept: NDArray[Any], count: int) -> None:
        self.coef_ = np.stack([part.w for part in parts])
        centers = [part.problem.intercept(part.w) for part in parts]
        told = [stored_intercept(b, part.problem.shift, part.w) for b, part in zip(centers, parts, strict=True)]
        self.intercept_ = np.array(told if self.fit_intercept else np.zeros(len(parts)))
        self.n_iter_ = max(len(part.history) for part in parts)
        self.history_ = np.array([value for part in parts for value in part.history])
        found = [part.evidence(float(b)) for part, b in zip(parts, self.intercept_, strict=True)]
        bounds = [one.bound for one, _ in found if isinstance(one.bound, DualValue)]
        evidence = GapEvidence(
            sum(one.objective for one, _ in found),
            sum(one.objective_at_zero for one, _ in found),
            DualValue(sum(bound.dual for bound in bounds), sum(bound.rounding for bound in bounds)),
        )
        dual = np.zeros((count, len(parts)))
        dual[kept] = np.column_stack([u for _, u in found])
        inputs = {
            "C": float(self.C),
            "fit_intercept": bool(self.fit_intercept),
            "classes": self.classes_.tolist(),
            "class_weights": by_class.tolist(),
        }
        strengths = np.stack([part.problem.c for part in parts])
        stored = {"coef": self.coef_, "intercept": self.intercept_, "dual_point": dual, "strengths": strengths}
        certificate = HINGE.certificate(evidence, inputs, stored)
        if self.p < 1.0:
            reason = f"the strengths of the last program stand for the power {self.p:g}, whose problem is not convex"
            certificate = as_estimate(certificate, reason)
        self.report_ = Report([certificate])
        self.gap_ = evidence.gap
        limit = (LOST if self.gap_tol is None else self.gap_tol) * evidence.objective_at_zero
        self.converged_ = all(part.ended for part in parts) and self.gap_ <= limit
        if self.gap_ > limit:
            warn_not_converged(self, gap=self.gap_, limit=limit, hint="scale the columns")
        elif not self.converged_:
            cause = f"Reweighting ended after {self.n_iter_} programs (max_iter={self.max_iter})."
            warn_not_converged(self, cause, gap=self.gap_, at_zero=evidence.objective_at_zero)

    def _restored(self) -> None:
        if hasattr(self, "classes_"):
            outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
            check_shapes(self, coef_=(outputs, self.n_features_in_))


@dataclass(frozen=True)
class _Part:
    """One class against the rest: its last program, the solution, and whether no further one gains."""

    problem: HingeProblem
    w: Array
    u: Array
    history: list[float]
    ended: bool

    def evidence(self, intercept: float) -> tuple[GapEvidence, Array]:
        """Of the coefficients as they are stored, with the better of two dual points."""
        at = intercept, self.problem.shift, self.w
        tried = (feasible_hinge_dual(self.u, self.problem), np.zeros(len(self.u)))
        found = [hinge_evidence(self.problem, self.w, exact_center(*at), u, center_error(*at)) for u in tried]
        return min(zip(found, tried, strict=True), key=lambda pair: pair[0].gap)


def _doubles(table: Any, kept: NDArray[Any]) -> Any:
    rows = table if len(kept) == table.shape[0] else table[kept]
    return rows.astype(np.float64) if sparse.issparse(rows) else np.asarray(rows, dtype=np.float64)


def _means(rows: Any, costs: Array) -> Array:
    """What dense columns are centered by; constant ones become 0 exactly."""
    if sparse.issparse(rows):
        return np.zeros(rows.shape[1])
    shift = costs @ rows / costs.sum()
    constant = constant_columns(rows, costs)
    shift[constant] = rows[0, constant]
    return shift
