"""The lasso: least squares with an L1 penalty, which makes most coefficients exactly 0."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.linear.elastic_net import ElasticNet
from certus.linear.fitting.penalized_fit import PENALIZED_CONSTRAINTS


@register(
    family="linear",
    tasks=("regression",),
    guarantees=("gap to the lasso optimum", "columns that every optimum leaves out"),
    cost="fit n p per look at all columns (n p^2 once if tall), predict p per row",
)
class Lasso(ElasticNet):
    """Least squares with an L1 penalty, which makes most coefficients exactly 0.

    Minimizes, over coefficients w and intercept b (which is not penalized) with weights s of total S,

        sum_i s_i (y_i - x_i'w - b)^2 / (2 S) + alpha |w|_1

    for every target on its own. Use it when few of many columns matter. It is `ElasticNet` with ``l1_ratio=1``; cost
    and method are described there.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, at least 0.
    fit_intercept : bool, default=True
        Whether to fit b; otherwise it is 0.
    precompute : bool or array-like of shape (n_features, n_features), default=False
        True: work on the Gram matrix; a matrix: the Gram matrix of the centred (and weighted) table; False: choose.
    copy_X : bool, default=True
        Whether X has to stay as it is. False allows `fit` to center a dense table of doubles in Fortran order in its
        own memory, which saves digits if means are large; the model and its certificate are those of the original
        table.
    max_iter : int or None, default=1000
        Largest number of sweeps, in visits of coordinates divided by the number of columns; None means 1000.
    tol : float, default=1e-4
        Stop when the duality gap is at most tol times the mean square of the centred y, as in scikit-learn.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    positive : bool, default=False
        Whether to require w >= 0.
    random_state : int, RandomState or None, default=None
        Seed of the order of the coordinates for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates in a sweep.
    gap_tol : float or None, default=None
        Stop only when the certified gap is at most this share of the objective at w = 0.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_targets, n_features)
        w.
    sparse_coef_ : sparse array of shape (1, n_features) or (n_targets, n_features)
        The same, stored sparsely.
    intercept_ : float or ndarray of shape (n_targets,)
        b.
    n_iter_ : int or list of int
        Sweeps that were used (per target).
    dual_gap_ : float or ndarray of shape (n_targets,)
        Duality gap that the solver measured.
    gap_ : float
        Certified bound on the objective (summed over the targets) minus its minimum, rounding errors included.
    converged_ : bool
        Whether the solution is as accurate as asked for.
    history_ : ndarray
        The objective at every look at all columns, before the first working set and after each; targets that are
        fitted apart come one after the other.
    n_features_in_, feature_names_in_ : int, ndarray
        Width of the table and, if it had them, its column names.
    report_ : Report
        The certificate of the gap, and of the columns that every optimum leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import Lasso
    >>> X = np.array([[-1.0, 0.1], [0.0, -0.2], [1.0, 0.1]])
    >>> model = Lasso(alpha=0.1).fit(X, [-1.0, 0.0, 1.0])
    >>> np.round(model.coef_, 4).tolist(), model.gap_ < 1e-10
    ([0.85, 0.0], True)
    """

    _constraints = {name: rule for name, rule in PENALIZED_CONSTRAINTS.items() if name != "l1_ratio"}
    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = False,
        copy_X: bool = True,
        max_iter: int | None = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.gap_tol = gap_tol
