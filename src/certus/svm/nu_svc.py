"""Classification with a soft margin whose share of errors is bounded by nu. Schölkopf et al. (2000)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from certus.base import register, warn_user
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.classification_machine import CLASSIFIER_CONSTRAINTS, CLASSIFIER_STATE, ClassificationMachine
from certus.svm.machines.machine import NU
from certus.svm.solvers.dual_problems import nu_classification
from certus.svm.solvers.verified_solution import Solution

_INFEASIBLE = (
    "The check's weights leave one of its small classes less than half of nu's share: nu is infeasible, and "
    "scikit-learn's NuSVC fails the check too."
)


@register(
    family="svm",
    tasks=("classification",),
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
    r"""Classifier with a soft margin that bounds the share of margin errors.

    For every pair of classes, with :math:`y_i = \pm 1` and row weights :math:`w_i` (times the class's weight),

    .. math::
        \min_{f = h + b,\, \rho} \; \tfrac12 \|h\|_k^2 - \nu \rho \sum_i w_i
        + \sum_i w_i \max(0,\, \rho - y_i f(x_i)),

    where :math:`h` is a function of the kernel's space. At most a share nu of the weight lies within the margin,
    and at least that share belongs to support vectors. The solution is scaled so that the margin is at decision
    values of :math:`\pm 1`: it is that of `SVC` with :math:`C = 1 / \rho`.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the share of margin errors, lower bound on that of support vectors; in (0, 1].
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
    probability : bool, default="deprecated"
        Whether to fit Platt's sigmoids out of fold for `predict_proba` (deprecated by scikit-learn).
    tol : float, default=1e-3
        The optimality conditions hold at least to this.
    cache_size : float, default=200
        Memory for kernel values in MB.
    class_weight : dict or "balanced", default=None
        Factors of the weights per class; "balanced" is inverse to the classes' frequencies.
    verbose : bool, default=False
        True prints the gap that was reached.
    max_iter : int, default=-1
        Limit on the solver's steps; -1 sets only a generous one against running forever.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        Whether `decision_function` gives one value per pair of classes or per class.
    break_ties : bool, default=False
        Whether `predict` breaks ties of the vote by the decision values.
    random_state : int, RandomState instance or None, default=None
        Folds of ``probability=True``.
    gap_tol : float or None, default=None
        If given, stop only when the duality gap is at most this share of the objective at zero coefficients.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of the weights of each class.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, by class.
    support_vectors_ : ndarray or sparse array of shape (n_SV, n_features)
        The support vectors; empty for a kernel that is given or computed outside.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors of each class.
    dual_coef_ : ndarray or sparse array of shape (n_classes - 1, n_SV)
        Signed multipliers, laid out as in scikit-learn.
    coef_ : ndarray or sparse array of shape (n_pairs, n_features)
        Weights of the columns, for the linear kernel only.
    intercept_ : ndarray of shape (n_pairs,)
        Constants of the decision functions.
    gap_ : float
        Duality gap, summed over the pairs: how much the objectives could still fall at most.
    converged_ : bool
        Whether the stopping rule was reached.
    fit_status_ : int
        0 if it was, else 1.
    n_iter_ : ndarray of shape (n_pairs,), dtype=int32
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
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: Any = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        gap_tol: float | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.gap_tol = gap_tol

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
        """The problem in the certificate's terms."""
        return {
            "machine": "nu-svc",
            "nu": float(self.nu),
            "classes": self.classes_.tolist(),
            "class_weights": self.class_weight_.tolist(),
        }

    def _soft_margin(self, solution: Solution) -> bool:
        """The gap of the problem with nu says nothing about the scaled one."""
        del solution
        return False
