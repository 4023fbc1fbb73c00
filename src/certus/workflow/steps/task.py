"""Step 1, the task: what is to be predicted, and how success is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from certus.tables import labels_of, type_in_words
from certus.workflow.options import Options, likely_column
from certus.workflow.state import State
from certus.workflow.study_error import StudyError
from certus.workflow.tasks import (
    BinaryTask,
    ClusteringTask,
    MulticlassTask,
    MultiLabelTask,
    OrdinalTask,
    RegressionTask,
    Task,
)
from certus.workflow.tasks.multi_label import named_targets
from certus.workflow.tasks.ordinal import in_levels, known_order

# A whole-number target with at most this many different values is read as labels.
LARGEST_LABEL_COUNT = 20
# With more classes than this, or classes as rare as rows, the target is more likely a number or a name.
LARGEST_CLASS_COUNT = 1000


def decide_task(state: State) -> None:
    """The task that the options name, or that the target's column suggests."""
    state.task = infer_task(state.frame, state.options)
    state.notes.append(state.task.guess)
    if state.task.kind == "multiclass" and state.task.labels.dtype.kind in "iu":
        state.note(
            "whole numbers are read as classes without an order (task=ordinal or task=regression orders them)", "task"
        )


def infer_task(frame: pl.DataFrame, options: Options) -> Task:
    """The kind of task, from the options and the target's column; without a target, clustering."""
    if options.task == "clustering" or (options.task is None and not options.target):
        return ClusteringTask.create(options)
    targets = named_targets(options.target, frame.columns)
    if not targets:
        raise StudyError(
            f"Which column is to be predicted?\nHint: name the target, one of {frame.columns}.", options=["target"]
        )
    for name in targets:
        if name not in frame.columns:
            raise StudyError(f"The table has no column {name!r}.\nHint: {likely_column(name, frame.columns)}.")
    if len(targets) > 1:
        return MultiLabelTask.create(frame, targets, options)
    if options.task == "multi-label":
        raise StudyError(
            "task='multi-label' needs several targets.\nHint: target='first,second,third'.", options=["task", "target"]
        )
    column = frame[targets[0]].drop_nulls()
    if _wants_labels(column, options.task):
        return _task_of_labels(column, options)
    return RegressionTask.create(frame[targets[0]], options)


def _wants_labels(column: pl.Series, task: str | None) -> bool:
    """Whether the target is read as labels rather than numbers."""
    values, numeric = column.n_unique(), column.dtype.is_numeric()
    if values < 2:
        noun = "value" if values == 1 else "values"
        raise StudyError(
            f"The target column {column.name!r} has {values} different {noun}; there is nothing to learn.\n"
            "Hint: choose another target.",
            options=["target"],
        )
    if task == "regression" and not numeric:
        raise StudyError(
            f"Regression needs numbers, but the target column {column.name!r} holds {type_in_words(column.dtype)}.\n"
            "Hint: choose task='classification', or fix the column.",
            options=["task"],
        )
    if task is None:
        return not numeric or (column.dtype.is_integer() and values <= LARGEST_LABEL_COUNT) or values == 2
    return task != "regression"


def _task_of_labels(column: pl.Series, options: Options) -> Task:
    """What kind of labels these are, and in which order."""
    values = column.n_unique()
    if values > LARGEST_CLASS_COUNT or (values > LARGEST_LABEL_COUNT and 2 * values > column.len()):
        raise StudyError(
            f"The target column {column.name!r} has {values} different labels in {column.len()} rows.\n"
            "Hint: is it an identifier, or a number (task='regression')?",
            options=["task"],
        )
    labels = np.unique(labels_of(column))
    order: Sequence[Any] | NDArray[Any] | None = None
    if options.levels:
        order = in_levels(labels, options.levels)
    elif options.task != "classification":
        order = known_order(column)
    if options.task == "ordinal" or (order is not None and len(labels) > 2):
        return OrdinalTask.create(column.name, labels if order is None else np.asarray(order), options)
    kind = BinaryTask if len(labels) == 2 else MulticlassTask
    return kind.create(column.name, labels, options)
