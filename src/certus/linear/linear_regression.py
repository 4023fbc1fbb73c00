"""Ordinary least squares: the best linear fit, with the distance to the best certified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sklearn.linear_model
from scipy import sparse
from sklearn.base import MultiOutputMixin
from sklearn.utils import Tags

from certus.base import Regressor, fit_method, register, resolve_threads
from certus.base.blocks import ScaledFit
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_Xy
from certus.base.params import Boolean, Exactly, Interval
from certus.linear.design.column_units import column_units, in_units
from certus.linear.design.in_place_centering import center_in_place
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.regression_fit import name_the_place, store_regression
from certus.linear.in_blocks.ridge_in_blocks import fit_linear_regression
from certus.linear.solvers.least_squares import NotFiniteError, Problem, Solution, nonnegative, ordinary


@register(
    guarantees=("gap to the least-squares optimum",),
    cost="fit n p^2, predict p per row",
)
class LinearRegression(LinearPrediction, MultiOutputMixin, Regressor):
    """Ordinary least squares: the linear function with the least squared error.

    Minimizes, over coefficients w and intercept b with weights s,

        sum_i s_i (y_i - x_i'w - b)^2

    and among several minimizers returns the one with the smallest coefficients. Use it when there are many more
    rows than columns; otherwise `Ridge` predicts better. Cost: n p^2 / 2 multiplications in one pass over the
    table; badly conditioned and wide tables go through QR and SVD, about ten times that.

    Parameters
    ----------
    copy_X : bool, default=True
        Whether X has to stay as it is. False allows `fit` to center a wide dense table of doubles in its own
        memory; the model and its certificate are those of the original table. Other tables are not copied anyway.
    tol : float, default=1e-6
        Singular values of the (centered, column-scaled) table at most `tol` times the largest count as zero when
        the rank is decided. Large sparse tables: the relative size of the final gradient is kept below it.
    n_jobs : int or None, default=None
        Threads; None uses all cores. The result does not depend on it.
    positive : bool, default=False
        Whether to require w >= 0; dense tables only.

    Attributes
    ----------
    rank_ : int
        Rank of the table; dense tables without `positive` only.
    singular_ : ndarray
        Singular values of the centered, weighted table; as for `rank_`.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import LinearRegression
    >>> X = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]])
    >>> model = LinearRegression().fit(X, X @ [1.0, 2.0] + 3.0)
    >>> np.round(model.coef_, 6).tolist(), round(float(model.intercept_), 6), model.gap_ < 1e-9
    ([1.0, 2.0], 3.0, True)
    """

    _takes_sparse = True  # unless positive
    _constraints = {
        "fit_intercept": [Boolean()],
        "copy_X": [Boolean()],
        "tol": [Interval(0, None)],
        "n_jobs": [Exactly(None), Interval(None, None, integer=True)],
        "positive": [Boolean()],
        "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
    }
    _scaled = ScaledFit("exact", fit_linear_regression, {"multi_output": True, "y_numeric": True})
    _state = ("coef_", "intercept_", "rank_", "singular_", "gap_", "converged_")

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> LinearRegression:
        """Find the best coefficients.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        """
        formats = False if self.positive else ["csr", "csc", "coo"]
        table, y = check_Xy(self, X, y, accept_sparse=formats, multi_output=True, y_numeric=True, check_finite=False)
        weights = check_weights(self, sample_weight, table)
        targets = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
        units = column_units(table, thorough=False)
        threads = resolve_threads(self.n_jobs)
        wide = table.shape[0] < table.shape[1]  # others are solved without a centered table
        shift = center_in_place(self, table, weights, threads) if wide and units is None else None
        problem = Problem(
            table if units is None else in_units(table, units),
            targets,
            weights,
            np.zeros(targets.shape[1]),
            self.fit_intercept,
            threads,
            shift,
        )
        try:
            solution = self._solve(problem)
        except NotFiniteError:
            units = column_units(table, thorough=True) if units is None else None
            if units is None:
                name_the_place(self, table, y)
            problem = replace(problem, X=in_units(table, units))
            try:
                solution = self._solve(problem)
            except NotFiniteError:
                name_the_place(self, table, y)
        store_regression(self, problem, solution, y.ndim == 1, positive=self.positive, units=units)
        self._store_rank(solution, dense=not (self.positive or sparse.issparse(table)))
        return self

    def _solve(self, problem: Problem) -> Solution:
        return nonnegative(problem) if self.positive else ordinary(problem, self.tol)

    def _store_rank(self, solution: Solution, *, dense: bool) -> None:
        for name in ("rank_", "singular_"):
            if hasattr(self, name):
                delattr(self, name)
        if dense and solution.singular is not None:
            self.rank_ = solution.rank
            self.singular_ = solution.singular.astype(self.coef_.dtype)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self.positive
        return tags


# RANSACRegressor asks for scikit-learn's own class
sklearn.linear_model.LinearRegression.register(LinearRegression)
