"""Multi-task elastic net whose penalties are chosen by cross-validation."""

from __future__ import annotations

from typing import Any

from certus.base import FoldsLike, RandomStateLike, TargetLike, register
from certus.linear.fitting.path_selection import PathSelection
from certus.linear.multi_task_elastic_net import MultiTaskElasticNet


@register(
    guarantees=("gap to the optimum of the chosen penalty", "columns that every optimum leaves out"),
    draws_rows=True,
    cost="folds x l1_ratios x paths of MultiTaskElasticNet, predict p per row",
)
class MultiTaskElasticNetCV(PathSelection):
    """Multi-task elastic net whose penalties are chosen by cross-validation along paths.

    Minimizes, for the alpha and l1_ratio with the least squared error over the folds,

        sum_i s_i |y_i - W x_i - b|^2 / (2 S) + alpha l1_ratio sum_j |W_.j| + (alpha (1 - l1_ratio) / 2) |W|^2

    with weights s of total S. All penalties of a fold are solved as one warm-started path.

    Parameters
    ----------
    tol : float, default=1e-4
        Accuracy of every solution, as in `MultiTaskElasticNet`.

    Attributes
    ----------
    l1_ratio_ : float
        The chosen share.
    coef_ : ndarray of shape (n_targets, n_features)
        Coefficients of the final fit.
    intercept_ : ndarray of shape (n_targets,)
        Intercept of the final fit.
    n_iter_, dual_gap_, gap_, converged_, history_
        As in `MultiTaskElasticNet`, of the final fit.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import MultiTaskElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> model = MultiTaskElasticNetCV(cv=3).fit(X, X[:, :1] + 0.1 * rng.normal(size=(60, 2)))
    >>> model.coef_.shape, model.converged_
    ((2, 5), True)
    """

    _single = MultiTaskElasticNet
    _joint = True

    def __init__(
        self,
        *,
        l1_ratio: Any = 0.5,
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
