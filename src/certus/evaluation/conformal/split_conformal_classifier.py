"""Split conformal sets for classification, also per group and per class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from certus.base import Boolean, OneOf, TableLike, TargetLike
from certus.evaluation.conformal.any_rows import label_codes
from certus.evaluation.conformal.conformal_wrapper import SplitWrapper
from certus.evaluation.conformal.label_scores import LABEL_SCORES, check_response
from certus.guarantees import GroupCalibration
from certus.guarantees.holdout import class_response


class SplitConformalClassifier(ClassifierMixin, SplitWrapper):
    """Sets of labels that contain the true one with the stated probability, whatever the model.

    The score s(x, y) of the true labels of held-out rows is sorted; with n of them the threshold q is the
    score of rank ceil((n + 1) * confidence), and the set of a new row is {y : s(x, y) <= q}. With too few
    rows it is the set of all classes. Sets may be empty: then no label fits as well as it should.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The model. `fit` trains a clone, `calibrate` takes it as fitted. With None the rows are themselves
        class probabilities, one column for each of `classes`.
    score : {"lac", "aps"}, default="lac"
        "lac" keeps the labels of sufficient probability (or decision value) and gives the smallest sets;
        "aps" adds labels from the likeliest down and adapts better to hard rows.
    per_class : bool, default=False
        Calibrate every class by itself, so that the promise holds for the rows of each class.
    classes : array-like, default=None
        The labels that belong to the columns; needed only when `estimator` is None.

    Attributes
    ----------
    classes_ : array
        Labels in the order of the columns of `predict_set`.
    calibration_ : Calibration or GroupCalibration
        Threshold, rank k of n, delivered level and floor; with groups or `per_class`, one for each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from certus.evaluation import SplitConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SplitConformalClassifier(GaussianNB(), random_state=0).fit(X, y)
    >>> model.predict_set(X[:2]).shape
    (2, 3)
    """

    _constraints = {**SplitWrapper._constraints, "score": [OneOf(*LABEL_SCORES)], "per_class": [Boolean()]}
    _subject, _bare = "set", "probabilities"

    def __init__(
        self,
        estimator: Any = None,
        *,
        confidence: float = 0.9,
        score: str = "lac",
        per_class: bool = False,
        assurance: float | None = None,
        classes: TargetLike | None = None,
        calibration_size: float = 0.25,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self._set_parameters(locals())

    def predict(self, X: TableLike) -> NDArray[Any]:
        """Label of the model; for bare probabilities the likeliest one."""
        if self.estimator is None:
            return np.asarray(self.classes_[np.argmax(self._response(X), axis=1)])
        return np.asarray(self.estimator_.predict(X))

    def predict_set(self, X: TableLike, groups: TargetLike | None = None) -> NDArray[np.bool_]:
        """Which labels belong to the set of every row: shape (rows, classes), columns as in `classes_`.

        Parameters
        ----------
        X : array-like
            Rows (class probabilities when `estimator` is None).
        groups : array-like, default=None
            Group of every row, if groups were used in calibration.
        """
        scores = self._label_scores(X)
        if self.per_class:
            return scores <= self._class_thresholds(groups)
        return scores <= self._thresholds(len(scores), groups)[:, None]

    def _calibrate(self, X: TableLike, y: TargetLike, groups: TargetLike | None) -> Self:
        if self.per_class and groups is not None:
            raise ValueError(
                "groups cannot be combined with per_class=True.\nHint: calibrate by group or by class, not both."
            )
        self.classes_ = self._known_classes()
        codes = label_codes(y, self.classes_)
        scores = self._label_scores(X)[np.arange(len(codes)), codes]
        if self.per_class:
            return self._store_calibration(scores, self.classes_[codes], group_word="class")
        return self._store_calibration(scores, groups)

    def _class_thresholds(self, groups: TargetLike | None) -> NDArray[np.float64]:
        """Threshold of every class; a class without calibration rows is always in the set."""
        if groups is not None or not isinstance(self.calibration_, GroupCalibration):
            raise ValueError("groups were given, but the calibration was made per class.\nHint: leave groups out.")
        by_class = self.calibration_.by_group
        return np.array(
            [by_class[label].threshold if label in by_class else np.inf for label in self.classes_.tolist()]
        )

    def _known_classes(self) -> NDArray[Any]:
        if self.estimator is not None:
            return np.asarray(self.estimator_.classes_)
        if self.classes is None:
            raise ValueError(
                "classes must name the columns of the probabilities when estimator is None, got None.\n"
                "Hint: classes=[0, 1] for a table with the columns 0 and 1."
            )
        return np.asarray(self.classes)

    def _label_scores(self, X: TableLike) -> NDArray[np.float64]:
        return LABEL_SCORES[self.score](self._response(X))

    def _response(self, X: TableLike) -> NDArray[np.float64]:
        raw = X if self.estimator is None else class_response(self.estimator_, X, probabilities=self.score == "aps")
        return check_response(raw, len(self.classes_), self.score)
