"""What Ridge and RidgeClassifier share: parameters, solving, what is stored."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils import Tags

from certus.base import Learner, Table, TargetLike
from certus.linear.evidence.quadratic_gap import QuadraticEvidence
from certus.linear.fitting.regression_fit import name_the_place, store_regression
from certus.linear.solvers.least_squares import NotFiniteError, Problem, Solution
from certus.linear.solvers.ridge_solvers import COUNTED, RIDGE_CONSTRAINTS, solve_ridge

NO_ITERATIONS = {"check_non_transformer_estimators_n_iter": "n_iter_ is None for direct solvers, as in scikit-learn"}


class RidgeFit(Learner):
    """Parameters and attributes of both learners.

    Parameters
    ----------
    max_iter : int or None
        Largest number of iterations of the iterative solvers.
    tol : float
        Accuracy of the iterative solvers; they reach at least what scikit-learn's reach with it. For "sag" and
        "saga": largest change of a coefficient in an epoch, relative to the largest coefficient.
    solver : {"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}
        All minimize the same objective. "auto" and "cholesky": normal equations or their dual, "svd" where these
        would be inaccurate; "svd": singular values of the table; "lsqr", "sparse_cg": LSQR; "sag", "saga":
        stochastic average gradient, for the sake of its name; "lbfgs" (only with `positive`): active set, or that
        many quasi-Newton iterations if `max_iter` is given.
    positive : bool
        Whether to require coefficients >= 0.
    random_state : int, RandomState or None
        The order of the rows with "sag" and "saga"; no other solver is random.

    Attributes
    ----------
    n_iter_ : None or ndarray of shape (n_targets,)
        Iterations of "lsqr", "sag" and "saga", for each target or class.
    solver_ : str
        The solver that was used.
    """

    _takes_sparse = True  # with most solvers
    _constraints = RIDGE_CONSTRAINTS
    _state: ClassVar[tuple[str, ...]] = ("coef_", "intercept_", "n_iter_", "solver_", "gap_", "converged_")

    def _solve(
        self, problem: Problem, table: Table, y: TargetLike, **stored: Any
    ) -> tuple[Solution, QuadraticEvidence]:
        """Solve, and store what was found; ``stored`` says in which shapes."""
        try:
            solution = solve_ridge(self, problem)
        except NotFiniteError:
            name_the_place(self, table, y)
        evidence = store_regression(self, problem, solution, positive=self.positive, **stored)
        self.n_iter_ = solution.iterations if self.solver in COUNTED else None
        self.solver_ = solution.method
        return solution, evidence

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.solver != "svd" and (self.solver != "cholesky" or not self.fit_intercept)
        return tags
