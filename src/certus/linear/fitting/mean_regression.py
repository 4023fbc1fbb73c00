"""What Poisson, gamma and Tweedie regression share: targets, fit, prediction, share of the deviance explained."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_array

from certus.base import (
    Iterations,
    Regressor,
    fit_method,
    predict_method,
    resolve_threads,
    warn_not_converged,
    warn_user,
)
from certus.base.blocks import ScaledFit
from certus.base.inputs import LARGEST, TableLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Boolean, Constraints, Exactly, Interval, OneOf, Verbosity
from certus.guarantees import Report
from certus.guarantees.training import Decrement, GapEvidence
from certus.linear.design.design_matrix import make_design
from certus.linear.evidence.kept_evidence import KeptEvidence
from certus.linear.evidence.linear_gap_rules import MEAN
from certus.linear.evidence.mean_gap import mean_evidence
from certus.linear.evidence.rounding_warning import drowned, warn_drowned
from certus.linear.evidence.separation_message import separation_of_counts
from certus.linear.fitting.linear_prediction import linear_scores
from certus.linear.in_blocks.means_in_blocks import fit_means, whole_table_needed
from certus.linear.problems.mean_problem import make_mean_problem, start
from certus.linear.problems.smooth_problem import SmoothProblem
from certus.linear.solvers.choice import newton_steps
from certus.linear.solvers.newton import NewtonResult, minimize
from certus.losses import KnownLoss, Poisson, Squared


class MeanRegression(Regressor):
    """Base of the learners.

    Parameters
    ----------
    alpha : float
        Strength of the penalty, at least 0.
    fit_intercept : bool
        Whether to fit b; otherwise it is 0.
    solver : {"lbfgs", "newton-cholesky"}
        Both minimize the same objective; "newton-cholesky" forces the explicit Hessian on dense tables.
    max_iter : int
        Largest number of Newton iterations.
    tol : float
        Largest entry of the gradient at the end; iterations go on until the gap is far below what that asks.
    warm_start : bool
        Whether to start from the last fit's coefficients.
    verbose : int
        1 prints a table of the iterations, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    gap_tol : float or None
        Largest certified gap that is accepted without a warning, relative to the objective without coefficients.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    n_iter_ : int
        Number of iterations.
    gap_ : float
        Certified bound on the objective (times the sum of weights) minus its minimum.
    converged_ : bool
        Whether the solution is as accurate as asked for.
    history_ : ndarray
        Objective (times the sum of weights) after every iteration.
    report_ : Report
        The certificate of the gap.
    """

    @property
    def _loss(self) -> KnownLoss:
        """The loss; half a deviance."""
        raise NotImplementedError

    _constraints: ClassVar[Constraints] = {
        "alpha": [Interval(0, None)],
        "fit_intercept": [Boolean()],
        "solver": [OneOf("lbfgs", "newton-cholesky")],
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None, closed="neither")],
        "warm_start": [Boolean()],
        "verbose": [Verbosity()],
        "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
    }
    _takes_sparse = True
    _scaled = ScaledFit("exact", fit_means, {"y_numeric": True, "order": "C", "largest": LARGEST}, whole_table_needed)
    _state = ("coef_", "intercept_", "n_iter_", "gap_", "converged_", "history_")

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> MeanRegression:
        """Find the best coefficients."""
        table, y = check_Xy(self, X, y, accept_sparse=["csc", "csr"], y_numeric=True, largest=LARGEST)
        weights = check_weights(self, sample_weight, table)
        self._check_range(y, weights)
        problem = make_mean_problem(
            make_design(table, resolve_threads()),
            self._loss,
            y,
            weights,
            alpha=self.alpha,
            fit_intercept=bool(self.fit_intercept),
        )

        evidence_at = KeptEvidence(lambda coef, intercept: mean_evidence(problem, coef, intercept))

        def certified(coef: NDArray[Any], center: NDArray[Any]) -> bool:
            if self.gap_tol is None:
                return True
            evidence = evidence_at(coef, problem.intercept(coef, center))
            return evidence.gap <= self.gap_tol * evidence.objective_at_zero

        with Iterations(self, self.max_iter, table, y) as iterations:
            steps, first = newton_steps(problem, self.solver, self._start(problem))
            result = minimize(
                problem,
                steps,
                first,
                tol=self.tol,
                max_iter=self.max_iter,
                good_enough=certified,
                wanted_gap=None if self.gap_tol is None else self.gap_tol * problem.null,
                watch=lambda coef, center, facts: iterations.step(
                    dict(zip(("coef_", "intercept_"), self._as_stored(problem, coef, center), strict=True)), **facts
                ),
            )
        self._store(problem, result, evidence_at)
        return self

    def _check_range(self, y: NDArray[Any], weights: NDArray[Any] | None) -> None:
        """Refuse targets that the loss does not allow."""
        targets = self._loss.targets
        row = targets.first_outside(y)
        if row is not None:
            raise ValueError(
                f"Some value(s) of y are out of the valid range of the loss: {type(self).__name__} needs y {targets}, "
                f"row {row} has {y[row]:g}.\nHint: use Ridge for targets of either sign."
            )
        if self.fit_intercept and not isinstance(self._loss, Squared) and not np.average(y, weights=weights) > 0.0:
            raise ValueError(
                f"{type(self).__name__}: the weighted mean of y must be positive, got "
                f"{np.average(y, weights=weights):g}: the best intercept has no finite value.\n"
                "Hint: check the target column, or set fit_intercept=False."
            )

    def _start(self, problem: SmoothProblem) -> tuple[Any, Any]:
        coef, center = start(problem)
        if not self.warm_start or not hasattr(self, "coef_"):
            return coef, center
        if self.coef_.shape != (coef.shape[1],):
            raise ValueError(
                f"The last fit had {len(self.coef_)} columns, this table has {coef.shape[1]}.\n"
                "Hint: set warm_start=False when the columns change."
            )
        coef = self.coef_.astype(np.float64)[None]
        return coef, np.array([float(self.intercept_)]) + coef @ problem.mean if problem.has_intercept else center

    def _as_stored(self, problem: SmoothProblem, coef: NDArray[Any], center: NDArray[Any]) -> tuple[Any, Any]:
        dtype = problem.design.X.dtype
        intercept = problem.intercept(coef, center)[0].astype(dtype) if problem.has_intercept else 0.0
        return coef[0].astype(dtype), intercept

    def _store(self, problem: SmoothProblem, result: NewtonResult, evidence_at: KeptEvidence[GapEvidence]) -> None:
        self.coef_, self.intercept_ = self._as_stored(problem, result.coef, result.center)
        coef, intercept = self.coef_.astype(np.float64)[None], np.array([float(self.intercept_)])
        evidence = evidence_at(coef, intercept)
        self.n_iter_ = result.iterations
        self.history_ = np.array([facts["objective"] for facts in result.history])
        self.gap_ = evidence.gap
        limit = None if self.gap_tol is None else self.gap_tol * evidence.objective_at_zero
        self.converged_ = result.converged and (limit is None or evidence.gap <= limit)
        known = np.isfinite(evidence.gap)  # else rounding errors allow no promise at all
        inputs = {"loss": problem.loss.name, "alpha": float(self.alpha), "fit_intercept": bool(self.fit_intercept)}
        if problem.loss.parameter:
            inputs["power"] = problem.loss.parameter
        stored = {"coef": coef[0], "intercept": float(self.intercept_)}
        self.report_ = Report([MEAN.certificate(evidence, inputs, stored)] if known else [])
        separated = None
        if isinstance(problem.loss, Poisson) and self.alpha == 0.0 and not isinstance(evidence.bound, Decrement):
            separated = separation_of_counts(self, problem, coef, intercept)
        if separated is not None:
            self.report_ = Report([*self.report_, separated.certificate])
            self.converged_ = False
            warn_user(separated.message, ConvergenceWarning)
        elif drowned(evidence.gap, evidence.objective_at_zero, problem.total_weight):
            self.converged_ = False
            warn_drowned(self, evidence.gap, evidence.objective_at_zero)
        elif not self.converged_:
            self._warn(evidence)

    def _warn(self, evidence: GapEvidence) -> None:
        cause = f"{self.solver} failed to converge after {self.n_iter_} iteration(s) (max_iter={self.max_iter})."
        warn_not_converged(self, cause, gap=evidence.gap, at_zero=evidence.objective_at_zero)

    @predict_method
    def predict(self, X: TableLike) -> NDArray[Any]:
        """Predicted means.

        Returns
        -------
        ndarray of shape (n_samples,)
            One positive number per row.
        """
        scores = linear_scores(self, X)
        return self._loss.inverse_link(scores).astype(scores.dtype, copy=False)

    @predict_method
    def score(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> float:
        """Share of the deviance explained, D^2: 1 is perfect, 0 as good as the mean of y.

        Returns
        -------
        float
            1 - deviance / deviance of the mean.
        """
        scores = linear_scores(self, X).astype(np.float64)
        y = np.asarray(check_array(y, dtype=np.float64, ensure_2d=False), dtype=np.float64)
        weights = check_weights(self, sample_weight, scores)
        self._check_range(y, weights)
        null = np.full(len(y), self._loss.best_constant(y, weights))
        deviance, of_mean = (np.average(self._loss.value(y, f), weights=weights) for f in (scores, null))
        return float(1.0 - deviance / of_mean)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self._loss.targets.first_outside([-1.0]) is not None
        return tags
