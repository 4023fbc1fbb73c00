"""Kernel ridge regression: ridge regression in the space of functions that a kernel spans."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.exceptions import ConvergenceWarning

from certus.base import (
    ArrayLike,
    Exactly,
    Interval,
    Regressor,
    check_weights,
    fit_method,
    predict_method,
    register,
    resolve_threads,
    warn_user,
)
from certus.guarantees import Report
from certus.guarantees.records import number
from certus.guarantees.training import GapEvidence
from certus.kernels.evidence.kernel_gap_rules import RIDGE
from certus.kernels.functions.kernel import Array
from certus.kernels.learning.kernel_learner import KernelLearner
from certus.kernels.learning.kernel_parameter import KERNEL_CONSTRAINTS
from certus.kernels.solvers.kernel_ridge_solver import is_semidefinite, ridge_evidence, solve_ridge


@register(
    family="kernels",
    tasks=("regression",),
    guarantees=("gap to the optimum",),
    cost="fit n^2 p + n^3 / 3, predict n p per row",
)
class KernelRidge(MultiOutputMixin, KernelLearner, Regressor):
    """Least squares over the functions that a kernel spans, with a penalty on their norm.

    Minimizes, over f = sum_j c_j k(x_j, .) with weights s,

        sum_i s_i (y_i - f(x_i))^2 + alpha |f|^2,        |f|^2 = c'Kc

    There is no intercept. Cost: n^3 / 3 multiplications and 16 n^2 bytes.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        Strength of the penalty, at least 0; one for all targets or one for each.
    kernel : str, Kernel or callable, default="linear"
        "linear", "rbf", "poly", "polynomial", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2" or
        "precomputed"; an object of `certus.kernels`, also on lists of any objects; or a function of two rows.
    gamma : float or None, default=None
        Of the kernels "rbf", "laplacian", "poly", "sigmoid" (None: 1 / n_features) and "chi2" (None: 1).
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Of the kernels "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Further arguments of a callable kernel.
    gap_tol : float or None, default=None
        Largest certified gap that is accepted without a warning, relative to the objective at f = 0.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        c.
    X_fit_ : ndarray, sparse matrix or list
        The training rows, or their kernel matrix if it was precomputed.
    gap_ : float
        Certified bound on the objective minus its minimum; infinite if the kernel matrix has a negative eigenvalue,
        because the objective then has no minimum.
    converged_ : bool
        Whether the gap is at most what `gap_tol` asks for.
    n_features_in_, feature_names_in_ : int, ndarray
        Width of the table and, if it had them, its column names.
    report_ : Report
        The certificate of the gap; empty where there is none.

    Examples
    --------
    >>> from certus.kernels import KernelRidge, Minimum
    >>> model = KernelRidge(alpha=1e-9, kernel=Minimum()).fit([[1.0], [3.0]], [1.0, 2.0])
    >>> model.predict([[0.5], [2.0], [9.0]]).round(4).tolist()
    [0.5, 1.5, 2.0]
    """

    _constraints = {
        "alpha": [Interval(0, None, closed="left"), ArrayLike()],
        **KERNEL_CONSTRAINTS,
        "gap_tol": [Interval(0, None, closed="left"), Exactly(None)],
    }
    _state = ("dual_coef_", "X_fit_", "gap_", "converged_", "n_features_in_", "feature_names_in_")

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        gap_tol: float | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.gap_tol = gap_tol

    @fit_method
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Solve for the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of objects
            The table; the matrix of kernel values if `kernel` is "precomputed".
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weight of every row: 0 removes it, 2 counts it twice.

        Returns
        -------
        KernelRidge
            The fitted learner.
        """
        X, y = self._read_training(X, y, multi_output=True, y_numeric=True)
        targets = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
        weights = check_weights(self, sample_weight, targets)
        alphas = self._alphas(targets.shape[1])
        threads = resolve_threads()
        try:
            K = self._matrix(X)
            coef = solve_ridge(K, targets, weights, alphas, threads)
        except MemoryError as error:
            raise MemoryError(
                f"KernelRidge needs 16 n^2 bytes, here {16e-9 * len(targets) ** 2:.1f} GB for {len(targets)} rows.\n"
                "Hint: fit a sample of the rows, or certus.linear.Ridge on fewer, explicit features."
            ) from error
        known_valid = not self._precomputed() and self._kernel(X)._proof() is not None
        self.X_fit_ = X
        self.dual_coef_ = coef.ravel() if y.ndim == 1 else coef
        if known_valid or is_semidefinite(K, threads):
            self._certify_fit(ridge_evidence(K, targets, weights, alphas, coef), coef, alphas)
        else:
            self.gap_, self.converged_, self.report_ = np.inf, self.gap_tol is None, Report()
        if not self.converged_:
            self._warn()
        return self

    def _alphas(self, targets: int) -> Array:
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or len(alphas) not in (1, targets) or not (alphas >= 0).all():
            raise ValueError(
                f"The 'alpha' parameter of KernelRidge must be one number >= 0, or one for each of the {targets} "
                f"targets. Got {self.alpha!r} instead."
            )
        return np.broadcast_to(alphas, (targets,))

    def _certify_fit(self, evidence: GapEvidence, coef: Array, alphas: Array) -> None:
        self.gap_ = evidence.gap
        self.converged_ = self.gap_tol is None or evidence.gap <= self.gap_tol * evidence.objective_at_zero
        self.report_ = Report([RIDGE.certificate(evidence, {"alpha": alphas.tolist()}, {"coef": coef})])

    def _warn(self) -> None:
        known = f"certified only to be within {number(self.gap_, 'upper')} of its minimum"
        reached = known if np.isfinite(self.gap_) else "not certified, because the kernel matrix is not semidefinite"
        warn_user(
            f"KernelRidge: the objective is {reached}, but gap_tol={self.gap_tol:g} was asked for.\n"
            "Hint: raise alpha or gap_tol, or choose a valid kernel.",
            ConvergenceWarning,
        )

    @predict_method
    def predict(self, X: Any) -> Array:
        """The values f(x).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of objects
            Rows; if the kernel is "precomputed", their kernel values with the training rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        """
        return self._expansion(self._read_new(X), self.dual_coef_)

    def _restored(self) -> None:
        if hasattr(self, "dual_coef_"):
            self._check_expansion(self.dual_coef_)
