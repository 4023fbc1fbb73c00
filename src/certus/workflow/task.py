"""Step 1, the task: what is to be predicted, and how success is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.workflow.errors import StudyError
from certus.workflow.measures import Measure, find_measure

Kind = Literal["binary", "multiclass", "regression"]

# A whole-number target with at most this many different values is read as labels.
LARGEST_LABEL_COUNT = 20
# With more classes than this, or classes as rare as rows, the target is more likely a number or a name.
LARGEST_CLASS_COUNT = 1000


@dataclass(frozen=True)
class Task:
    """What a study is asked to do.

    Attributes
    ----------
    kind : {"binary", "multiclass", "regression"}
        What is predicted.
    target : str
        The column to predict.
    measure : Measure
        What success means; lower is better.
    labels : array
        The classes in the order of their positions, the positive one of two last; empty for numbers.
    guess : str
        What was inferred, and the options that override it.
    """

    kind: Kind
    target: str
    measure: Measure
    labels: NDArray[Any]
    guess: str

    @property
    def classification(self) -> bool:
        """Whether labels are predicted rather than numbers."""
        return self.kind != "regression"

    def positions(self, values: NDArray[Any]) -> NDArray[Any]:
        """Targets as positions among the labels, or the numbers themselves."""
        if not self.classification:
            return values
        order = np.argsort(self.labels, kind="stable")
        return order[np.searchsorted(self.labels, values, sorter=order)]


def infer_task(
    frame: pl.DataFrame,
    target: str | None,
    *,
    kind: str | None = None,
    measure: str | None = None,
    positive: str | None = None,
) -> Task:
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
    labels = _wants_labels(column, values, target, kind)
    if not labels:
        chosen = find_measure(measure, "regression")
        guess = f"regression on {target!r}, measured by {chosen.name} (--task, --measure override)"
        return Task("regression", target, chosen, np.empty(0), guess)
    if values > LARGEST_CLASS_COUNT:
        raise StudyError(
            f"The target column {target!r} has {values} different labels.\nHint: is it an identifier, or a number "
            "(--task regression)?"
        )
    exact: Kind = "binary" if values == 2 else "multiclass"
    found = _in_order(np.unique(labels_of(column)), positive, exact)
    chosen = find_measure(measure, exact)
    positive_told = f", positive is {found[1]}" if exact == "binary" else ""
    guess = (
        f"{exact} classification of {target!r}, {values} classes{positive_told}, measured by {chosen.name} "
        f"(--task, --measure{', --positive' if exact == 'binary' else ''} override)"
    )
    return Task(exact, target, chosen, found, guess)


def labels_of(column: pl.Series) -> NDArray[Any]:
    """Labels as an array: whole numbers and truth values as they are, everything else as text."""
    if column.dtype.is_integer() or column.dtype == pl.Boolean:
        return column.to_numpy()
    return np.asarray(column.cast(pl.String).to_list())


def target_values(frame: pl.DataFrame, task: Task) -> NDArray[Any]:
    """The target as the model is to give it: labels or floats."""
    column = frame[task.target]
    return labels_of(column) if task.classification else column.cast(pl.Float64).to_numpy()


def _wants_labels(column: pl.Series, values: int, target: str, kind: str | None) -> bool:
    if kind not in (None, "classification", "regression"):
        raise StudyError(f"--task must be 'classification' or 'regression'. Got {kind!r} instead.")
    numeric = column.dtype.is_numeric()
    if kind == "regression" and not numeric:
        raise StudyError(
            f"Regression needs numbers, but the target column {target!r} holds {column.dtype}.\n"
            "Hint: --task classification, or mend the column."
        )
    if kind is None:
        return not numeric or (column.dtype.is_integer() and values <= LARGEST_LABEL_COUNT) or values == 2
    return kind == "classification"


def _in_order(labels: NDArray[Any], positive: str | None, kind: Kind) -> NDArray[Any]:
    """The labels sorted, the positive one of two last."""
    if positive is None:
        return labels
    if kind != "binary":
        raise StudyError(f"--positive is for two classes; there are {len(labels)}.")
    by_text = {str(label): label for label in labels}
    if positive not in by_text:
        raise StudyError(f"--positive: {positive!r} is not among the labels.\nHint: they are {', '.join(by_text)}.")
    return labels if str(labels[1]) == positive else labels[::-1]
