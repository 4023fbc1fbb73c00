"""Classification with a soft margin whose share of errors is bounded by nu. Schölkopf et al. (2000)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.base import ClassWeightLike, RandomStateLike, register, warn_user
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.classification_machine import CLASSIFIER_CONSTRAINTS, CLASSIFIER_STATE, ClassificationMachine
from certus.svm.machines.kernel_argument import KernelLike
from certus.svm.machines.machine import NU
from certus.svm.solvers.dual_problems import nu_classification
from certus.svm.solvers.verified_solution import Solution

_INFEASIBLE = (
    "The check's weights leave one of its small classes less than half of nu's share: nu is infeasible, and "
    "scikit-learn's NuSVC fails the check too."
)


@register(
    guarantees=("duality gap", "KKT audit", "margin bound on the error"),
    cost="fit O(n n_SV p) to O(n^2 p), predict O(n_SV p) per row",
    known_failures={
        "check_class_weight_classifiers": "Class weights of 1000 to 0.0001 make nu infeasible; scikit-learn's NuSVC "
        "fails the check too.",
        "check_sample_weight_equivalence_on_dense_data": _INFEASIBLE,
        "check_sample_weight_equivalence_on_sparse_data": _INFEASIBLE,
    },
)
class NuSVC(ClassificationMachine):
    """Classifier with a soft margin that bounds the share of margin errors.

    For every pair of classes, with y_i = -1 or 1 and row weights w_i (times the class's weight), minimizes over
    f = h + b and the margin rho

        |h|^2 / 2 - nu rho sum_i w_i + sum_i w_i max(0, rho - y_i f(x_i))

    where h is a function of the kernel's space and |h| its norm there. At most a share nu of the weight lies within the
    margin, and at least that share belongs to support vectors. The solution is scaled so that the margin is at decision
    values of -1 and 1: it is that of `SVC` with C = 1 / rho.

    Parameters
    ----------
    nu : float
        Upper bound on the share of margin errors, lower bound on that of support vectors; in (0, 1].

    References
    ----------
    Schölkopf, Smola, Williamson, Bartlett (2000), "New support vector algorithms".

    Examples
    --------
    >>> import numpy as np
    >>> from certus.svm import NuSVC
    >>> X = np.array([[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> NuSVC(nu=0.4).fit(X, [1, 1, 2, 2]).predict([[-0.8, -1.0]])
    array([1])
    """

    _constraints = {"nu": NU, **CLASSIFIER_CONSTRAINTS}
    _state = CLASSIFIER_STATE

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
    ) -> None:
        self._set_parameters(locals())

    def _problems(self, codes: NDArray[np.intp], weights: Floats) -> tuple[Problems, Floats]:
        return nu_classification(codes, weights, int(codes.max()) + 1, self.nu)

    def _in_units_of_margin(self, solution: Solution) -> Solution:
        """All multipliers, scores and intercepts of a pair divided by its margin rho."""
        resolved = solution.margin > 10.0 * solution.violation + 1e-15 * np.abs(solution.scores).max(initial=0.0)
        if not resolved.all():
            warn_user(
                f"With nu={self.nu:g} the margin between two classes is zero, or too small to be told from it, so "
                "that the decision values of this pair have no scale.\n"
                "Hint: use a larger nu (overlapping classes need one), a smaller tol, or SVC.",
                ConvergenceWarning,
            )
        margin = np.where(resolved, solution.margin, 1.0)
        rows = np.repeat(margin, np.diff(solution.problems.starts))
        return replace(
            solution,
            alpha=solution.alpha / rows,
            scores=solution.scores / rows,
            middle=solution.middle / margin,
        )

    def _declared(self) -> dict[str, Any]:
        return {
            "machine": "nu-svc",
            "nu": float(self.nu),
            "classes": self.classes_.tolist(),
            "class_weights": self.class_weight_.tolist(),
        }
