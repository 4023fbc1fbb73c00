"""Regression of positive amounts."""

from __future__ import annotations

from certus.base import register
from certus.linear.fitting.mean_regression import MeanRegression
from certus.losses import Gamma


@register(
    family="linear",
    tasks=("regression",),
    guarantees=("gap to the optimum",),
    cost="fit n p^2 per Newton step (n p per product if sparse or wide), predict p per row",
)
class GammaRegressor(MeanRegression):
    """Regression of positive amounts: the logarithm of the mean is linear, the spread grows with the mean.

    Minimizes, over coefficients w and intercept b (not penalized) with weights s,

        sum_i s_i (f_i + y_i exp(-f_i)) / sum_i s_i + (alpha / 2) |w|^2,       f_i = x_i'w + b

    that is half the mean gamma deviance plus a ridge penalty. For amounts such as costs or
    durations. Newton's method with an explicit Hessian for tall dense tables, by conjugate gradients otherwise.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, at least 0.
    fit_intercept : bool, default=True
        Whether to fit b; otherwise it is 0.
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Both minimize the same objective; "newton-cholesky" forces the explicit Hessian on dense tables.
    max_iter : int, default=100
        Largest number of Newton iterations.
    tol : float, default=1e-4
        Largest entry of the gradient at the end; iterations go on until the gap is far below what that asks.
    warm_start : bool, default=False
        Whether to start from the last fit's coefficients.
    verbose : int, default=0
        1 prints a table of the iterations, with ever fewer lines; 2 prints all of them. 0 prints nothing.
    gap_tol : float or None, default=None
        Largest certified gap that is accepted without a warning, relative to the objective without coefficients.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w.
    intercept_ : float
        b.
    n_iter_ : int
        Number of iterations.
    gap_ : float
        Certified bound on the objective (times the sum of weights) minus its minimum.
    converged_ : bool
        Whether the solution is as accurate as asked for.
    history_ : ndarray
        Objective (times the sum of weights) after every iteration.
    n_features_in_, feature_names_in_ : int, ndarray
        Width of the table and, if it had them, its column names.
    report_ : Report
        The certificate of the gap.

    Examples
    --------
    >>> from certus.linear import GammaRegressor
    >>> model = GammaRegressor().fit([[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30])
    >>> round(model.score([[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30]), 4), model.gap_ < 1e-10
    (0.7727, True)
    """

    _loss = Gamma()
