"""Ridge classification that chooses its own penalty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, Table, register
from certus.base.inputs import ClassWeightLike, FoldsLike, TargetLike
from certus.base.params import Exactly, InstanceOf, OneOf
from certus.linear.evidence.quadratic_gap import QuadraticEvidence
from certus.linear.fitting.ridge_labels import RidgeLabels
from certus.linear.fitting.ridge_selection import RidgeSelection
from certus.linear.ridge_classifier import RidgeClassifier
from certus.linear.solvers.least_squares import Problem, Solution

Array = NDArray[np.float64]


@register(
    guarantees=("exact leave-one-out errors", "gap to the ridge optimum", "training labels of the exact optimum"),
    cost="fit n p^2 for all penalties together (n^3 if wide), predict p per row and class",
)
class RidgeClassifierCV(RidgeSelection, RidgeLabels, Classifier):
    """`RidgeClassifier` with the penalty chosen by exact leave-one-out or another cross-validation.

    Minimizes, for the alpha in ``alphas`` with the best cross-validated score,

        sum_k [ sum_i s_i (y_ik - x_i'w_k - b_k)^2 + alpha |w_k|^2 ],     y_ik = 1 if row i has class k, else -1

    Parameters
    ----------
    scoring : str, callable or None, default=None
        What to choose by. None: the mean squared error of the coded labels for leave-one-out, else the accuracy.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    best_score_ : float
        Its score.
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        Coefficients; two classes have one vector.
    cv_results_ : ndarray of shape (n_samples, n_targets, n_alphas)
        With `store_cv_results`: weighted squared leave-one-out errors, or leave-one-out scores of the classes if
        `scoring` is given.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from certus.linear import RidgeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RidgeClassifierCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.963
    """

    _constraints = {
        **RidgeSelection._constraints,
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
    }
    _state = (*RidgeSelection._state, "classes_", "multilabel_")
    _judged_by, _numeric = "accuracy", False

    def __init__(
        self,
        alphas: int | TargetLike | None = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., float] | None = None,
        cv: FoldsLike = None,
        class_weight: ClassWeightLike = None,
        store_cv_results: bool = False,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    def _with_solver(self, solver: str) -> RidgeClassifier:
        return RidgeClassifier(
            fit_intercept=self.fit_intercept, class_weight=self.class_weight, solver=solver, gap_tol=self.gap_tol
        )

    def _targets(self, y: NDArray[Any], weights: Array | None) -> tuple[Array, Array | None]:
        return self._coded(y), self._with_class_weights(weights, y)

    def _declared(self, y: NDArray[Any]) -> dict[str, Any]:
        return RidgeLabels._declared(self, y)

    def _choosing(self, table: Table, y: NDArray[Any], targets: Array) -> dict[str, Any]:
        labels = (targets > 0).astype(np.intp) if self.multilabel_ else np.ravel(y)
        return {"singular": False, "per_target": False, "labels": labels}

    def _certify_more(self, problem: Problem, solution: Solution, evidence: QuadraticEvidence) -> None:
        self._certify_labels(problem, solution, evidence)
