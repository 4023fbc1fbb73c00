"""The model that a study hands over: the winner together with the calibration of its sets or intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from certus.base import register_part
from certus.guarantees import Calibration, Report, calibrate
from certus.guarantees.conformal import outward
from certus.workflow.fold_models import FoldModels
from certus.workflow.response import gives_probabilities, shares_of
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
        "folds_",
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
        self.folds_: FoldModels | None = None
        self.feature_names_in_ = model.feature_names_in_
        self.n_features_in_ = model.n_features_in_
        self.report_ = Report()

    def predict(self, X: Any) -> NDArray[Any]:
        """The number or the most probable label of every row; with declared costs the label of least mean cost."""
        if self.several:
            return self.classes_[np.arange(len(self.classes_)), np.asarray(self.model_.predict(X), dtype=np.intp)]
        if not self._decides_by_shares:
            return np.asarray(self.model_.predict(X))
        return self._decide(self.shares(X))

    @property
    def _decides_by_shares(self) -> bool:
        return not self.several and (self.gives_probabilities or getattr(self, "costs_", None) is not None)

    def _decide(self, shares: NDArray[np.float64]) -> NDArray[Any]:
        costs = getattr(self, "costs_", None)
        return self.classes_[np.argmax(shares, axis=1) if costs is None else np.argmin(shares @ costs, axis=1)]

    def predict_all(self, X: Any) -> tuple[NDArray[Any], NDArray[np.float64] | None, NDArray[Any] | None]:
        """Answers, probabilities, and sets or intervals, each as its own method gives it, in one go.

        None for what the model does not give.
        """
        if not hasattr(self, "classes_"):
            answers = self.predict(X)
            return answers, None, self._interval(X, answers) if self.gives_sets else None
        shares = self.shares(X)
        answers = self._decide(shares) if self._decides_by_shares else self.predict(X)
        inside = self._inside(X, shares) if self.gives_sets else None
        return answers, shares if self.gives_probabilities else None, inside

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

    @property
    def gives_sets(self) -> bool:
        """Whether the model was calibrated, on rows of their own or by cross-validation."""
        return self.threshold_ is not None or getattr(self, "folds_", None) is not None

    def calibrate(self, X: Any, y: NDArray[Any], confidence: float) -> Calibration:
        """Learn from rows that the model has not seen how unusual an answer may be."""
        subject = "set" if hasattr(self, "classes_") else "interval"
        calibration = calibrate(self.scores(X, y), confidence=confidence, subject=subject)
        self.threshold_ = float(calibration.threshold)
        return calibration

    def scores(self, X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
        """How unusual each true answer is: 1 - its share, or its distance from the prediction."""
        if not hasattr(self, "classes_"):
            return np.abs(np.asarray(y, dtype=np.float64) - np.asarray(self.model_.predict(X), dtype=np.float64))
        if self.several:  # a row is as unusual as the most unusual of its labels
            said = self.shares(X)
            return np.max(np.where(np.asarray(y) == self.classes_[:, 1], 1.0 - said, said), axis=1)
        places = np.searchsorted(self.classes_, y)
        return 1.0 - self.shares(X)[np.arange(len(places)), places]

    def missed(self, X: Any, y: NDArray[Any]) -> NDArray[np.bool_]:
        """For every row whether its true answer lies outside its set or interval."""
        if not hasattr(self, "classes_"):
            low, high = self.predict_interval(X).T
            return (y < low) | (y > high)
        if self.several:
            inside, second = self.predict_set(X), np.asarray(y) == self.classes_[:, 1]
            return np.asarray(~np.where(second, inside[:, :, 1], inside[:, :, 0]).all(axis=1))
        return ~self.predict_set(X)[np.arange(len(y)), np.searchsorted(self.classes_, y)]

    def predict_set(self, X: Any) -> NDArray[np.bool_]:
        """For every row and label whether it cannot be ruled out; the answer itself never is.

        With several targets for every row, target and one of its two labels: the sets of all targets together
        contain all true labels of a row with the stated probability.
        """
        self._check_sets()
        return self._inside(X, self.shares(X))

    def _inside(self, X: Any, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
        if self.several:
            assert self.threshold_ is not None
            both = np.stack([1.0 - shares, shares], axis=2)
            return (1.0 - both <= self.threshold_) | (both == both.max(axis=2, keepdims=True))
        if self.threshold_ is not None:
            inside = 1.0 - shares <= self.threshold_
        else:
            assert self.folds_ is not None
            inside = self.folds_.sets(X, self.classes_)
        inside[np.arange(len(shares)), np.argmax(shares, axis=1)] = True
        return inside

    def predict_interval(self, X: Any) -> NDArray[np.float64]:
        """For every row the least and the largest number that cannot be ruled out; the answer itself never is."""
        self._check_sets()
        return self._interval(X, self.predict(X))

    def _interval(self, X: Any, answers: NDArray[Any]) -> NDArray[np.float64]:
        answers = answers.astype(np.float64)
        if self.threshold_ is not None:
            radius = np.full(len(answers), self.threshold_)
            return np.column_stack([-outward(-answers, radius), outward(answers, radius)])
        assert self.folds_ is not None
        low, high = self.folds_.intervals(X).T
        return np.column_stack([np.minimum(low, answers), np.maximum(high, answers)])

    def _check_sets(self) -> None:
        if not self.gives_sets:
            raise ValueError(
                "The model has no sets: it was not calibrated.\n"
                "Hint: a study calibrates unless rows are very few or ordered by time (--order)."
            )

    def __repr__(self) -> str:
        return f"StudyModel({self.model_!r}, target={self.target_!r})"
