"""Regression of means whose variance is a power of them."""

from __future__ import annotations

from typing import ClassVar

from certus.base import Constraints, Interval, OneOf, register
from certus.linear.fitting.mean_regression import MeanRegression
from certus.losses import KnownLoss, tweedie_loss


@register(
    guarantees=("gap to the optimum",),
    cost="fit n p^2 per Newton step (n p per product if sparse or wide), predict p per row",
)
class TweedieRegressor(MeanRegression):
    """Regression of a mean mu whose variance is proportional to mu^power: amounts with zeros, costs, rainfall.

    Minimizes, over coefficients w and intercept b (not penalized) with weights s,

        sum_i s_i d(y_i, mu_i) / (2 sum_i s_i) + (alpha / 2) |w|^2,       mu_i = exp(x_i'w + b), or x_i'w + b

    where d is the deviance of the Tweedie distribution of this power: 0 normal, 1 Poisson, between 1 and 2 compound
    Poisson-gamma (for amounts that are often 0), 2 gamma, 3 inverse Gaussian. With the logarithmic link the objective
    is convex for powers from 1 to 2, without a link for the powers 0 and 1. Otherwise a local minimum is found by
    L-BFGS, and ``gap_`` is the objective itself, which is never negative.

    Parameters
    ----------
    power : float, default=0.0
        Exponent of the variance: at most 0, or at least 1. There is no such distribution in between.
    link : {"auto", "identity", "log"}, default="auto"
        What the mean is a function of: "auto" is "identity" for powers up to 0 and "log" above.
    max_iter : int, default=100
        Largest number of iterations.

    Examples
    --------
    >>> from certus.linear import TweedieRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [0.0, 3.5, 5.0, 5.5]
    >>> model = TweedieRegressor(power=1.5, alpha=0.1).fit(X, y)
    >>> round(model.score(X, y), 3), model.gap_ < 1e-8
    (0.535, True)
    """

    _constraints: ClassVar[Constraints] = {
        "power": [Interval(None, 0), Interval(1, None)],
        "link": [OneOf("auto", "identity", "log")],
        **MeanRegression._constraints,
    }

    def __init__(
        self,
        *,
        power: float = 0.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: str = "auto",
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @property
    def _loss(self) -> KnownLoss:
        return tweedie_loss(float(self.power), self.link)
