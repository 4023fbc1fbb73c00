"""Ridge regression: least squares with a penalty on the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin

from certus.base import Regressor, fit_method, register, resolve_threads
from certus.base.blocks import ScaledFit
from certus.base.inputs import RandomStateLike, TableLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.linear.design.in_place_centering import center_in_place
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.ridge_fit import NO_ITERATIONS, RidgeFit
from certus.linear.in_blocks.ridge_in_blocks import fit_ridge, whole_table_needed
from certus.linear.solvers.least_squares import Problem
from certus.linear.solvers.ridge_solvers import check_solver, penalties, sparse_formats


@register(
    guarantees=("gap to the ridge optimum",),
    cost="fit n p^2 (n^2 p if wide), predict p per row",
    known_failures=NO_ITERATIONS,
)
class Ridge(RidgeFit, LinearPrediction, MultiOutputMixin, Regressor):
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

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import Ridge
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = Ridge(alpha=5.0).fit(X, [0.0, 1.0, 2.0, 3.0])
    >>> np.round(model.coef_, 6).tolist(), model.gap_ < 1e-20
    ([0.5], True)
    """

    _scaled = ScaledFit("exact", fit_ridge, {"multi_output": True, "y_numeric": True}, whole_table_needed)

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
        flat = targets.shape[1] == 1
        self._solve(problem, table, y, one_target=y.ndim == 1, flat=flat)
        return self
