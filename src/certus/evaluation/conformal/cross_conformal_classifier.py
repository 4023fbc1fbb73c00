"""CV+, jackknife+ and minmax sets for classification."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from certus.base import InstanceOf, Interval, OneOf, TableLike, TargetLike
from certus.evaluation.conformal.any_rows import check_lengths, label_codes
from certus.evaluation.conformal.conformal_wrapper import ConformalWrapper
from certus.evaluation.conformal.cross_folds import LEAVE_ONE_OUT, draw_folds, fit_without_folds, rows_of_fold
from certus.evaluation.conformal.label_scores import LABEL_SCORES, check_response
from certus.guarantees import cross_certificate, split_rank
from certus.guarantees.conformal import METHODS, cross_set
from certus.guarantees.holdout import class_response
from certus.guarantees.records import Report


class CrossConformalClassifier(ClassifierMixin, ConformalWrapper):
    """Sets of labels from classifiers that were each trained without one fold.

    With R_i the score of row i under the model that did not see it, and k = ceil((n + 1) * confidence), a label
    is left out when at least k rows have R_i below its score under the same model ("plus"), or below its
    smallest score under any model ("minmax"). The proven level is in `report_`; see `CrossConformalRegressor`.

    Parameters
    ----------
    estimator : classifier with predict_proba
        Trained once per fold, and once on all rows for `predict`.
    confidence : float, default=0.9
        The nominal coverage.
    score : {"lac", "aps"}, default="lac"
        As for `SplitConformalClassifier`.
    method : {"plus", "minmax"}, default="plus"
        How the folds are combined.
    cv : int or "leave-one-out", default=10
        Number of folds.
    n_jobs : int or None, default=None
        Folds trained at a time (joblib).
    random_state : int, RandomState or None, default=None
        Draws the folds.

    Attributes
    ----------
    classes_ : array, labels in the order of the columns of `predict_set`.
    estimator_ : the model trained on all rows.
    estimators_ : list, one model per fold.
    scores_ : array, out-of-fold scores of the true labels.
    rank_ : int, the rank k.
    report_ : Report with the proven level.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from certus.evaluation import CrossConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CrossConformalClassifier(GaussianNB(), cv=5, random_state=0).fit(X, y)
    >>> model.predict_set(X[:2]).shape
    (2, 3)
    """

    _constraints = {
        "score": [OneOf(*LABEL_SCORES)],
        "method": [OneOf(*METHODS)],
        "cv": [Interval(2, None, closed="left", integer=True), OneOf(LEAVE_ONE_OUT)],
        "estimator": [InstanceOf(object)],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        confidence: float = 0.9,
        score: str = "lac",
        method: str = "plus",
        cv: int | str = 10,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.confidence = confidence
        self.score = score
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: TableLike, y: TargetLike) -> CrossConformalClassifier:
        """Train one model without each fold, and one on all rows."""
        self._check_parameters()
        check_lengths(X, y)
        labels = np.asarray(y).reshape(-1)
        self.classes_ = np.unique(labels)
        codes = label_codes(labels, self.classes_)
        self.rank_ = split_rank(len(labels), self.confidence)
        self.fold_of_row_ = draw_folds(len(labels), self.cv, self.random_state)
        self.estimators_ = fit_without_folds(self.estimator, X, labels, self.fold_of_row_, self.n_jobs)
        self.scores_ = np.empty(len(labels))
        for fold, model in enumerate(self.estimators_):
            positions, rows = rows_of_fold(X, self.fold_of_row_, fold)
            self.scores_[positions] = self._label_scores(model, rows)[np.arange(len(positions)), codes[positions]]
        self.estimator_ = clone(self.estimator).fit(X, labels)
        sizes = np.bincount(self.fold_of_row_).tolist()
        self.report_ = Report([cross_certificate(sizes, confidence=self.confidence, method=self.method, subject="set")])
        return self

    def predict(self, X: TableLike) -> NDArray[Any]:
        """Label of the model that was trained on all rows."""
        check_is_fitted(self, "report_")
        return np.asarray(self.estimator_.predict(X))

    def predict_set(self, X: TableLike) -> NDArray[np.bool_]:
        """Which labels belong to the set of every row: shape (rows, classes), columns as in `classes_`."""
        check_is_fitted(self, "report_")
        candidates = np.stack([self._label_scores(model, X) for model in self.estimators_], axis=2)
        return cross_set(candidates, self.scores_, self.fold_of_row_, self.rank_, self.method)

    def _label_scores(self, model: Any, X: TableLike) -> NDArray[np.float64]:
        """Scores in the columns of `classes_`; a class that the fold model never saw has probability 0."""
        seen = class_response(model, X, probabilities=True)
        response = np.zeros((len(seen), len(self.classes_)))
        response[:, label_codes(model.classes_, self.classes_)] = seen
        return LABEL_SCORES[self.score](check_response(response, len(self.classes_), self.score))
