"""Lasso whose penalty is chosen by cross-validation."""

from __future__ import annotations

from certus.base import FoldsLike, RandomStateLike, TargetLike, register
from certus.linear.fitting.path_selection import PathSelection
from certus.linear.lasso import Lasso


@register(
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
    tol : float, default=1e-4
        Accuracy of every solution, as in `Lasso`.

    Attributes
    ----------
    n_iter_, dual_gap_, gap_, converged_, history_
        As in `Lasso`, of the final fit.

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

    _single = Lasso

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: int | TargetLike | None = 100,
        fit_intercept: bool = True,
        precompute: bool | str | TargetLike = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: FoldsLike = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: RandomStateLike = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())
