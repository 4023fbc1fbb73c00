"""Lasso whose penalty is chosen by cross-validation."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.linear.fitting.path_selection import PATH_SELECTION_CONSTRAINTS, PATH_SELECTION_STATE, PathSelection
from certus.linear.lasso import Lasso


@register(
    family="linear",
    tasks=("regression",),
    guarantees=("gap to the optimum of the chosen penalty", "columns that every optimum leaves out"),
    draws_rows=True,
    cost="folds x l1_ratios x paths of Lasso, predict p per row",
)
class LassoCV(PathSelection):
    """Lasso whose penalty is chosen by cross-validation along paths.

    Minimizes, for the alpha with the least squared error over the folds,

        sum_i s_i (y_i - x_i'w - b)^2 / (2 S) + alpha |w|_1

    with weights s of total S. All penalties of a fold are solved as one warm-started path.

    Parameters
    ----------
    eps : float, default=1e-3
        Smallest alpha of an automatic grid, as a share of the largest.
    alphas : int or array-like, default=100
        Number of penalties of an automatic grid, or the penalties themselves.
    fit_intercept : bool, default=True
        Whether to fit intercepts; otherwise they are 0.
    precompute : "auto", bool or array-like, default="auto"
        True: work on Gram matrices; a matrix: used in the final fit; otherwise chosen by shape.
    max_iter : int, default=1000
        Largest number of sweeps for every penalty.
    tol : float, default=1e-4
        Accuracy of every solution, as in `Lasso`.
    copy_X : bool, default=True
        Accepted for compatibility: the table is never overwritten.
    cv : int, splitter, iterable or None, default=None
        Folds; None means five.
    verbose : bool or int, default=False
        1 or more prints a line for every fold, 0 nothing.
    n_jobs : int or None, default=None
        Threads; None uses all cores. The result does not depend on it.
    positive : bool, default=False
        Whether to require coefficients >= 0.
    random_state : int, RandomState or None, default=None
        Seed of the order of the coordinates for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates in a sweep.
    gap_tol : float or None, default=None
        Largest certified gap of the final fit, as a share of the objective at zero coefficients.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    alphas_ : ndarray
        The penalties that were tried (for every l1_ratio, if there are several and the grid is automatic).
    mse_path_ : ndarray
        Mean squared error of every penalty on every fold.
    coef_ : ndarray of shape (n_features,)
        Coefficients of the final fit.
    intercept_ : float
        Intercept of the final fit.
    n_iter_, dual_gap_, gap_, converged_, history_
        As in `Lasso`, of the final fit.
    n_features_in_, feature_names_in_ : int, ndarray
        Width of the table and, if it had them, its column names.
    report_ : Report
        The certificates of the final fit. They are about the optimization, not about the choice of the penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import LassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> model = LassoCV(cv=3).fit(X, X[:, 0] + 0.1 * rng.normal(size=60))
    >>> bool(abs(model.coef_[0] - 1.0) < 0.05), model.converged_
    (True, True)
    """

    _constraints = {name: rules for name, rules in PATH_SELECTION_CONSTRAINTS.items() if name != "l1_ratio"}
    _state = PATH_SELECTION_STATE
    _single = Lasso
    _joint = False

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: Any = None,
        verbose: Any = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.gap_tol = gap_tol
