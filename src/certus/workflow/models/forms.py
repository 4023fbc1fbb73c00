"""What a model predicts: numbers, one label of several, or a set of labels; and the sets or intervals around it.

A response is the raw output of a model: numbers; or for every row and label how strongly the model speaks for it; or
for every row and target how probable its second label is.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from certus.base import TableLike
from certus.evaluation import SplitConformalClassifier, SplitConformalRegressor, label_response
from certus.evaluation.conformal import INTERVAL_SCORES
from certus.guarantees import Calibration, calibrate
from certus.workflow.models.blend import Blend
from certus.workflow.models.fold_models import FoldModels

Floats = NDArray[np.float64]
Trained: TypeAlias = Pipeline | Blend


class Form(Protocol):
    """One kind of prediction."""

    subject: Literal["set", "interval"]

    def respond(self, model: Trained, X: TableLike) -> Floats:
        """The raw output of a trained model."""
        ...

    def decide(self, response: Floats) -> NDArray[Any]:
        """The predictions that follow from a response."""
        ...

    def calibrate(self, response: Floats, y: NDArray[Any], confidence: float) -> Calibration:
        """The threshold of sets or intervals, from rows that the model has not seen."""
        ...

    def scores(self, response: Floats, y: NDArray[Any]) -> Floats:
        """How unusual the truth of every row is."""
        ...

    def within(self, response: Floats, threshold: float) -> NDArray[Any]:
        """Sets or intervals by a threshold."""
        ...

    def within_folds(self, response: Floats, folds: FoldModels, X: TableLike) -> NDArray[Any]:
        """Sets or intervals by models trained without each fold."""
        ...

    def missed(self, inside: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
        """For every row whether its truth lies outside."""
        ...

    def size(self, inside: NDArray[Any]) -> float:
        """Mean number of labels in a set, or mean length of an interval."""
        ...


class Numbers:
    """Numbers, with intervals around them."""

    subject: Literal["set", "interval"] = "interval"

    def respond(self, model: Trained, X: TableLike) -> Floats:
        return np.asarray(model.predict(X), dtype=np.float64)

    def decide(self, response: Floats) -> NDArray[Any]:
        return response

    def calibrate(self, response: Floats, y: NDArray[Any], confidence: float) -> Calibration:
        found = SplitConformalRegressor(confidence=confidence).calibrate(response, y).calibration_
        assert isinstance(found, Calibration)
        return found

    def scores(self, response: Floats, y: NDArray[Any]) -> Floats:
        return INTERVAL_SCORES["absolute"].score(response[:, None], np.asarray(y, dtype=np.float64))

    def within(self, response: Floats, threshold: float) -> NDArray[Any]:
        return INTERVAL_SCORES["absolute"].interval(response[:, None], np.full(len(response), threshold))

    def within_folds(self, response: Floats, folds: FoldModels, X: TableLike) -> NDArray[Any]:
        low, high = folds.intervals(X).T
        return np.column_stack([np.minimum(low, response), np.maximum(high, response)])

    def missed(self, inside: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
        return (y < inside[:, 0]) | (y > inside[:, 1])

    def size(self, inside: NDArray[Any]) -> float:
        return float(np.mean(inside[:, 1] - inside[:, 0]))


class Labels:
    """One of several labels, with sets of them.

    Parameters
    ----------
    classes : array
        The labels, sorted.
    costs : array or None
        costs[i, j]: what it costs to predict label j when i is true.
    """

    subject: Literal["set", "interval"] = "set"

    def __init__(self, classes: NDArray[Any], costs: Floats | None) -> None:
        self.classes, self.costs = classes, costs

    def respond(self, model: Trained, X: TableLike) -> Floats:
        return label_response(model, X, self.classes)

    def decide(self, response: Floats) -> NDArray[Any]:
        best = np.argmax(response, axis=1) if self.costs is None else np.argmin(response @ self.costs, axis=1)
        return self.classes[best]

    def calibrate(self, response: Floats, y: NDArray[Any], confidence: float) -> Calibration:
        # Less 1, the wrapper's score is 1 - probability: that is the threshold that saved models keep.
        wrapper = SplitConformalClassifier(confidence=confidence, classes=self.classes)
        found = wrapper.calibrate(response - 1.0, y).calibration_
        assert isinstance(found, Calibration)
        return found

    def scores(self, response: Floats, y: NDArray[Any]) -> Floats:
        return 1.0 - response[self._cells(y)]

    def within(self, response: Floats, threshold: float) -> NDArray[Any]:
        return self._with_prediction(1.0 - response <= threshold, response)

    def within_folds(self, response: Floats, folds: FoldModels, X: TableLike) -> NDArray[Any]:
        return self._with_prediction(folds.sets(X, self.classes), response)

    def _with_prediction(self, inside: NDArray[np.bool_], response: Floats) -> NDArray[np.bool_]:
        inside[np.arange(len(response)), np.argmax(response, axis=1)] = True
        return inside

    def missed(self, inside: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
        return ~inside[self._cells(y)]

    def size(self, inside: NDArray[Any]) -> float:
        return float(inside.sum(axis=1).mean())

    def _cells(self, y: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the true labels are in a table of all labels."""
        return np.arange(len(y)), np.searchsorted(self.classes, y)


class LabelSets:
    """One of two labels for each of several targets; the sets of all targets hold together.

    Parameters
    ----------
    classes : array of shape (targets, 2)
        The labels of every target.
    """

    subject: Literal["set", "interval"] = "set"

    def __init__(self, classes: NDArray[Any]) -> None:
        self.classes = classes

    def respond(self, model: Trained, X: TableLike) -> Floats:
        return label_response(model, X, self.classes)

    def decide(self, response: Floats) -> NDArray[Any]:
        return self.classes[np.arange(len(self.classes)), (response > 0.5).astype(np.intp)]

    def calibrate(self, response: Floats, y: NDArray[Any], confidence: float) -> Calibration:
        return calibrate(self.scores(response, y), confidence=confidence, subject="set")

    def scores(self, response: Floats, y: NDArray[Any]) -> Floats:
        """A row is as unusual as the most unusual of its labels."""
        return np.max(np.where(self._second(y), 1.0 - response, response), axis=1)

    def within(self, response: Floats, threshold: float) -> NDArray[Any]:
        both = np.stack([1.0 - response, response], axis=2)
        return (1.0 - both <= threshold) | (both == both.max(axis=2, keepdims=True))

    def within_folds(self, response: Floats, folds: FoldModels, X: TableLike) -> NDArray[Any]:
        raise ValueError("sets of several targets need calibration rows of their own")

    def missed(self, inside: NDArray[Any], y: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(~np.where(self._second(y), inside[:, :, 1], inside[:, :, 0]).all(axis=1))

    def size(self, inside: NDArray[Any]) -> float:
        return float(inside.sum(axis=2).mean())

    def _second(self, y: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(np.asarray(y) == self.classes[:, 1])
