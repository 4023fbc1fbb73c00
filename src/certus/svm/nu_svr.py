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
    guarantees=("duality gap", "KKT audit"),
    cost="fit O(n n_SV p) to O(n^2 p), predict O(n_SV p) per row",
)
class NuSVR(RegressionMachine):
    """Regression with a tube that holds all but a share nu of the rows.

    With row weights w_i, minimizes over f = h + b and the half-width epsilon of the tube

        |h|^2 / 2 + C sum_i w_i (nu epsilon + max(0, |y_i - f(x_i)| - epsilon))

    where h is a function of the kernel's space and |h| its norm there: `SVR` with an epsilon that is found, not given.

    Parameters
    ----------
    nu : float
        Upper bound on the share of errors outside the tube, lower bound on that of support vectors; in (0, 1].
    C : float
        Weight of the losses against the smoothness of f.

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
        self._set_parameters(locals())

    def _problem(self, y: Floats, weights: Floats) -> tuple[Problems, Floats]:
        return nu_regression(y, self.C * weights, self.nu)

    def _declared(self) -> dict[str, Any]:
        return {"machine": "nu-svr", "C": float(self.C), "nu": float(self.nu)}
