"""Kernel machine for labels with any convex loss of the margin."""

from __future__ import annotations

from typing import Any

from certus.base import ClassWeightLike, Interval, OneOf, TargetLike, WeightsLike, fit_method, register
from certus.kernels.functions.kernel import Objects
from certus.kernels.learning.gram_data import one_against_rest
from certus.kernels.learning.kernel_classification import CLASS_WEIGHT, KernelClassification
from certus.kernels.learning.kernel_machine import MACHINE_CONSTRAINTS, MACHINE_STATE
from certus.kernels.learning.kernel_parameter import KernelLike
from certus.kernels.solvers.machine_losses import MARGIN_LOSSES, ConvexLossObject
from certus.losses import ConvexLoss


@register(
    guarantees=("gap to the optimum", "labels of the exact optimum"),
    cost="fit n^2 p + 10 n^3 / 3 (or 10 n N^2 with N features) per class, predict n p per row",
)
class KernelMachineClassifier(KernelClassification):
    """Classification by any convex loss over the functions that a kernel spans, with a penalty on their norm.

    Minimizes, with weights s and labels y = -1 or 1,

        sum_i s_i l(y_i, f(x_i) + b) + (alpha / 2) (|f|^2 + b^2)

    By the representer theorem the minimizer is f = sum_j c_j k(x_j, .) with c_j = -s_j l'(y_j, f(x_j)) / alpha.
    Differentiable losses are minimized by Newton steps, the hinge loss by an interior-point method on the dual problem,
    either on the coefficients of the rows or on those of the features of a finite map, whichever costs less. The
    kernel's matrix on the training rows must be positive semidefinite. Several classes are learned one against the
    rest. For large tables and the hinge loss, `certus.svm.SVC` is faster.

    Parameters
    ----------
    loss : str or loss, default="squared_hinge"
        "exponential", "hinge", "logistic", "squared" or "squared_hinge"; or an object with the methods of a
        `certus.losses.ConvexLoss`, which is minimized by Newton steps and should be differentiable.
    alpha : float, default=1.0
        Strength of the penalty, above 0.

    Examples
    --------
    XOR with the quadratic kernel; the features make it f = -x1 x2 for the hinge loss and a small alpha:

    >>> from certus.kernels import KernelMachineClassifier, Polynomial
    >>> X, y = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]], [-1, 1, 1, -1]
    >>> model = KernelMachineClassifier("hinge", alpha=1e-3, kernel=Polynomial(2), fit_intercept=False).fit(X, y)
    >>> model.decision_function([[0.5, 0.5], [2.0, -1.0]]).round(4).tolist()
    [-0.25, 2.0]
    """

    _constraints = {
        "loss": [OneOf(*MARGIN_LOSSES), ConvexLossObject()],
        "alpha": [Interval(0, None, closed="neither")],
        **MACHINE_CONSTRAINTS,
        **CLASS_WEIGHT,
    }
    _state = ("classes_", "class_weight_", *MACHINE_STATE)

    def __init__(
        self,
        loss: str | ConvexLoss = "squared_hinge",
        *,
        alpha: float = 1.0,
        kernel: KernelLike = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        class_weight: ClassWeightLike = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        gap_tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: Objects, y: TargetLike, sample_weight: WeightsLike = None) -> KernelMachineClassifier:
        """Minimize the objective."""
        X, codes, weights = self._read_labels(X, y, sample_weight)
        loss = MARGIN_LOSSES[self.loss]() if isinstance(self.loss, str) else self.loss
        targets = one_against_rest(codes, len(self.classes_))
        outcome = self._solve_each(X, targets, weights, loss, float(self.alpha))
        name = self.loss if isinstance(self.loss, str) else f"own: {type(self.loss).__name__}"
        self._certify_labels(outcome, {"loss": name, "alpha": float(self.alpha)})
        return self
