"""What RidgeCV and RidgeClassifierCV share: the choice of the penalty, and the fit with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import MetadataRouter

from certus.base import Learner, Table, fit_method, resolve_threads
from certus.base.inputs import TableLike, TargetLike, WeightsLike, assert_finite, check_weights, check_Xy
from certus.linear.evidence.quadratic_gap import QuadraticEvidence
from certus.linear.fitting.regression_fit import name_the_place, store_regression
from certus.linear.fitting.ridge_search import (
    SEARCH_CONSTRAINTS,
    checked_alphas,
    choose,
    routing,
    score_parameters,
    search_folds,
)
from certus.linear.solvers.least_squares import NotFiniteError, Problem, Solution
from certus.linear.solvers.ridge_solvers import direct, penalties

Array = NDArray[np.float64]


class RidgeSelection(Learner):
    """Parameters and fit of both learners.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,)
        Penalties to try; greater than 0 for leave-one-out.
    cv : int, splitter, iterable or None
        None: leave-one-out; otherwise the folds.
    store_cv_results : bool
        Whether to keep ``cv_results_``; leave-one-out only.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The chosen penalty.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score.
    """

    _constraints = SEARCH_CONSTRAINTS
    _state: ClassVar[tuple[str, ...]] = (
        "alpha_",
        "best_score_",
        "coef_",
        "intercept_",
        "cv_results_",
        "gap_",
        "converged_",
    )
    _takes_sparse = True
    _judged_by: ClassVar[str]  # the score of folds, if `scoring` does not say
    _numeric: ClassVar[bool]  # whether the target is made of numbers

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, **params: Any) -> Self:
        """Choose the penalty and find the best coefficients for it.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets or labels; several labels per row are a 0/1 matrix.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weight of every row: 0 removes it. Leave-one-out leaves out a row with its whole weight.
        **params : dict
            For the scorer, if metadata routing is enabled.
        """
        alphas = checked_alphas(self)
        if self.cv is None:
            self._fit_leave_one_out(X, y, alphas, sample_weight, score_parameters(self, sample_weight, params))
            return self
        model = self._with_solver("sparse_cg" if sparse.issparse(X) else "auto")
        given = params if sample_weight is None else {**params, "sample_weight": sample_weight}
        search = search_folds(self, model, alphas, X, y, self._judged_by, **given)
        self.alpha_, self.best_score_ = search.best_params_["alpha"], search.best_score_
        for name in (*self._state, "report_", "n_features_in_", "feature_names_in_"):
            if hasattr(search.best_estimator_, name):
                setattr(self, name, getattr(search.best_estimator_, name))
        return self

    def _fit_leave_one_out(
        self, X: TableLike, y: TargetLike, alphas: Any, sample_weight: WeightsLike, score_params: dict[str, Any]
    ) -> None:
        formats = ["csr", "csc", "coo"]
        table, y = check_Xy(
            self, X, y, accept_sparse=formats, multi_output=True, y_numeric=self._numeric, check_finite=False
        )
        if sparse.issparse(table):
            assert_finite(self, table)
        Y, weights = self._targets(y, check_weights(self, sample_weight, table))
        problem = Problem(table, Y, weights, np.zeros(Y.shape[1]), self.fit_intercept, resolve_threads())
        try:
            choice, found = choose(self, problem, alphas, score_params, **self._choosing(table, y, Y))
            self.alpha_, self.best_score_ = choice.alpha, choice.score
            problem = replace(problem, alphas=penalties(choice.alpha, Y.shape[1]))
            solution = found.solve(problem.alphas) if found.solve else direct(problem, found.moments)
        except NotFiniteError:
            name_the_place(self, table, y if self._numeric else Y)
        one_target = self._numeric and y.ndim == 1
        labels = self._declared(y)
        evidence = store_regression(self, problem, solution, one_target, flat=Y.shape[1] == 1, labels=labels)
        self._certify_more(problem, solution, evidence)
        if self.store_cv_results:
            results = choice.results.astype(table.dtype)
            self.cv_results_ = results[:, 0] if one_target else results

    def _declared(self, y: NDArray[Any]) -> dict[str, Any]:
        """What the certificate says about targets that stand for labels."""
        del y
        return {}

    def _with_solver(self, solver: str) -> BaseEstimator:
        """The learner that is fitted to every fold."""
        raise NotImplementedError

    def _targets(self, y: NDArray[Any], weights: Array | None) -> tuple[Array, Array | None]:
        """Targets as a table, and the weights of the rows."""
        return np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64), weights

    def _choosing(self, table: Table, y: NDArray[Any], targets: Array) -> dict[str, Any]:
        """Further arguments of `choose`."""
        raise NotImplementedError

    def _certify_more(self, problem: Problem, solution: Solution, evidence: QuadraticEvidence) -> None:
        """Add certificates beyond that of the gap."""

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata reach the scorer and the splitter."""
        return routing(self, self._judged_by)
