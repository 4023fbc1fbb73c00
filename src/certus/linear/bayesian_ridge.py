"""Ridge regression that finds its own penalty by the evidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from certus.base import fit_method, register
from certus.base.inputs import TableLike, TargetLike, WeightsLike
from certus.base.params import Exactly, Interval
from certus.linear.fitting.evidence_fit import Compressed, EvidenceRegression

Array = NDArray[np.float64]


@register(guarantees=("held-out error bound",), cost="fit 2 n p^2 + p^3, predict p per row")
class BayesianRidge(EvidenceRegression):
    """Ridge regression whose strength of penalty, and whose noise, are estimated along.

    ``y = Xw + b + noise`` with noise ``~ N(0, 1 / alpha)`` and ``w ~ N(0, 1 / lambda)``; alpha and lambda have gamma
    priors and are set to where the evidence (the density of the targets, with w integrated out) is stationary. The
    coefficients are those of ridge regression with the penalty lambda / alpha. A weight counts as repetition of the
    row. Choose it when no rows can be spared for cross-validation, or for a standard deviation of every prediction.

    Parameters
    ----------
    alpha_init : float, default=None
        First precision of the noise; by default 1 / variance of y.
    lambda_init : float, default=None
        First precision of the coefficients; by default 1.

    Attributes
    ----------
    lambda_ : float
        Precision of the coefficients.
    sigma_ : ndarray of shape (n_features, n_features)
        Posterior covariance of the coefficients.
    scores_ : ndarray of shape (n_iter_ + 1,)
        Log evidence before every update and at the end, with ``compute_score``.

    Examples
    --------
    >>> from certus.linear import BayesianRidge
    >>> model = BayesianRidge().fit([[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9])
    >>> mean, std = model.predict([[1.5], [30.0]], return_std=True)
    >>> bool(std[1] > std[0])    # far away it knows less
    True
    """

    _constraints = {
        **EvidenceRegression._constraints,
        "alpha_init": [Interval(0, None), Exactly(None)],
        "lambda_init": [Interval(0, None), Exactly(None)],
    }

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1e-3,
        alpha_1: float = 1e-6,
        alpha_2: float = 1e-6,
        lambda_1: float = 1e-6,
        lambda_2: float = 1e-6,
        alpha_init: float | None = None,
        lambda_init: float | None = None,
        compute_score: bool = False,
        fit_intercept: bool = True,
        copy_X: bool = True,
        verbose: bool | int = False,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> BayesianRidge:
        """Find the precisions, and the posterior of the coefficients at them."""
        rows, kind = self._read(X, y, sample_weight)
        left, values, right = np.linalg.svd(rows.A, full_matrices=rows.A.shape[0] < rows.A.shape[1])
        spectrum = np.zeros(rows.A.shape[1])  # eigenvalues of X'X
        spectrum[: len(values)] = values**2
        moments = values * (left[:, : len(values)].T @ rows.b)  # X'y along the eigenvectors

        def mean(alpha: float, penalty: float) -> Array:
            along = alpha * moments / (penalty + alpha * spectrum[: len(values)])
            return np.asarray(right[: len(values)].T @ along)

        alpha = 1.0 / (rows.variance + np.finfo(np.float64).eps) if self.alpha_init is None else float(self.alpha_init)
        penalty = 1.0 if self.lambda_init is None else float(self.lambda_init)
        scores: list[float] = []
        before, settled, done = None, False, 0
        while done < self.max_iter and not settled:
            coef = mean(alpha, penalty)
            if self.compute_score:
                scores.append(self._log_evidence(rows, spectrum, coef, alpha, penalty))
            known = float((alpha * spectrum / (penalty + alpha * spectrum)).sum())  # directions that the rows decide
            penalty = (known + 2 * self.lambda_1) / (float(coef @ coef) + 2 * self.lambda_2)
            alpha = (rows.rows - known + 2 * self.alpha_1) / (rows.squares(coef) + 2 * self.alpha_2)
            settled = before is not None and float(np.abs(before - coef).sum()) < self.tol
            before, done = coef, done + 1
        coef = mean(alpha, penalty)
        if self.compute_score:
            scores.append(self._log_evidence(rows, spectrum, coef, alpha, penalty))
        self.alpha_, self.lambda_, self.scores_ = alpha, penalty, np.array(scores)
        self._store(rows, coef, (right.T / (penalty + alpha * spectrum)) @ right, done, settled, kind)
        return self

    def _log_evidence(self, rows: Compressed, spectrum: Array, coef: Array, alpha: float, penalty: float) -> float:
        """``log N(y; 0, I / alpha + X X' / lambda)`` and the log priors of the precisions, up to their constants."""
        priors = self.lambda_1 * np.log(penalty) - self.lambda_2 * penalty
        priors += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        precisions = len(coef) * np.log(penalty) + rows.rows * np.log(alpha / (2 * np.pi))
        distance = alpha * rows.squares(coef) + penalty * float(coef @ coef)
        return float(priors + 0.5 * (precisions - distance - np.log(penalty + alpha * spectrum).sum()))
