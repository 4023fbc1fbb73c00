"""Choosing the penalty by cross-validation along paths: what the CV learners share.

Every fold solves one warm-started path per l1_ratio; the penalty with the least mean squared error over the folds is
refitted on all rows.
"""

from __future__ import annotations

import inspect
import numbers
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import MultiOutputMixin
from sklearn.model_selection import check_cv
from sklearn.utils import Tags, column_or_1d
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from certus.base import Iterations, Regressor, fit_method, resolve_threads
from certus.base.inputs import FoldsLike, RandomStateLike, TableLike, TargetLike, WeightsLike
from certus.base.params import (
    ArrayLike,
    Boolean,
    Constraints,
    Exactly,
    InstanceOf,
    Interval,
    OneOf,
    RandomState,
    Verbosity,
)
from certus.linear.design.fold_weights import refuse_empty_fold
from certus.linear.design.gram_argument import checked_gram
from certus.linear.fitting.alpha_grid import alpha_grid, given_alphas
from certus.linear.fitting.linear_prediction import LinearPrediction
from certus.linear.fitting.penalized_fit import PENALIZED_STATE, effort_of, make_penalized, name_the_place, read_data
from certus.linear.solvers.least_squares import NotFiniteError
from certus.linear.solvers.penalized_solver import prepare, solve_path

Array = NDArray[np.float64]
_CONSTRAINTS: Constraints = {
    "l1_ratio": [Interval(0, 1), ArrayLike()],
    "eps": [Interval(0, None, closed="neither")],
    "alphas": [Interval(1, None, integer=True), ArrayLike()],
    "fit_intercept": [Boolean()],
    "precompute": [OneOf("auto"), Boolean(), ArrayLike()],
    "max_iter": [Interval(1, None, integer=True)],
    "tol": [Interval(0, None)],
    "copy_X": [Boolean()],
    "verbose": [Verbosity()],
    "n_jobs": [Exactly(None), InstanceOf(numbers.Integral)],
    "positive": [Boolean()],
    "random_state": [RandomState()],
    "selection": [OneOf("cyclic", "random")],
    "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
}


class PathSelection(LinearPrediction, MultiOutputMixin, Regressor):
    """``fit`` of the CV learners; a class names the learner of a single penalty in ``_single``.

    Parameters
    ----------
    l1_ratio : float or array-like
        Share of the L1 part; of several the best is chosen.
    eps : float
        Smallest alpha of an automatic grid, as a share of the largest.
    alphas : int or array-like
        Number of penalties of an automatic grid, or the penalties themselves.
    fit_intercept : bool
        Whether to fit intercepts; otherwise they are 0.
    precompute : "auto", bool or array-like
        True: work on Gram matrices; a matrix: used in the final fit; otherwise chosen by shape.
    max_iter : int
        Largest number of sweeps for every penalty.
    copy_X : bool
        Accepted for compatibility: the table is never overwritten.
    cv : int, splitter, iterable or None
        Folds; None means five.
    verbose : bool or int
        1 or more prints a line for every fold, 0 nothing.
    n_jobs : int or None
        Threads; None uses all cores. The result does not depend on it.
    positive : bool
        Whether to require coefficients >= 0.
    random_state : int, RandomState or None
        Seed of the order of the coordinates for ``selection="random"``.
    selection : {"cyclic", "random"}
        Order of the coordinates in a sweep.
    gap_tol : float or None
        Largest certified gap of the final fit, as a share of the objective at zero coefficients.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    alphas_ : ndarray
        The penalties that were tried (for every l1_ratio, if there are several and the grid is automatic).
    mse_path_ : ndarray
        Mean squared error of every penalty on every fold.
    coef_ : ndarray of shape (n_features,)
        Coefficients of the final fit.
    intercept_ : float
        Intercept of the final fit.
    report_ : Report
        The certificates of the final fit. They are about the optimization, not about the choice of the penalty.
    """

    eps: float
    alphas: int | TargetLike
    fit_intercept: bool
    precompute: bool | str | TargetLike
    max_iter: int
    tol: float
    cv: FoldsLike
    n_jobs: int | None
    positive: bool
    random_state: RandomStateLike
    selection: str
    gap_tol: float | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = inspect.signature(cls).parameters
        cls._constraints = {name: rules for name, rules in _CONSTRAINTS.items() if name in own}

    _takes_sparse = True
    _state = (*PENALIZED_STATE, "alpha_", "alphas_", "mse_path_", "l1_ratio_")
    _single: ClassVar[type]
    _joint: ClassVar[bool] = False

    @fit_method
    def fit(self, X: TableLike, y: TargetLike, sample_weight: WeightsLike = None, **params: Any) -> Any:
        """Choose the penalty by cross-validation and fit with it on all rows.

        Parameters
        ----------
        y : array-like of shape (n_samples,), for multi-task learners (n_samples, n_targets)
            The targets.
        sample_weight : float or array-like of shape (n_samples,), optional
            Weights of the rows, in fitting and in the errors of the folds.
        **params
            What the splitter of `cv` needs (``groups``), with metadata routing enabled.
        """
        self._refuse_params(params)
        table, y, weights = read_data(self, X, y, sample_weight)
        y = self._targets(y)
        folds = self._folds(table, y, weights, params)
        ratios = np.atleast_1d(np.asarray(getattr(self, "l1_ratio", 1.0), dtype=np.float64))
        try:
            grids = self._grids(table, y, weights, ratios)
            errors = self._errors(table, y, weights, ratios, grids, folds)
        except NotFiniteError:
            name_the_place(self, table, y)
        mean = errors.mean(axis=1)
        ratio, point = np.unravel_index(int(np.argmin(mean)), mean.shape)
        self.mse_path_ = np.squeeze(np.moveaxis(errors, 2, 1))
        self.alpha_ = float(grids[ratio, point])
        automatic = isinstance(self.alphas, numbers.Integral) and len(ratios) > 1
        self.alphas_ = grids if automatic else grids[0]
        if hasattr(self, "l1_ratio"):
            self.l1_ratio_ = float(ratios[ratio])
        self._refit(table, y, weights, float(ratios[ratio]))
        return self

    def _refuse_params(self, params: dict[str, Any]) -> None:
        if params and not get_config()["enable_metadata_routing"]:
            raise ValueError(
                f"{type(self).__name__}.fit got {sorted(params)}, but passing parameters to the splitter is "
                "only supported if enable_metadata_routing=True.\n"
                "Hint: call sklearn.set_config(enable_metadata_routing=True) first."
            )

    def _targets(self, y: NDArray[Any]) -> NDArray[Any]:
        name = type(self).__name__
        if self._joint:
            if y.ndim == 1:
                raise ValueError(
                    f"For mono-task outputs, use {name.removeprefix('MultiTask')}: y has one dimension.\n"
                    "Hint: y.reshape(-1, 1) has one target."
                )
            return y
        if y.ndim > 1 and y.shape[1] > 1:
            raise ValueError(
                f"For multi-task outputs, use MultiTask{name}: y has {y.shape[1]} columns, {name} wants one.\n"
                "Hint: or fit one model for each target."
            )
        flat: NDArray[Any] = column_or_1d(y, warn=True)
        return flat

    def _folds(self, X: TableLike, y: TargetLike, weights: NDArray[Any] | None, params: dict[str, Any]) -> list[Any]:
        splitter = check_cv(self.cv)
        routed: dict[str, Any] = {}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=weights, **params).splitter.split
        return list(splitter.split(X, y, **routed))

    def _grids(self, X: Any, y: NDArray[Any], weights: NDArray[Any] | None, ratios: Array) -> Array:
        """One row of penalties for every l1_ratio."""
        if not isinstance(self.alphas, numbers.Integral):
            return np.tile(given_alphas(self.alphas), (len(ratios), 1))
        problem = self._problem(X, y, weights)
        prepare(problem, 100, effort_of(self), None)
        options: dict[str, Any] = {"eps": self.eps, "count": int(self.alphas), "positive": self._positive()}
        return np.array([alpha_grid(problem, ratio, **options) for ratio in ratios])

    def _errors(
        self, X: TableLike, y: NDArray[Any], weights: NDArray[Any] | None, ratios: Array, grids: Array, folds: list[Any]
    ) -> Array:
        """Mean squared errors, l1_ratios x folds x penalties; a callback may end it after any fold."""
        rows = sparse.csr_array(X) if sparse.issparse(X) else X
        errors = np.empty((len(ratios), len(folds), grids.shape[1]))
        with Iterations(self, len(folds), X, y, runs_to_limit=True) as iterations:
            for fold in range(len(folds)):
                refuse_empty_fold(self, weights, fold, *folds[fold])
                errors[:, fold] = self._errors_of_fold(rows, y, weights, ratios, grids, folds[fold])
                if iterations.step(fold=fold, mean_squared_error=float(errors[:, fold].min())):
                    return errors[:, : fold + 1]
        return errors

    def _errors_of_fold(
        self, rows: Any, y: NDArray[Any], weights: NDArray[Any] | None, ratios: Array, grids: Array, fold: Any
    ) -> Array:
        train, test = fold
        inner = None if weights is None else weights[train]
        problem = self._problem(rows[train], y[train], inner)
        effort = effort_of(self)
        value = getattr(self, "precompute", "auto")
        gram = checked_gram(value if isinstance(value, str | bool | np.bool_) else "auto", problem, check=False)
        prepare(problem, grids.shape[1], effort, gram)
        found = np.empty(grids.shape)
        for k, ratio in enumerate(ratios):
            run = solve_path(problem, grids[k], float(ratio), effort, positive=self._positive())
            outer = None if weights is None else weights[test]
            found[k] = _fold_errors(problem, run.coefs, rows[test], y[test], outer)
        return found

    def _problem(self, X: Any, y: NDArray[Any], weights: NDArray[Any] | None) -> Any:
        center, jobs = bool(self.fit_intercept), getattr(self, "n_jobs", None)
        return make_penalized(X, y, weights, center, resolve_threads(jobs))

    def _positive(self) -> bool:
        return bool(getattr(self, "positive", False))

    def _refit(self, X: TableLike, y: TargetLike, weights: NDArray[Any] | None, ratio: float) -> None:
        single = self._single()
        shared = {name: value for name, value in self.get_params(deep=False).items() if name in single.get_params()}
        if isinstance(shared.get("precompute"), str):
            shared["precompute"] = False
        single.set_params(**shared, alpha=self.alpha_)
        if "l1_ratio" in single.get_params():
            single.set_params(l1_ratio=ratio)
        single.fit(X, y, sample_weight=weights)
        for name in ("coef_", "intercept_", "n_iter_", "dual_gap_", "gap_", "converged_", "history_", "report_"):
            setattr(self, name, getattr(single, name))

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata reach the splitter.

        Returns
        -------
        MetadataRouter
            The routing of this learner and of the splitter of `cv`.
        """
        mapping = MethodMapping().add(caller="fit", callee="split")
        splitter = check_cv(self.cv)
        return MetadataRouter(owner=self).add_self_request(self).add(splitter=splitter, method_mapping=mapping)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = not self._joint
        tags.target_tags.multi_output = self._joint
        return tags


def _fold_errors(problem: Any, coefs: Array, X: Any, y: NDArray[Any], weights: Array | None) -> Array:
    """Mean squared error of every point of a path (points x columns x targets) on held-out rows."""
    points, columns, targets = coefs.shape
    flat = np.ascontiguousarray(coefs.transpose(1, 0, 2)).reshape(columns, points * targets)
    intercepts = problem.mean_y - np.einsum("j,pjt->pt", problem.mean_x, coefs)
    predicted = (X @ flat).reshape(-1, points, targets) + intercepts
    squares = (predicted - y.reshape(len(y), 1, targets)) ** 2
    mean: Array = np.average(squares, axis=0, weights=weights).mean(axis=1)
    return mean
