"""Multi-task lasso: several targets that use the same few columns."""

from __future__ import annotations

from certus.base import RandomStateLike, register
from certus.linear.fitting.penalized_fit import MULTI_TASK_CONSTRAINTS
from certus.linear.multi_task_elastic_net import MultiTaskElasticNet


@register(
    guarantees=("gap to the multi-task optimum", "columns that every optimum leaves out"),
    cost="fit n p t per look at all columns (n p^2 once if tall), predict p t per row",
)
class MultiTaskLasso(MultiTaskElasticNet):
    """Least squares for several targets at once that use the same few columns.

    Minimizes, over coefficients W (one row per target) and intercepts b with weights s of total S,

        sum_i s_i |y_i - W x_i - b|^2 / (2 S) + alpha sum_j |W_.j|

    where |W_.j| is the Euclidean norm of column j's coefficients. It is `MultiTaskElasticNet` with ``l1_ratio=1``.

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
        random_state: RandomStateLike = None,
        selection: str = "cyclic",
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())
