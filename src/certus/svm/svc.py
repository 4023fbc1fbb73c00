"""Classification with a soft margin. Boser, Guyon, Vapnik (1992); Cortes, Vapnik (1995)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Boolean, register
from certus.svm._native_calls import Floats, Problems
from certus.svm.machines.classification_machine import CLASSIFIER_CONSTRAINTS, CLASSIFIER_STATE, ClassificationMachine
from certus.svm.machines.machine import COST
from certus.svm.solvers.dual_problems import c_classification
from certus.svm.solvers.verified_solution import Solution


@register(
    family="svm",
    tasks=("classification",),
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
    r"""Classifier that separates classes with the widest soft margin.

    For every pair of classes, with :math:`y_i = \pm 1` and row weights :math:`w_i` (times the class's weight),

    .. math::
        \min_{f = h + b} \; \tfrac12 \|h\|_k^2 + C \sum_i w_i \max(0,\, 1 - y_i f(x_i)),

    where :math:`h` is a function of the kernel's space. The dual has one multiplier
    :math:`0 \le \alpha_i \le C w_i` per row and :math:`f(x) = \sum_i y_i \alpha_i k(x_i, x) + b`. The label of a row
    is the class that wins most pairs. Columns should be on one scale. For tables of more than some 100 000 rows a
    linear model is much faster.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the smoothness of f; infinity asks for a hard margin, and if there is none gives
        the function of least total violation with the proof.
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
        Factors of C per class; "balanced" is inverse to the classes' frequencies.
    verbose : bool, default=False
        True prints the gap that was reached.
    max_iter : int, default=-1
        Limit on the steps of pairs of multipliers; -1 sets only a generous one against running forever.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        Whether `decision_function` gives one value per pair of classes or per class.
    break_ties : bool, default=False
        Whether `predict` breaks ties of the vote by the decision values.
    random_state : int, RandomState instance or None, default=None
        Folds of ``probability=True``.
    gap_tol : float or None, default=None
        If given, stop only when the duality gap is at most this share of the objective at zero coefficients.
    fit_intercept : bool, default=True
        Whether there is an intercept b; without one the multipliers have no equality constraint.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
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
        fit_intercept: bool = True,
    ) -> None:
        self.C = C
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
        self.fit_intercept = fit_intercept

    def _problems(self, codes: NDArray[np.intp], weights: Floats) -> tuple[Problems, Floats]:
        return c_classification(codes, self.C * weights, int(codes.max()) + 1, bias=bool(self.fit_intercept))

    def _declared(self) -> dict[str, Any]:
        """The problem in the certificate's terms."""
        return {
            "machine": "c-svc",
            "C": float(self.C),
            "fit_intercept": bool(self.fit_intercept),
            "classes": self.classes_.tolist(),
            "class_weights": self.class_weight_.tolist(),
        }

    def _soft_margin(self, solution: Solution) -> bool:
        """Whether the gap says how far the decision values are from the exact optimum's."""
        return bool(np.isfinite(solution.problems.upper).all())
