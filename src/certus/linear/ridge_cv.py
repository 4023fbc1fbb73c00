"""Ridge regression that chooses its own penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import MetadataRouter

from certus.base import Regressor, fit_method, register, resolve_threads
from certus.base.inputs import FoldsLike, TableLike, TargetLike, WeightsLike, assert_finite, check_weights, check_Xy
from certus.base.params import Boolean, Exactly, OneOf
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.regression_fit import name_the_place, store_regression
from certus.linear.fitting.ridge_search import (
    SEARCH_CONSTRAINTS,
    checked_alphas,
    choose,
    routing,
    score_parameters,
    search_folds,
    uses_singular_values,
)
from certus.linear.ridge import Ridge
from certus.linear.solvers.least_squares import NotFiniteError, Problem
from certus.linear.solvers.ridge_solvers import direct, penalties

FOUND = ("coef_", "intercept_", "gap_", "converged_", "report_", "n_features_in_", "feature_names_in_")


@register(
    guarantees=("exact leave-one-out errors", "gap to the ridge optimum"),
    cost="fit n p^2 for all penalties together (n^3 if wide), predict p per row",
)
class RidgeCV(LinearPrediction, MultiOutputMixin, Regressor):
    """Ridge regression with the penalty chosen by exact leave-one-out or another cross-validation.

    Minimizes, for the alpha in ``alphas`` with the best cross-validated score,

        sum_i s_i (y_i - x_i'w - b)^2 + alpha |w|^2

    The leave-one-out error of row i is its residual over one minus its leverage, so that all n fits of all penalties
    cost one decomposition. The first choice for regression: no penalty to guess.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        Penalties to try; greater than 0 for leave-one-out.
    scoring : str, callable or None, default=None
        What to choose by. None: the mean squared error for leave-one-out, else R^2.
    cv : int, splitter, iterable or None, default=None
        None: leave-one-out; otherwise the folds.
    gcv_mode : {"auto", "svd", "eigen"} or None, default=None
        "svd" uses singular values of the (dense) table; the others eigenvalues of second moments or kernel matrix,
        and singular values where the smallest penalty asks for them.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_``; leave-one-out only.
    alpha_per_target : bool, default=False
        Whether every target gets its own penalty; leave-one-out only.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        The chosen penalty.
    best_score_ : float or ndarray of shape (n_targets,)
        Its score.
    cv_results_ : ndarray of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With `store_cv_results`: weighted squared leave-one-out errors, or leave-one-out predictions if `scoring` is
        given.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from certus.linear import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X, y)
    >>> model.alpha_, round(model.score(X, y), 3)
    (0.01, 0.517)
    """

    _constraints = {
        **SEARCH_CONSTRAINTS,
        "gcv_mode": [OneOf("auto", "svd", "eigen"), Exactly(None)],
        "alpha_per_target": [Boolean()],
    }
    _state = ("alpha_", "best_score_", "coef_", "intercept_", "cv_results_", "gap_", "converged_")

    def __init__(
        self,
        alphas: int | TargetLike | None = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., float] | None = None,
        cv: FoldsLike = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        gap_tol: float | None = None,
    ) -> None:
        self._set_parameters(locals())

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, **params: Any) -> RidgeCV:
        """Choose the penalty and find the best coefficients for it.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weight of every row: 0 removes it. Leave-one-out leaves out a row with its whole weight.
        **params : dict
            For the scorer, if metadata routing is enabled.
        """
        alphas = checked_alphas(self)
        if self.cv is None:
            self._fit_leave_one_out(X, y, alphas, sample_weight, score_parameters(self, sample_weight, params))
            return self
        solver = "sparse_cg" if sparse.issparse(X) else "auto"
        model = Ridge(fit_intercept=self.fit_intercept, solver=solver, gap_tol=self.gap_tol)
        given = params if sample_weight is None else {**params, "sample_weight": sample_weight}
        search = search_folds(self, model, alphas, X, y, "r2", **given)
        self.alpha_, self.best_score_ = search.best_params_["alpha"], search.best_score_
        for name in FOUND:
            if hasattr(search.best_estimator_, name):
                setattr(self, name, getattr(search.best_estimator_, name))
        return self

    def _fit_leave_one_out(
        self, X: TableLike, y: TargetLike, alphas: Any, sample_weight: WeightsLike, score_params: dict[str, Any]
    ) -> None:
        table, y = check_Xy(
            self, X, y, accept_sparse=["csr", "csc", "coo"], multi_output=True, y_numeric=True, check_finite=False
        )
        if sparse.issparse(table):
            assert_finite(self, table)
        weights = check_weights(self, sample_weight, table)
        Y = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
        unset = np.zeros(Y.shape[1])
        problem = Problem(table, Y, weights, unset, self.fit_intercept, resolve_threads())
        try:
            choice, found = choose(
                self,
                problem,
                alphas,
                score_params,
                singular=uses_singular_values(self.gcv_mode, table),
                per_target=self.alpha_per_target,
            )
            self.alpha_, self.best_score_ = choice.alpha, choice.score
            problem = replace(problem, alphas=penalties(choice.alpha, Y.shape[1]))
            solution = found.solve(problem.alphas) if found.solve else direct(problem, found.moments)
        except NotFiniteError:
            name_the_place(self, table, y)
        store_regression(self, problem, solution, y.ndim == 1, flat=Y.shape[1] == 1)
        if self.store_cv_results:
            results = choice.results.astype(table.dtype)
            self.cv_results_ = results[:, 0] if y.ndim == 1 else results

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata reach the scorer and the splitter."""
        return routing(self, "r2")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
