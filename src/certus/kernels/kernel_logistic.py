"""Kernel logistic regression: logistic regression in the space of functions that a kernel spans."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from certus.base import ClassWeightLike, Interval, TargetLike, WeightsLike, fit_method, predict_method, register
from certus.kernels._native_calls import Array
from certus.kernels.functions.kernel import Objects
from certus.kernels.learning.gram_data import one_against_rest
from certus.kernels.learning.kernel_classification import CLASS_WEIGHT, KernelClassification
from certus.kernels.learning.kernel_machine import MACHINE_CONSTRAINTS, MACHINE_STATE
from certus.kernels.learning.kernel_parameter import KernelLike
from certus.losses import Logistic


@register(
    guarantees=("gap to the optimum", "labels of the exact optimum"),
    cost="fit n^2 p + 10 n^3 / 3 (or 10 n N^2 with N features), predict n p per row",
)
class KernelLogistic(KernelClassification):
    """Logistic regression over the functions that a kernel spans, with a penalty on their norm.

    With weights s, minimizes for two classes, y = -1 or 1,

        C sum_i s_i log(1 + exp(-y_i (f(x_i) + b))) + (|f|^2 + b^2) / 2

    and for several classes, with a function f_k (the intercept b_k included) each,

        C sum_i s_i (log sum_k exp f_k(x_i) - f_{y_i}(x_i)) + sum_k (|f_k|^2 + b_k^2) / 2

    by Newton steps, either on coefficients of the rows, f = sum_j c_j k(x_j, .), or on those of the features of a
    finite map, whichever costs less. The kernel's matrix on the training rows must be positive semidefinite.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, above 0.

    Examples
    --------
    >>> from certus.kernels import KernelLogistic
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["even", "even", "odd", "odd"]
    >>> model = KernelLogistic(C=10.0, gamma=2.0).fit(X, y)
    >>> print(model.predict(X), model.predict_proba([[0.0, 0.1]]).round(2)[0])
    ['even' 'even' 'odd' 'odd'] [0.79 0.21]
    """

    _constraints = {"C": [Interval(0, None, closed="neither")], **MACHINE_CONSTRAINTS, **CLASS_WEIGHT}
    _state = ("classes_", "class_weight_", *MACHINE_STATE)

    def __init__(
        self,
        C: float = 1.0,
        *,
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
    def fit(self, X: Objects, y: TargetLike, sample_weight: WeightsLike = None) -> KernelLogistic:
        """Minimize the objective."""
        X, codes, weights = self._read_labels(X, y, sample_weight)
        classes, s = len(self.classes_), float(self.C) * weights
        if classes == 2:
            outcome = self._solve_each(X, one_against_rest(codes, 2), s, Logistic(), 1.0)
        else:
            outcome = self._solve_multinomial(X, codes, s, classes, 1.0)
        loss = "logistic" if classes == 2 else "multinomial"
        self._certify_labels(outcome, {"loss": loss, "alpha": 1.0}, float(self.C))
        return self

    @predict_method
    def predict_proba(self, X: Objects) -> Array:
        """The probabilities of the classes."""
        values = self._values(X)
        if values.shape[1] == 1:
            return np.column_stack([expit(-values[:, 0]), expit(values[:, 0])])
        return np.asarray(softmax(values, axis=1))
