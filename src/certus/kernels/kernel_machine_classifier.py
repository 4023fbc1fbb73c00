"""Kernel machine for labels with any convex loss of the margin."""

from __future__ import annotations

from typing import Any

from certus.base import Interval, OneOf, fit_method, register
from certus.kernels.learning.gram_data import one_against_rest
from certus.kernels.learning.kernel_classification import CLASS_WEIGHT, KernelClassification
from certus.kernels.learning.kernel_machine import MACHINE_CONSTRAINTS, MACHINE_STATE
from certus.kernels.solvers.machine_losses import MARGIN_LOSSES, ConvexLossObject


@register(
    family="kernels",
    tasks=("classification",),
    guarantees=("gap to the optimum", "labels of the exact optimum"),
    cost="fit n^2 p + 10 n^3 / 3 (or 10 n N^2 with N features) per class, predict n p per row",
)
class KernelMachineClassifier(KernelClassification):
    """Classification by any convex loss over the functions that a kernel spans, with a penalty on their norm.

    Minimizes, with weights s and labels y = -1 or 1,

        sum_i s_i l(y_i, f(x_i) + b) + (alpha / 2) (|f|^2 + b^2)

    By the representer theorem the minimizer is f = sum_j c_j k(x_j, .) with c_j = -s_j l'(y_j, f(x_j)) / alpha.
    Differentiable losses are minimized by Newton steps, the hinge loss by an interior-point method on the dual problem,
    either on the coefficients of the rows or on those of the features of a finite map, whichever costs less. Several
    classes are learned one against the rest. For large
    tables and the hinge loss, `certus.svm.SVC` is faster.

    Parameters
    ----------
    loss : str or loss, default="squared_hinge"
        "exponential", "hinge", "logistic", "squared" or "squared_hinge"; or an object with the methods of a
        `certus.losses.ConvexLoss`, which is minimized by Newton steps and should be differentiable.
    alpha : float, default=1.0
        Strength of the penalty, above 0.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "rbf", "poly", "polynomial", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2" or
        "precomputed"; an object of `certus.kernels`, also on lists of any objects; or a function of two rows. Its
        matrix on the training rows must be positive semidefinite.
    gamma : float or None, default=None
        Of the kernels "rbf", "laplacian", "poly", "sigmoid" (None: 1 / n_features) and "chi2" (None: 1).
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Of the kernels "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Further arguments of a callable kernel.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied to those of the rows.
    fit_intercept : bool, default=True
        Whether to add a constant b to f, penalized like f: one more feature, or ``kernel + 1``.
    solver : {"auto", "dual", "primal"}, default="auto"
        On coefficients of the rows ("dual") or of the features ("primal"); "auto" takes what costs less.
    gap_tol : float, default=1e-8
        Stop when the gap is at most this share of the objective at f = 0.
    max_iter : int, default=100
        Largest number of steps of the solver, for each problem.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        c, if it was solved in the dual form.
    X_fit_ : ndarray, sparse matrix or list
        The training rows, in the dual form.
    coef_ : ndarray of shape (n_features_out,) or (n_features_out, n_classes)
        The coefficients of the features, in the primal form.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b; 0 without an intercept.
    class_weight_ : ndarray of shape (n_classes,)
        The weights of the classes.
    n_iter_ : int
        Steps of the solver, the largest number over the problems.
    gap_ : float
        Certified bound on the objective minus its minimum, all problems together.
    converged_ : bool
        Whether the gap is at most what `gap_tol` asks for.
    history_ : ndarray
        The objective before every step, one problem after the other.
    n_features_in_, feature_names_in_ : int, ndarray
        Width of the table and, if it had them, its column names.
    report_ : Report
        The certificates of the gap and of the labels that the exact optimum shares.

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
        loss: Any = "squared_hinge",
        *,
        alpha: float = 1.0,
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        class_weight: Any = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        gap_tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.gap_tol = gap_tol
        self.max_iter = max_iter

    @fit_method
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelMachineClassifier:
        """Minimize the objective.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of objects
            The table; the matrix of kernel values if `kernel` is "precomputed".
        y : array-like of shape (n_samples,)
            The labels.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weight of every row: 0 removes it, 2 counts it twice.

        Returns
        -------
        KernelMachineClassifier
            The fitted learner.
        """
        X, codes, weights = self._read_labels(X, y, sample_weight)
        named = isinstance(self.loss, str)
        loss = MARGIN_LOSSES[self.loss]() if named else self.loss
        targets = one_against_rest(codes, len(self.classes_))
        outcome = self._solve_each(X, targets, weights, loss, float(self.alpha))
        name = self.loss if named else f"own: {type(self.loss).__name__}"
        self._certify_labels(outcome, {"loss": name, "alpha": float(self.alpha)})
        return self
