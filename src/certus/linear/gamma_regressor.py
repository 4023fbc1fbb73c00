"""Regression of positive amounts."""

from __future__ import annotations

from certus.base import register
from certus.linear.fitting.mean_regression import MeanRegression
from certus.losses import Gamma


@register(
    guarantees=("gap to the optimum",),
    cost="fit n p^2 per Newton step (n p per product if sparse or wide), predict p per row",
)
class GammaRegressor(MeanRegression):
    """Regression of positive amounts: the logarithm of the mean is linear, the spread grows with the mean.

    Minimizes, over coefficients w and intercept b (not penalized) with weights s,

        sum_i s_i (f_i + y_i exp(-f_i)) / sum_i s_i + (alpha / 2) |w|^2,       f_i = x_i'w + b

    that is half the mean gamma deviance plus a ridge penalty. For amounts such as costs or
    durations. Newton's method with an explicit Hessian for tall dense tables, by conjugate gradients otherwise.

    Examples
    --------
    >>> from certus.linear import GammaRegressor
    >>> model = GammaRegressor().fit([[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30])
    >>> round(model.score([[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30]), 4), model.gap_ < 1e-10
    (0.7727, True)
    """

    _loss = Gamma()
