"""Linear regression with a conjugate prior: posterior, predictions and evidence in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, stats
from scipy.special import gammaln

from certus.base import Regressor, fit_method, predict_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import Boolean, Interval
from certus.base.persistence import check_shapes
from certus.guarantees import Report

Floats = NDArray[np.float64]


@register(guarantees=("held-out error bound",), cost="fit O(n p^2 + p^3), predict O(n p^2)")
class BayesianLinearRegression(Regressor):
    """Linear regression whose predictions integrate over the exact posterior of coefficients and noise.

    ``y = X w + b + noise``, noise ``~ N(0, s2)``, ``w ~ N(0, s2 / prior_precision)``, ``s2 ~ InverseGamma(shape,
    scale)`` and a flat prior of the intercept b. The mean of w is ridge regression with alpha = prior_precision; a
    prediction is Student's distribution. A weight counts as repetition of the row.

    Parameters
    ----------
    prior_precision : float, default=1.0
        Precision of the coefficients, in units of 1 / s2.
    shape, scale : float, default=1.0
        Of the inverse gamma prior of the noise variance.
    fit_intercept : bool, default=True
        Whether there is an intercept.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior mean of the coefficients.
    intercept_ : float
        Posterior mean of the intercept.
    covariance_ : ndarray of shape (n_features, n_features)
        Posterior covariance of the coefficients, in units of s2.
    center_ : ndarray of shape (n_features,)
        Weighted mean of the columns, at which predictions are most certain.
    weight_ : float
        Total weight of the rows.
    shape_, scale_ : float
        Of the posterior of the noise variance.
    log_evidence_ : float
        Logarithm of the density of the targets, with all parameters integrated out.
    report_ : Report
        Empty: the posterior is exact, its assumptions are not promised.

    Examples
    --------
    >>> from certus.sampling import BayesianLinearRegression
    >>> model = BayesianLinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9])
    >>> mean, std = model.predict([[1.5], [30.0]], return_std=True)
    >>> bool(std[1] > std[0])    # far away it knows less
    True
    """

    _constraints = {
        "prior_precision": [Interval(0, None, closed="neither")],
        "shape": [Interval(0, None, closed="neither")],
        "scale": [Interval(0, None, closed="neither")],
        "fit_intercept": [Boolean()],
    }
    _state = ("coef_", "intercept_", "covariance_", "center_", "weight_", "shape_", "scale_", "log_evidence_")

    def __init__(
        self, *, prior_precision: float = 1.0, shape: float = 1.0, scale: float = 1.0, fit_intercept: bool = True
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> BayesianLinearRegression:
        """Compute the posterior."""
        table, target = check_Xy(self, X, y, dtype=np.float64, y_numeric=True, largest=1e50)
        given = check_weights(self, sample_weight, table)
        weights = np.ones(len(table)) if given is None else given
        target = np.asarray(target, dtype=np.float64)
        self.weight_ = float(weights.sum())
        self.center_ = weights @ table / self.weight_ if self.fit_intercept else np.zeros(table.shape[1])
        middle = float(weights @ target / self.weight_) if self.fit_intercept else 0.0
        rows, aims = table - self.center_, target - middle
        root = np.sqrt(weights)[:, np.newaxis] * rows
        precision = root.T @ root + self.prior_precision * np.eye(table.shape[1])
        factor = linalg.cholesky(precision, lower=True)
        moment = rows.T @ (weights * aims)
        self.coef_ = linalg.cho_solve((factor, True), moment)
        self.covariance_ = linalg.cho_solve((factor, True), np.eye(table.shape[1]))
        self.intercept_ = float(middle - self.center_ @ self.coef_)
        # The flat intercept takes one row's worth of information about the noise.
        free = self.weight_ - 1 if self.fit_intercept else self.weight_
        residual = aims - rows @ self.coef_
        loss = float(weights @ residual**2 + self.prior_precision * self.coef_ @ self.coef_)
        self.shape_, self.scale_ = float(self.shape + free / 2), float(self.scale + loss / 2)
        self.log_evidence_ = self._log_evidence(free, factor)
        self.report_ = Report()
        return self

    def _log_evidence(self, free: float, factor: Floats) -> float:
        determinants = 0.5 * len(factor) * np.log(self.prior_precision) - np.log(np.diag(factor)).sum()
        noise = self.shape * np.log(self.scale) - self.shape_ * np.log(self.scale_)
        gammas = gammaln(self.shape_) - gammaln(self.shape)
        flat = -0.5 * np.log(self.weight_) if self.fit_intercept else 0.0
        return float(determinants + noise + gammas + flat - 0.5 * free * np.log(2 * np.pi))

    def _restored(self) -> None:
        if hasattr(self, "coef_"):
            width = self.n_features_in_
            check_shapes(self, coef_=(width,), center_=(width,), covariance_=(width, width))
            for name in ("intercept_", "weight_", "shape_", "scale_"):
                if np.ndim(getattr(self, name)) or not np.isfinite(getattr(self, name)):
                    raise ValueError(f"{name} must be a finite number.")

    @predict_method
    def predict(self, X: TableLike, return_std: bool = False) -> Any:
        """The mean of the predictive distribution, and its standard deviation if asked for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether the standard deviation comes too; infinite if there are not two degrees of freedom.
        """
        mean, scale = self._predictive(X)
        if not return_std:
            return mean
        df = 2 * self.shape_
        return mean, scale * np.sqrt(df / (df - 2)) if df > 2 else np.full_like(scale, np.inf)

    @predict_method
    def interval(self, X: TableLike, level: float = 0.95) -> NDArray[Any]:
        """Intervals that hold a new target with a given probability, if the model is right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        level : float, default=0.95
            The probability.

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be above 0 and below 1, got {level!r}.")
        mean, scale = self._predictive(X)
        width = scale * stats.t.ppf(0.5 + level / 2, 2 * self.shape_)
        return np.column_stack([mean - width, mean + width])

    def _predictive(self, X: TableLike) -> tuple[Floats, Floats]:
        """Location and scale of Student's distribution with 2 shape_ degrees of freedom, for every row."""
        table = check_X(self, X, dtype=np.float64, largest=1e50)
        rows = table - self.center_
        spread = 1.0 + ((rows @ self.covariance_) * rows).sum(axis=1)
        if self.fit_intercept:
            spread = spread + 1.0 / self.weight_
        mean = table @ self.coef_ + self.intercept_
        return mean, np.sqrt(spread * self.scale_ / self.shape_)
