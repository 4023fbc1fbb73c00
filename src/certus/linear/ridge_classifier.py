"""Classification by ridge regression on labels coded as -1 and 1."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags

from certus.base import Classifier, fit_method, register, resolve_threads
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
from certus.linear.fitting.regression_fit import name_the_place, store_regression
from certus.linear.fitting.ridge_labels import RidgeLabels
from certus.linear.solvers.least_squares import NotFiniteError, Problem
from certus.linear.solvers.ridge_solvers import (
    COUNTED,
    RIDGE_CONSTRAINTS,
    check_solver,
    penalties,
    solve_ridge,
    sparse_formats,
)


@register(
    guarantees=("gap to the ridge optimum", "training labels of the exact optimum"),
    cost="fit n p^2 (n^2 p if wide), predict p per row and class",
    known_failures={
        "check_non_transformer_estimators_n_iter": "n_iter_ is None for direct solvers, as in scikit-learn"
    },
)
class RidgeClassifier(RidgeLabels, Classifier):
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
    max_iter : int or None, default=None
        Largest number of iterations of the iterative solvers.
    tol : float, default=1e-4
        Accuracy of the iterative solvers; they reach at least what scikit-learn's reach with it. For "sag" and
        "saga": largest change of a coefficient in an epoch, relative to the largest coefficient.
    solver : {"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, default="auto"
        As for `Ridge`.
    positive : bool, default=False
        Whether to require coefficients >= 0.
    random_state : int, RandomState or None, default=None
        The order of the rows with "sag" and "saga"; no other solver is random.

    Attributes
    ----------
    n_iter_ : None or ndarray of shape (n_targets,)
        Iterations per regression of "lsqr", "sag" and "saga".
    solver_ : str
        The solver that was used.

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
        **RIDGE_CONSTRAINTS,
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
    }
    _state = ("classes_", "coef_", "intercept_", "n_iter_", "solver_", "gap_", "converged_", "multilabel_")

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
        try:
            solution = solve_ridge(self, problem)
        except NotFiniteError:
            name_the_place(self, table, targets)
        evidence = store_regression(self, problem, solution, False, positive=self.positive)
        self.n_iter_ = solution.iterations if self.solver in COUNTED else None
        self.solver_ = solution.method
        self._certify_labels(problem, solution, evidence)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.solver != "svd" and (self.solver != "cholesky" or not self.fit_intercept)
        return tags
