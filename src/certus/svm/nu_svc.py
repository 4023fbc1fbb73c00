"""Classification with a soft margin whose share of errors is bounded by nu. Schölkopf et al. (2000)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.base import ClassWeightLike, RandomStateLike, register, warn_user
from certus.svm._native_calls import Floats, Kernel, Problems, Table
from certus.svm.evidence.svm_duality import duality_gaps
from certus.svm.machines.classification_machine import CLASSIFIER_CONSTRAINTS, CLASSIFIER_STATE, ClassificationMachine
from certus.svm.machines.kernel_argument import KernelLike
from certus.svm.machines.machine import NU, SolverRows
from certus.svm.solvers.dual_problems import nu_classification
from certus.svm.solvers.gap_stopping import solve_to_gap
from certus.svm.solvers.nu_margins import has_margin, nu_in_use, with_margins
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
    values of -1 and 1: it is that of `SVC` with C = 1 / rho. If classes overlap so much that the best margin is zero,
    f = 0 is optimal and says nothing; such a pair is solved with a larger nu, and a warning says so.

    Parameters
    ----------
    nu : float
        Upper bound on the share of margin errors, lower bound on that of support vectors; in (0, 1].

    Attributes
    ----------
    nu_ : ndarray of shape (n_pairs,)
        The nu that each pair of classes was solved with: ``nu``, or the smallest tried that leaves them a margin.

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
    _state = (*CLASSIFIER_STATE, "nu_")

    nu_: Floats

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

    def _solve(
        self, table: Table, kernel: Kernel, codes: NDArray[np.intp], weights: Floats, gap_tol: float | None
    ) -> tuple[Solution, float, float]:
        solution, gap, scale = super()._solve(table, kernel, codes, weights, gap_tol)
        options = self._options()
        mended = with_margins(
            solution,
            self.nu,
            lambda problem, start: solve_to_gap(table, kernel, problem, start, options, gap_tol)[0],
        )
        return mended, gap if mended is solution else float(duality_gaps(mended).sum()), scale

    def _adopt(
        self, rows: SolverRows, codes: NDArray[np.intp], solution: Solution, gap: float, *, weighted: bool
    ) -> None:
        used = nu_in_use(solution)
        self.nu_ = np.where(np.abs(used - self.nu) <= 1e-9, self.nu, used)
        self._warn_of_margins(has_margin(solution))
        super()._adopt(rows, codes, solution, gap, weighted=weighted)

    def _in_units_of_margin(self, solution: Solution) -> Solution:
        """All multipliers, scores and intercepts of a pair divided by its margin rho."""
        margin = np.where(has_margin(solution), solution.margin, 1.0)
        rows = np.repeat(margin, np.diff(solution.problems.starts))
        return replace(
            solution,
            alpha=solution.alpha / rows,
            scores=solution.scores / rows,
            middle=solution.middle / margin,
        )

    def _warn_of_margins(self, resolved: NDArray[np.bool_]) -> None:
        larger = self.nu_ > self.nu
        if not resolved.all():
            warn_user(
                f"With nu={self.nu:g} the margin between two classes is zero, or too small to be told from it, and "
                "so it is with larger values of nu: the decision values of this pair have no scale.\n"
                "Hint: check the columns and the kernel, or use SVC.",
                ConvergenceWarning,
            )
        elif larger.any():
            warn_user(
                f"nu={self.nu:g} leaves no margin between {int(larger.sum())} of {len(larger)} pairs of classes, which "
                f"overlap too much for it; they were solved with larger values, up to {self.nu_.max():.3g}.\n"
                "Hint: nu_ has the values in use; set nu to the largest of them, or use SVC.",
                ConvergenceWarning,
            )

    def _declared(self) -> dict[str, Any]:
        asked = bool((self.nu_ == self.nu).all())
        return {
            "machine": "nu-svc",
            "nu": float(self.nu) if asked else self.nu_.tolist(),
            "classes": self.classes_.tolist(),
            "class_weights": self.class_weight_.tolist(),
        }
