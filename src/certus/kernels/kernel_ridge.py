"""Kernel ridge regression: ridge regression in the space of functions that a kernel spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.exceptions import ConvergenceWarning

from certus.base import Regressor, fit_method, predict_method, register, resolve_threads, warn_not_converged, warn_user
from certus.base.inputs import TargetLike, WeightsLike, check_weights
from certus.base.params import ArrayLike, Exactly, Interval
from certus.guarantees import Report
from certus.guarantees.training import GapEvidence
from certus.kernels._native_calls import Array
from certus.kernels.evidence.kernel_gap_rules import RIDGE
from certus.kernels.functions.kernel import Objects
from certus.kernels.learning.kernel_learner import KernelLearner
from certus.kernels.learning.kernel_parameter import KERNEL_CONSTRAINTS, KernelLike
from certus.kernels.solvers.kernel_ridge_solver import is_semidefinite, ridge_evidence, solve_ridge


@register(
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
    _state = ("dual_coef_", "X_fit_", "gap_", "converged_")

    def __init__(
        self,
        alpha: float | Sequence[float] | Array = 1,
        *,
        kernel: KernelLike = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Objects, y: TargetLike, sample_weight: WeightsLike = None) -> KernelRidge:
        """Solve for the coefficients.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        """
        X, target = self._read_training(X, y, multi_output=True, numeric=True)
        targets = np.ascontiguousarray(target.reshape(len(target), -1), dtype=np.float64)
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
        self.X_fit_ = X
        self.dual_coef_ = coef.ravel() if target.ndim == 1 else coef
        if self._is_proved(X) or is_semidefinite(K, threads):
            self._certify_fit(ridge_evidence(K, targets, weights, alphas, coef), coef, alphas)
        else:
            self.gap_, self.converged_, self.report_ = np.inf, self.gap_tol is None, Report()
        if not self.converged_:
            s = 1.0 if weights is None else weights[:, None]
            self._warn(float((s * targets**2).sum()))
        return self

    def _alphas(self, targets: int) -> Array:
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or len(alphas) not in (1, targets) or not (alphas >= 0).all():
            raise ValueError(
                f"The 'alpha' parameter of KernelRidge must be one number >= 0, or one for each of the {targets} "
                f"targets, got {self.alpha!r}.\nHint: one number serves all targets."
            )
        return np.broadcast_to(alphas, (targets,))

    def _certify_fit(self, evidence: GapEvidence, coef: Array, alphas: Array) -> None:
        self.gap_ = evidence.gap
        self.converged_ = self.gap_tol is None or evidence.gap <= self.gap_tol * evidence.objective_at_zero
        self.report_ = Report([RIDGE.certificate(evidence, {"alpha": alphas.tolist()}, {"coef": coef})])

    def _warn(self, at_zero: float) -> None:
        if np.isfinite(self.gap_):
            limit = None if self.gap_tol is None else self.gap_tol * at_zero
            warn_not_converged(self, gap=self.gap_, at_zero=at_zero, limit=limit, hint="raise alpha or gap_tol")
        else:
            warn_user(
                f"The objective of KernelRidge is not certified, because the kernel matrix is not semidefinite, but "
                f"gap_tol={self.gap_tol:g} asks for it.\nHint: choose a valid kernel.",
                ConvergenceWarning,
            )

    @predict_method
    def predict(self, X: Objects) -> Array:
        """The values f(x).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            The predictions.
        """
        return self._expansion(self._read_new(X), self.dual_coef_)

    def _restored(self) -> None:
        if hasattr(self, "dual_coef_"):
            self._check_expansion(self.dual_coef_)
