"""Linear regression in which the evidence decides which columns matter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from certus.base import fit_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike
from certus.base.params import Interval
from certus.linear.fitting.evidence_fit import Compressed, EvidenceRegression

Array = NDArray[np.float64]


@register(guarantees=("held-out error bound",), cost="fit 2 n p^2 + p^3 per update, predict p per row")
class ARDRegression(EvidenceRegression):
    """Bayesian linear regression with a precision of its own for every coefficient (automatic relevance).

    ``y = Xw + b + noise`` with noise ``~ N(0, 1 / alpha)`` and ``w_j ~ N(0, 1 / lambda_j)``. The evidence drives the
    precision of a column that does not help towards infinity; beyond ``threshold_lambda`` the column is left out for
    good, so that few coefficients remain. A weight counts as repetition of the row.

    Parameters
    ----------
    threshold_lambda : float, default=1e4
        Columns whose precision exceeds it are left out; it depends on the columns' scale.

    Attributes
    ----------
    lambda_ : ndarray of shape (n_features,)
        Precisions of the coefficients.
    sigma_ : ndarray of shape (n_kept, n_kept)
        Posterior covariance of the coefficients that are kept.
    scores_ : list of float
        Value of the objective after every update, with ``compute_score``.

    Examples
    --------
    >>> import numpy as np
    >>> from certus.linear import ARDRegression
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> model = ARDRegression().fit(X, 2 * X[:, 1])
    >>> np.round(model.coef_, 3).tolist()
    [0.0, 2.0, 0.0]
    """

    _constraints = {**EvidenceRegression._constraints, "threshold_lambda": [Interval(0, None)]}

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1e-3,
        alpha_1: float = 1e-6,
        alpha_2: float = 1e-6,
        lambda_1: float = 1e-6,
        lambda_2: float = 1e-6,
        compute_score: bool = False,
        threshold_lambda: float = 1e4,
        fit_intercept: bool = True,
        copy_X: bool = True,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> ARDRegression:
        """Find the precisions, and the posterior of the coefficients at them."""
        rows, kind = self._read(X, y, sample_weight)
        alpha = 1.0 / (rows.variance + np.finfo(np.float64).eps)
        self.lambda_, self.scores_ = np.ones(rows.A.shape[1]), []
        kept, before, settled, done = self._kept(), None, False, 0
        coef, sigma = _posterior(rows, alpha, self.lambda_, kept)
        while done < self.max_iter and not settled:
            known = 1.0 - self.lambda_[kept] * np.diag(sigma)  # how far the rows decide each coefficient
            self.lambda_[kept] = (known + 2 * self.lambda_1) / (coef[kept] ** 2 + 2 * self.lambda_2)
            squares = rows.squares(coef)
            alpha = (rows.rows - float(known.sum()) + 2 * self.alpha_1) / (squares + 2 * self.alpha_2)
            kept = self._kept()
            coef[~kept] = 0.0
            if self.compute_score:
                self.scores_.append(self._objective(rows, squares, coef, sigma, alpha))
            done += 1
            settled = not kept.any() or (before is not None and float(np.abs(before - coef).sum()) < self.tol)
            before = coef
            coef, sigma = _posterior(rows, alpha, self.lambda_, kept)
        self.alpha_ = alpha
        self._store(rows, coef, sigma, done, settled, kind)
        return self

    def _kept(self) -> NDArray[np.bool_]:
        return np.asarray(self.lambda_ < self.threshold_lambda)

    def _objective(self, rows: Compressed, squares: float, coef: Array, sigma: Array, alpha: float) -> float:
        """The log evidence with its priors, up to constants, at the coefficients before the update."""
        priors = float((self.lambda_1 * np.log(self.lambda_) - self.lambda_2 * self.lambda_).sum())
        priors += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        volume = np.linalg.slogdet(sigma)[1] if len(sigma) else 0.0
        precisions = rows.rows * np.log(alpha) + np.log(self.lambda_).sum()
        return float(priors + 0.5 * (volume + precisions - alpha * squares - (self.lambda_ * coef**2).sum()))


def _posterior(rows: Compressed, alpha: float, precision: Array, kept: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Mean (0 for columns left out) and covariance (of the kept) of the coefficients.

    With D = diag(lambda)^(-1/2) and B = A D, the covariance is D (I + alpha B'B)^-1 D, whose inner matrix has no
    eigenvalue below 1; for more columns than rows by Woodbury's identity.
    """
    mean = np.zeros(len(precision))
    if not kept.any():
        return mean, np.empty((0, 0))
    scale = 1.0 / np.sqrt(precision[kept])
    B = rows.A[:, kept] * scale
    if B.shape[0] >= B.shape[1]:
        inner = linalg.cho_solve(linalg.cho_factor(np.eye(B.shape[1]) + alpha * (B.T @ B)), np.eye(B.shape[1]))
        along = alpha * (inner @ (B.T @ rows.b))
    else:
        factor = linalg.cho_factor(np.eye(B.shape[0]) + alpha * (B @ B.T))
        inner = np.eye(B.shape[1]) - alpha * (B.T @ linalg.cho_solve(factor, B))
        along = alpha * (B.T @ linalg.cho_solve(factor, rows.b))
    mean[kept] = scale * along
    return mean, scale[:, np.newaxis] * inner * scale
