"""Classification with a soft margin. Boser, Guyon, Vapnik (1992); Cortes, Vapnik (1995)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Boolean, ClassWeightLike, RandomStateLike, register
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.classification_machine import CLASSIFIER_CONSTRAINTS, CLASSIFIER_STATE, ClassificationMachine
from certus.svm.machines.kernel_argument import KernelLike
from certus.svm.machines.machine import COST
from certus.svm.solvers.dual_problems import c_classification


@register(
    guarantees=(
        "duality gap",
        "KKT audit",
        "labels of the exact optimum",
        "compression and margin bounds on the error",
        "proof that a hard margin is impossible",
    ),
    cost="fit O(n n_SV p) to O(n^2 p), predict O(n_SV p) per row",
)
class SVC(ClassificationMachine):
    """Classifier that separates classes with the widest soft margin.

    For every pair of classes, with y_i = -1 or 1 and row weights w_i (times the class's weight), minimizes over
    f = h + b

        |h|^2 / 2 + C sum_i w_i max(0, 1 - y_i f(x_i))

    where h is a function of the kernel's space and |h| its norm there. The dual problem has one multiplier
    0 <= a_i <= C w_i per row, and f(x) = sum_i y_i a_i k(x_i, x) + b. The label of a row is the class that wins most
    pairs. Columns should be on one scale. For tables of more than some 100 000 rows a linear model is much faster.

    Parameters
    ----------
    C : float
        Weight of the losses against the smoothness of f; infinity asks for a hard margin, and if there is none gives
        the function of least total violation with the proof.
    fit_intercept : bool
        Whether there is an intercept b; without one the multipliers have no equality constraint.

    References
    ----------
    Fan, Chen, Lin (2005), "Working set selection using second order information for training support vector
    machines"; Joachims (1999), "Making large-scale SVM learning practical".

    Examples
    --------
    >>> import numpy as np
    >>> from certus.svm import SVC
    >>> X = np.array([[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> machine = SVC(kernel="linear").fit(X, [1, 1, 2, 2])
    >>> machine.predict([[-0.8, -1.0]]), machine.dual_coef_
    (array([1]), array([[-0.25,  0.25]]))
    """

    _constraints = {"C": COST, "fit_intercept": [Boolean()], **CLASSIFIER_CONSTRAINTS}
    _state = CLASSIFIER_STATE

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeightLike = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: RandomStateLike = None,
        gap_tol: float | None = None,
        fit_intercept: bool = True,
    ) -> None:
        self._set_parameters(locals())

    def _problems(self, codes: NDArray[np.intp], weights: Floats) -> tuple[Problems, Floats]:
        return c_classification(codes, self.C * weights, int(codes.max()) + 1, bias=bool(self.fit_intercept))

    def _declared(self) -> dict[str, Any]:
        return {
            "machine": "c-svc",
            "C": float(self.C),
            "fit_intercept": bool(self.fit_intercept),
            "classes": self.classes_.tolist(),
            "class_weights": self.class_weight_.tolist(),
        }
