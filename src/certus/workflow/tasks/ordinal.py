"""Labels that have an order: grades, ratings, sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.declared_costs import rank_measure
from certus.workflow.measures import Measure
from certus.workflow.options import Options
from certus.workflow.study_error import StudyError
from certus.workflow.tasks.kind_of_task import Kind
from certus.workflow.tasks.label_task import LabelTask

_WORDS = (
    ("never", "rarely", "sometimes", "often", "always"),
    ("none", "mild", "moderate", "severe"),
    ("very low", "low", "medium", "high", "very high"),
    ("very low", "low", "moderate", "high", "very high"),
    ("tiny", "small", "medium", "large", "huge"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("very bad", "bad", "neutral", "good", "very good"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
)
_NUMBERED = re.compile(r"(?P<number>\d+)\D*")


@dataclass(frozen=True, eq=False)
class OrdinalTask(LabelTask):
    """The classification of rows by levels, from the lowest to the highest."""

    kind: ClassVar[Kind] = "ordinal"

    @classmethod
    def create(cls, target: str, levels: NDArray[Any], options: Options) -> LabelTask:
        """From the labels of the target's column in their order."""
        if options.positive is not None:
            raise StudyError(
                "positive is for two classes, but these are levels.\nHint: choose task='classification'.",
                options=["positive", "task"],
            )
        return cls.asked(target, levels, " < ".join(map(str, levels)), options, "levels")

    @classmethod
    def find_measure(cls, labels: NDArray[Any], options: Options) -> Measure:
        """As for all labels; ``mae`` is the distance in levels."""
        found = super().find_measure(labels, options)
        return rank_measure(labels) if found.name == "mae" else found


def known_order(column: pl.Series) -> list[Any] | None:
    """The labels from the lowest to the highest, if the column's type, its words or leading numbers tell; else None.

    Whole numbers alone tell nothing: they may be names of classes as well as grades.
    """
    present = column.unique()
    if isinstance(column.dtype, pl.Enum):
        return [level for level in column.dtype.categories if level in set(present)]
    if column.dtype != pl.String or len(present) < 3:
        return None
    texts = {text.strip().lower().replace("_", " "): text for text in present}
    for scale in _WORDS:
        if set(texts) <= set(scale):
            return [texts[word] for word in scale if word in texts]
    numbered = {text: _NUMBERED.fullmatch(text.strip()) for text in present}
    if all(numbered.values()):
        ends = {text: int(match["number"]) for text, match in numbered.items() if match is not None}
        if len(set(ends.values())) == len(ends):
            return sorted(ends, key=ends.__getitem__)
    return None


def in_levels(labels: NDArray[Any], levels: Sequence[Any]) -> NDArray[Any]:
    """The labels in the order in which the user names them."""
    by_text = {str(label): label for label in labels}
    named = [str(level) for level in levels]
    if sorted(named) != sorted(by_text):
        raise StudyError(
            f"levels must name every label once, from the lowest to the highest, got {', '.join(named)}.\n"
            f"Hint: the labels are {', '.join(by_text)}.",
            options=["levels"],
        )
    return np.array([by_text[name] for name in named])
