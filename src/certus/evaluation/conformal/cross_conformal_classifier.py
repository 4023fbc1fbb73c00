"""CV+, jackknife+ and minmax sets for classification."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from certus.base import OneOf, TableLike, TargetLike
from certus.evaluation.conformal.any_rows import label_codes
from certus.evaluation.conformal.conformal_wrapper import CrossWrapper
from certus.evaluation.conformal.label_scores import LABEL_SCORES, check_response
from certus.guarantees.conformal import cross_set
from certus.guarantees.holdout import class_response


class CrossConformalClassifier(ClassifierMixin, CrossWrapper):
    """Sets of labels from classifiers that were each trained without one fold.

    With R_i the score of row i under the model that did not see it, and k = ceil((n + 1) * confidence), a label
    is left out when at least k rows have R_i below its score under the same model ("plus"), or below its
    smallest score under any model ("minmax"). The proven level is in `report_`; see `CrossConformalRegressor`.

    Parameters
    ----------
    estimator : classifier with predict_proba
        Trained once per fold, and once on all rows for `predict`.
    score : {"lac", "aps"}, default="lac"
        As for `SplitConformalClassifier`.

    Attributes
    ----------
    classes_ : array, labels in the order of the columns of `predict_set`.
    scores_ : array, out-of-fold scores of the true labels.

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

    _constraints = {**CrossWrapper._constraints, "score": [OneOf(*LABEL_SCORES)]}
    _subject = "set"

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
        self._set_parameters(locals())

    def _read_target(self, y: TargetLike) -> NDArray[Any]:
        labels = np.asarray(y).reshape(-1)
        self.classes_ = np.unique(labels)
        return labels

    def _scores_of(self, model: Any, X: TableLike, target: NDArray[Any]) -> NDArray[np.float64]:
        return self._label_scores(model, X)[np.arange(len(target)), label_codes(target, self.classes_)]

    def _keep(self, scores: NDArray[np.float64]) -> None:
        self.scores_ = scores

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
