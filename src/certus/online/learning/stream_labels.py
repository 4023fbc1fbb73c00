"""The labels of a stream: which are known, and which may join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from certus.base import check_target


class StreamLabels:
    """What classifiers of a stream share about their labels; not a learner by itself."""

    classes: Sequence[Any] | None
    classes_: NDArray[Any]
    _codes: dict[Any, float]

    def _known_targets(self, y: Any) -> NDArray[Any]:
        labels = check_target(self, y)
        if labels.dtype.kind not in "biuU" and not (labels.dtype.kind == "f" and (labels == np.floor(labels)).all()):
            check_classification_targets(labels)
        if "classes_" not in vars(self):
            self._set_classes(np.array([], dtype=labels.dtype) if self.classes is None else np.unique(self.classes))
        self._refuse_another_kind(labels)
        if self.classes is not None:
            known = np.isin(labels, self.classes_)
            if not known.all():
                row = int(np.flatnonzero(~known)[0])
                raise ValueError(
                    f"row {row}: the label {labels[row].item()!r} is not among classes={self.classes_.tolist()}.\n"
                    "Hint: leave `classes` out to let new labels join."
                )
        return labels

    def _refuse_another_kind(self, labels: NDArray[Any]) -> None:
        """Numbers do not join texts, nor texts numbers."""
        if len(self.classes_) and _are_texts(labels) != _are_texts(self.classes_):
            kinds = ("numbers", "texts")
            raise ValueError(
                f"the label {labels[0].item() if labels.dtype != object else labels[0]!r} does not go with the known "
                f"ones {self.classes_.tolist()}, which are {kinds[_are_texts(self.classes_)]}.\n"
                "Hint: give all labels as texts, or all as numbers."
            )

    def _set_classes(self, classes: NDArray[Any]) -> None:
        self.classes_ = classes
        self._codes = {label: float(place) for place, label in enumerate(classes.tolist())}

    def _known_before(self) -> list[Any]:
        """The labels that were known before the first trial."""
        known = vars(self).get("told_classes_") if self.classes is None else self.classes
        return [] if known is None else np.unique(known).tolist()

    def _first_trials(self, labels: NDArray[Any]) -> list[int]:
        """The trial from which on there is a function of every label; the first two share one from the beginning."""
        told, known = labels.tolist(), self._known_before()
        order = [*known, *(label for label in dict.fromkeys(told) if label not in known)]
        sure = max(2, len(known))
        return [0 if order.index(label) < sure else told.index(label) for label in self.classes_.tolist()]


def _are_texts(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind == "U" or (labels.dtype == object and isinstance(labels[0], str))
