"""Kernel logistic regression: logistic regression in the space of functions that a kernel spans."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from certus.base import Interval, fit_method, predict_method, register
from certus.kernels.functions.kernel import Array
from certus.kernels.learning.gram_data import one_against_rest
from certus.kernels.learning.kernel_classification import CLASS_WEIGHT, KernelClassification
from certus.kernels.learning.kernel_machine import MACHINE_CONSTRAINTS, MACHINE_STATE
from certus.losses import Logistic


@register(
    family="kernels",
    tasks=("classification",),
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
    finite map, whichever costs less.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty, above 0.
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
        Largest number of Newton steps.

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
        Newton steps.
    gap_ : float
        Certified bound on the objective minus its minimum.
    converged_ : bool
        Whether the gap is at most what `gap_tol` asks for.
    history_ : ndarray
        The objective before every step.
    n_features_in_, feature_names_in_ : int, ndarray
        Width of the table and, if it had them, its column names.
    report_ : Report
        The certificates of the gap and of the labels that the exact optimum shares.

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
        self.C = C
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
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelLogistic:
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
        KernelLogistic
            The fitted learner.
        """
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
    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or list of objects
            Rows; if the kernel is "precomputed", their kernel values with the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        values = self._values(X)
        if values.shape[1] == 1:
            return np.column_stack([expit(-values[:, 0]), expit(values[:, 0])])
        return np.asarray(softmax(values, axis=1))
