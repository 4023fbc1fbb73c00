"""Regression of counts and frequencies."""

from __future__ import annotations

from certus.base import register
from certus.linear.fitting.mean_regression import MeanRegression
from certus.losses import Poisson


@register(
    guarantees=("gap to the optimum",),
    cost="fit n p^2 per Newton step (n p per product if sparse or wide), predict p per row",
)
class PoissonRegressor(MeanRegression):
    """Regression of counts: the logarithm of the mean is linear.

    Minimizes, over coefficients w and intercept b (not penalized) with weights s,

        sum_i s_i (exp(f_i) - y_i f_i) / sum_i s_i + (alpha / 2) |w|^2,       f_i = x_i'w + b

    that is half the mean Poisson deviance plus a ridge penalty. For counts, or for frequencies with the exposure as
    weight. Newton's method with an explicit Hessian for tall dense tables, by conjugate gradients otherwise.

    Examples
    --------
    >>> from certus.linear import PoissonRegressor
    >>> model = PoissonRegressor().fit([[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21])
    >>> round(model.score([[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21]), 4), model.gap_ < 1e-10
    (0.9905, True)
    """

    _loss = Poisson()
