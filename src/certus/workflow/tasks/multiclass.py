"""Several classes without an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from certus.workflow.options import Options
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.kind_of_task import Kind
from certus.workflow.tasks.label_task import LabelTask


@dataclass(frozen=True, eq=False)
class MulticlassTask(LabelTask):
    """The classification of rows by three or more labels."""

    kind: ClassVar[Kind] = "multiclass"

    @classmethod
    def create(cls, target: str, labels: NDArray[Any], options: Options) -> LabelTask:
        """From the sorted labels of the target's column."""
        if options.positive is not None:
            raise StudyError(
                f"positive is for two classes, but there are {len(labels)}.\nHint: leave it out.", options=["positive"]
            )
        return cls.asked(target, labels, f"{len(labels)} classes", options)
