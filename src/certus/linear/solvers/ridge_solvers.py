"""Which method answers to which of scikit-learn's solver names, for Ridge and RidgeClassifier alike.

All names minimize the same objective, so each is free to use the method that does it best here: the Krylov
names share LSQR; "sag" and "saga" draw rows, as their names say; "lbfgs" (non-negative coefficients) is an exact
active-set method unless the number of iterations is limited.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import ArrayLike, Boolean, Constraints, Exactly, Interval, OneOf, RandomState, resolve_seed, warn_user
from certus.linear.design.moments import Moments
from certus.linear.evidence.quadratic_gap import quadratic_evidence
from certus.linear.solvers.least_squares import (
    SMALL_WIDTH,
    Problem,
    Solution,
    by_average_gradient,
    by_cholesky,
    by_dual,
    by_lsqr,
    by_svd,
    nonnegative,
    ordinary,
)

Array = NDArray[np.float64]

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
KRYLOV = ("lsqr", "sparse_cg")
DRAWN = ("sag", "saga")
DRAWN_EPOCHS = 1000  # of these, if max_iter does not say
COUNTED = ("lsqr", "sag", "saga")  # solvers for which scikit-learn reports n_iter_

RIDGE_CONSTRAINTS: Constraints = {
    "alpha": [Interval(0, None), ArrayLike()],
    "fit_intercept": [Boolean()],
    "copy_X": [Boolean()],
    "max_iter": [Exactly(None), Interval(1, None, integer=True)],
    "tol": [Interval(0, None)],
    "solver": [OneOf(*SOLVERS)],
    "positive": [Boolean()],
    "random_state": [RandomState()],
    "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
}


def sparse_formats(X: Any, solver: str) -> Any:
    """Sparse formats that are taken without conversion."""
    return "csr" if sparse.issparse(X) and solver in ("auto", "sag", "saga") else ["csr", "csc", "coo"]


def check_solver(learner: Any, X: Any) -> None:
    """Refuse combinations of solver, sign constraint and sparse table that scikit-learn refuses too."""
    solver, positive = learner.solver, learner.positive
    if solver == "lbfgs" and not positive:
        raise ValueError(
            "'lbfgs' solver can be used only when positive=True. Please use another solver.\n"
            "Hint: solver='auto' chooses the fastest."
        )
    if positive and solver not in ("auto", "lbfgs"):
        raise ValueError(
            f"solver='{solver}' does not support positive fitting. Please set the solver to 'auto' or 'lbfgs', "
            "or set `positive=False`"
        )
    if not sparse.issparse(X) or not learner.fit_intercept or positive:
        if sparse.issparse(X) and solver == "svd":
            raise TypeError(
                "SVD solver does not support sparse inputs currently.\nHint: use solver='auto', or X.toarray()."
            )
        return
    if solver not in ("auto", "lsqr", "sag", "sparse_cg"):
        raise ValueError(
            f"solver='{solver}' does not support fitting the intercept on sparse data. Please set the solver to "
            "'auto' or 'lsqr', 'sparse_cg', 'sag', 'lbfgs' or set `fit_intercept=False`"
        )
    if solver == "sag" and learner.max_iter is None and learner.tol > 1e-4:
        warn_user(
            '"sag" solver requires many iterations to fit an intercept with sparse inputs. Either set the solver '
            'to "auto" or "sparse_cg", or set a low "tol" and a high "max_iter" (especially if inputs are not '
            "standardized)."
        )


def penalties(alpha: Any, targets: int) -> Array:
    """One penalty per target."""
    values = np.asarray(alpha, dtype=np.float64).ravel()
    if len(values) not in (1, targets):
        raise ValueError(
            f"Number of targets and number of penalties do not correspond: {len(values)} != {targets}.\n"
            "Hint: pass one alpha, or one per column of y."
        )
    if not (values >= 0.0).all():
        raise ValueError(f"The 'alpha' parameter must be at least 0 for every target, got {alpha!r}.")
    return np.ascontiguousarray(np.broadcast_to(values, (targets,)))


def solve_ridge(learner: Any, problem: Problem) -> Solution:
    """The solution by the method that the learner's solver stands for."""
    if learner.positive:
        limited = learner.solver == "lbfgs" and learner.max_iter is not None
        return nonnegative(problem, learner.max_iter if limited else None)
    if learner.solver in DRAWN:
        return _by_average_gradient(learner, problem)
    if learner.solver in KRYLOV:
        tol = min(learner.tol, 1e-4) * 1e-4
        return by_lsqr(problem, tol=tol, max_iter=learner.max_iter, method=learner.solver)
    if learner.solver == "svd":
        return by_svd(problem)
    return direct(problem)


def _by_average_gradient(learner: Any, problem: Problem) -> Solution:
    """SAG or SAGA; the exact method takes over where ``gap_tol`` asks for more than it reached."""
    found = by_average_gradient(
        problem,
        tol=learner.tol,
        max_iter=DRAWN_EPOCHS if learner.max_iter is None else learner.max_iter,
        seed=resolve_seed(learner.random_state),
        unbiased=learner.solver == "saga",
    )
    if learner.gap_tol is None:
        return found
    intercept = found.intercept if problem.center else np.zeros(len(found.coef))
    evidence = quadratic_evidence(problem, found, found.coef, intercept)
    if evidence.gap <= learner.gap_tol * evidence.objective_at_zero:
        return replace(found, converged=True)
    return replace(direct(problem), method=learner.solver, iterations=found.iterations)


def direct(problem: Problem, moments: Moments | None = None) -> Solution:
    """solver="auto" and "cholesky": moments or dual form, and SVD where neither is accurate."""
    rows, columns = problem.X.shape
    large = problem.is_sparse and min(rows, columns) > SMALL_WIDTH
    if large:
        return by_lsqr(problem, tol=1e-8, max_iter=None, method="sparse_cg")
    solution = by_dual(problem) if columns > rows else by_cholesky(problem, moments)
    if solution is not None:
        return solution
    if not problem.alphas.any():
        return ordinary(problem, tol=np.finfo(float).eps)
    return by_svd(problem)
