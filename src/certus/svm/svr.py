"""Regression that ignores small errors. Drucker et al. (1997); Vapnik (1995)."""

from __future__ import annotations

from typing import Any

from certus.base import Interval, register
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.kernel_argument import KernelLike
from certus.svm.machines.machine import COST, SHARED_CONSTRAINTS
from certus.svm.machines.regression_machine import RegressionMachine
from certus.svm.solvers.dual_problems import epsilon_regression


@register(
    guarantees=(
        "duality gap",
        "KKT audit",
        "compression bound on the rows outside the tube",
        "proof that a hard tube is impossible",
    ),
    cost="fit O(n n_SV p) to O(n^2 p), predict O(n_SV p) per row",
)
class SVR(RegressionMachine):
    """Regression with a loss that ignores errors up to epsilon.

    With row weights w_i, minimizes over f = h + b

        |h|^2 / 2 + C sum_i w_i max(0, |y_i - f(x_i)| - epsilon)

    where h is a function of the kernel's space and |h| its norm there; f(x) = sum_i (a_i - a*_i) k(x_i, x) + b with
    0 <= a_i, a*_i <= C w_i. Only rows on or outside the tube are support vectors. Columns should be on one scale, and C
    and epsilon in the scale of the target.

    Parameters
    ----------
    C : float
        Weight of the losses against the smoothness of f; infinity asks for a hard tube, and if there is none gives
        the function of least total violation with the proof.
    epsilon : float
        Half-width of the tube within which errors cost nothing.

    References
    ----------
    Smola, Schölkopf (2004), "A tutorial on support vector regression".

    Examples
    --------
    >>> import numpy as np
    >>> from certus.svm import SVR
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> machine = SVR(C=10.0, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(machine.predict(X) - np.sin(X[:, 0])).max() < 0.1)
    True
    """

    _constraints = {"C": COST, "epsilon": [Interval(0, None)], **SHARED_CONSTRAINTS}

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _problem(self, y: Floats, weights: Floats) -> tuple[Problems, Floats]:
        return epsilon_regression(y, self.C * weights, self.epsilon)

    def _declared(self) -> dict[str, Any]:
        return {"machine": "epsilon-svr", "C": float(self.C), "epsilon": float(self.epsilon)}
