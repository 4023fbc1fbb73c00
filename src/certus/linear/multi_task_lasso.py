"""Multi-task lasso: several targets that use the same few columns."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.linear.fitting.penalized_fit import MULTI_TASK_CONSTRAINTS
from certus.linear.multi_task_elastic_net import MultiTaskElasticNet


@register(
    family="linear",
    tasks=("regression",),
    guarantees=("gap to the multi-task optimum", "columns that every optimum leaves out"),
    cost="fit n p t per look at all columns (n p^2 once if tall), predict p t per row",
)
class MultiTaskLasso(MultiTaskElasticNet):
    """Least squares for several targets at once that use the same few columns.

    Minimizes, over coefficients W (one row per target) and intercepts b with weights s of total S,

        sum_i s_i |y_i - W x_i - b|^2 / (2 S) + alpha sum_j |W_.j|

    where |W_.j| is the Euclidean norm of column j's coefficients. It is `MultiTaskElasticNet` with ``l1_ratio=1``.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, at least 0.
    fit_intercept : bool, default=True
        Whether to fit b; otherwise it is 0.
    copy_X : bool, default=True
        Whether X has to stay as it is. False allows `fit` to center a dense table of doubles in Fortran order in its
        own memory, which saves digits if means are large; the model and its certificate are those of the original
        table.
    max_iter : int or None, default=1000
        Largest number of sweeps, in visits of columns divided by their number; None means 1000.
    tol : float, default=1e-4
        Stop when the duality gap is at most tol times the mean square of the centred y, as in scikit-learn.
    warm_start : bool, default=False
        Whether to start from the coefficients of the last fit.
    random_state : int, RandomState or None, default=None
        Seed of the order of the columns for ``selection="random"``.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the columns in a sweep.
    gap_tol : float or None, default=None
        Stop only when the certified gap is at most this share of the objective at W = 0.

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
    >>> from certus.linear import MultiTaskLasso
    >>> X = np.array([[-1.0, 0.1], [0.0, -0.2], [1.0, 0.1]])
    >>> model = MultiTaskLasso(alpha=0.1).fit(X, [[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]])
    >>> np.round(model.coef_, 4).tolist(), model.gap_ < 1e-10
    ([[0.9329, 0.0], [1.8658, 0.0]], True)
    """

    _constraints = {name: rule for name, rule in MULTI_TASK_CONSTRAINTS.items() if name != "l1_ratio"}
    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Any = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection
        self.gap_tol = gap_tol
