"""Linear regression that outliers cannot drag: Huber's loss with the scale estimated along."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Iterations, Regressor, fit_method, register, resolve_threads, warn_not_converged
from certus.base.inputs import LARGEST, Table, TableLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Boolean, Exactly, Interval
from certus.guarantees import Report
from certus.linear.design.design_matrix import SMALL
from certus.linear.design.shifted_columns import far_off
from certus.linear.evidence.linear_gap_rules import ROBUST
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.problems.huber_problem import HuberPoint, HuberProblem
from certus.linear.solvers.huber_solver import HuberResult, minimize_huber

Array = NDArray[np.float64]
LOST = 1e-3  # gap over the objective without coefficients that is worth a warning though the iterations ended


@register(
    guarantees=("gap to the optimum",),
    cost="fit n p^2 per Newton step, predict p per row",
)
class HuberRegressor(LinearPrediction, Regressor):
    """Linear regression that is quadratic for most rows and linear for outliers.

    Minimizes, over coefficients w, intercept b and scale, with weights s and r_i = y_i - x_i'w - b,

        sum_i s_i [ scale + scale H(r_i / scale) ] + alpha |w|^2

    where H(z) = z^2 for |z| <= epsilon and 2 epsilon |z| - epsilon^2 beyond. The scale makes the border between rows
    and outliers independent of the units of y. Use it when some targets are grossly wrong.

    Parameters
    ----------
    epsilon : float, default=1.35
        Border in units of the scale, at least 1; the smaller, the more robust.
    max_iter : int, default=100
        Largest number of iterations.
    alpha : float, default=0.0001
        Strength of the ridge penalty, at least 0.
    warm_start : bool, default=False
        Whether to start from the last fit.
    tol : float, default=1e-5
        Largest entry of the gradient at the end; iterations go on until the gap is negligible too.
    gap_tol : float or None, default=None
        Largest certified gap that is accepted without a warning, relative to the objective without coefficients.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    scale_ : float
        The scale of the residuals.
    outliers_ : ndarray of shape (n_samples,)
        True where the residual is beyond epsilon scale.
    n_iter_ : int
        Number of iterations.
    history_ : ndarray
        Objective after every iteration.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import HuberRegressor
    >>> X = np.linspace(0.0, 1.0, 50)[:, None]
    >>> y = 2.0 * X[:, 0] + 0.1 * np.sin(40.0 * X[:, 0])
    >>> y[:3] = 100.0
    >>> model = HuberRegressor().fit(X, y)
    >>> round(float(model.coef_[0]), 1), bool(model.outliers_[:3].all()), model.gap_ < 1e-6
    (2.0, True, True)
    """

    _constraints = {
        "epsilon": [Interval(1, None)],
        "max_iter": [Interval(0, None, integer=True)],
        "alpha": [Interval(0, None)],
        "warm_start": [Boolean()],
        "fit_intercept": [Boolean()],
        "tol": [Interval(0, None)],
        "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
    }
    _takes_sparse = True
    _state = ("coef_", "intercept_", "scale_", "outliers_", "n_iter_", "gap_", "converged_", "history_")

    def __init__(
        self,
        *,
        epsilon: float = 1.35,
        max_iter: int = 100,
        alpha: float = 0.0001,
        warm_start: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-05,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> HuberRegressor:
        """Find the best coefficients."""
        table, y = check_Xy(self, X, y, accept_sparse=["csr"], y_numeric=True, largest=LARGEST)
        weights = check_weights(self, sample_weight, table)
        problem = self._problem(table, np.asarray(y, dtype=np.float64), weights)

        def certified(at: HuberPoint) -> bool:
            if self.gap_tol is None:
                return True
            evidence, _ = problem.evidence(at)
            return evidence.gap <= self.gap_tol * evidence.objective_at_zero

        with Iterations(self, self.max_iter, table, y) as iterations:
            result = minimize_huber(
                problem,
                self._start(problem),
                tol=self.tol,
                max_iter=self.max_iter,
                good_enough=certified,
                watch=lambda at: iterations.step(self._as_stored(problem, at), objective=at.value),
            )
        self._store(problem, result)
        return self

    def _problem(self, X: Table, y: Array, weights: Array | None) -> HuberProblem:
        if sparse.issparse(X):
            table = sparse.csr_array(X, dtype=np.float64)
        else:
            table = np.ascontiguousarray(X, dtype=np.float64)
        s = np.ones(X.shape[0]) if weights is None else weights
        mean = np.asarray(s @ table).ravel() / s.sum() if self.fit_intercept else np.zeros(X.shape[1])
        shift = None
        if self.fit_intercept and isinstance(table, np.ndarray) and far_off(table, mean):
            table, shift, mean = table - mean, mean, np.zeros_like(mean)
        threads = resolve_threads() if X.shape[0] * X.shape[1] > SMALL else 1
        return HuberProblem(table, y, s, self.epsilon, self.alpha, mean, bool(self.fit_intercept), threads, shift)

    def _start(self, problem: HuberProblem) -> HuberPoint:
        if self.warm_start and hasattr(self, "coef_"):
            return problem.in_use(self.coef_.astype(np.float64), float(self.intercept_), float(self.scale_))
        coef = np.zeros(problem.X.shape[1])
        if not problem.has_intercept:
            return problem.at(coef, 0.0, _spread(problem.y, problem.s, 0.0))
        center = float(np.median(problem.y[problem.s > 0.0]))
        return problem.at(coef, center, _spread(problem.y, problem.s, center))

    def _as_stored(self, problem: HuberProblem, at: HuberPoint) -> dict[str, Any]:
        outliers = np.abs(at.residual) > at.scale * self.epsilon
        return {"coef_": at.coef, "intercept_": problem.intercept(at), "scale_": at.scale, "outliers_": outliers}

    def _store(self, problem: HuberProblem, result: HuberResult) -> None:
        for name, value in self._as_stored(problem, result.point).items():
            setattr(self, name, value)
        evidence, dual = problem.evidence(result.point)
        self.n_iter_ = result.iterations
        self.history_ = np.array(result.history)
        self.gap_ = evidence.gap
        limit = None if self.gap_tol is None else self.gap_tol * evidence.objective_at_zero
        self.converged_ = result.converged and (limit is None or self.gap_ <= limit)
        inputs = {
            "problem": "huber",
            "epsilon": float(self.epsilon),
            "alpha": float(self.alpha),
            "fit_intercept": bool(self.fit_intercept),
        }
        stored = {
            "coef": self.coef_,
            "intercept": float(self.intercept_),
            "scale": float(self.scale_),
            "dual_point": dual,
        }
        self.report_ = Report([ROBUST.certificate(evidence, inputs, stored)])
        harmless = LOST * evidence.objective_at_zero + 1e-9 * float(problem.s @ np.abs(problem.y))
        if self.converged_ and self.alpha > 0.0 and self.gap_ > harmless:
            self.converged_ = False
            cause = "Columns are so far off 0 that the intercept, as a double, loses digits that matter."
            warn_not_converged(self, cause, gap=self.gap_, hint="subtract the columns' means (StandardScaler)")
        elif not self.converged_:
            cause = f"lbfgs failed to converge after {self.n_iter_} iteration(s) (max_iter={self.max_iter})."
            warn_not_converged(self, cause, gap=self.gap_)


def _spread(y: Array, s: Array, center: float) -> float:
    """A first scale: the median distance from the center, or something positive."""
    distance = np.abs(y - center)[s > 0.0]
    return float(np.median(distance)) or float(distance.mean()) or 1.0
