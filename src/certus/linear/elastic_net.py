"""Elastic net: least squares with an L1 and an L2 penalty on the coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin
from sklearn.utils import metadata_routing

from certus.base import RandomStateLike, Regressor, TableLike, TargetLike, WeightsLike, fit_method, register
from certus.base.blocks import ScaledFit
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.penalized_fit import (
    PENALIZED_CONSTRAINTS,
    PENALIZED_STATE,
    fit_penalized,
    read_data,
    refuse_wrong_order,
    warn_without_penalty,
)
from certus.linear.in_blocks.penalized_in_blocks import fit_penalized_in_blocks, whole_table_needed
from certus.linear.paths import enet_path


@register(
    guarantees=("gap to the elastic-net optimum", "columns that every optimum leaves out"),
    cost="fit n p per look at all columns (n p^2 once if tall), predict p per row",
)
class ElasticNet(LinearPrediction, MultiOutputMixin, Regressor):
    """Least squares with an L1 and an L2 penalty: few coefficients, shared among correlated columns.

    Minimizes, over coefficients w and intercept b (which is not penalized) with weights s of total S,

        sum_i s_i (y_i - x_i'w - b)^2 / (2 S) + alpha l1_ratio |w|_1 + (alpha (1 - l1_ratio) / 2) |w|^2

    for every target on its own. Use it instead of `Lasso` when columns are strongly correlated. Coordinate descent:
    on the Gram matrix of tall tables, on growing working sets of columns otherwise (Massias, Gramfort, Salmon 2018),
    with extrapolation; without L1 part a direct ridge solution.

    Parameters
    ----------
    l1_ratio : float, default=0.5
        Share of the L1 part: 1 is the lasso, 0 is ridge regression.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        True: work on the Gram matrix; a matrix: the Gram matrix of the centered (and weighted) table; False: choose.
    max_iter : int or None, default=1000
        Largest number of sweeps, in visits of coordinates divided by the number of columns; None means 1000.
    random_state : int, RandomState or None, default=None
        Seed of the order of the coordinates for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates in a sweep.
    gap_tol : float or None, default=None
        Stop only when the certified gap is at most this share of the objective at w = 0.
    tol : float
        Stop when the duality gap is at most tol times the mean square of the centered y, as in scikit-learn.

    Attributes
    ----------
    sparse_coef_ : sparse array of shape (1, n_features) or (n_targets, n_features)
        The same, stored sparsely.
    n_iter_ : int or list of int
        Sweeps that were used (per target).
    dual_gap_ : float or ndarray of shape (n_targets,)
        Duality gap that the solver measured.
    gap_ : float
        Certified bound on the objective (summed over the targets) minus its minimum, rounding errors included.
    history_ : ndarray
        The objective at every look at all columns, before the first working set and after each; targets that are
        fitted apart come one after the other.
    report_ : Report
        The certificate of the gap, and of the columns that every optimum leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import ElasticNet
    >>> X = np.array([[-1.0, 0.1], [0.0, -0.2], [1.0, 0.1]])
    >>> model = ElasticNet(alpha=0.5, l1_ratio=0.5).fit(X, [-1.0, 0.0, 1.0])
    >>> np.round(model.coef_, 4).tolist(), model.gap_ < 1e-10
    ([0.4545, 0.0], True)
    """

    __metadata_request__fit = {"check_input": metadata_routing.UNUSED}
    _constraints = PENALIZED_CONSTRAINTS
    _takes_sparse = True
    _scaled = ScaledFit("exact", fit_penalized_in_blocks, {"multi_output": True, "y_numeric": True}, whole_table_needed)
    _state = PENALIZED_STATE
    path = staticmethod(enet_path)

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: bool | str | TargetLike = False,
        max_iter: int | None = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: RandomStateLike = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(
        self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, check_input: bool = True
    ) -> ElasticNet:
        """Find the best coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The table; columns in a row in memory (Fortran order, CSC) are used without a copy.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        check_input : bool, default=True
            The input is always checked; False says besides that a dense table without weights is in Fortran order.
        """
        refuse_wrong_order(self, X, sample_weight, check_input)
        warn_without_penalty(self)
        table, y, weights = read_data(self, X, y, sample_weight)
        fit_penalized(self, table, y, weights, joint=False)
        return self

    @property
    def sparse_coef_(self) -> Any:
        """``coef_`` as a sparse matrix of shape (n_targets, n_features)."""
        return sparse.csr_array(np.atleast_2d(self.coef_))
