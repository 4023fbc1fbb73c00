"""Multi-task elastic net: several targets that use the same columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin
from sklearn.utils import Tags

from certus.base import RandomStateLike, Regressor, TableLike, TargetLike, WeightsLike, fit_method, register
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.penalized_fit import (
    MULTI_TASK_CONSTRAINTS,
    PENALIZED_STATE,
    fit_penalized,
    read_data,
    refuse_one_task,
)


@register(
    guarantees=("gap to the multi-task optimum", "columns that every optimum leaves out"),
    cost="fit n p t per look at all columns (n p^2 once if tall), predict p t per row",
)
class MultiTaskElasticNet(LinearPrediction, MultiOutputMixin, Regressor):
    """Least squares for several targets at once, with penalties that make them use the same columns.

    Minimizes, over coefficients W (one row per target) and intercepts b with weights s of total S,

        sum_i s_i |y_i - W x_i - b|^2 / (2 S) + alpha l1_ratio sum_j |W_.j| + (alpha (1 - l1_ratio) / 2) |W|^2

    where |W_.j| is the Euclidean norm of column j's coefficients. Block coordinate descent as in `ElasticNet`.

    Parameters
    ----------
    l1_ratio : float, default=0.5
        Share of the first penalty: 1 is the multi-task lasso, 0 is ridge regression.
    max_iter : int or None, default=1000
        Largest number of sweeps, in visits of columns divided by their number; None means 1000.
    random_state : int, RandomState or None, default=None
        Seed of the order of the columns for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the columns in a sweep.
    gap_tol : float or None, default=None
        Stop only when the certified gap is at most this share of the objective at W = 0.
    tol : float
        Stop when the duality gap is at most tol times the mean square of the centered y, as in scikit-learn.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        W.
    sparse_coef_ : sparse array of shape (n_targets, n_features)
        The same, stored sparsely.
    intercept_ : ndarray of shape (n_targets,)
        b.
    n_iter_ : int
        Sweeps that were used.
    dual_gap_ : float
        Duality gap that the solver measured.
    eps_ : float
        The gap at which the solver was to stop, in scikit-learn's scale.
    gap_ : float
        Certified bound on the objective minus its minimum, rounding errors included.
    history_ : ndarray
        The objective at every look at all columns, before the first working set and after each; targets that are
        fitted apart come one after the other.
    report_ : Report
        The certificate of the gap, and of the columns that every optimum leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import MultiTaskElasticNet
    >>> X = np.array([[-1.0, 0.1], [0.0, -0.2], [1.0, 0.1]])
    >>> model = MultiTaskElasticNet(alpha=0.1).fit(X, [[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]])
    >>> np.round(model.coef_, 4).tolist(), model.gap_ < 1e-10
    ([[0.899, 0.0], [1.7981, 0.0]], True)
    """

    _takes_sparse = True
    _constraints = MULTI_TASK_CONSTRAINTS
    _state = (*PENALIZED_STATE, "eps_")

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: RandomStateLike = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> MultiTaskElasticNet:
        """Find the best coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The table; columns in a row in memory (Fortran order, CSC) are used without a copy.
        y : array-like of shape (n_samples, n_targets)
            The targets.
        """
        table, y, weights = read_data(self, X, y, sample_weight)
        refuse_one_task(self, y)
        fit_penalized(self, table, y, weights, joint=True)
        self.eps_ = self.tol * float(np.sum((y - np.mean(y, axis=0) * bool(self.fit_intercept)) ** 2))
        return self

    @property
    def sparse_coef_(self) -> Any:
        """``coef_`` as a sparse matrix of shape (n_targets, n_features)."""
        return sparse.csr_array(self.coef_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
