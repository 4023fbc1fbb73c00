"""Elastic net whose penalties are chosen by cross-validation."""

from __future__ import annotations

from typing import Any

from certus.base import FoldsLike, RandomStateLike, TargetLike, register
from certus.linear.elastic_net import ElasticNet
from certus.linear.fitting.path_selection import PathSelection


@register(
    guarantees=("gap to the optimum of the chosen penalty", "columns that every optimum leaves out"),
    draws_rows=True,
    cost="folds x l1_ratios x paths of ElasticNet, predict p per row",
)
class ElasticNetCV(PathSelection):
    """Elastic net whose penalties are chosen by cross-validation along paths.

    Minimizes, for the alpha and l1_ratio with the least squared error over the folds,

        sum_i s_i (y_i - x_i'w - b)^2 / (2 S) + alpha l1_ratio |w|_1 + (alpha (1 - l1_ratio) / 2) |w|^2

    with weights s of total S. All penalties of a fold are solved as one warm-started path.

    Parameters
    ----------
    tol : float, default=1e-4
        Accuracy of every solution, as in `ElasticNet`.

    Attributes
    ----------
    l1_ratio_ : float
        The chosen share.
    n_iter_, dual_gap_, gap_, converged_, history_
        As in `ElasticNet`, of the final fit.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import ElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> model = ElasticNetCV(cv=3).fit(X, X[:, 0] + 0.1 * rng.normal(size=60))
    >>> bool(abs(model.coef_[0] - 1.0) < 0.05), model.converged_
    (True, True)
    """

    _single = ElasticNet

    def __init__(
        self,
        *,
        l1_ratio: Any = 0.5,
        eps: float = 1e-3,
        alphas: int | TargetLike | None = 100,
        fit_intercept: bool = True,
        precompute: bool | str | TargetLike = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: FoldsLike = None,
        copy_X: bool = True,
        verbose: bool | int = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: RandomStateLike = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())
