"""Two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from certus.evaluation import Display, PrecisionRecallDisplay, RocDisplay
from certus.guarantees import Certificate
from certus.verbs import certify
from certus.workflow.options import Options
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.judged import Judged
from certus.workflow.tasks.kind_of_task import Kind
from certus.workflow.tasks.label_task import LabelTask

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class BinaryTask(LabelTask):
    """The classification of rows by two labels, of which one is the positive one."""

    kind: ClassVar[Kind] = "binary"

    @classmethod
    def create(cls, target: str, labels: Array, options: Options) -> LabelTask:
        """From the sorted labels of the target's column."""
        ordered = cls._positive_last(labels, options.positive)
        return cls.asked(target, ordered, f"2 classes, positive is {ordered[-1]}", options, "positive")

    @staticmethod
    def _positive_last(labels: Array, positive: str | None) -> Array:
        by_text = {str(label): label for label in labels}
        if positive is None or str(labels[1]) == positive:
            return labels
        if positive not in by_text:
            raise StudyError(
                f"positive: {positive!r} is not among the labels.\nHint: they are {', '.join(by_text)}.",
                options=["positive"],
            )
        return labels[::-1]

    def bound_auc(self, judged: Judged) -> Certificate:
        """The area under the ROC curve."""
        assert judged.probabilities is not None
        truth, predictions = (np.asarray(one, dtype=np.intp) for one in (judged.truth, judged.predictions))
        scores = judged.probabilities[:, 1]
        report = certify(y_true=truth, y_pred=predictions, y_score=scores, positive=1, confidence=judged.confidence)
        return report["area under the ROC curve"]

    def curves(self, truth: Array, probabilities: Array, confidence: float) -> list[tuple[str, Display]]:
        if len(np.unique(truth)) < 2:
            return []
        return [
            ("Hits and false alarms", RocDisplay.from_predictions(truth, probabilities[:, 1], confidence=confidence)),
            ("Precision and recall", PrecisionRecallDisplay(truth, probabilities[:, 1], confidence)),
        ]
