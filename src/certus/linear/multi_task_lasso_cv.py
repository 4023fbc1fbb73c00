"""Multi-task lasso whose penalty is chosen by cross-validation."""

from __future__ import annotations

from certus.base import FoldsLike, RandomStateLike, TargetLike, register
from certus.linear.fitting.path_selection import PathSelection
from certus.linear.multi_task_lasso import MultiTaskLasso


@register(
    guarantees=("gap to the optimum of the chosen penalty", "columns that every optimum leaves out"),
    draws_rows=True,
    cost="folds x l1_ratios x paths of MultiTaskLasso, predict p per row",
)
class MultiTaskLassoCV(PathSelection):
    """Multi-task lasso whose penalty is chosen by cross-validation along paths.

    Minimizes, for the alpha with the least squared error over the folds,

        sum_i s_i |y_i - W x_i - b|^2 / (2 S) + alpha sum_j |W_.j|

    with weights s of total S. All penalties of a fold are solved as one warm-started path.

    Parameters
    ----------
    tol : float, default=1e-4
        Accuracy of every solution, as in `MultiTaskLasso`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients of the final fit.
    intercept_ : ndarray of shape (n_targets,)
        Intercept of the final fit.
    n_iter_, dual_gap_, gap_, converged_, history_
        As in `MultiTaskLasso`, of the final fit.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import MultiTaskLassoCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> model = MultiTaskLassoCV(cv=3).fit(X, X[:, :1] + 0.1 * rng.normal(size=(60, 2)))
    >>> model.coef_.shape, model.converged_
    ((2, 5), True)
    """

    _single = MultiTaskLasso
    _joint = True

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: int | TargetLike | None = 100,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: FoldsLike = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
        random_state: RandomStateLike = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())
