"""The lasso: least squares with an L1 penalty, which makes most coefficients exactly 0."""

from __future__ import annotations

from certus.base import RandomStateLike, TargetLike, register
from certus.linear.elastic_net import ElasticNet
from certus.linear.fitting.penalized_fit import PENALIZED_CONSTRAINTS


@register(
    guarantees=("gap to the lasso optimum", "columns that every optimum leaves out"),
    cost="fit n p per look at all columns (n p^2 once if tall), predict p per row",
)
class Lasso(ElasticNet):
    """Least squares with an L1 penalty, which makes most coefficients exactly 0.

    Minimizes, over coefficients w and intercept b (which is not penalized) with weights s of total S,

        sum_i s_i (y_i - x_i'w - b)^2 / (2 S) + alpha |w|_1

    for every target on its own. Use it when few of many columns matter. It is `ElasticNet` with ``l1_ratio=1``; cost
    and method are described there.

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
        precompute: bool | str | TargetLike = False,
        copy_X: bool = True,
        max_iter: int | None = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: RandomStateLike = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())
