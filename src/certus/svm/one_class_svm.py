"""Finding the region where most rows lie. Schölkopf et al. (2001)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from certus.base import TargetLike, WeightsLike, fit_method, predict_method, register
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.kernel_argument import KernelLike, Objects, count
from certus.svm.machines.machine import NU, SHARED_CONSTRAINTS, SHARED_STATE
from certus.svm.machines.regression_machine import SingleProblem
from certus.svm.solvers.dual_problems import one_class
from certus.svm.solvers.verified_solution import Solution


@register(
    family="svm",
    tasks=("density",),
    guarantees=("duality gap", "KKT audit"),
    cost="fit O(n n_SV p) to O(n^2 p), predict O(n_SV p) per row",
)
class OneClassSVM(OutlierMixin, SingleProblem):
    r"""Detector of outliers: the smoothest region that holds all but a share nu of the rows.

    With row weights :math:`w_i`,

    .. math::
        \min_{h,\, \rho} \; \tfrac12 \|h\|_k^2 - \nu \rho \sum_i w_i + \sum_i w_i \max(0,\, \rho - h(x_i)),

    where :math:`h` is a function of the kernel's space. A row is an outlier (-1) when :math:`h(x) - \rho < 0`; at
    most a share nu of the training weight is.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, callable or kernel object, default="rbf"
        The kernel k; "precomputed" takes kernel values instead of rows, a callable is called as ``kernel(X, Y)``, an
        object needs ``gram(X, Y)`` and ``diag(X)``. "sigmoid" is not positive semi-definite in general: no
        optimality is then certified.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid"; "scale" is 1 / (n_features * X.var()), "auto" 1 / n_features.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        The optimality conditions hold at least to this.
    nu : float, default=0.5
        Upper bound on the share of training rows outside the region, lower bound on that of support vectors; in (0, 1].
    shrinking : bool, default=True
        Whether rows that are settled are set aside while a problem larger than the cache is solved.
    cache_size : float, default=200
        Memory for kernel values in MB.
    verbose : bool, default=False
        Accepted; nothing is printed, use callbacks.
    max_iter : int, default=-1
        Limit on the solver's steps; -1 sets only a generous one against running forever.
    gap_tol : float or None, default=None
        If given, stop only when the duality gap is at most this share of the objective at zero coefficients.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors.
    support_vectors_ : ndarray or sparse array of shape (n_SV, n_features)
        The support vectors; empty for a kernel that is given or computed outside.
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    dual_coef_ : ndarray or sparse array of shape (1, n_SV)
        Coefficients of the support vectors.
    coef_ : ndarray or sparse array of shape (1, n_features)
        Weights of the columns, for the linear kernel only.
    intercept_ : ndarray of shape (1,)
        The constant b.
    offset_ : ndarray of shape (1,)
        The threshold rho: decision_function = score_samples - offset_.
    gap_ : float
        Duality gap: how much the training objective could still fall at most.
    converged_ : bool
        Whether the stopping rule was reached.
    fit_status_ : int
        0 if it was, else 1.
    n_iter_ : int
        Steps of the solver.
    shape_fit_ : tuple of int
        Shape of the training table.
    report_ : Report
        Certificates that training alone supports.
    withheld_ : str
        Why the compression bound is not among them; empty if it is.

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola, Williamson (2001), "Estimating the support of a high-dimensional
    distribution".

    Examples
    --------
    >>> from certus.svm import OneClassSVM
    >>> X = [[0.0], [0.44], [0.45], [0.46], [1.0]]
    >>> OneClassSVM(gamma="auto").fit(X).predict(X)
    array([-1,  1,  1,  1, -1])
    """

    _constraints = {"nu": NU, **SHARED_CONSTRAINTS}
    _state = (*SHARED_STATE, "offset_")

    offset_: Floats

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        gap_tol: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.gap_tol = gap_tol

    def _problem(self, y: Floats, weights: Floats) -> tuple[Problems, Floats]:
        del y
        return one_class(weights, self.nu)

    def _settled(self, solution: Solution) -> Solution:
        """The threshold just below the rows on the border, so that rounding does not decide about them."""
        free = (solution.alpha > 0.0) & (solution.alpha < solution.problems.upper)
        if not free.any():
            return solution
        lowest = solution.scores[free].min()
        return replace(solution, middle=np.array([-lowest + 1e-12 * max(1.0, abs(lowest))]))

    def _declared(self) -> dict[str, Any]:
        return {"machine": "one-class", "nu": float(self.nu)}

    @fit_method
    def fit(self, X: Objects, y: TargetLike | None = None, sample_weight: WeightsLike = None) -> OneClassSVM:
        """Find the region.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training rows; for ``kernel="precomputed"`` the kernel values between all pairs of them; for a function
            or kernel object anything that it accepts.
        y : ignored
            Present for compatibility.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights. Zero removes a row.

        Returns
        -------
        self
            The fitted machine.
        """
        X, _ = self._read_training(X, y, with_target=False)
        self._fit_rows(X, np.zeros(count(X)), sample_weight)
        self.offset_ = -self._intercept_
        return self

    @predict_method
    def decision_function(self, X: Objects) -> Floats:
        """Signed distance to the region's border in the kernel's space; positive inside.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values.
        """
        return self._values(X)

    @predict_method
    def score_samples(self, X: Objects) -> Floats:
        """Values of h before the threshold is taken off.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores.
        """
        return self._values(X) + self.offset_

    @predict_method
    def predict(self, X: Objects) -> NDArray[np.intp]:
        """1 for rows inside the region, -1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 or -1.
        """
        return np.where(self._values(X) > 0, 1, -1).astype(np.intp)
