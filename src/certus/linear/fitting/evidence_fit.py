"""What Bayesian linear regressions share whose precisions maximize the evidence (MacKay 1992)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.base import Regressor, predict_method, warn_user
from certus.base.inputs import TableLike, TargetLike, WeightsLike, check_weights, check_X, check_Xy
from certus.base.params import Boolean, Interval
from certus.base.persistence import check_shapes
from certus.guarantees import Report
from certus.linear.fitting.linear_prediction import linear_scores

Array = NDArray[np.float64]
LARGEST_VALUE = 1e50  # its square and the square's square can be summed


@dataclass(frozen=True)
class Compressed:
    """All that the likelihood of a linear model depends on: |y - Xw|^2 = |b - Aw|^2 for every w.

    ``[A, b]`` is the triangular factor of the centered, weighted table with its target: at most p + 1 rows.
    """

    A: Array
    b: Array
    rows: float  # sum of the weights
    center: Array
    middle: float
    variance: float  # of the target

    def squares(self, coef: Array) -> float:
        """Sum of the squared residuals; never 0 by rounding alone."""
        residual = self.b - self.A @ coef
        floor = np.finfo(np.float64).eps ** 2 * float(self.b @ self.b)
        return max(float(residual @ residual), floor)


def compressed(X: Array, y: Array, weights: Array | None, center: bool) -> Compressed:
    """The rows as a triangular factor: one pass over the table, all iterations after it cost no rows."""
    total = float(len(X)) if weights is None else float(weights.sum())
    average = float(np.average(y, weights=weights))
    variance = float(np.average((y - average) ** 2, weights=weights))
    means = np.average(X, axis=0, weights=weights) if center else np.zeros(X.shape[1])
    middle = average if center else 0.0
    both = np.column_stack([X - means, y - middle])
    if weights is not None:
        both *= np.sqrt(weights)[:, np.newaxis]
    factor = np.asarray(np.linalg.qr(both, mode="r"))
    return Compressed(factor[:, :-1], factor[:, -1], total, means, middle, variance)


class EvidenceRegression(Regressor):
    """``y = Xw + b + noise`` with normal priors, whose precisions are chosen by the evidence.

    Parameters
    ----------
    max_iter : int
        Largest number of updates of the precisions.
    tol : float
        Stop when the coefficients change by less, summed.
    alpha_1, alpha_2 : float
        Shape and rate of the gamma prior of the noise's precision.
    lambda_1, lambda_2 : float
        Shape and rate of the gamma prior of the coefficients' precision.
    compute_score : bool
        Whether to keep the log evidence of every update in ``scores_``.
    fit_intercept : bool
        Whether there is an intercept, with a flat prior.
    copy_X : bool
        Has no effect: X is never changed.
    verbose : bool
        Has no effect; ``n_iter_`` says how many updates were made.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Posterior mean of the coefficients.
    intercept_ : float
        Intercept.
    alpha_ : float
        Precision of the noise.
    n_iter_ : int
        Updates made.
    X_offset_ : ndarray of shape (n_features,)
        Weighted means of the columns, where predictions are surest; 0 without an intercept.
    X_scale_ : ndarray of shape (n_features,)
        Ones.
    report_ : Report
        Empty: the maximum of the evidence that is found may be a local one, and the model's assumptions are not
        promised.
    """

    _constraints = {
        "max_iter": [Interval(1, None, integer=True)],
        "tol": [Interval(0, None)],
        "alpha_1": [Interval(0, None)],
        "alpha_2": [Interval(0, None)],
        "lambda_1": [Interval(0, None)],
        "lambda_2": [Interval(0, None)],
        "compute_score": [Boolean()],
        "fit_intercept": [Boolean()],
        "copy_X": [Boolean()],
        "verbose": [Boolean(), Interval(0, None, integer=True)],
    }
    _state = (
        "coef_",
        "intercept_",
        "alpha_",
        "lambda_",
        "sigma_",
        "scores_",
        "n_iter_",
        "X_offset_",
        "X_scale_",
    )

    def _read(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike) -> tuple[Compressed, Any]:
        """The compressed rows and the table's type of numbers."""
        table, target = check_Xy(
            self, X, y, dtype=[np.float64, np.float32], y_numeric=True, min_rows=2, largest=LARGEST_VALUE
        )
        weights = check_weights(self, sample_weight, table)
        numbers = np.asarray(table, dtype=np.float64)
        return compressed(numbers, np.asarray(target, dtype=np.float64), weights, self.fit_intercept), table.dtype

    def _store(self, rows: Compressed, coef: Array, sigma: Array, iterations: int, settled: bool, kind: Any) -> None:
        """Set what was found, in the table's type of numbers."""
        self.coef_, self.sigma_ = coef.astype(kind), sigma.astype(kind)
        self.intercept_ = float(rows.middle - rows.center @ coef) if self.fit_intercept else 0.0
        self.X_offset_, self.X_scale_ = rows.center.astype(kind), np.ones(len(coef), dtype=kind)
        self.n_iter_ = iterations
        self.report_ = Report()
        if not settled and self.max_iter > 1:
            warn_user(
                f"{type(self).__name__}: the coefficients still changed by more than tol={self.tol:g} after "
                f"max_iter={self.max_iter} updates.\nHint: raise max_iter, or scale the data (StandardScaler).",
                ConvergenceWarning,
            )

    def _kept(self) -> NDArray[np.bool_]:
        """Columns that have a coefficient."""
        return np.ones(self.n_features_in_, dtype=bool)

    def _restored(self) -> None:
        if hasattr(self, "coef_"):
            width, kept = self.n_features_in_, int(self._kept().sum())
            check_shapes(self, coef_=(width,), X_offset_=(width,), sigma_=(kept, kept))
            if not self.alpha_ > 0:
                raise ValueError(f"alpha_ must be above 0, got {self.alpha_!r}.")

    @predict_method
    def predict(self, X: TableLike, return_std: bool = False) -> Any:
        """The mean of the predictive distribution, and its standard deviation if asked for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        return_std : bool, default=False
            Whether the standard deviation comes too.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        mean = linear_scores(self, X)
        if not return_std:
            return mean
        table = check_X(self, X, accept_sparse=["csr", "csc", "coo"])
        table = table.toarray() if hasattr(table, "toarray") else table
        away = (table - self.X_offset_)[:, self._kept()]
        variance = ((away @ self.sigma_) * away).sum(axis=1) + 1.0 / self.alpha_
        return mean, np.sqrt(variance).astype(mean.dtype)
