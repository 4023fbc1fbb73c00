"""Choosing the penalty of ridge regression: exact leave-one-out, or any other splitting by fitting again."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.model_selection import GridSearchCV
from sklearn.utils import check_scalar
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from certus.base import warn_deprecated
from certus.base.inputs import TableLike, TargetLike, WeightsLike
from certus.base.params import ArrayLike, Boolean, Constraints, Exactly, Folds, Function, Interval, OneOf
from certus.linear.fitting.ridge_leave_one_out import LeaveOneOut, leave_one_out
from certus.linear.solvers.least_squares import Problem

Array = NDArray[np.float64]

SEARCH_CONSTRAINTS: Constraints = {
    "alphas": [ArrayLike(), Interval(0, None, closed="neither")],
    "fit_intercept": [Boolean()],
    "scoring": [OneOf(*get_scorer_names()), Function(), Exactly(None)],
    "cv": [Folds()],
    "store_cv_results": [Boolean()],
    "gap_tol": [Exactly(None), Interval(0, None, closed="neither")],
}


@dataclass(frozen=True)
class Choice:
    """The best penalty (one, or one per target) and its score; ``results`` is rows x targets x penalties."""

    alpha: Any
    score: Any
    results: Array


class _Given(RegressorMixin, BaseEstimator):
    """A "model" whose predictions are its input: lets any scorer judge predictions that exist already."""

    def fit(self, X: TableLike, y: TargetLike | None = None) -> _Given:
        return self

    def predict(self, X: TableLike) -> Any:
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _GivenScores(ClassifierMixin, BaseEstimator):
    """The same for the scores of classes."""

    def __init__(self, classes: Any = None, several: bool = False) -> None:
        self.classes = classes
        self.several = several

    @property
    def classes_(self) -> Any:
        return self.classes

    def fit(self, X: TableLike, y: TargetLike | None = None) -> _GivenScores:
        return self

    def decision_function(self, X: Any) -> Any:
        return X[:, 0] if X.shape[1] == 1 else X

    def predict(self, X: Any) -> Any:
        if self.several:  # labels per row
            return (X > 0).astype(np.intp)
        best = (X[:, 0] > 0).astype(np.intp) if X.shape[1] == 1 else X.argmax(axis=1)
        return self.classes[best]

    def __sklearn_is_fitted__(self) -> bool:
        return True


def checked_alphas(learner: BaseEstimator) -> Array:
    """The penalties to try; leave-one-out needs them greater than 0."""
    bounds = "neither" if learner.cv is None else "left"
    values = learner.alphas
    if isinstance(values, np.ndarray | list | tuple) and np.ndim(values) > 0:
        for index, alpha in enumerate(values):
            name = "alphas" if len(values) == 1 else f"alphas[{index}]"
            check_scalar(alpha, name, numbers.Real, min_val=0.0, include_boundaries=bounds)
    alphas = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if len(alphas) == 0:
        raise ValueError(f"{type(learner).__name__}: alphas is empty.\nHint: pass at least one penalty to try.")
    return alphas


def uses_singular_values(mode: str | None, X: TableLike) -> bool:
    """Whether ``gcv_mode`` asks for singular values; sparse tables have none that are cheap."""
    if mode == "svd" and sparse.issparse(X):
        warn_deprecated("gcv_mode")
        return False
    return mode == "svd"


def refuse_single_row(learner: BaseEstimator, problem: Problem) -> None:
    """Leave-one-out with an intercept needs a row that remains."""
    rows = problem.X.shape[0] if problem.weights is None else int(np.count_nonzero(problem.weights))
    if problem.center and rows < 2:
        raise ValueError(
            f"{type(learner).__name__}: leaving out the only row with a weight leaves nothing to learn from; "
            f"n_samples = {rows} where at least 2 are needed.\nHint: use Ridge(alpha=…) instead."
        )


def choose(
    learner: BaseEstimator,
    problem: Problem,
    alphas: Array,
    score_params: dict[str, Any],
    *,
    singular: bool,
    per_target: bool,
    labels: NDArray[Any] | None = None,
) -> tuple[Choice, LeaveOneOut]:
    """The penalty with the best leave-one-out score; the first of equals.

    Without ``scoring``: minus the mean squared error, rows weighted. ``labels`` of a classifier are what a scorer
    compares with (a 0/1 matrix if there are several per row).
    """
    refuse_single_row(learner, problem)
    found = leave_one_out(problem, alphas, singular=singular)
    if learner.scoring is None:
        squares = found.errors**2
        results = squares if problem.weights is None else squares * problem.weights[:, None, None]
        scores = -results.mean(axis=0) if per_target else -results.mean(axis=(0, 1))
    else:
        results = problem.Y[:, :, None] - found.errors
        scorer = check_scoring(learner, scoring=learner.scoring)
        scores = _judged(learner, scorer, problem.Y, results, score_params, per_target, labels)
    best = np.asarray(scores).argmax(axis=-1)
    if per_target and problem.Y.shape[1] > 1:
        return Choice(alphas[best], np.take_along_axis(scores, best[:, None], axis=1)[:, 0], results), found
    flat = np.ravel(scores)
    return Choice(float(alphas[int(flat.argmax())]), flat.max(), results), found


def _judged(
    learner: BaseEstimator,
    scorer: Any,
    Y: Array,
    predictions: Array,
    params: dict[str, Any],
    per_target: bool,
    labels: NDArray[Any] | None,
) -> Array:
    """Scores of given predictions (rows x targets x penalties)."""
    count = predictions.shape[2]
    if labels is not None:
        judge = _GivenScores(learner.classes_, several=labels.ndim == 2)
        return np.array([scorer(judge, predictions[:, :, a], labels, **params) for a in range(count)])
    if per_target:
        return np.array(
            [
                [scorer(_Given(), predictions[:, k, a], Y[:, k], **params) for a in range(count)]
                for k in range(Y.shape[1])
            ]
        )
    flat = Y.shape[1] == 1
    given = [predictions[:, 0, a] if flat else predictions[:, :, a] for a in range(count)]
    return np.array([scorer(_Given(), values, Y[:, 0] if flat else Y, **params) for values in given])


def score_parameters(learner: BaseEstimator, sample_weight: WeightsLike, params: dict[str, Any]) -> dict[str, Any]:
    """What the scorer gets besides predictions and targets."""
    if params and not get_config()["enable_metadata_routing"]:
        raise ValueError(
            f"Passing extra keyword arguments ({', '.join(params)}) to {type(learner).__name__} is only supported if "
            "enable_metadata_routing=True, which sklearn.set_config sets."
        )
    given = dict(params) if sample_weight is None else {**params, "sample_weight": sample_weight}
    if get_config()["enable_metadata_routing"]:
        return dict(process_routing(learner, "fit", **given).scorer.score)
    return given


def routing(learner: BaseEstimator, default_scoring: str) -> MetadataRouter:
    """How metadata reach the scorer and the splitter."""
    scorer = _weighted_scorer(learner, default_scoring)
    return (
        MetadataRouter(owner=learner)
        .add_self_request(learner)
        .add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        .add(splitter=learner.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
    )


def _weighted_scorer(learner: BaseEstimator, default_scoring: str) -> Any:
    if learner.scoring is None and get_config()["enable_metadata_routing"]:
        return get_scorer(default_scoring).set_score_request(sample_weight=True)
    return check_scoring(learner, scoring=learner.scoring, allow_none=True)


def search_folds(
    learner: BaseEstimator, model: Any, alphas: Array, X: TableLike, y: TargetLike, default_scoring: str, **fit: Any
) -> Any:
    """A grid search over folds; returns the fitted search."""
    for name in ("store_cv_results", "alpha_per_target"):
        if getattr(learner, name, False):
            raise ValueError(
                f"cv!=None and {name}=True are incompatible.\nHint: leave cv=None for exact leave-one-out."
            )
    if get_config()["enable_metadata_routing"]:
        model.set_fit_request(sample_weight=True)
    scorer = _weighted_scorer(learner, default_scoring)
    search = GridSearchCV(model, {"alpha": alphas}, cv=learner.cv, scoring=scorer)
    return search.fit(X, y, **fit)
