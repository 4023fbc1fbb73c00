"""Regression that uses whole groups of columns or leaves them out."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base import Iterations, Regressor, fit_method, register, resolve_threads
from certus.base.inputs import LARGEST, check_weights, check_Xy
from certus.linear.design.design_matrix import make_design
from certus.linear.fitting.group_fit import GroupFit
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.losses import Squared


@register(
    guarantees=("gap to the optimum",),
    cost="fit n k^2 per step for a working set of k columns and n p for all, predict p per row",
)
class GroupLasso(GroupFit, LinearPrediction, Regressor):
    """Least squares with a penalty on the lengths of groups of coefficients (Yuan, Lin 2006).

    Minimizes, over coefficients w and intercept b (not penalized) with weights s,

        sum_i s_i (y_i - x_i'w - b)^2 / (2 sum_i s_i) + alpha sum_g sqrt(p_g) |w_g|

    for groups g of p_g columns: all coefficients of a group are used, or none. For indicator columns of one category,
    for powers or splines of one column, for measurements that belong together. Groups of one column each are the Lasso.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import GroupLasso
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> model = GroupLasso(2, alpha=0.1).fit(X, X[:, 0] - X[:, 1])
    >>> (model.coef_ != 0).tolist(), model.gap_ < 1e-8
    ([True, True, False, False, False, False], True)
    """

    @fit_method
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GroupLasso:
        """Find the best coefficients."""
        X, y = check_Xy(self, X, y, accept_sparse="csr", y_numeric=True, largest=LARGEST)
        weights = check_weights(self, sample_weight, X)
        design = make_design(X, resolve_threads())
        problem = self._problem(design, Squared(), np.asarray(y, dtype=np.float64), weights)
        penalty = self._penalty(problem.total_weight, design.columns)
        with Iterations(self, self.max_iter, X, y) as iterations:
            result, evidence_at = self._solve(problem, penalty, iterations)
        self.coef_ = result.coef[0].astype(X.dtype)
        self.intercept_ = X.dtype.type(problem.intercept(result.coef, result.center)[0]) if self.fit_intercept else 0.0
        self._store(problem, penalty, [(result, evidence_at)], self.coef_[None], [self.intercept_], None)
        return self
