"""Ridge regression: least squares with a penalty on the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils import Tags

from certus.base import Regressor, fit_method, register, resolve_threads
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.linear.design.in_place_centering import center_in_place
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.regression_fit import name_the_place, store_regression
from certus.linear.solvers.least_squares import NotFiniteError, Problem
from certus.linear.solvers.ridge_solvers import (
    COUNTED,
    RIDGE_CONSTRAINTS,
    check_solver,
    penalties,
    solve_ridge,
    sparse_formats,
)


@register(
    guarantees=("gap to the ridge optimum",),
    cost="fit n p^2 (n^2 p if wide), predict p per row",
    known_failures={
        "check_non_transformer_estimators_n_iter": "n_iter_ is None for direct solvers, as in scikit-learn"
    },
)
class Ridge(LinearPrediction, MultiOutputMixin, Regressor):
    """Least squares with a penalty on the size of the coefficients.

    Minimizes, over coefficients w and intercept b (which is not penalized) with weights s,

        sum_i s_i (y_i - x_i'w - b)^2 + alpha |w|^2

    A good first choice for numbers: it predicts better than `LinearRegression` when columns are many or
    correlated. Cost: n p^2 / 2 multiplications in one pass (n^2 p / 2 for wide tables); sparse tables with many
    columns are solved by LSQR.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength of the penalty, at least 0; one for all targets or one for each.
    copy_X : bool, default=True
        Whether X has to stay as it is. False allows `fit` to center a dense table of doubles in its own memory where
        a centered one is needed (wide tables and solver="svd"); the model and its certificate are those of the
        original table.
    max_iter : int or None, default=None
        Largest number of iterations of the iterative solvers.
    tol : float, default=1e-4
        Accuracy of the iterative solvers; they reach at least what scikit-learn's reach with it. For "sag" and
        "saga": largest change of a coefficient in an epoch, relative to the largest coefficient.
    solver : {"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, default="auto"
        All minimize the same objective. "auto" and "cholesky": normal equations or their dual, "svd" where these
        would be inaccurate; "svd": singular values of the table; "lsqr", "sparse_cg": LSQR; "sag", "saga":
        stochastic average gradient, for the sake of its name; "lbfgs" (only with `positive`): active set, or that
        many quasi-Newton iterations if `max_iter` is given.
    random_state : int, RandomState or None, default=None
        The order of the rows with "sag" and "saga"; no other solver is random.

    Attributes
    ----------
    n_iter_ : None or ndarray of shape (n_targets,)
        Iterations per target of "lsqr", "sag" and "saga".
    solver_ : str
        The solver that was used.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import Ridge
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = Ridge(alpha=5.0).fit(X, [0.0, 1.0, 2.0, 3.0])
    >>> np.round(model.coef_, 6).tolist(), model.gap_ < 1e-20
    ([0.5], True)
    """

    _constraints = RIDGE_CONSTRAINTS
    _state = ("coef_", "intercept_", "n_iter_", "solver_", "gap_", "converged_")

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: RandomStateLike = None,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> Ridge:
        """Find the best coefficients.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        """
        check_solver(self, X)
        table, y = check_Xy(
            self,
            X,
            y,
            accept_sparse=sparse_formats(X, self.solver),
            multi_output=True,
            y_numeric=True,
            check_finite=False,
        )
        weights = check_weights(self, sample_weight, table)
        targets = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
        alphas = penalties(self.alpha, targets.shape[1])
        threads = resolve_threads()
        needed = table.shape[0] < table.shape[1] or self.solver == "svd"  # others are solved without a centered table
        shift = center_in_place(self, table, weights, threads) if needed else None
        problem = Problem(table, targets, weights, alphas, self.fit_intercept, threads, shift)
        try:
            solution = solve_ridge(self, problem)
        except NotFiniteError:
            name_the_place(self, table, y)
        flat = targets.shape[1] == 1
        store_regression(self, problem, solution, y.ndim == 1, positive=self.positive, flat=flat)
        self.n_iter_ = solution.iterations if self.solver in COUNTED else None
        self.solver_ = solution.method
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.solver != "svd" and (self.solver != "cholesky" or not self.fit_intercept)
        return tags
