"""Classification by ridge regression on labels coded as -1 and 1."""

from __future__ import annotations

from typing import Any

from certus.base import Classifier, fit_method, register, resolve_threads
from certus.base.blocks import ScaledFit
from certus.base.inputs import (
    ClassWeightLike,
    RandomStateLike,
    TableLike,
    TargetLike,
    WeightsLike,
    check_weights,
    check_Xy,
)
from certus.base.params import Exactly, InstanceOf, OneOf
from certus.linear.fitting.ridge_fit import NO_ITERATIONS, RidgeFit
from certus.linear.fitting.ridge_labels import RidgeLabels
from certus.linear.in_blocks.ridge_in_blocks import fit_ridge_classifier, whole_table_needed
from certus.linear.solvers.least_squares import Problem
from certus.linear.solvers.ridge_solvers import check_solver, penalties, sparse_formats


@register(
    guarantees=("gap to the ridge optimum", "training labels of the exact optimum"),
    cost="fit n p^2 (n^2 p if wide), predict p per row and class",
    known_failures=NO_ITERATIONS,
)
class RidgeClassifier(RidgeFit, RidgeLabels, Classifier):
    """Ridge regression on labels coded as -1 and 1, one regression per class if there are more than two.

    Minimizes, over coefficients w_k and intercepts b_k of the classes k (not penalized) with weights s,

        sum_k [ sum_i s_i (y_ik - x_i'w_k - b_k)^2 + alpha |w_k|^2 ],     y_ik = 1 if row i has class k, else -1

    and predicts the class with the largest score. As fast as one least-squares fit however many classes there
    are; `LogisticRegression` gives probabilities. Several labels per row (0/1 matrix as y) are allowed.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, at least 0.
    copy_X : bool, default=True
        Accepted for compatibility: the table is never copied as a whole and never overwritten.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from certus.linear import RidgeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RidgeClassifier().fit(X, y)
    >>> round(model.score(X, y), 3), int(model.report_["labels of the exact optimum"].value)
    (0.96, 569)
    """

    _constraints = {
        **RidgeFit._constraints,
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
    }
    _scaled = ScaledFit("exact", fit_ridge_classifier, refusal=whole_table_needed)
    _state = (*RidgeFit._state, "classes_", "multilabel_")

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        class_weight: ClassWeightLike = None,
        solver: str = "auto",
        positive: bool = False,
        random_state: RandomStateLike = None,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None) -> RidgeClassifier:
        """Find the best coefficients.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or 0/1 matrix of shape (n_samples, n_labels)
            The labels.
        """
        check_solver(self, X)
        table, y = check_Xy(
            self, X, y, accept_sparse=sparse_formats(X, self.solver), multi_output=True, check_finite=False
        )
        targets = self._coded(y)
        weights = check_weights(self, sample_weight, table)
        weights = self._with_class_weights(weights, y)
        alphas = penalties(self.alpha, targets.shape[1])
        problem = Problem(table, targets, weights, alphas, self.fit_intercept, resolve_threads())
        labels = self._declared(y)
        solution, evidence = self._solve(problem, table, targets, one_target=False, labels=labels)
        self._certify_labels(problem, solution, evidence)
        return self
