"""The model that a study hands over: the winner together with the calibration of its sets or intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from certus.base.catalogue import register_part
from certus.guarantees import Calibration, Report, calibrate
from certus.workflow.shares import gives_probabilities, shares_of
from certus.workflow.task import Task


@register_part("workflow")
class StudyModel:
    """A trained model that knows its target and, if it was calibrated, which answers it cannot rule out.

    Parameters
    ----------
    model : Pipeline or Blend
        The winner of a study.
    task : Task
        What it predicts.
    """

    _state = (
        "model_",
        "target_",
        "targets_",
        "classes_",
        "costs_",
        "threshold_",
        "feature_names_in_",
        "n_features_in_",
    )

    def __init__(self, model: Any, task: Task) -> None:
        self.model_ = model
        self.target_ = task.target
        if task.several:
            self.targets_ = list(task.targets)
            self.classes_ = task.labels
        elif task.classification:
            order = np.argsort(task.labels, kind="stable")
            self.classes_ = task.labels[order]
            costs = task.measure.costs
            self.costs_ = None if costs is None else costs[np.ix_(order, order)]
        self.threshold_: float | None = None
        self.feature_names_in_ = model.feature_names_in_
        self.n_features_in_ = model.n_features_in_
        self.report_ = Report()

    def predict(self, X: Any) -> NDArray[Any]:
        """The label or number of every row of a data frame; with declared costs the label of least mean cost."""
        costs = getattr(self, "costs_", None)
        if self.several:
            return self.classes_[np.arange(len(self.classes_)), np.asarray(self.model_.predict(X), dtype=np.intp)]
        if costs is None:
            return np.asarray(self.model_.predict(X))
        return self.classes_[np.argmin(self.shares(X) @ costs, axis=1)]

    @property
    def several(self) -> bool:
        """Whether every row gets several labels, one for each of ``targets_``."""
        return hasattr(self, "targets_")

    @property
    def gives_probabilities(self) -> bool:
        """Whether `shares` are probabilities."""
        return hasattr(self, "classes_") and gives_probabilities(self.model_)

    def shares(self, X: Any) -> NDArray[np.float64]:
        """How strongly the model speaks for every label, or every target's second one, between 0 and 1."""
        return shares_of(self.model_, X, self.classes_)

    @available_if(lambda self: self.gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of every label, if the winner gives it."""
        return self.shares(X)

    def calibrate(self, X: Any, y: NDArray[Any], confidence: float) -> Calibration:
        """Learn from rows that the model has not seen how unusual an answer may be."""
        subject = "set" if hasattr(self, "classes_") else "interval"
        calibration = calibrate(self._scores(X, y), confidence=confidence, subject=subject)
        self.threshold_ = float(calibration.threshold)
        return calibration

    def _scores(self, X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
        """How unusual each true answer is: 1 - its share, or its distance from the prediction."""
        if not hasattr(self, "classes_"):
            return np.abs(np.asarray(y, dtype=np.float64) - self.predict(X))
        if self.several:  # a row is as unusual as the most unusual of its labels
            said = self.shares(X)
            return np.max(np.where(np.asarray(y) == self.classes_[:, 1], 1.0 - said, said), axis=1)
        places = np.searchsorted(self.classes_, y)
        return 1.0 - self.shares(X)[np.arange(len(places)), places]

    def predict_set(self, X: Any) -> NDArray[np.bool_]:
        """For every row and label whether it cannot be ruled out; the answer itself never is.

        With several targets for every row, target and one of its two labels: the sets of all targets together
        contain all true labels of a row with the stated probability.
        """
        shares = self.shares(X)
        if self.several:
            both = np.stack([1.0 - shares, shares], axis=2)
            return (1.0 - both <= self._limit()) | (both == both.max(axis=2, keepdims=True))
        inside = 1.0 - shares <= self._limit()
        inside[np.arange(len(shares)), np.argmax(shares, axis=1)] = True
        return inside

    def predict_interval(self, X: Any) -> NDArray[np.float64]:
        """For every row the least and the largest number that cannot be ruled out."""
        answers = self.predict(X).astype(np.float64)
        return np.column_stack([answers - self._limit(), answers + self._limit()])

    def _limit(self) -> float:
        if self.threshold_ is None:
            raise ValueError(
                "The model has no sets: it was not calibrated.\nHint: a study calibrates from 1000 rows on."
            )
        return self.threshold_

    def __repr__(self) -> str:
        return f"StudyModel({self.model_!r}, target={self.target_!r})"
