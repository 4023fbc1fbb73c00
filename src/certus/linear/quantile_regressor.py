"""Linear regression of a quantile, as a linear program with a certified gap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certus.base import Regressor, fit_method, register, warn_not_converged, warn_user
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Boolean, Exactly, InstanceOf, Interval, OneOf
from certus.guarantees import Report
from certus.linear.design.shifted_columns import center_error, exact_center, stored_intercept
from certus.linear.evidence.linear_gap_rules import ROBUST
from certus.linear.evidence.quantile_gap import best_intercept, feasible_dual, quantile_evidence
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.solvers.quantile_program import QuantileProblem, centered_problem, solve_program

Array = NDArray[np.float64]
HIGHS = ("highs", "highs-ds", "highs-ipm")
LOST = 1e-3  # gap over the objective without coefficients that is worth a warning though the program was solved
FAILURES = {
    1: "Iteration limit reached.",
    2: "Problem appears to be infeasible.",
    3: "Problem appears to be unbounded.",
    4: "Numerical difficulties encountered.",
}


@register(
    guarantees=("gap to the optimum",),
    cost="fit a linear program of n rows and p columns, predict p per row",
)
class QuantileRegressor(LinearPrediction, Regressor):
    """Linear regression of a quantile: a given share of the targets lies below the prediction.

    Minimizes, over coefficients w and intercept b (not penalized) with weights s and r_i = y_i - x_i'w - b,

        sum_i s_i max(q r_i, (q - 1) r_i) / sum_i s_i + alpha |w|_1

    Robust against outliers in y; two of them make a prediction interval. Solved exactly as a linear program, whose
    dual certifies the gap.

    Parameters
    ----------
    quantile : float, default=0.5
        q, strictly between 0 and 1.
    alpha : float, default=1.0
        Strength of the L1 penalty, at least 0.
    solver : {"highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex"}, default="highs"
        Method of the linear program: "highs" chooses, "highs-ds" is a dual simplex, "highs-ipm" an interior-point
        method; the other two are no longer offered by SciPy.
    solver_options : dict or None, default=None
        Options of `scipy.optimize.linprog`.
    gap_tol : float or None, default=None
        Largest certified gap that is accepted without a warning, relative to the objective without coefficients.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    n_iter_ : int
        Iterations of the linear program.
    gap_ : float
        Certified bound on the objective (times the sum of weights) minus its minimum.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import QuantileRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 2))
    >>> y = X[:, 0] + rng.standard_normal(100)
    >>> model = QuantileRegressor(quantile=0.8, alpha=0.0).fit(X, y)
    >>> round(float(np.mean(y <= model.predict(X))), 1), model.gap_ < 1e-6
    (0.8, True)
    """

    _constraints = {
        "quantile": [Interval(0, 1, closed="neither")],
        "alpha": [Interval(0, None)],
        "fit_intercept": [Boolean()],
        "solver": [OneOf(*HIGHS, "interior-point", "revised simplex")],
        "solver_options": [InstanceOf(dict), Exactly(None)],
        "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
    }
    _takes_sparse = True
    _state = ("coef_", "intercept_", "n_iter_", "gap_", "converged_")

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "highs",
        solver_options: dict[str, Any] | None = None,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> QuantileRegressor:
        """Find the best coefficients."""
        table, y = check_Xy(self, X, y, accept_sparse=["csc", "csr", "coo"], y_numeric=True)
        weights = check_weights(self, sample_weight, table)
        if self.solver not in HIGHS:
            raise ValueError(
                f"Solver {self.solver} is not anymore available in SciPy >= 1.11.0.\nHint: use solver='highs'."
            )
        s = np.ones(table.shape[0]) if weights is None else weights
        kept = np.flatnonzero(s)
        rows = table if len(kept) == len(s) else (sparse.csr_array(table) if sparse.issparse(table) else table)[kept]
        rows = rows.astype(np.float64) if sparse.issparse(rows) else np.asarray(rows, dtype=np.float64)
        problem = centered_problem(
            rows,
            np.asarray(y, dtype=np.float64)[kept],
            s[kept],
            q=float(self.quantile),
            alpha=float(self.alpha),
            fit_intercept=bool(self.fit_intercept),
        )
        self.coef_, multipliers, run = solve_program(problem, self.solver, self.solver_options)
        if not run.success:
            self._warn_failed(run)
        self.intercept_ = 0.0
        if self.fit_intercept:
            center = best_intercept(problem.y - problem.X @ self.coef_, problem.s, problem.q)
            self.intercept_ = stored_intercept(center, problem.shift, self.coef_)
        self.n_iter_ = int(run.nit)
        self._certify(problem, multipliers, kept, len(s), bool(run.success))
        return self

    def _certify(
        self, problem: QuantileProblem, multipliers: Array, kept: NDArray[Any], count: int, success: bool
    ) -> None:
        settings: dict[str, Any] = {
            "q": problem.q,
            "strength": problem.strength,
            "fit_intercept": problem.fit_intercept,
        }
        at = float(self.intercept_), problem.shift, self.coef_
        table = problem.X, problem.y, problem.s, self.coef_, exact_center(*at)
        tried = (feasible_dual(multipliers, problem.X, problem.s, **settings), np.zeros(len(multipliers)))
        found = [quantile_evidence(*table, u, slip=center_error(*at), **settings) for u in tried]
        evidence, u = min(zip(found, tried, strict=True), key=lambda pair: pair[0].gap)
        everywhere = np.zeros(count)
        everywhere[kept] = u
        inputs = {
            "problem": "quantile",
            "quantile": float(self.quantile),
            "alpha": float(self.alpha),
            "fit_intercept": bool(self.fit_intercept),
        }
        stored = {"coef": self.coef_, "intercept": float(self.intercept_), "dual_point": everywhere}
        assumed = () if self.alpha > 0.0 else ("bounded-solution",)
        self.report_ = Report([ROBUST.certificate(evidence, inputs, stored, assumed=assumed)])
        self.gap_ = evidence.gap
        limit = None if self.gap_tol is None else self.gap_tol * evidence.objective_at_zero
        self.converged_ = success and (limit is None or self.gap_ <= limit)
        harmless = LOST * evidence.objective_at_zero + 1e-9 * float(problem.s @ np.abs(problem.y))
        if self.converged_ and self.gap_ > harmless:
            self.converged_ = False
            cause = "Columns are so large that rounding errors hide whether the penalty is kept."
            warn_not_converged(self, cause, gap=self.gap_, hint="scale the columns")
        elif success and not self.converged_:
            warn_not_converged(self, gap=self.gap_, limit=limit, hint="scale the columns")

    def _warn_failed(self, run: Any) -> None:
        warn_user(
            "Linear programming for QuantileRegressor did not succeed.\n"
            f"Status is {run.status}: {FAILURES.get(run.status, 'unknown reason')}\n"
            f"Result message of linprog:\n{run.message}",
            ConvergenceWarning,
        )
