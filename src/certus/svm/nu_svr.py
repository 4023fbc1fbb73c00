"""Regression that finds the width of its tube. Schölkopf et al. (2000)."""

from __future__ import annotations

from typing import Any

from certus.base import register
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.kernel_argument import KernelLike
from certus.svm.machines.machine import COST, NU, SHARED_CONSTRAINTS
from certus.svm.machines.regression_machine import RegressionMachine
from certus.svm.solvers.dual_problems import nu_regression


@register(
    family="svm",
    tasks=("regression",),
    guarantees=("duality gap", "KKT audit"),
    cost="fit O(n n_SV p) to O(n^2 p), predict O(n_SV p) per row",
)
class NuSVR(RegressionMachine):
    r"""Regression with a tube that holds all but a share nu of the rows.

    With row weights :math:`w_i`,

    .. math::
        \min_{f = h + b,\, \varepsilon} \; \tfrac12 \|h\|_k^2
        + C \sum_i w_i \left( \nu \varepsilon + \max(0,\, |y_i - f(x_i)| - \varepsilon) \right),

    where :math:`h` is a function of the kernel's space: `SVR` with an epsilon that is found, not given.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of errors outside the tube, lower bound on that of support vectors; in (0, 1].
    C : float, default=1.0
        Weight of the losses against the smoothness of f.
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
    shrinking : bool, default=True
        Whether rows that are settled are set aside while a problem larger than the cache is solved.
    tol : float, default=1e-3
        The optimality conditions hold at least to this.
    cache_size : float, default=200
        Memory for kernel values in MB.
    verbose : bool, default=False
        True prints the gap that was reached.
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
    Schölkopf, Smola, Williamson, Bartlett (2000), "New support vector algorithms".

    Examples
    --------
    >>> import numpy as np
    >>> from certus.svm import NuSVR
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> machine = NuSVR(C=10.0, nu=0.2).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(machine.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    _constraints = {"nu": NU, "C": COST, **SHARED_CONSTRAINTS}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        gap_tol: float | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.gap_tol = gap_tol

    def _problem(self, y: Floats, weights: Floats) -> tuple[Problems, Floats]:
        return nu_regression(y, self.C * weights, self.nu)

    def _declared(self) -> dict[str, Any]:
        return {"machine": "nu-svr", "C": float(self.C), "nu": float(self.nu)}
