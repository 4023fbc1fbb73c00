"""Classification of each class against all others. Rifkin, Klautau (2004)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from certus.base import Boolean, ClassWeightLike, Exactly, InstanceOf, OneOf, predict_method, register
from certus.svm._native_calls import WHOLE, Floats, Kernel, Problems, Table
from certus.svm.machines.classification_machine import CLASSIFIER_STATE, ClassificationMachine
from certus.svm.machines.kernel_argument import KernelLike, Objects
from certus.svm.machines.machine import COST, SHARED_CONSTRAINTS, Machine, SolverRows
from certus.svm.machines.whole_gram import whole_gram
from certus.svm.solvers.dual_problems import one_vs_rest
from certus.svm.solvers.verified_solution import Solution


@register(
    guarantees=(
        "duality gap",
        "KKT audit",
        "labels of the exact optimum",
        "compression and margin bounds on the error (two classes)",
        "proof that a hard margin is impossible",
    ),
    cost="fit O(classes n n_SV p) to O(classes n^2 p), predict O(n_SV (p + classes)) per row",
)
class OneVsRestSVC(ClassificationMachine):
    """Classifier with one soft margin per class: the class against all others.

    For every class, with y_i = 1 for its rows, -1 for all others and row weights w_i (times the weight of the row's
    class), minimizes over f = h + b

        |h|^2 / 2 + C sum_i w_i max(0, 1 - y_i f(x_i))

    where h is a function of the kernel's space and |h| its norm there. The label of a row is the class of the largest
    f. `SVC` solves a problem per pair of classes instead, each with fewer rows, and is usually faster; this one has
    fewer decision values. Where ``cache_size`` allows, all problems share one matrix of kernel values. With two classes
    it is `SVC`.

    Parameters
    ----------
    C : float
        Weight of the losses against the smoothness of f; infinity asks for hard margins.
    fit_intercept : bool
        Whether there is an intercept b.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the rows that are a support vector of some class, by class.
    dual_coef_ : ndarray or sparse array of shape (n_classes, n_SV) or (1, n_SV)
        Signed multipliers, a line per class; with two classes one line, for the second.
    coef_ : ndarray or sparse array of shape (n_classes, n_features) or (1, n_features)
        Weights of the columns, for the linear kernel only.
    intercept_ : ndarray of shape (n_classes,) or (1,)
        Constants of the decision functions.
    n_iter_ : ndarray of shape (n_classes,) or (1,), dtype=int32
        Steps of the solver.

    References
    ----------
    Rifkin, Klautau (2004), "In defense of one-vs-all classification".

    Examples
    --------
    >>> import numpy as np
    >>> from certus.svm import OneVsRestSVC
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0], [0.0, 5.0], [0.0, 6.0]])
    >>> machine = OneVsRestSVC(kernel="linear").fit(X, [0, 0, 1, 1, 2, 2])
    >>> machine.predict([[3.0, 0.5]]), machine.decision_function([[3.0, 0.5]]).shape
    (array([1]), (1, 3))
    """

    _constraints = {
        "C": COST,
        "fit_intercept": [Boolean()],
        **SHARED_CONSTRAINTS,
        "class_weight": [OneOf("balanced"), InstanceOf(dict), Exactly(None)],
    }
    _state = CLASSIFIER_STATE
    probability = False  # Platt's method is for the pairs of SVC

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: ClassWeightLike = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        gap_tol: float | None = None,
        fit_intercept: bool = True,
    ) -> None:
        self._set_parameters(locals())

    def _warn_about_probability(self) -> None:
        """There is no such parameter here."""

    def _problems(self, codes: NDArray[np.intp], weights: Floats) -> tuple[Problems, Floats]:
        return one_vs_rest(codes, self.C * weights, int(codes.max()) + 1, bias=bool(self.fit_intercept))

    def _solved_table(self, table: Table, kernel: Kernel) -> tuple[Table, Kernel]:
        """All kernel values at once where memory allows: every problem has the same rows."""
        if len(self.classes_) > 2 and table.shape[0] ** 2 * 8.0 <= self.cache_size * 2**20:
            return whole_gram(kernel, table), WHOLE
        return table, kernel

    def _declared(self) -> dict[str, Any]:
        return {
            "machine": "c-svc",
            "against": "rest",
            "C": float(self.C),
            "fit_intercept": bool(self.fit_intercept),
            "classes": self.classes_.tolist(),
            "class_weights": self.class_weight_.tolist(),
        }

    def _store(self, rows: SolverRows, codes: NDArray[np.intp], solution: Solution) -> None:
        lines = np.stack([solution.coefficients(number) for number in range(solution.problems.count)])
        used = np.flatnonzero(lines.any(axis=0))
        used = used[np.argsort(codes[used], kind="stable")]
        self._n_support = np.bincount(codes[used], minlength=len(self.classes_)).astype(np.int32)
        self._keep_support(rows.X, rows.kept[used])
        self.dual_coef_ = sparse.csr_array(lines[:, used]) if self._sparse else lines[:, used]
        self._dual_coef_ = self.dual_coef_
        self.intercept_ = solution.middle + 0.0
        self._intercept_ = self.intercept_.copy()
        self.n_iter_ = solution.steps.astype(np.int32)

    def _restored(self) -> None:
        Machine._restored(self)
        if not hasattr(self, "support_"):
            return
        count = len(self.classes_)
        lines = 1 if count == 2 else count
        if count < 2 or self._dual_coef_.shape[0] != lines or self._intercept_.shape != (lines,):
            raise ValueError("the coefficients do not fit the classes.")

    def _linear_weights(self) -> Table:
        return Machine._linear_weights(self)

    def _class_decisions(self, X: Objects) -> Floats:
        groups = np.array([0, int(self._n_support.sum())], dtype=np.int64)
        return self._expansion(X, groups)[:, 0, :] + self._intercept_

    @predict_method
    def decision_function(self, X: Objects) -> Floats:
        """Decision values.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One value per class, positive for the class itself; for two classes positive means the second one.
        """
        values = self._class_decisions(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    @predict_method
    def predict(self, X: Objects) -> NDArray[Any]:
        """Labels of the largest decision values."""
        values = self._class_decisions(X)
        winners = (values[:, 0] > 0).astype(np.intp) if len(self.classes_) == 2 else values.argmax(axis=1)
        return self.classes_.take(winners)
