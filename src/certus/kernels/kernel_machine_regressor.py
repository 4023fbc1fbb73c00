"""Kernel machine for numbers with any convex loss of prediction and target."""

from __future__ import annotations

from typing import Any

import numpy as np

from certus.base import Regressor, fit_method, predict_method, register
from certus.base.inputs import TargetLike, WeightsLike, check_weights
from certus.base.params import Interval, OneOf
from certus.guarantees import Report
from certus.kernels._native_calls import Array
from certus.kernels.evidence.kernel_gap_rules import machine_certificate
from certus.kernels.functions.kernel import Objects
from certus.kernels.learning.kernel_machine import MACHINE_CONSTRAINTS, MACHINE_STATE, KernelMachine
from certus.kernels.learning.kernel_parameter import KernelLike
from certus.kernels.solvers.machine_losses import RESIDUAL_LOSSES, ConvexLossObject, residual_loss
from certus.losses import ConvexLoss, Poisson


@register(
    guarantees=("gap to the optimum",),
    cost="fit n^2 p + 10 n^3 / 3 (or 10 n N^2 with N features), predict n p per row",
)
class KernelMachineRegressor(KernelMachine, Regressor):
    """Regression by any convex loss over the functions that a kernel spans, with a penalty on their norm.

    Minimizes, with weights s,

        sum_i s_i l(y_i, f(x_i) + b) + (alpha / 2) (|f|^2 + b^2)

    By the representer theorem the minimizer is f = sum_j c_j k(x_j, .) with c_j = -s_j l'(y_j, f(x_j)) / alpha.
    Differentiable losses are minimized by Newton steps, the absolute, quantile and epsilon-insensitive losses by an
    interior-point method on the dual problem, either on the coefficients of the rows or on those of the features of a
    finite map, whichever costs less. The kernel's matrix on the training rows must be positive semidefinite. The
    squared loss, half the squared residual, without an intercept gives the function of `KernelRidge` with the same
    alpha, which is faster.

    Parameters
    ----------
    loss : str or loss, default="huber"
        "absolute", "epsilon_insensitive", "huber", "poisson" (the prediction is exp f), "quantile", "squared" or
        "squared_epsilon_insensitive"; or an object with the methods of a `certus.losses.ConvexLoss`, which is
        minimized by Newton steps and should be differentiable.
    alpha : float, default=1.0
        Strength of the penalty, above 0.
    delta : float, default=1.35
        Where the Huber loss becomes linear.
    epsilon : float, default=0.1
        Half the width of the tube of the epsilon-insensitive losses.
    quantile : float, default=0.5
        Which quantile the loss "quantile" estimates.

    Examples
    --------
    The median is not moved by an outlier:

    >>> from certus.kernels import Constant, KernelMachineRegressor
    >>> X, y = [[0.0], [0.0], [0.0]], [1.0, 2.0, 1000.0]
    >>> KernelMachineRegressor("absolute", alpha=1e-6, kernel=Constant(1.0)).fit(X, y).predict([[0.0]]).round(4)
    array([2.])
    """

    _constraints = {
        "loss": [OneOf(*RESIDUAL_LOSSES), ConvexLossObject()],
        "alpha": [Interval(0, None, closed="neither")],
        "delta": [Interval(0, None, closed="neither")],
        "epsilon": [Interval(0, None, closed="left")],
        "quantile": [Interval(0, 1, closed="neither")],
        **MACHINE_CONSTRAINTS,
    }
    _state = MACHINE_STATE

    def __init__(
        self,
        loss: str | ConvexLoss = "huber",
        *,
        alpha: float = 1.0,
        delta: float = 1.35,
        epsilon: float = 0.1,
        quantile: float = 0.5,
        kernel: KernelLike = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        gap_tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Objects, y: TargetLike, sample_weight: WeightsLike = None) -> KernelMachineRegressor:
        """Minimize the objective."""
        X, target = self._read_training(X, y, numeric=True)
        targets = np.asarray(target, dtype=np.float64)
        given = check_weights(self, sample_weight, targets)
        weights = np.ones(len(targets)) if given is None else given
        named = isinstance(self.loss, str)
        numbers = {"delta": float(self.delta), "epsilon": float(self.epsilon), "quantile": float(self.quantile)}
        loss = residual_loss(self.loss, **numbers) if isinstance(self.loss, str) else self.loss
        if isinstance(loss, Poisson) and targets.min() < 0.0:
            row = int(targets.argmin())
            raise ValueError(
                f"KernelMachineRegressor: the Poisson loss is for targets >= 0, but row {row} has {targets[row]:g}.\n"
                "Hint: choose another loss."
            )
        outcome = self._solve_each(X, targets[:, None], weights, loss, float(self.alpha))
        inputs = {
            "loss": self.loss if named else f"own: {type(self.loss).__name__}",
            "loss_parameters": numbers if named else None,
            "alpha": float(self.alpha),
            "fit_intercept": self.fit_intercept,
            "classes": None,
        }
        self.report_ = Report([machine_certificate(outcome.evidence, outcome.solved.dual, inputs)])
        return self

    @predict_method
    def predict(self, X: Objects) -> Array:
        """The values f(x), or exp f(x) for the Poisson loss."""
        values = self._values(X)[:, 0]
        counts = self.loss == "poisson" if isinstance(self.loss, str) else isinstance(self.loss, Poisson)
        return np.exp(values) if counts else values

    def _restored(self) -> None:
        self._check_loaded(1)
