"""The end of a least-squares fit: store what was found in scikit-learn's shapes, certify it, warn if need be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from certus.base import Table, TargetLike, assert_finite, warn_not_converged
from certus.guarantees import Report
from certus.linear.design.block_design import BlockDesign
from certus.linear.evidence.linear_gap_rules import LEAST_SQUARES
from certus.linear.evidence.quadratic_gap import QuadraticEvidence, quadratic_evidence
from certus.linear.evidence.rounding_warning import drowned, warn_drowned
from certus.linear.solvers.least_squares import Problem, Solution, refined

Array = NDArray[np.float64]

# How a solver of this name says that the iterations did not suffice.
NOT_CONVERGED = {
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
    "lbfgs": "The lbfgs solver did not converge",
}


def name_the_place(learner: BaseEstimator, X: Table, y: TargetLike) -> NoReturn:
    """Say where the table holds what cannot be computed with."""
    assert_finite(learner, X)
    assert_finite(learner, np.asarray(y, dtype=np.float64), name="y")
    values = np.abs(X.data if hasattr(X, "tocsr") else X)
    raise ValueError(
        f"{type(learner).__name__}: the squares of the values in X or y overflow; the largest value in X is "
        f"{float(values.max()):g}, in y {float(np.abs(np.asarray(y, dtype=np.float64)).max()):g}.\n"
        "Hint: rescale the columns, for example with StandardScaler, or the target."
    )


def store_regression(
    learner: BaseEstimator,
    problem: Problem,
    solution: Solution,
    one_target: bool,
    *,
    positive: bool = False,
    flat: bool | None = None,
    units: Array | None = None,
    labels: Mapping[str, Any] | None = None,
) -> QuadraticEvidence:
    """Set ``coef_, intercept_, gap_, converged_, report_``; returns the evidence behind the gap.

    ``flat``: whether coef_ is a vector (default: when y was one). ``units``: the user's columns divided by these are
    the problem's. ``labels``: what the certificate says about targets that stand for labels.
    """
    evidence, coef, intercept = _as_stored(problem, solution, positive)
    limit = None if learner.gap_tol is None else learner.gap_tol * evidence.objective_at_zero
    if limit is not None and evidence.gap > limit and solution.factors and not positive:
        evidence, coef, intercept = _as_stored(problem, refined(problem, solution, steps=3), positive)
    if units is not None:
        with np.errstate(over="ignore"):
            coef = (coef / units).astype(coef.dtype)
        if not np.isfinite(coef).all():
            raise ValueError(
                f"{type(learner).__name__}: a coefficient is too large to be represented, because its column is too "
                "small against the target.\nHint: rescale the columns, for example with StandardScaler."
            )
    flat = one_target if flat is None else flat
    learner.coef_ = coef[0] if flat else coef
    if not problem.center:
        learner.intercept_ = 0.0
    else:
        learner.intercept_ = intercept[0] if one_target else intercept
    learner.gap_ = evidence.gap
    learner.converged_ = solution.converged and (limit is None or evidence.gap <= limit)
    learner.report_ = Report(
        [
            LEAST_SQUARES.certificate(
                evidence,
                {
                    "alpha": problem.alphas.tolist(),
                    "fit_intercept": problem.center,
                    "positive": positive,
                    **(labels or {}),
                },
                {"coef": coef.astype(np.float64), "intercept": intercept.astype(np.float64)},
            )
        ]
    )
    if drowned(evidence.gap, evidence.objective_at_zero, 0.0) and drowned(
        evidence.gap, evidence.objective_at_zero, _size(problem)
    ):
        learner.converged_ = False
        warn_drowned(learner, evidence.gap, evidence.objective_at_zero)
    elif not learner.converged_:
        _warn(learner, solution, evidence, limit)
    return evidence


def _size(problem: Problem) -> float:
    """Weighted sum of squared targets, before centering."""
    if isinstance(problem.X, BlockDesign):
        return float(problem.X.target_squares().sum())
    squares = np.einsum("ij,ij->i", problem.Y, problem.Y)
    return float(squares.sum() if problem.weights is None else problem.weights @ squares)


def _as_stored(problem: Problem, solution: Solution, positive: bool) -> tuple[QuadraticEvidence, Any, Any]:
    """Coefficients and intercepts in the table's type, and the evidence for exactly these numbers."""
    dtype = problem.X.dtype
    coef = solution.coef.astype(dtype)
    best = solution.intercept if problem.shift is None else solution.intercept - solution.coef @ problem.shift
    intercept = best.astype(dtype) if problem.center else np.zeros(len(coef), dtype=dtype)
    evidence = quadratic_evidence(
        problem, solution, coef.astype(np.float64), intercept.astype(np.float64), positive=positive
    )
    return evidence, coef, intercept


def _warn(learner: BaseEstimator, solution: Solution, evidence: QuadraticEvidence, limit: float | None) -> None:
    cause, hint = None, "this is as accurate as the numbers allow; scale the columns or raise gap_tol"
    if not solution.converged:
        what = NOT_CONVERGED.get(solution.method, "the iteration limit was reached before the tolerance")
        cause, hint = (
            f"{type(learner).__name__}: {what}.",
            "raise max_iter, scale the columns, or use solver='cholesky'",
        )
    warn_not_converged(learner, cause, gap=evidence.gap, at_zero=evidence.objective_at_zero, limit=limit, hint=hint)
