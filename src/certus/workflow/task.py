"""Step 1, the task: what is to be predicted, and how success is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from certus.workflow.errors import StudyError

Kind = Literal["binary", "multiclass", "regression"]

# A whole-number target with at most this many different values is read as labels.
LARGEST_LABEL_COUNT = 20


@dataclass(frozen=True)
class Task:
    """What a study is asked to do."""

    kind: Kind
    target: str
    measure: Literal["error", "rmse"]
    guess: str  # what was inferred, and the option that overrides it

    @property
    def classification(self) -> bool:
        """Whether labels are predicted rather than numbers."""
        return self.kind != "regression"


def infer_task(frame: pl.DataFrame, target: str | None, kind: str | None = None) -> Task:
    """Decide between classification and regression from the target column, unless the user says which."""
    if target is None:
        raise StudyError(f"Which column is to be predicted?\nHint: --target NAME with one of {frame.columns}.")
    if target not in frame.columns:
        raise StudyError(f"The table has no column {target!r}.\nHint: its columns are {frame.columns}.")
    column = frame[target].drop_nulls()
    values = column.n_unique()
    if values < 2:
        raise StudyError(
            f"The target column {target!r} has {values} different value(s); there is nothing to learn.\n"
            "Hint: choose another --target."
        )
    if kind not in (None, "classification", "regression"):
        raise StudyError(f"--task must be 'classification' or 'regression'. Got {kind!r} instead.")
    numeric = column.dtype.is_numeric()
    if kind == "regression" and not numeric:
        raise StudyError(
            f"Regression needs numbers, but the target column {target!r} holds {column.dtype}.\n"
            "Hint: --task classification, or mend the column."
        )
    if kind is None:
        labels = not numeric or (column.dtype.is_integer() and values <= LARGEST_LABEL_COUNT) or values == 2
        kind = "classification" if labels else "regression"
    if kind == "regression":
        return Task("regression", target, "rmse", f"regression on {target!r} (--task overrides)")
    exact: Kind = "binary" if values == 2 else "multiclass"
    return Task(exact, target, "error", f"{exact} classification of {target!r}, {values} classes (--task overrides)")
