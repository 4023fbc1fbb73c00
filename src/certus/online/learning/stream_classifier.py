"""Online classifiers: labels become places among the known ones, of which there may be more at any time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from certus.base import Classifier, TableLike, fit_method, predict_method
from certus.base.inputs import WeightsLike
from certus.base.params import ArrayLike, Exactly
from certus.online._native_calls import stream_kernels
from certus.online._native_calls.stream_kernels import WHOLE, Array
from certus.online.learning.stream_labels import StreamLabels
from certus.online.learning.stream_learner import STREAM_CONSTRAINTS, StreamLearner
from certus.online.learning.stream_rows import as_codes, joined

NOTHING = np.empty(0)
FEW = 16  # labels up to which comparing with each is faster than sorting
CLASSIFIER_CONSTRAINTS = {**STREAM_CONSTRAINTS, "classes": [Exactly(None), ArrayLike()]}


class StreamClassifier(StreamLabels, StreamLearner, Classifier):
    """Online linear classifier.

    Two labels are one problem; more are one problem each, the label against the rest. A label that is met for the
    first time counts as a mistake and is learned from then on, and so does a tie, for which `run` predicts None.

    Parameters
    ----------
    classes : array-like, optional
        The labels, if no others may come.
    """

    _classifies = True
    classes: Sequence[Any] | None
    told_classes_: NDArray[Any]

    def _target(self, y: Any) -> float | None:
        try:
            return self._codes.get(y)
        except (AttributeError, TypeError):
            return None

    def _start(self, columns: int) -> None:
        super()._start(columns)
        if "classes_" not in vars(self) and self.classes is not None:
            self._set_classes(np.unique(self.classes))
        for place in range(2, len(vars(self).get("classes_", ()))):
            self._make_problem(place, place)

    def _learn_rows(self, table: Any, y: NDArray[Any], shares: Array = WHOLE, *, tells: bool = True) -> NDArray[Any]:
        """Learn rows, in parts between which a new label joins; returns what was predicted before each."""
        if "state_" not in vars(self):
            self._start(table.shape[1])
        if len(self.classes_) == 2:  # small batches take longer to be looked at than to be learned
            second = y == self.classes_[1]
            if (second | (y == self.classes_[0])).all():
                return self._learn_codes(table, second.astype(np.float64), shares, tells=tells)
        new = _first_of_new(y, self.classes_)
        if not new:
            return self._learn_codes(table, as_codes(y, self.classes_), shares, tells=tells)
        parts, start = [], 0
        for row in new:
            parts.append(self._learn_known(table[start:row], y[start:row], shares[start:row]))
            parts.append(self._learn_new(table[row : row + 1], y[row : row + 1], shares[row : row + 1]))
            start = row + 1
        parts.append(self._learn_known(table[start:], y[start:], shares[start:]))
        return joined(parts)

    def _learn_known(self, table: Any, y: NDArray[Any], shares: Array) -> NDArray[Any]:
        if not len(y):
            return np.array([])
        return self._learn_codes(table, as_codes(y, self.classes_), shares)

    def _learn_codes(self, table: Any, codes: Array, shares: Array, *, tells: bool = True) -> NDArray[Any]:
        scores = stream_kernels.learn(self._kernel(), table, codes, self.state_.problems, shares)
        self._note(scores)
        return self._played(scores) if tells else NOTHING

    def _learn_new(self, table: Any, y: NDArray[Any], shares: Array) -> NDArray[Any]:
        """A row whose label nobody knew: whatever was predicted, it was a mistake."""
        predicted = self._played(self._scores(table))
        self._join(y[0])
        mistakes = self.state_.number("mistakes")[0] + 1.0
        self._learn_known(table, y, shares)
        self.state_.number("mistakes")[0] = mistakes
        return predicted

    def _join(self, label: Any) -> None:
        """Let a label join."""
        place = int(np.searchsorted(self.classes_, label)) if len(self.classes_) else 0
        known = len(self.classes_)
        classes = np.insert(self.classes_.astype(np.result_type(self.classes_, np.asarray(label))), place, label)
        if known == 1 and place == 0:
            self.state_.flip()
            if (played := vars(self).get("_scores_played")) is not None:
                played.flip()
        elif known >= 2:
            self._make_problem(known, place)
        self._set_classes(classes)
        self._changed()

    def _make_problem(self, known: int, place: int) -> None:
        played = vars(self).get("_scores_played")
        if known == 2:
            self.state_.split()
            if played is not None:
                played.split()
        self.state_.add_problem(place)
        if played is not None:
            played.insert(place)

    @fit_method
    def partial_fit(self, X: TableLike, y: Any, classes: Any = None, sample_weight: WeightsLike = None) -> Self:
        """Learn from a further batch of rows.

        Parameters
        ----------
        classes : array-like, optional
            Labels that are known to come; others may join.
        """
        if classes is not None and "classes_" not in vars(self):
            self.told_classes_ = np.unique(classes)
            self._set_classes(self.told_classes_)
        self._learn(X, y, sample_weight, played=False)
        return self

    def _labels(self, scores: Array) -> NDArray[Any]:
        known = len(vars(self).get("classes_", ()))
        if known == 0 or scores.shape[1] == 0:
            return np.full(len(scores), None, dtype=object)
        if known == 1:
            return np.repeat(self.classes_, len(scores))
        places = (scores[:, 0] > 0.0).astype(np.intp) if known == 2 else scores.argmax(axis=1)
        return self.classes_[places]

    def _played(self, scores: Array) -> NDArray[Any]:
        """The labels along the stream: None where no label is ahead of the others, which counts as a mistake."""
        labels = self._labels(scores)
        if scores.shape[1] == 0:
            return labels
        ahead = scores[:, 0] < 0.0 if len(self.classes_) == 1 else scores[:, 0] != 0.0
        if scores.shape[1] > 1:
            ahead = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1
        if not ahead.all():
            labels = labels.astype(object)
            labels[~ahead] = None
        return labels

    def _played_one(self, scores: Array) -> Any:
        """The same of one row; most streams have two labels, and then there is little to look at."""
        if len(scores) != 1 or len(self._codes) != 2:
            return super()._played_one(scores)
        score = scores[0]
        return next((label for label, code in self._codes.items() if code == (score > 0.0)), None) if score else None

    @predict_method
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Scores of the classes."""
        scores = self._values(self._read_new(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _values(self, table: Any) -> Array:
        """The scores that predictions of rows to come rest on."""
        return self._scores(table)

    @predict_method
    def predict(self, X: Any) -> NDArray[Any]:
        """Predicted labels."""
        return self._labels(self._values(self._read_new(X)))

    def _restored(self) -> None:
        if "state_" in vars(self):
            if self.state_.rule != self._rule():
                raise ValueError("state_ is that of another rule.")
            if self.state_.problems != (1 if len(self.classes_) < 3 else len(self.classes_)):
                raise ValueError("state_ does not have one problem per class.")
            check_columns(self)
            self._set_classes(self.classes_)
            told = vars(self).get("told_classes_", self.classes_)
            if not isinstance(told, np.ndarray) or not np.isin(told, self.classes_).all():
                raise ValueError("told_classes_ must be labels of classes_.")


def _first_of_new(y: NDArray[Any], classes: NDArray[Any]) -> list[int]:
    """The rows at which labels that are not among the classes come for the first time."""
    if len(classes) > FEW:
        return _by_sorting(y, classes)
    unknown = np.ones(len(y), dtype=bool)
    for label in classes:
        unknown &= y != label
    found: list[int] = []
    while len(found) <= FEW and unknown.any():
        found.append(int(np.argmax(unknown)))
        unknown &= y != y[found[-1]]
    return _by_sorting(y, classes) if unknown.any() else found


def _by_sorting(y: NDArray[Any], classes: NDArray[Any]) -> list[int]:
    labels, first = np.unique(y, return_index=True)
    return sorted(first[~np.isin(labels, classes)].tolist())


def check_columns(learner: StreamLearner) -> None:
    """Refuse a restored state that does not fit to the columns."""
    names = vars(learner).get("names_")
    if names is None or learner.hash_bits:
        wanted = 2 ** (learner.hash_bits or 0) if names is not None else learner.n_features_in_
        if learner.state_.columns != wanted:
            raise ValueError("state_ does not have one entry per column.")
    elif sorted(names.values()) != list(range(len(names))) or len(names) > learner.state_.columns:
        raise ValueError("names_ does not number the columns.")
