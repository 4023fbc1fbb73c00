"""Ridge classification that chooses its own penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import MetadataRouter

from certus.base import Classifier, fit_method, register, resolve_threads
from certus.base.inputs import (
    ClassWeightLike,
    FoldsLike,
    TableLike,
    TargetLike,
    WeightsLike,
    assert_finite,
    check_weights,
    check_Xy,
)
from certus.base.params import Exactly, InstanceOf, OneOf
from certus.linear.fitting.regression_fit import name_the_place, store_regression
from certus.linear.fitting.ridge_labels import RidgeLabels
from certus.linear.fitting.ridge_search import (
    SEARCH_CONSTRAINTS,
    checked_alphas,
    choose,
    routing,
    score_parameters,
    search_folds,
)
from certus.linear.ridge_classifier import RidgeClassifier
from certus.linear.ridge_cv import FOUND
from certus.linear.solvers.least_squares import NotFiniteError, Problem
from certus.linear.solvers.ridge_solvers import direct, penalties


@register(
    guarantees=("exact leave-one-out errors", "gap to the ridge optimum", "training labels of the exact optimum"),
    cost="fit n p^2 for all penalties together (n^3 if wide), predict p per row and class",
)
class RidgeClassifierCV(RidgeLabels, Classifier):
    """`RidgeClassifier` with the penalty chosen by exact leave-one-out or another cross-validation.

    Minimizes, for the alpha in ``alphas`` with the best cross-validated score,

        sum_k [ sum_i s_i (y_ik - x_i'w_k - b_k)^2 + alpha |w_k|^2 ],     y_ik = 1 if row i has class k, else -1

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        Penalties to try; greater than 0 for leave-one-out.
    scoring : str, callable or None, default=None
        What to choose by. None: the mean squared error of the coded labels for leave-one-out, else the accuracy.
    cv : int, splitter, iterable or None, default=None
        None: leave-one-out; otherwise the folds.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_``; leave-one-out only.

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
        **SEARCH_CONSTRAINTS,
        "class_weight": [Exactly(None), OneOf("balanced"), InstanceOf(dict)],
    }
    _state = (
        "alpha_",
        "best_score_",
        "classes_",
        "coef_",
        "intercept_",
        "cv_results_",
        "gap_",
        "converged_",
        "multilabel_",
    )

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

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, **params: Any) -> RidgeClassifierCV:
        """Choose the penalty and find the best coefficients for it.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or 0/1 matrix of shape (n_samples, n_labels)
            The labels.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weight of every row: 0 removes it. Leave-one-out leaves out a row with its whole weight.
        **params : dict
            For the scorer, if metadata routing is enabled.
        """
        alphas = checked_alphas(self)
        if self.cv is None:
            self._fit_leave_one_out(X, y, alphas, sample_weight, score_parameters(self, sample_weight, params))
            return self
        model = RidgeClassifier(
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            solver="sparse_cg" if sparse.issparse(X) else "auto",
            gap_tol=self.gap_tol,
        )
        given = params if sample_weight is None else {**params, "sample_weight": sample_weight}
        search = search_folds(self, model, alphas, X, y, "accuracy", **given)
        self.alpha_, self.best_score_ = search.best_params_["alpha"], search.best_score_
        for name in (*FOUND, "classes_", "multilabel_"):
            if hasattr(search.best_estimator_, name):
                setattr(self, name, getattr(search.best_estimator_, name))
        return self

    def _fit_leave_one_out(
        self, X: TableLike, y: TargetLike, alphas: Any, sample_weight: WeightsLike, score_params: dict[str, Any]
    ) -> None:
        table, y = check_Xy(self, X, y, accept_sparse=["csr", "csc", "coo"], multi_output=True, check_finite=False)
        if sparse.issparse(table):
            assert_finite(self, table)
        Y = self._coded(y)
        weights = self._with_class_weights(check_weights(self, sample_weight, table), y)
        problem = Problem(table, Y, weights, np.zeros(Y.shape[1]), self.fit_intercept, resolve_threads())
        labels = (Y > 0).astype(np.intp) if self.multilabel_ else np.ravel(y)
        try:
            choice, found = choose(self, problem, alphas, score_params, singular=False, per_target=False, labels=labels)
            self.alpha_, self.best_score_ = choice.alpha, choice.score
            problem = replace(problem, alphas=penalties(choice.alpha, Y.shape[1]))
            solution = found.solve(problem.alphas) if found.solve else direct(problem, found.moments)
        except NotFiniteError:
            name_the_place(self, table, Y)
        evidence = store_regression(self, problem, solution, False, flat=Y.shape[1] == 1)
        self._certify_labels(problem, solution, evidence)
        if self.store_cv_results:
            self.cv_results_ = choice.results.astype(table.dtype)

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata reach the scorer and the splitter."""
        return routing(self, "accuracy")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
